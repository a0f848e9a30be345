/* SPDX-License-Identifier: Apache-2.0 */
/* spl_reduce against a loop over the triples, on fresh matrices in every form; and the same bits
 * for any number of threads. */
#include "lib/integers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static double apply(spl_monoid monoid, double a, double b)
{
    if (monoid == SPL_MIN || monoid == SPL_MAX)
        return monoid == SPL_MIN ? fmin(a, b) : fmax(a, b);
    return monoid == SPL_PLUS ? a + b : a * b;
}

static int64_t length_of(const spl_sparse *m, spl_reduction reduction)
{
    const int64_t lengths[] = {0, 1, m->rows, m->cols};
    return lengths[reduction];
}

static void expect_reduced(const spl_sparse *m, spl_monoid monoid, spl_reduction reduction,
                           const void *result)
{
    static const double of_none[] = {0, 0, 1, INFINITY, -INFINITY};
    double values[MOST], sizes[MOST];
    zoo_triples t;
    int64_t length = length_of(m, reduction);
    zoo_triples_of_view(&t, m);
    for (int64_t k = 0; k < length; k++) {
        values[k] = of_none[monoid];
        sizes[k] = fabs(of_none[monoid]);
    }
    for (int64_t e = 0; e < t.nnz; e++) {
        int64_t k = reduction == SPL_REDUCE_ALL    ? 0
                    : reduction == SPL_REDUCE_ROWS ? t.i[e]
                                                   : t.j[e];
        values[k] = apply(monoid, values[k], t.v[e]);
        sizes[k] = apply(monoid == SPL_TIMES ? SPL_TIMES : SPL_PLUS, sizes[k], fabs(t.v[e]));
    }
    for (int64_t k = 0; k < length; k++) {
        double got = zoo_value_at(result, m->type, k), unit = m->type == SPL_F32 ? 1e-7 : 1e-15,
               bound = monoid >= SPL_MIN ? 0 : unit * sizes[k] * (double)(t.nnz + 1) + 1e-45;
        if (!isfinite(values[k]) || fabs(values[k]) > 1e37)
            EXPECT(!isfinite(got) || fabs(got) >= 1e36);
        else
            EXPECT(fabs(got - values[k]) <= bound);
    }
    zoo_triples_free(&t);
}

static void try_all(spl_context *context, const spl_sparse *m)
{
    double result[MOST];
    for (int monoid = SPL_PLUS; monoid <= SPL_MAX; monoid++)
        for (int reduction = SPL_REDUCE_ALL; reduction <= SPL_REDUCE_COLUMNS; reduction++) {
            EXPECT_OK(spl_reduce(context, m, monoid, reduction, result));
            expect_reduced(m, monoid, reduction, result);
        }
}

