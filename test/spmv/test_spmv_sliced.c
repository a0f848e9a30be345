/* SPDX-License-Identifier: Apache-2.0 */
/* Sliced ELL on a device where its columns just fit a width and where they just do not, and rows in
 * many pieces, in the emulator at both widths. Values are small integers: sums are exact in any
 * order. */
#include "lib/on_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLS = 200000, WIDTH = 5, LONG_ROW = 77, LONG = 5000 };

typedef struct example {
    int32_t offsets[ROWS + 1], columns[ROWS * WIDTH + LONG];
    double values[ROWS * WIDTH + LONG], x[COLS], y[ROWS], expected[ROWS];
    spl_sparse view;
} example;

/* Entry k of row i is in column 1000*k plus: i where spread is 0, else 0 or the spread by turns.
 * Row LONG_ROW gets `extra` entries more. */
static example *make_example(int32_t spread, int extra)
{
    example *e = calloc(1, sizeof *e);
    int32_t p = 0;
    for (int j = 0; j < COLS; j++)
        e->x[j] = j % 11 - 5;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < WIDTH + (i == LONG_ROW ? extra : 0); k++, p++) {
            e->columns[p] = 1000 * (k % 100) + k / 100 + (spread == 0 ? i : i % 2 * spread);
            e->values[p] = (i + k) % 7 - 3;
            e->expected[i] += e->values[p] * e->x[e->columns[p]];
        }
        e->offsets[i + 1] = p;
        e->y[i] = NAN;
    }
    e->view = zoo_csr(SPL_F64, ROWS, COLS, e->offsets, e->columns, e->values);
    return e;
}

/* The number before `words` in the plan's explanation. */
static double explained(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    const char *cursor = strstr(text, words);
    EXPECT(cursor != NULL);
    while (cursor > text && cursor[-1] != ' ')
        cursor--;
    return cursor ? atof(cursor) : NAN;
}

static spl_plan *plan_of(const on_device *s, const example *e)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/gpu/sliced_ell";
    options.processors = 2; /* the device */
    EXPECT_OK(spl_spmv_plan(s->context, &e->view, &options, &plan));
    return plan;
}

static void expect_exact(spl_plan *plan, example *e)
{
    EXPECT_OK(spl_spmv_execute(plan, NULL, e->x, NULL, e->y, NULL));
    for (int i = 0; i < ROWS; i++)
        EXPECT(e->y[i] == e->expected[i]);
}

static void columns_take_the_bytes_they_need(void **state)
{
    static const struct {
        int32_t spread;
        double bytes;
    } cases[] = {{0, 0}, {254, 1}, {255, 2}, {65534, 2}, {65535, 4}};
    on_device s = on_device_start(*state);
    int32_t lanes = strncmp(*state, "emu64", 5) == 0 ? 64 : 32;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        testing_case("%s, columns of a line differ by %d", (const char *)*state,
                     (int)cases[c].spread);
        example *e = make_example(cases[c].spread, 0);
        spl_plan *plan = plan_of(&s, e);
        /* a base for each line */
        double bytes = explained(plan, " bytes of columns") - 4.0 / lanes;
        EXPECT(fabs(bytes - cases[c].bytes) < 0.01);
        expect_exact(plan, e);
        spl_plan_destroy(plan);
        free(e);
    }
    on_device_stop(&s);
}

/* The last piece to be done adds up all of them, and leaves everything as it was for the next
 * execution. */
static void long_rows_are_joined_each_time(void **state)
{
    on_device s = on_device_start(*state);
    example *e = make_example(0, LONG - WIDTH);
    testing_case("%s, a row of %d entries", (const char *)*state, LONG);
    spl_plan *plan = plan_of(&s, e);
    for (int n = 0; n < 3; n++)
        expect_exact(plan, e);
    spl_plan_destroy(plan);
    free(e);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(columns_take_the_bytes_they_need),
        ON_BOTH_WIDTHS(long_rows_are_joined_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
