/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV and SpMM of few rows and up to 2^38 columns: calls touch only the elements of x and B
 * that entries refer to, and allocate no workspace of that length. x and B are reserved
 * addresses without memory. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROOM = 16 << 20, PER_ENTRY = 256, ANY = 1 << 16, COLUMNS = 2, MOST_ROWS = 5, ENTRIES = 60 };

static float *map(int64_t elements)
{
    void *memory = mmap(NULL, (size_t)elements * sizeof(float), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

typedef struct problem {
    zoo_matrix a;
    spl_options options;
    int64_t rows, inner;
    float *b, expected[MOST_ROWS * COLUMNS]; /* B by rows; C likewise */
} problem;

/* op(A) is rows x inner, in a format without offsets along the inner dimension. B is zero except
 * where A has a column; values are small whole numbers. */
static void draw(hooked *s, problem *p)
{
    zoo_triples t;
    bool transposed = zoo_random_below(&s->random, 2);
    int64_t entries = zoo_random_below(&s->random, ENTRIES);
    spl_format lines = transposed ? SPL_CSC : SPL_CSR;
    p->rows = 1 + zoo_random_below(&s->random, MOST_ROWS);
    p->options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;
    zoo_triples_start(&t, transposed ? p->inner : p->rows, transposed ? p->rows : p->inner);
    for (int k = 0; k < MOST_ROWS * COLUMNS; k++)
        p->expected[k] = 0;
    for (int64_t e = 0; e < entries; e++) {
        int64_t i = zoo_random_below(&s->random, p->rows),
                j = zoo_random_below(&s->random, p->inner);
        float v = (float)(1 + zoo_random_below(&s->random, 9));
        zoo_triples_add(&t, transposed ? j : i, transposed ? i : j, v);
        for (int64_t c = 0; c < COLUMNS; c++) {
            p->b[j * COLUMNS + c] = (float)(1 + j % 5 + c);
            p->expected[i * COLUMNS + c] += v * p->b[j * COLUMNS + c];
        }
    }
    zoo_build(
        &p->a, &t,
        (zoo_form){zoo_random_below(&s->random, 2) ? SPL_COO : lines, SPL_F32, SPL_I64, SPL_I64});
    zoo_triples_free(&t);
}

static spl_dense dense(float *values, int64_t rows, int64_t cols)
{
    spl_dense d = SPL_DENSE_INIT;
    d.type = SPL_F32;
    d.order = SPL_ROW_MAJOR;
    d.rows = rows;
    d.cols = cols;
    d.ld = cols;
    d.values = values;
    return d;
}

static void try_spmm(hooked *s, const problem *p)
{
    float c[MOST_ROWS * COLUMNS];
    spl_dense b = dense(p->b, p->inner, COLUMNS), result = dense(c, p->rows, COLUMNS);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmm(s->context, NULL, &p->a.view, &b, NULL, &result, &p->options));
    for (int64_t k = 0; k < p->rows * COLUMNS; k++)
        EXPECT(c[k] == p->expected[k]);
    EXPECT_OK(spl_spmm_plan(s->context, &p->a.view, COLUMNS, &p->options, &plan));
    EXPECT_OK(spl_spmm_execute(plan, NULL, &b, NULL, &result, NULL));
    for (int64_t k = 0; k < p->rows * COLUMNS; k++)
        EXPECT(c[k] == p->expected[k]);
    spl_plan_destroy(plan);
}

/* x is B's memory; the expected sums are formed from it. */
static void try_spmv(hooked *s, const problem *p)
{
    float y[MOST_ROWS], again[MOST_ROWS], sums[MOST_ROWS] = {0};
    zoo_triples t;
    spl_plan *plan = NULL;
    zoo_triples_of_view(&t, &p->a.view);
    for (int64_t e = 0; e < t.nnz; e++) {
        int64_t i = p->options.op_a ? t.j[e] : t.i[e], j = p->options.op_a ? t.i[e] : t.j[e];
        sums[i] += (float)t.v[e] * p->b[j];
    }
    EXPECT_OK(spl_spmv(s->context, NULL, &p->a.view, p->b, NULL, y, &p->options));
    EXPECT_OK(spl_spmv_plan(s->context, &p->a.view, &p->options, &plan));
    EXPECT_OK(spl_spmv_execute(plan, NULL, p->b, NULL, again, NULL));
    for (int64_t i = 0; i < p->rows; i++)
        EXPECT(y[i] == sums[i] && again[i] == sums[i]);
    spl_plan_destroy(plan);
    zoo_triples_free(&t);
}

static void what_entries_do_not_meet_costs_nothing(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, ROOM);
    for (int bits = 24; bits <= 38; bits += testing_scale() > 1 ? 7 : 1) {
        problem p = {.options = SPL_OPTIONS_INIT, .inner = (int64_t)1 << bits};
        size_t bytes = (size_t)p.inner * COLUMNS * sizeof(float);
        p.b = map(p.inner * COLUMNS);
        if (!p.b) {
            printf("no address space for %zu bytes: 2^%d columns are left out\n", bytes, bits);
            break;
        }
        draw(&s, &p);
        testing_case("%lld rows, 2^%d columns, format %d, op %d, %lld entries", (long long)p.rows,
                     bits, (int)p.a.view.format, (int)p.options.op_a, (long long)p.a.view.nnz);
        size_t live = s.hook.peak = s.hook.live;
        try_spmm(&s, &p);
        try_spmv(&s, &p);
        EXPECT(s.hook.peak - live <= (size_t)(p.a.view.nnz + p.rows) * PER_ENTRY + ANY);
        zoo_matrix_free(&p.a);
        munmap(p.b, bytes);
    }
    hooked_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_entries_do_not_meet_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