static void fresh_matrices(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    zoo_random random;
    (void)state;
    zoo_random_seed(&random, seed);
    for (int number = 0; number < zoo_tiny_count * 4 / testing_scale() + 1; number++) {
        const zoo_maker *maker = &zoo_tiny[zoo_random_below(&random, zoo_tiny_count)];
        zoo_form form = zoo_form_number((int)zoo_random_below(&random, ZOO_FORMS));
        zoo_matrix m;
        testing_case("seed %llu, number %d: %s, %s", (unsigned long long)seed, number, maker->name,
                     zoo_form_name(form));
        zoo_matrix_make(&m, maker, form, seed + (uint64_t)number);
        try_all(context, &m.view);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(context);
}

/* 160000 entries: several pieces, and several threads. */
static void same_bits(void **state)
{
    const zoo_maker maker = {"large", zoo_uniform, {4000, 3900, 40}, false};
    (void)state;
    for (int form = 0; form < ZOO_FORMS; form += testing_scale()) {
        zoo_matrix m;
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        zoo_matrix_make(&m, &maker, zoo_form_number(form), testing_seed());
        for (int reduction = SPL_REDUCE_ALL; reduction <= SPL_REDUCE_COLUMNS; reduction++) {
            double one[MOST], four[MOST];
            spl_context *alone = testing_context(1), *together = testing_context(4);
            size_t bytes = (size_t)length_of(&m.view, reduction) * zoo_type_bytes(m.view.type);
            EXPECT_OK(spl_reduce(alone, &m.view, SPL_PLUS, reduction, one));
            EXPECT_OK(spl_reduce(together, &m.view, SPL_PLUS, reduction, four));
            EXPECT(memcmp(one, four, bytes) == 0);
            expect_reduced(&m.view, SPL_PLUS, reduction, four);
            spl_context_destroy(alone);
            spl_context_destroy(together);
        }
        zoo_matrix_free(&m);
    }
}

/* ---- integers ---- */

static int64_t combine(spl_monoid monoid, spl_type type, int64_t a, int64_t b)
{
    if (monoid == SPL_MIN || monoid == SPL_MAX)
        return (monoid == SPL_MIN) == (b < a) ? b : a;
    return monoid == SPL_PLUS ? integers_add(SPL_PLUS_TIMES, type, a, b)
                              : integers_multiply(SPL_PLUS_TIMES, type, a, b);
}

static void expect_whole(const integers_matrix *m, spl_monoid monoid, spl_reduction reduction,
                         const void *result)
{
    static const int semirings[] = {0, SPL_PLUS_TIMES, 0, SPL_MIN_PLUS, SPL_MAX_PLUS};
    const spl_type type = m->view.type;
    for (int64_t k = 0; k < length_of(&m->view, reduction); k++) {
        int64_t value = monoid == SPL_TIMES ? 1 : integers_none(semirings[monoid], type);
        for (int64_t e = 0; e < m->triples.nnz; e++)
            if (reduction == SPL_REDUCE_ALL ||
                k == (reduction == SPL_REDUCE_ROWS ? m->triples.i[e] : m->triples.j[e]))
                value = combine(monoid, type, value, m->numbers[e]);
        EXPECT(integers_at(result, type, k) == value);
    }
}

static void integers(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    integers_draw draw;
    int64_t result[MOST];
    (void)state;
    zoo_random_seed(&draw.random, seed);
    for (int number = 0; number < 100 / testing_scale() + 5; number++) {
        integers_matrix m;
        testing_case("seed %llu, number %d of integers", (unsigned long long)seed, number);
        draw.type = integers_below(&draw, 2) ? SPL_INT32 : SPL_INT64;
        draw.kind = (integers_kind)integers_below(&draw, 3);
        integers_make(&m, &draw, integers_below(&draw, 30), integers_below(&draw, 30), false);
        for (int monoid = SPL_PLUS; monoid <= SPL_MAX; monoid++)
            for (int reduction = SPL_REDUCE_ALL; reduction <= SPL_REDUCE_COLUMNS; reduction++) {
                EXPECT_OK(spl_reduce(context, &m.view, monoid, reduction, result));
                expect_whole(&m, monoid, reduction, result);
            }
        integers_free(&m);
    }
    spl_context_destroy(context);
}

static void halves(void **state)
{
    const uint16_t ones[3] = {0x3c00, 0x3c00, 0x4000}; /* 1, 1, 2 as f16 */
    const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 1, 1};
    spl_context *context = testing_context(1);
    spl_sparse m = SPL_SPARSE_INIT;
    float sums[2];
    (void)state;
    m.format = SPL_CSR, m.type = SPL_F16, m.offset_type = m.index_type = SPL_I32;
    m.rows = m.cols = 2, m.nnz = 3;
    m.offsets = offsets, m.indices = columns, m.values = ones;
    EXPECT_OK(spl_reduce(context, &m, SPL_PLUS, SPL_REDUCE_COLUMNS, sums));
    EXPECT(sums[0] == 1 && sums[1] == 3);
    spl_context_destroy(context);
}

static void wrong_calls(void **state)
{
    spl_context *context = testing_context(1);
    const zoo_maker maker = {"square", zoo_diagonal, {4}, false};
    zoo_matrix m;
    double result[4] = {7, 7, 7, 7};
    (void)state;
    zoo_matrix_make(&m, &maker, zoo_form_number(0), 1);
    const spl_sparse *v = &m.view;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(NULL, v, SPL_PLUS, SPL_REDUCE_ALL, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_reduce(context, NULL, SPL_PLUS, SPL_REDUCE_ALL, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(context, v, 0, SPL_REDUCE_ALL, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_reduce(context, v, SPL_MAX + 1, SPL_REDUCE_ALL, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(context, v, SPL_PLUS, 0, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(context, v, SPL_PLUS, 4, result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_reduce(context, v, SPL_PLUS, SPL_REDUCE_ALL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_reduce(context, v, SPL_PLUS, SPL_REDUCE_ROWS, m.values));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_reduce(context, v, SPL_PLUS, SPL_REDUCE_ROWS, (char *)result + 1));
    EXPECT(result[0] == 7 && result[3] == 7);
    zoo_matrix_free(&m);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_matrices),
                                       cmocka_unit_test(same_bits), cmocka_unit_test(halves),
                                       cmocka_unit_test(integers), cmocka_unit_test(wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
