/* SPDX-License-Identifier: Apache-2.0 */
/* Results read again: pictures with a shape for each case, a page with a row for each, comparisons
 * that know noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bench_compare.h>
#include <bench_page.h>
#include <math.h>
#include <plot_bench.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case as JSON: ours with quartiles a tenth around the median, a slow and a fast rival; rival 0:
 * none. */
static void add_case(tool_buffer *text, const char *matrix, double own_seconds, double rival,
                     const char *bytes)
{
    tool_buffer_text(
        text,
        "%s{\"set\":\"tiny\",\"matrix\":\"%s\",\"nnz\":100,\"operation\":\"spmv\",\"type\":\"f64\","
        "\"columns\":1,\"flop\":200,\"bytes\":%s,\"entries\":[{\"library\":\"sparloom\",\"warm\":"
        "{\"median\":%.9g,\"q1\":%.9g,\"q3\":%.9g,\"runs\":9}}",
        text->bytes[text->count - 1] == '[' ? "" : ",", matrix, bytes, own_seconds,
        0.9 * own_seconds, 1.1 * own_seconds);
    if (rival > 0)
        tool_buffer_text(text,
                         ",{\"library\":\"slow\",\"warm\":{\"median\":%.9g}},{\"library\":\"none\","
                         "\"warm\":null}"
                         ",{\"library\":\"fast\",\"warm\":{\"median\":%.9g}}",
                         3 * rival, rival);
    tool_buffer_text(text, "]}");
}

static bench_results read_text(tool_buffer *text)
{
    bench_results results;
    tool_buffer_text(text, "]}");
    cJSON *object = cJSON_Parse(text->bytes);
    assert_non_null(object);
    assert_null(bench_results_read(object, &results));
    cJSON_Delete(object);
    tool_buffer_free(text);
    return results;
}

static tool_buffer begin(void)
{
    tool_buffer text = {0};
    tool_buffer_text(
        &text, "{\"sparloom\":\"1.2.3\",\"device\":\"a <device>\",\"threads\":4,\"cpu\":\"a CPU\","
               "\"libraries\":[{\"name\":\"sparloom\",\"version\":\"1.2.3\"},{\"name\":"
               "\"b\",\"version\":\"4\"},{\"name\":\"b-1\",\"version\":\"4\"},{\"name\":\"c\","
               "\"version\":\"5\"}],"
               "\"triad_bytes_per_second\":2e10,\"cases\":[");
    return text;
}

static bench_results sample(void)
{
    tool_buffer text = begin();
    add_case(&text, "win", 1e-6, 4e-6, "1000");
    add_case(&text, "alone", 1e-6, 0, "1000");
    add_case(&text, "loss & more", 2e-6, 1e-6, "1000");
    add_case(&text, "unknown", 1e-6, 2e-6, "null");
    return read_text(&text);
}

static void results_are_read_losses_first(void **state)
{
    (void)state;
    static const char *const order[] = {"loss & more", "unknown", "win", "alone"};
    bench_results results = sample();
    assert_string_equal(results.version, "1.2.3");
    assert_string_equal(results.cpu, "a CPU");
    assert_string_equal(results.rivals, "b 4, c 5");
    assert_true(results.count == 4 && results.threads == 4 && results.bandwidth == 2e10);
    for (int i = 0; i < 4; i++)
        assert_string_equal(results.points[i].matrix, order[i]);
    assert_true(fabs(results.points[0].ratio - 0.5) < 1e-9 && isnan(results.points[3].ratio));
    assert_string_equal(results.points[0].rival_name, "fast");
    assert_true(fabs(bench_points_mean(results.points, results.count) - pow(0.5 * 4 * 2, 1 / 3.0)) <
                1e-9);
    bench_results_free(&results);
    cJSON *object = cJSON_Parse("{\"a\":1}");
    assert_non_null(strstr(bench_results_read(object, &results), "no cases"));
    cJSON_Delete(object);
    bench_results_free(&results);
}

