/* SPDX-License-Identifier: Apache-2.0 */
/* The tool's helper library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <json_helpers.h>
#include <math.h>
#include <nearest_word.h>
#include <readable.h>
#include <stdio.h>
#include <stdlib.h>
#include <stopwatch.h>
#include <string.h>
#include <text_table.h>
#include <typed_array.h>

static void test_thousands(void **state)
{
    (void)state;
    assert_string_equal(tool_thousands(0).text, "0");
    assert_string_equal(tool_thousands(999).text, "999");
    assert_string_equal(tool_thousands(1000).text, "1,000");
    assert_string_equal(tool_thousands(-123456).text, "-123,456");
    assert_string_equal(tool_thousands(INT64_MAX).text, "9,223,372,036,854,775,807");
    assert_string_equal(tool_thousands(INT64_MIN).text, "-9,223,372,036,854,775,808");
}

static void test_durations_and_bytes(void **state)
{
    (void)state;
    assert_string_equal(tool_duration(0).text, "0.00 us");
    assert_string_equal(tool_duration(12.34e-6).text, "12.3 us");
    assert_string_equal(tool_duration(999.6e-6).text, "1.00 ms");
    assert_string_equal(tool_duration(0.9996).text, "1.00 s");
    assert_string_equal(tool_duration(123.4).text, "123 s");
    assert_string_equal(tool_duration((double)NAN).text, "unknown");
    assert_string_equal(tool_bytes(999).text, "999 B");
    assert_string_equal(tool_bytes(1000).text, "1.00 kB");
    assert_string_equal(tool_bytes(12.34e9).text, "12.3 GB");
    assert_string_equal(tool_bytes(9e18).text, "9.00 EB");
}

static void test_quantiles(void **state)
{
    (void)state;
    double samples[] = {5, 1, 4, 2, 3};
    tool_quantiles q = tool_quantiles_of(samples, 5);
    assert_true(q.first == 5 && q.q1 == 2 && q.median == 3 && q.q3 == 4 && q.runs == 5);
    double two[] = {1, 2};
    q = tool_quantiles_of(two, 2);
    assert_true(q.q1 == 1.25 && q.median == 1.5 && q.q3 == 1.75);
    q = tool_quantiles_of(two, 1);
    assert_true(q.q1 == 1 && q.median == 1 && q.q3 == 1);
    assert_true(isnan(tool_quantiles_of(NULL, 0).median));
}

static void test_nearest_word(void **state)
{
    (void)state;
    assert_int_equal(tool_edit_distance("", "abc"), 3);
    assert_int_equal(tool_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(tool_edit_distance("same", "same"), 0);
    assert_int_equal(tool_edit_distance("spvm", "spmv"), 1);
    assert_int_equal(tool_edit_distance("spmvx", "spvm"), 2);
    tool_guess guess = {0};
    tool_guess_add(&guess, "spgem", "spmm");
    tool_guess_add(&guess, "spgem", "spgemm");
    tool_guess_add(&guess, "spgem", "explain");
    assert_string_equal(guess.word, "spgemm");
    tool_guess none = {0};
    tool_guess_add(&none, "frobnicate", "spmv");
    assert_null(none.word);
}

static void test_arrays(void **state)
{
    (void)state;
    float f32[100];
    double f64[100], again[100];
    tool_fill_random(SPL_F32, f32, 100, 7, 0);
    tool_fill_random(SPL_F64, f64, 100, 7, 0);
    tool_fill_random(SPL_F64, again, 100, 7, 1);
    double sum = 0;
    for (int i = 0; i < 100; i++) {
        double rest = f64[i] - (double)f32[i]; /* digits that f32 has no room for */
        assert_true(f64[i] >= -1 && f64[i] < 1 && rest >= 0 && rest < 0x1p-23 &&
                    f64[i] != again[i]);
        sum += f64[i];
    }
    assert_true(fabs(sum) < 30);
    tool_fill_nan(SPL_F64, f64, 100);
    assert_true(isnan(f64[0]) && isnan(f64[99]) && isnan(tool_norm(SPL_F64, f64, 100)));
    const float right[] = {3, 4};
    assert_true(tool_norm(SPL_F32, right, 2) == 5);
    assert_null(tool_array(INT64_MAX, 8));
    assert_null(tool_array(-1, 8));
    /* The test value of FNV-1a for "foobar". */
    assert_true(tool_hash(TOOL_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    assert_true(tool_hash(tool_hash(TOOL_HASH_START, "foo", 3), "bar", 3) ==
                UINT64_C(0x85944171f73967e8));
}

static void test_table(void **state)
{
    (void)state;
    char text[200] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    tool_table table = {.right = 1 << 1};
    tool_table_row(&table, "rows", "1,138", "a note", NULL);
    tool_table_row(&table, "longest", "9", NULL, NULL);
    tool_table_print(&table, stream);
    assert_int_equal(table.rows, 0);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_string_equal(text, "rows     1,138  a note\nlongest      9\n");
}

static void test_json(void **state)
{
    (void)state;
    cJSON *object = cJSON_CreateObject();
    tool_json_integer(object, "i", INT64_MAX);
    tool_json_real(object, "r", 0.1);
    tool_json_real(object, "n", (double)NAN);
    tool_json_real(object, "f", (double)INFINITY);
    tool_json_text(object, "t", "a\"\xc3\xa4\xff\xe2\x82|\xed\xa0\x80");
    tool_json_text(object, "e", NULL);
    tool_json_bits(object, "b", 255);
    tool_json_truth(object, "y", 2);
    char *text = cJSON_PrintUnformatted(object);
    assert_string_equal(text, "{\"i\":9223372036854775807,\"r\":0.1,\"n\":null,\"f\":null,"
                              "\"t\":\"a\\\"\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
                              "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
                              "\"e\":null,\"b\":\"00000000000000ff\",\"y\":true}");
    cJSON_free(text);
    cJSON_Delete(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thousands), cmocka_unit_test(test_durations_and_bytes),
        cmocka_unit_test(test_quantiles), cmocka_unit_test(test_nearest_word),
        cmocka_unit_test(test_arrays),    cmocka_unit_test(test_table),
        cmocka_unit_test(test_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
