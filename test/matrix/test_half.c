/* SPDX-License-Identifier: Apache-2.0 */
/* f16 and bf16: every pattern of bits, and every number where rounding turns, against their
 * definition (zoo_half.c). */
#include "core/half.h"
#include "lib/testing.h"

#include <math.h>
#include <string.h>

enum { PATTERNS = 1 << 16 };

static const spl_type types[] = {SPL_F16, SPL_BF16};

/* The library's own conversions, one by one. */
static float widen(uint16_t bits, spl_type type)
{
    return type == SPL_F16 ? spl__f16_widen((spl__f16){bits}) : spl__bf16_widen((spl__bf16){bits});
}

static uint16_t narrow(float x, spl_type type)
{
    return type == SPL_F16 ? spl__f16_narrow(x).bits : spl__bf16_narrow(x).bits;
}

/* Through the public function, whose source is f64: rounded once. */
static uint16_t convert(double x, spl_type type)
{
    uint16_t bits;
    EXPECT_OK(spl_convert_values(type, &bits, SPL_F64, &x, 1));
    return bits;
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void every_pattern(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++)
        for (int bits = 0; bits < PATTERNS; bits++) {
            const double value = zoo_half_value((uint16_t)bits, types[t]);
            double converted;
            testing_case("type %d, bits %04x", (int)types[t], (unsigned)bits);
            EXPECT(same(widen((uint16_t)bits, types[t]), value));
            EXPECT_OK(
                spl_convert_values(SPL_F64, &converted, types[t], &(uint16_t){(uint16_t)bits}, 1));
            EXPECT(same(converted, value));
            if (isnan(value))
                EXPECT(isnan(zoo_half_value(narrow((float)value, types[t]), types[t])) &&
                       isnan(zoo_half_value(convert(value, types[t]), types[t])));
            else
                EXPECT(zoo_half_bits(value, types[t]) == bits &&
                       narrow((float)value, types[t]) == bits && convert(value, types[t]) == bits);
        }
}

static void expect_rounded(float x, spl_type type)
{
    testing_case("type %d, %a", (int)type, (double)x);
    EXPECT(narrow(x, type) == zoo_half_bits((double)x, type));
    EXPECT(narrow(-x, type) == zoo_half_bits(-(double)x, type));
    EXPECT(convert((double)x, type) == zoo_half_bits((double)x, type));
    /* Off by a little in f64, but not in f32: rounding twice gives the wrong result. */
    EXPECT(convert(nextafter((double)x, INFINITY), type) ==
           zoo_half_bits(nextafter((double)x, INFINITY), type));
    EXPECT(convert(nextafter((double)x, 0), type) == zoo_half_bits(nextafter((double)x, 0), type));
}

/* Half way between any number and the next, and the numbers of f32 beside that; behind the largest
 * one comes what would follow. */
static void rounding_turns_half_way(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        const int infinite = types[t] == SPL_F16 ? 0x7c00 : 0x7f80;
        for (int bits = 0; bits < infinite; bits++) {
            const double value = zoo_half_value((uint16_t)bits, types[t]);
            const double below = bits > 0 ? zoo_half_value((uint16_t)(bits - 1), types[t]) : -value;
            const double next = bits + 1 < infinite ? zoo_half_value((uint16_t)(bits + 1), types[t])
                                                    : 2 * value - below;
            const float middle = (float)(value + (next - value) / 2);
            expect_rounded(middle, types[t]);
            expect_rounded(nextafterf(middle, 0), types[t]);
            expect_rounded(nextafterf(middle, INFINITY), types[t]);
        }
        EXPECT(convert(1e300, types[t]) == infinite &&
               convert(-1e300, types[t]) == (infinite | 0x8000));
        EXPECT(convert(1e-300, types[t]) == 0 && convert(-1e-300, types[t]) == 0x8000);
    }
    EXPECT(narrow(65519.996f, SPL_F16) == 0x7bff && narrow(65520, SPL_F16) == 0x7c00);
}

static void between_halves(void **state)
{
    (void)state;
    const uint16_t f16[] = {0x3c00, 0x7bff, 0x0001, 0xfc00, 0x3c01};
    const uint16_t in_bf16[] = {0x3f80, 0x4780, 0x3380, 0xff80, 0x3f80};
    uint16_t bf16[5], back[5];
    float wide[5];
    EXPECT_OK(spl_convert_values(SPL_BF16, bf16, SPL_F16, f16, 5));
    EXPECT(memcmp(bf16, in_bf16, sizeof bf16) == 0);
    EXPECT_OK(spl_convert_values(SPL_F32, wide, SPL_F16, f16, 5));
    EXPECT(wide[0] == 1 && wide[1] == 65504 && wide[2] == 0x1p-24f && wide[3] == -INFINITY &&
           wide[4] == 1.0009765625f);
    EXPECT_OK(spl_convert_values(SPL_F16, back, SPL_F32, wide, 5));
    EXPECT(memcmp(back, f16, sizeof back) == 0);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert_values(SPL_F16, back, SPL_F32, NULL, 5));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert_values(SPL_F16, wide, SPL_F32, wide, 5));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_convert_values(SPL_F16, back, SPL_F32, wide, -1));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_convert_values(SPL_F16, (char *)back + 1, SPL_F32, wide, 1));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_convert_values(SPL_C32, back, SPL_F32, wide, 1));
}

/* Matrices: in both directions, in any order, and equal positions are summed in f32. */
static void matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find("duplicates_12"), zoo_form_number(form), testing_seed());
        for (int t = 0; t < 2; t++) {
            spl_matrix *half, *turned;
            spl_sparse view = SPL_SPARSE_INIT;
            spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
            testing_case("form %d to type %d", form, (int)types[t]);
            options.type = types[t];
            EXPECT_OK(spl_convert(context, &a.view, &options, &half));
            EXPECT_OK(spl_matrix_view(half, &view));
            EXPECT(view.type == types[t] && view.nnz == a.view.nnz);
            for (int64_t p = 0; p < view.nnz; p++)
                EXPECT(((const uint16_t *)view.values)[p] ==
                       zoo_half_bits(zoo_value_at(a.view.values, a.view.type, p), types[t]));
            options = (spl_convert_options)SPL_CONVERT_OPTIONS_INIT;
            options.transpose = options.sort = 1;
            EXPECT_OK(spl_convert(context, &view, &options, &turned));
            spl_matrix_destroy(turned);
            spl_matrix_destroy(half);
        }
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static void sums_of_duplicates(void **state)
{
    (void)state;
    enum { ENTRIES = 3000 };
    static int32_t offsets[2] = {0, ENTRIES}, columns[ENTRIES];
    static uint16_t values[ENTRIES];
    spl_context *context = testing_context(1);
    spl_matrix *sum;
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_sparse a = zoo_csr(SPL_F16, 1, 1, offsets, columns, values);
    for (int p = 0; p < ENTRIES; p++)
        values[p] = 0x3c00; /* 1: in f16 the sum would stay at 2048 */
    options.sum_duplicates = 1;
    EXPECT_OK(spl_convert(context, &a, &options, &sum));
    EXPECT_OK(spl_matrix_view(sum, &a));
    EXPECT(a.nnz == 1 && zoo_value_at(a.values, SPL_F16, 0) == ENTRIES);
    spl_matrix_destroy(sum);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern),      cmocka_unit_test(rounding_turns_half_way),
        cmocka_unit_test(between_halves),     cmocka_unit_test(matrices),
        cmocka_unit_test(sums_of_duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