static void pictures_show_each_case(void **state)
{
    (void)state;
    bench_results results = sample();
    plot_scene scene = {0};
    assert_true(plot_bench(&scene, &results));
    assert_int_equal(plot_count(&scene, PLOT_RECT, PLOT_VERMILION), 1);
    assert_int_equal(plot_count(&scene, PLOT_RECT, PLOT_BLUE), 2);
    assert_int_equal(plot_count(&scene, PLOT_DOT, PLOT_BLUE), 3 + 1); /* and one in the legend */
    assert_int_equal(plot_count(&scene, PLOT_DOT, PLOT_ORANGE), 2 + 1);
    for (int64_t i = 0; i < scene.count; i++) {
        const plot_box *box = &scene.shapes[i].box;
        assert_true(isfinite(box->x + box->y + box->width + box->height));
        assert_true(box->x >= 0 && box->x <= scene.width && box->y >= 0 && box->y <= scene.height);
    }
    plot_scene_free(&scene);
    bench_results_free(&results);

    tool_buffer text = begin();
    results = read_text(&text);
    assert_false(plot_bench(&scene, &results));
    plot_scene_free(&scene);
    bench_results_free(&results);
}

/* A case that moves its bytes at the measured bandwidth lies on the roof. */
static void the_roof_is_the_bandwidth(void **state)
{
    (void)state;
    tool_buffer text = begin();
    add_case(&text, "at the roof", 1000 / 2e10, 0, "1000");
    add_case(&text, "below", 1000 / 1e10, 0, "1000");
    bench_results results = read_text(&text);
    plot_scene scene = {0};
    plot_roofline(&scene, 0, 0, &results);
    const plot_shape *roof = NULL;
    double dots[4], slope;
    int count = 0;
    for (int64_t i = 0; i < scene.count; i++) {
        const plot_shape *shape = &scene.shapes[i];
        if (shape->kind == PLOT_LINE && shape->dashed)
            roof = shape;
        if (shape->kind == PLOT_DOT && shape->colour == PLOT_BLUE && count < 4 && roof) {
            slope = roof->box.height / roof->box.width;
            dots[count++] = shape->box.y - (roof->box.y + (shape->box.x - roof->box.x) * slope);
        }
    }
    assert_int_equal(count, 3);
    assert_true(fabs(dots[0]) < 1e-6 || fabs(dots[1]) < 1e-6);
    assert_true(fmax(dots[0], dots[1]) > 10);
    plot_scene_free(&scene);
    bench_results_free(&results);
}

/* The dots of one picture of several files stand in bands of their operation, type and columns,
 * under a heading for each machine; the one of a slower case is left of the line at 1. */
static void ratios_share_a_picture(void **state)
{
    (void)state;
    bench_results files[3] = {sample(), sample(), sample()};
    plot_scene one = {0}, two = {0}, all = {0}, none = {0};
    files[1].points[0].columns = 32;                          /* a band of its own */
    snprintf(files[2].device, sizeof files[2].device, "cpu"); /* and a machine of its own */
    assert_true(plot_ratios(&one, files, 1) && plot_ratios(&two, files, 2) &&
                plot_ratios(&all, files, 3));
    double band = (two.height - one.height) / 2;
    assert_true(all.height > two.height + band && all.height < two.height + 2 * band);
    assert_int_equal(plot_count(&one, PLOT_DOT, PLOT_VERMILION), 1);
    assert_int_equal(plot_count(&one, PLOT_DOT, PLOT_BLUE), 2);
    assert_int_equal(plot_count(&all, PLOT_DOT, PLOT_VERMILION), 3);
    assert_int_equal(plot_count(&all, PLOT_DOT, PLOT_BLUE), 6);
    assert_int_equal(plot_count(&one, PLOT_RECT, PLOT_PALE), 1);
    assert_int_equal(plot_count(&all, PLOT_RECT, PLOT_PALE), 2);
    double left = HUGE_VAL, right = -HUGE_VAL, height = 0;
    for (int64_t i = 0; i < all.count; i++) {
        const plot_shape *shape = &all.shapes[i];
        if (shape->kind == PLOT_DOT && shape->colour == PLOT_VERMILION)
            right = fmax(right, shape->box.x);
        if (shape->kind == PLOT_DOT && shape->colour == PLOT_BLUE)
            left = fmin(left, shape->box.x);
        height = fmax(height, shape->kind == PLOT_DOT ? shape->box.y : 0);
    }
    assert_true(right < left && height < all.height && one.height < all.height);
    files[0].count = 0;
    assert_false(plot_ratios(&none, files, 1));
    plot_scene_free(&one);
    plot_scene_free(&two);
    plot_scene_free(&all);
    plot_scene_free(&none);
    for (int i = 0; i < 3; i++)
        bench_results_free(&files[i]);
}

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

