/* SPDX-License-Identifier: Apache-2.0 */
/* spl_elementwise against dense arrays, on fresh pairs of matrices in every form. */
#include "lib/integers.h"

#include <math.h>
#include <stdlib.h>

static zoo_random draws;

/* A matrix as dense arrays: what is stored where, duplicates summed. */
typedef struct dense {
    int64_t rows, cols;
    double *values;
    bool *stored;
} dense;

static dense dense_of(const spl_sparse *view)
{
    size_t count = (size_t)(view->rows * view->cols);
    dense d = {view->rows, view->cols, zoo_allocate(count * sizeof(double)),
               zoo_allocate(count * sizeof(bool))};
    zoo_triples t;
    for (size_t k = 0; k < count; k++) {
        d.values[k] = 0;
        d.stored[k] = false;
    }
    zoo_triples_of_view(&t, view);
    for (int64_t e = 0; e < t.nnz; e++) {
        d.values[t.i[e] * d.cols + t.j[e]] += t.v[e];
        d.stored[t.i[e] * d.cols + t.j[e]] = true;
    }
    zoo_triples_free(&t);
    return d;
}

static void dense_free(dense *d)
{
    free(d->values);
    free(d->stored);
}

static double operate(int operation, double a, double b)
{
    const double results[] = {0, a + b, a - b, a * b, fmin(a, b), fmax(a, b), a, b, 1};
    return results[operation];
}

static void expect_elementwise(const spl_sparse *a, const spl_sparse *b, int positions,
                               int operation, const spl_sparse *c)
{
    dense x = dense_of(a), y = dense_of(b), z = dense_of(c);
    int64_t count = 0;
    EXPECT(c->format == SPL_CSR && c->type == a->type);
    EXPECT_OK(spl_validate(c));
    for (int64_t k = 0; k < x.rows * x.cols; k++) {
        bool both = x.stored[k] && y.stored[k], one = x.stored[k] || y.stored[k],
             kept = positions == SPL_UNION          ? one
                    : positions == SPL_INTERSECTION ? both
                                                    : x.stored[k] && !y.stored[k];
        double value =
            both ? operate(operation, x.values[k], y.values[k]) : x.values[k] + y.values[k];
        EXPECT(z.stored[k] == kept);
        EXPECT(!kept || z.values[k] == value);
        count += kept;
    }
    EXPECT(count == c->nnz); /* each position once */
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t p = zoo_index_at(c->offsets, c->offset_type, i) + 1;
             p < zoo_index_at(c->offsets, c->offset_type, i + 1); p++)
            EXPECT(zoo_index_at(c->indices, c->index_type, p - 1) <
                   zoo_index_at(c->indices, c->index_type, p));
    dense_free(&x);
    dense_free(&y);
    dense_free(&z);
}

static void try_all(spl_context *context, const spl_sparse *a, const spl_sparse *b)
{
    for (int positions = SPL_UNION; positions <= SPL_DIFFERENCE; positions++)
        for (int operation = SPL_OP_PLUS; operation <= SPL_OP_PAIR; operation++) {
            spl_matrix *c = NULL;
            spl_sparse view = SPL_SPARSE_INIT;
            int given = positions == SPL_DIFFERENCE ? 0 : operation;
            EXPECT_OK(spl_elementwise(context, a, b, positions, given, &c));
            EXPECT_OK(spl_matrix_view(c, &view));
            expect_elementwise(a, b, positions, given, &view);
            spl_matrix_destroy(c);
        }
}

static void make(zoo_matrix *m, int64_t rows, int64_t cols, zoo_form form, uint64_t seed)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted, zoo_empty};
    const zoo_maker maker = {"operand",
                             families[zoo_random_below(&draws, 5)],
                             {rows, cols, 1 + zoo_random_below(&draws, cols)},
                             false};
    zoo_triples t;
    zoo_make(&t, &maker, seed);
    zoo_triples_fill(&t, ZOO_INTEGERS, seed); /* sums of duplicates are exact */
    zoo_build(m, &t, form);
    zoo_triples_free(&t);
}

