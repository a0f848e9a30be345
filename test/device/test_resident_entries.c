/* SPDX-License-Identifier: Apache-2.0 */
/* spl_reduce and spl_elementwise of matrices on a device: what they give on the host, in every form
 * that devices take; bits, but for sums of floating-point numbers in another order. */
#include "lib/on_device.h"
#include "sparloom/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static const spl_type types[] = {SPL_F32, SPL_F64, SPL_F16, SPL_BF16, SPL_INT32, SPL_INT64};
static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static zoo_matrix draw_matrix(int64_t rows, int64_t cols, spl_type type)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted, zoo_empty};
    zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
    zoo_triples t;
    zoo_matrix m;
    form.type = type;
    form.index_type = SPL_I32;
    families[below(5)](&t, (const int64_t[]){rows, cols, 1 + below(cols)}, below(1000000));
    zoo_triples_fill(&t, ZOO_INTEGERS, below(1000000));
    zoo_build(&m, &t, form);
    zoo_triples_free(&t);
    return m;
}

static bool is_whole(spl_type type)
{
    return type == SPL_INT32 || type == SPL_INT64;
}

/* ---- reductions ---- */

static void expect_values(spl_type type, const void *expected, const void *got, int64_t count)
{
    const spl_type of_sums = type == SPL_F64 ? SPL_F64 : SPL_F32;
    if (is_whole(type)) {
        EXPECT(count == 0 || !memcmp(got, expected, (size_t)count * zoo_type_bytes(type)));
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const double e = zoo_value_at(expected, of_sums, k), g = zoo_value_at(got, of_sums, k);
        EXPECT(e == g || fabs(e - g) <= (type == SPL_F64 ? 1e-12 : 1e-5) * fabs(e));
    }
}

static void reduce_both(const on_device *s, spl_context *cpu, const zoo_matrix *m)
{
    const spl_sparse *host = &m->view;
    const spl_sparse there = on_device_put_matrix(s, host);
    const size_t size = host->type == SPL_F64 || host->type == SPL_INT64 ? 8 : 4;
    for (int monoid = SPL_PLUS; monoid <= SPL_MAX; monoid++)
        for (int reduction = SPL_REDUCE_ALL; reduction <= SPL_REDUCE_COLUMNS; reduction++) {
            const int64_t count = reduction == SPL_REDUCE_ALL    ? 1
                                  : reduction == SPL_REDUCE_ROWS ? host->rows
                                                                 : host->cols;
            double expected[MOST], got[MOST];
            void *result = on_device_put(s, expected, (size_t)count * size);
            EXPECT_OK(spl_reduce(cpu, host, monoid, reduction, expected));
            EXPECT_OK(spl_reduce(s->context, &there, monoid, reduction, result));
            if (count > 0)
                on_device_get(s, got, result, (size_t)count * size);
            expect_values(host->type, expected, got, count);
            on_device_drop(s, result, (size_t)count * size);
        }
    on_device_drop_matrix(s, &there);
}

static void reductions(void **state)
{
    on_device s = on_device_start(*state);
    spl_context *cpu = NULL;
    const uint64_t seed = testing_fresh_seed();
    EXPECT_OK(spl_context_create(NULL, &cpu));
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 16; number++) {
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        zoo_matrix m = draw_matrix(1 + below(MOST), 1 + below(MOST), types[below(6)]);
        reduce_both(&s, cpu, &m);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(cpu);
    on_device_stop(&s);
}

/* All of several pieces. */
static void large_sum(void **state)
{
    const zoo_maker maker = {"large", zoo_uniform, {90, 200, 150}, false};
    on_device s = on_device_start(*state);
    zoo_form form = zoo_form_number(0);
    zoo_matrix m;
    int64_t sum = 0, expected = 0;
    form.type = SPL_INT64;
    zoo_matrix_make(&m, &maker, form, testing_seed());
    int64_t *values = m.values;
    EXPECT(m.view.nnz > 3 * 4096);
    for (int64_t p = 0; p < m.view.nnz; p++) {
        values[p] = p * p;
        expected += p * p;
    }
    const spl_sparse there = on_device_put_matrix(&s, &m.view);
    void *result = on_device_put(&s, &sum, sizeof sum);
    EXPECT_OK(spl_reduce(s.context, &there, SPL_PLUS, SPL_REDUCE_ALL, result));
    on_device_get(&s, &sum, result, sizeof sum);
    EXPECT(sum == expected);
    on_device_drop(&s, result, sizeof sum);
    on_device_drop_matrix(&s, &there);
    zoo_matrix_free(&m);
    on_device_stop(&s);
}

/* ---- element by element ---- */