static void a_page_has_a_row_for_each_case(void **state)
{
    (void)state;
    bench_results results = sample();
    tool_buffer page = {0};
    bench_page_begin(&page);
    bench_page_section(&page, "first", &results);
    bench_page_section(&page, "second", &results);
    bench_page_end(&page);
    tool_buffer_add(&page, "", 1);
    assert_int_equal(occurrences(page.bytes, "<tr><td"), 2 * 4);
    assert_int_equal(occurrences(page.bytes, "class=\"text loss\""), 2);
    assert_int_equal(occurrences(page.bytes, "<table>"), occurrences(page.bytes, "</table>"));
    assert_true(strstr(page.bytes, "loss &amp; more") < strstr(page.bytes, ">win<"));
    assert_non_null(strstr(page.bytes, "a &lt;device&gt;"));
    assert_null(strstr(page.bytes, "://")); /* nothing from elsewhere */
    assert_int_equal(occurrences(page.bytes, "data:image/svg+xml;base64,PD94bWw"), 2); /* "<?xml" */
    assert_non_null(strstr(page.bytes, "</html>"));
    tool_buffer_free(&page);
    bench_results_free(&results);
}

static void comparisons_know_noise(void **state)
{
    (void)state;
    tool_buffer first = begin(), second = begin();
    const char *const names[] = {"same", "noise", "slower", "faster", "gone"};
    const double factors[] = {1, 1.15, 1.5, 0.5, 0};
    for (int i = 0; i < 5; i++) {
        add_case(&first, names[i], 1e-6, 0, "1000");
        if (factors[i] > 0)
            add_case(&second, names[i], factors[i] * 1e-6, 0, "1000");
    }
    add_case(&second, "new", 1e-6, 0, "1000");
    add_case(&second, "newer", 1e-6, 0, "1000");
    bench_results before = read_text(&first), after = read_text(&second);
    bench_comparison c;
    assert_true(bench_compare(&before, &after, &c));
    assert_true(c.count == 4 && c.slower == 1 && c.faster == 1 && c.missing == 1 && c.added == 2);
    assert_string_equal(c.changes[0].before->matrix, "slower");
    assert_true(c.changes[0].kind == BENCH_SLOWER && fabs(c.changes[0].factor - 1.5) < 1e-9);
    assert_true(c.changes[1].kind == BENCH_UNCHANGED && c.changes[3].kind == BENCH_FASTER);
    bench_comparison_free(&c);
    for (int64_t i = 0; i < after.count; i++)
        after.points[i].ours.runs = 2; /* quartiles of two runs say nothing */
    assert_true(bench_compare(&before, &after, &c));
    assert_true(c.count == 4 && c.slower == 0 && c.faster == 0);
    bench_comparison_free(&c);
    bench_results_free(&before);
    bench_results_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_read_losses_first),  cmocka_unit_test(pictures_show_each_case),
        cmocka_unit_test(the_roof_is_the_bandwidth),      cmocka_unit_test(ratios_share_a_picture),
        cmocka_unit_test(a_page_has_a_row_for_each_case), cmocka_unit_test(comparisons_know_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