static void fresh_pairs(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 150 / testing_scale() + 1; number++) {
        int64_t rows = 1 + zoo_random_below(&draws, 40), cols = 1 + zoo_random_below(&draws, 30);
        zoo_form of_a = zoo_form_number((int)zoo_random_below(&draws, ZOO_FORMS)), of_b = of_a;
        zoo_matrix a, b;
        if (number % 3 > 0)
            of_b = zoo_form_number((int)zoo_random_below(&draws, ZOO_FORMS));
        of_b.type = of_a.type;
        testing_case("seed %llu, number %d: %s, %s", (unsigned long long)seed, number,
                     zoo_form_name(of_a), zoo_form_name(of_b));
        make(&a, rows, cols, of_a, seed + (uint64_t)number);
        make(&b, rows, cols, of_b, seed + 1000 + (uint64_t)number);
        try_all(context, &a.view, &b.view);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

/* ---- integers ---- */

/* The sum of the entries at (i, j); false: there are none. */
static bool whole_at(const integers_matrix *m, int64_t i, int64_t j, int64_t *value)
{
    bool stored = false;
    *value = 0;
    for (int64_t e = 0; e < m->triples.nnz; e++)
        if (m->triples.i[e] == i && m->triples.j[e] == j) {
            stored = true;
            *value = integers_add(SPL_PLUS_TIMES, m->view.type, *value, m->numbers[e]);
        }
    return stored;
}

static int64_t operate_whole(int operation, spl_type type, int64_t a, int64_t b)
{
    const int64_t minus = integers_multiply(SPL_PLUS_TIMES, type, -1, b);
    const int64_t results[] = {0,
                               integers_add(SPL_PLUS_TIMES, type, a, b),
                               integers_add(SPL_PLUS_TIMES, type, a, minus),
                               integers_multiply(SPL_PLUS_TIMES, type, a, b),
                               a < b ? a : b,
                               a > b ? a : b,
                               a,
                               b,
                               1};
    return results[operation];
}

static void expect_whole(const integers_matrix *a, const integers_matrix *b, int positions,
                         int operation, const spl_sparse *c)
{
    int64_t p = 0, x, y;
    EXPECT(c->type == a->view.type);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            const bool of_a = whole_at(a, i, j, &x), of_b = whole_at(b, i, j, &y);
            if (positions == SPL_UNION          ? !of_a && !of_b
                : positions == SPL_INTERSECTION ? !of_a || !of_b
                                                : !of_a || of_b)
                continue;
            EXPECT(p < c->nnz && zoo_index_at(c->indices, c->index_type, p) == j);
            EXPECT(integers_at(c->values, c->type, p) ==
                   (of_a && of_b ? operate_whole(operation, c->type, x, y)
                    : of_a       ? x
                                 : y));
            p++;
        }
    EXPECT(p == c->nnz);
}

static void integers(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    integers_draw draw;
    (void)state;
    zoo_random_seed(&draw.random, seed);
    for (int number = 0; number < 30 / testing_scale() + 3; number++) {
        const int64_t rows = integers_below(&draw, 12), cols = integers_below(&draw, 12);
        integers_matrix a, b;
        testing_case("seed %llu, number %d of integers", (unsigned long long)seed, number);
        draw.type = integers_below(&draw, 2) ? SPL_INT32 : SPL_INT64;
        draw.kind = (integers_kind)integers_below(&draw, 3);
        integers_make(&a, &draw, rows, cols, false);
        integers_make(&b, &draw, rows, cols, false);
        for (int positions = SPL_UNION; positions <= SPL_DIFFERENCE; positions++)
            for (int operation = SPL_OP_PLUS; operation <= SPL_OP_PAIR; operation++) {
                const int given = positions == SPL_DIFFERENCE ? 0 : operation;
                spl_sparse view = SPL_SPARSE_INIT;
                spl_matrix *c = NULL;
                EXPECT_OK(spl_elementwise(context, &a.view, &b.view, positions, given, &c));
                EXPECT_OK(spl_matrix_view(c, &view));
                expect_whole(&a, &b, positions, given, &view);
                spl_matrix_destroy(c);
            }
        integers_free(&a);
        integers_free(&b);
    }
    spl_context_destroy(context);
}

static void not_a_number(void **state)
{
    const int32_t offsets[] = {0, 2}, columns[] = {0, 1};
    const double left[] = {NAN, 2}, right[] = {3, NAN};
    spl_context *context = testing_context(1);
    spl_sparse a = SPL_SPARSE_INIT, b, view = SPL_SPARSE_INIT;
    (void)state;
    a.format = SPL_CSR, a.type = SPL_F64, a.offset_type = a.index_type = SPL_I32;
    a.rows = 1, a.cols = 2, a.nnz = 2;
    a.offsets = offsets, a.indices = columns, a.values = left;
    b = a;
    b.values = right;
    for (int operation = SPL_OP_MIN; operation <= SPL_OP_MAX; operation++) {
        spl_matrix *c = NULL;
        EXPECT_OK(spl_elementwise(context, &a, &b, SPL_UNION, operation, &c));
        EXPECT_OK(spl_matrix_view(c, &view));
        EXPECT(((const double *)view.values)[0] == 3 && ((const double *)view.values)[1] == 2);
        spl_matrix_destroy(c);
    }
    spl_context_destroy(context);
}

static void wrong_calls(void **state)
{
    spl_context *context = testing_context(1);
    const zoo_maker square = {"square", zoo_diagonal, {4}, false},
                    other = {"other", zoo_dense, {4, 5}, false};
    zoo_form single = zoo_form_number(0);
    zoo_matrix a, b, f;
    spl_matrix *c = NULL;
    (void)state;
    single.type = SPL_F32;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    zoo_matrix_make(&b, &other, zoo_form_number(0), 1);
    zoo_matrix_make(&f, &square, single, 1);
    const spl_sparse *v = &a.view;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_elementwise(NULL, v, v, SPL_UNION, SPL_OP_PLUS, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_elementwise(context, v, v, SPL_UNION, SPL_OP_PLUS, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_elementwise(context, v, NULL, SPL_UNION, SPL_OP_PLUS, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_elementwise(context, v, v, 0, SPL_OP_PLUS, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_elementwise(context, v, v, SPL_UNION, 0, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_elementwise(context, v, v, SPL_UNION, 9, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_elementwise(context, v, v, SPL_DIFFERENCE, SPL_OP_PLUS, &c));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_elementwise(context, v, &f.view, SPL_UNION, SPL_OP_PLUS, &c));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH,
                  spl_elementwise(context, v, &b.view, SPL_UNION, SPL_OP_PLUS, &c));
    EXPECT(!c);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_matrix_free(&f);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_pairs), cmocka_unit_test(integers),
                                       cmocka_unit_test(not_a_number),
                                       cmocka_unit_test(wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