static void combine_both(const on_device *s, spl_context *cpu, const spl_sparse *a,
                         const spl_sparse *b)
{
    const spl_sparse there_a = on_device_put_matrix(s, a), there_b = on_device_put_matrix(s, b);
    for (int positions = SPL_UNION; positions <= SPL_DIFFERENCE; positions++) {
        const int operation = positions == SPL_DIFFERENCE ? 0 : 1 + (int)below(SPL_OP_PAIR);
        spl_matrix *expected = NULL, *got = NULL;
        spl_sparse e = SPL_SPARSE_INIT, g = SPL_SPARSE_INIT;
        EXPECT_OK(spl_elementwise(cpu, a, b, positions, operation, &expected));
        EXPECT_OK(spl_elementwise(s->context, &there_a, &there_b, positions, operation, &got));
        EXPECT_OK(spl_matrix_view(expected, &e));
        EXPECT_OK(spl_matrix_view(got, &g));
        on_device_expect_matrix(s, &e, &g);
        spl_matrix_destroy(expected);
        spl_matrix_destroy(got);
    }
    on_device_drop_matrix(s, &there_a);
    on_device_drop_matrix(s, &there_b);
}

static void pairs(void **state)
{
    on_device s = on_device_start(*state);
    spl_context *cpu = NULL;
    const uint64_t seed = testing_fresh_seed();
    EXPECT_OK(spl_context_create(NULL, &cpu));
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 40; number++) {
        const int64_t rows = 1 + below(30), cols = 1 + below(MOST);
        const spl_type type = types[below(6)];
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        zoo_matrix a = draw_matrix(rows, cols, type), b = draw_matrix(rows, cols, type);
        combine_both(&s, cpu, &a.view, &b.view);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(cpu);
    on_device_stop(&s);
}

static void not_a_number(void **state)
{
    const int32_t offsets[] = {0, 2}, columns[] = {0, 1};
    const double left[] = {NAN, 2}, right[] = {3, NAN}, wanted[] = {3, 2};
    on_device s = on_device_start(*state);
    spl_sparse a = SPL_SPARSE_INIT, b, e, view = SPL_SPARSE_INIT;
    a.format = SPL_CSR, a.type = SPL_F64, a.offset_type = a.index_type = SPL_I32;
    a.rows = 1, a.cols = 2, a.nnz = 2;
    a.offsets = offsets, a.indices = columns, a.values = left;
    b = e = a;
    b.values = right;
    e.values = wanted;
    const spl_sparse there_a = on_device_put_matrix(&s, &a), there_b = on_device_put_matrix(&s, &b);
    for (int operation = SPL_OP_MIN; operation <= SPL_OP_MAX; operation++) {
        spl_matrix *c = NULL;
        EXPECT_OK(spl_elementwise(s.context, &there_a, &there_b, SPL_UNION, operation, &c));
        EXPECT_OK(spl_matrix_view(c, &view));
        on_device_expect_matrix(&s, &e, &view);
        spl_matrix_destroy(c);
    }
    on_device_drop_matrix(&s, &there_a);
    on_device_drop_matrix(&s, &there_b);
    on_device_stop(&s);
}

/* ---- refusals ---- */

/* Faults are told, and nothing is left behind. */
static void refusals(void **state)
{
    on_device s = on_device_start(*state);
    const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1}, beyond[] = {0, 7};
    const float values[] = {1, 2};
    float at_home[2] = {7, 7};
    spl_sparse m = SPL_SPARSE_INIT, wrong;
    spl_matrix *c = NULL;
    m.format = SPL_CSR, m.type = SPL_F32, m.offset_type = m.index_type = SPL_I32;
    m.rows = m.cols = m.nnz = 2;
    m.offsets = offsets, m.indices = columns, m.values = values;
    wrong = m;
    wrong.indices = beyond;
    const spl_sparse there = on_device_put_matrix(&s, &m), bad = on_device_put_matrix(&s, &wrong);
    spl_sparse wide = there, elsewhere = m;
    void *result = on_device_put(&s, values, sizeof values);
    wide.index_type = wide.offset_type = SPL_I64;
    elsewhere.place = s.place; /* arrays on the host */
    const spl_sparse *const refused[] = {&bad, &wide, &elsewhere};
    const spl_status statuses[] = {SPL_INVALID_MATRIX, SPL_UNSUPPORTED, SPL_INVALID_ARGUMENT};
    for (int k = 0; k < 3; k++) {
        EXPECT_STATUS(statuses[k],
                      spl_reduce(s.context, refused[k], SPL_PLUS, SPL_REDUCE_ROWS, result));
        EXPECT_STATUS(statuses[k],
                      spl_elementwise(s.context, refused[k], &there, SPL_UNION, SPL_OP_PLUS, &c));
        EXPECT_STATUS(statuses[k],
                      spl_elementwise(s.context, &there, refused[k], SPL_UNION, SPL_OP_PLUS, &c));
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_reduce(s.context, &there, SPL_PLUS, SPL_REDUCE_ROWS, at_home));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(s.context, &there, 0, SPL_REDUCE_ROWS, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_elementwise(s.context, &there, &m, SPL_UNION, SPL_OP_PLUS, &c));
    EXPECT(c == NULL && at_home[0] == 7);
    on_device_drop(&s, result, sizeof values);
    on_device_drop_matrix(&s, &there);
    on_device_drop_matrix(&s, &bad);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(reductions), ON_BOTH_WIDTHS(large_sum),
                                       ON_BOTH_WIDTHS(pairs), ON_BOTH_WIDTHS(not_a_number),
                                       ON_BOTH_WIDTHS(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
