/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of the project in the emulator, at both widths and under several schedules, against the
 * obvious loop. Values are small integers: sums are exact in any order. */
#include "lib/plugins.h"
#include "lib/testing.h"
#include "spmv/kernels/spmv_csr_vector.k.h"

enum { ROWS = 301, COLS = 97, MOST = 40 };

typedef struct example {
    int32_t offsets[ROWS + 1], columns[ROWS * MOST];
    double values[ROWS * MOST], x[COLS], y[ROWS], expected[ROWS];
} example;

static example *make_example(double alpha, double beta)
{
    static example e;
    for (int j = 0; j < COLS; j++)
        e.x[j] = j % 7 - 3;
    for (int i = 0, p = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = i * i % MOST; k > 0; k--, p++) {
            e.columns[p] = (i + 5 * k) % COLS;
            e.values[p] = (i + k) % 9 - 4;
            sum += e.values[p] * e.x[e.columns[p]];
        }
        e.offsets[i + 1] = p;
        e.y[i] = i % 5;
        e.expected[i] = alpha * sum + beta * e.y[i];
    }
    return &e;
}

static void try_width(const rig *r, int width, int threads)
{
    const double alpha = 2, beta = -1;
    const example *e = make_example(alpha, beta);
    double y[ROWS];
    testing_case("%d lanes, %d per row, %d threads", r->lanes, width, threads);
    struct spmv_csr_vector_args args = {
        .rows = ROWS,
        .offsets = rig_put(r, e->offsets, sizeof e->offsets),
        .columns = rig_put(r, e->columns, sizeof e->columns),
        .values = rig_put(r, e->values, sizeof e->values),
        .x = rig_put(r, e->x, sizeof e->x),
        .y = rig_put(r, e->y, sizeof e->y),
        .scalars = {.alpha = {.value = alpha}, .beta = {.value = beta}},
        .width = width};
    rig_launch(r, "spmv_csr_vector_f64_32", 7, threads, 0, &args);
    rig_get(r, y, args.y, sizeof y);
    for (int i = 0; i < ROWS; i++)
        EXPECT(y[i] == e->expected[i]);
    const void *arrays[] = {args.offsets, args.columns, args.values, args.x, args.y};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        rig_free(r, (void *)arrays[i]);
}

static void spmv_is_right_at_all_widths(void **state)
{
    (void)state;
    for (int lanes = 0; lanes < PLUGIN_WIDTHS; lanes++) {
        rig r = rig_of_project(lanes);
        for (int width = 1; width <= r.lanes; width *= 2)
            for (int threads = 64; threads <= 256; threads *= 4)
                try_width(&r, width, threads);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv_is_right_at_all_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
