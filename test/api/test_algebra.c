/* SPDX-License-Identifier: Apache-2.0 */
/* Algebraic laws that hold for all matrices. They are tested with small integers, where
 * arithmetic is exact, so that results must be equal. */
#include "lib/run_products.h"

#include <stdlib.h>

static zoo_matrix integers(const zoo_maker *maker, int form, uint64_t seed)
{
    zoo_triples triples;
    zoo_matrix matrix;
    zoo_make(&triples, maker, seed);
    zoo_triples_fill(&triples, ZOO_INTEGERS, seed + 1);
    zoo_build(&matrix, &triples, zoo_form_number(form));
    zoo_triples_free(&triples);
    return matrix;
}

static double *integer_vector(int64_t length, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    double *x = zoo_allocate((size_t)length * sizeof *x);
    for (int64_t i = 0; i < length; i++)
        x[i] = (double)(zoo_random_below(&random, 7) - 3);
    return x;
}

static double *multiply(spl_context *context, const spl_sparse *a, spl_operator op, const double *x)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = op;
    double *y = zoo_allocate((size_t)op_rows(a, op) * sizeof *y);
    EXPECT_OK(spl_spmv(context, NULL, a, x, NULL, y, &options));
    return y;
}

static void expect_equal(double *a, double *b, int64_t length)
{
    for (int64_t i = 0; i < length; i++)
        EXPECT(a[i] == b[i]);
    free(a);
    free(b);
}

/* A, and B of cols(A) rows. */
typedef struct pair {
    spl_context *context;
    zoo_matrix a, b;
} pair;

static void make_pair(pair *p, int m)
{
    p->context = testing_context(2);
    p->a = integers(&zoo_tiny[m], m % 9, testing_seed());
    const zoo_maker right = {"right", zoo_uniform, {p->a.view.cols, 13, 3}, false};
    p->b = integers(&right, (m + 5) % 9, testing_seed() + 2);
    testing_case("%s", zoo_tiny[m].name);
}

static void free_pair(pair *p)
{
    zoo_matrix_free(&p->a);
    zoo_matrix_free(&p->b);
    spl_context_destroy(p->context);
}

static spl_matrix *product(spl_context *context, const spl_sparse *a, spl_operator op_a,
                           const spl_sparse *b, spl_operator op_b, spl_sparse *view)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = op_a;
    options.op_b = op_b;
    spl_matrix *c = NULL;
    *view = (spl_sparse)SPL_SPARSE_INIT;
    EXPECT_OK(spl_spgemm(context, NULL, a, b, NULL, NULL, &options, &c));
    EXPECT_OK(spl_matrix_view(c, view));
    return c;
}

/* A(Bx) = (AB)x */
static void associativity(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++) {
        pair p;
        spl_sparse c;
        make_pair(&p, m);
        double *x = integer_vector(13, 5), *bx = multiply(p.context, &p.b.view, SPL_NONE, x);
        spl_matrix *owner = product(p.context, &p.a.view, SPL_NONE, &p.b.view, SPL_NONE, &c);
        expect_equal(multiply(p.context, &p.a.view, SPL_NONE, bx),
                     multiply(p.context, &c, SPL_NONE, x), p.a.view.rows);
        free(x);
        free(bx);
        spl_matrix_destroy(owner);
        free_pair(&p);
    }
}

/* (AB)^T = B^T A^T, entry by entry. */
static void transposed_product(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++) {
        pair p;
        spl_sparse c, d, t;
        make_pair(&p, m);
        spl_matrix *ab = product(p.context, &p.a.view, SPL_NONE, &p.b.view, SPL_NONE, &c),
                   *transposed = NULL;
        spl_matrix *ba = product(p.context, &p.b.view, SPL_TRANSPOSE, &p.a.view, SPL_TRANSPOSE, &d);
        spl_convert_options convert = SPL_CONVERT_OPTIONS_INIT;
        convert.transpose = convert.sort = 1;
        EXPECT_OK(spl_convert(p.context, &c, &convert, &transposed));
        t = (spl_sparse)SPL_SPARSE_INIT;
        EXPECT_OK(spl_matrix_view(transposed, &t));
        EXPECT(t.nnz == d.nnz && t.rows == d.rows && t.cols == d.cols);
        for (int64_t e = 0; e < t.nnz; e++) {
            EXPECT(zoo_index_at(t.indices, t.index_type, e) ==
                   zoo_index_at(d.indices, d.index_type, e));
            EXPECT(zoo_value_at(t.values, SPL_F64, e) == zoo_value_at(d.values, SPL_F64, e));
        }
        spl_matrix_destroy(ab);
        spl_matrix_destroy(ba);
        spl_matrix_destroy(transposed);
        free_pair(&p);
    }
}

/* A(2x + 3z) = 2Ax + 3Az */
static void linearity(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++) {
        pair p;
        make_pair(&p, m);
        int64_t rows = p.a.view.rows, cols = p.a.view.cols;
        double *x = integer_vector(cols, 5), *z = integer_vector(cols, 6), two = 2, three = 3,
               zero = 0;
        double *sum = zoo_allocate((size_t)cols * sizeof *sum),
               *y = zoo_allocate((size_t)rows * sizeof *y);
        for (int64_t j = 0; j < cols; j++)
            sum[j] = 2 * x[j] + 3 * z[j];
        EXPECT_OK(spl_spmv(p.context, &two, &p.a.view, x, &zero, y, NULL));
        double one = 1;
        EXPECT_OK(spl_spmv(p.context, &three, &p.a.view, z, &one, y, NULL));
        expect_equal(multiply(p.context, &p.a.view, SPL_NONE, sum), y, rows);
        free(x);
        free(z);
        free(sum);
        free_pair(&p);
    }
}

/* Entry i of a permutation as a matrix: row i has its 1 in column order[i]. */
static zoo_matrix permutation(int64_t n, uint64_t seed)
{
    zoo_triples t;
    zoo_matrix matrix;
    zoo_diagonal(&t, (const int64_t[]){n}, seed);
    zoo_triples_shuffle(&t, seed);
    for (int64_t i = 0; i < n; i++)
        t.i[i] = i;
    zoo_triples_fill(&t, ZOO_ONES, 0);
    zoo_build(&matrix, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    return matrix;
}

/* (P A P^T)(P x) = P (A x), the left product computed as a sparse matrix. */
static void permutation_invariance(void **state)
{
    (void)state;
    for (int m = 0; m < zoo_tiny_count; m++) {
        pair p;
        spl_sparse pa, pap;
        make_pair(&p, m);
        zoo_matrix left = permutation(p.a.view.rows, 3), right = permutation(p.a.view.cols, 4);
        spl_matrix *half = product(p.context, &left.view, SPL_NONE, &p.a.view, SPL_NONE, &pa);
        spl_matrix *direct_product =
            product(p.context, &pa, SPL_NONE, &right.view, SPL_TRANSPOSE, &pap);
        double *x = integer_vector(p.a.view.cols, 5),
               *px = multiply(p.context, &right.view, SPL_NONE, x);
        double *ax = multiply(p.context, &p.a.view, SPL_NONE, x);
        expect_equal(multiply(p.context, &pap, SPL_NONE, px),
                     multiply(p.context, &left.view, SPL_NONE, ax), p.a.view.rows);
        free(x);
        free(px);
        free(ax);
        spl_matrix_destroy(half);
        spl_matrix_destroy(direct_product);
        zoo_matrix_free(&left);
        zoo_matrix_free(&right);
        free_pair(&p);
    }
}

/* The columns of A*B (dense B) are the products of A with the columns of B. */
static void columns_of_spmm_are_spmv(void **state)
{
    (void)state;
    enum { COLUMNS = 6 };
    for (int m = 0; m < zoo_tiny_count; m++) {
        pair p;
        make_pair(&p, m);
        test_dense b = test_dense_new(p.a.view.cols, COLUMNS, SPL_F64, SPL_COLUMN_MAJOR, 0);
        test_dense c = test_dense_new(p.a.view.rows, COLUMNS, SPL_F64, SPL_ROW_MAJOR, 1);
        test_dense_fill(&b, ZOO_INTEGERS, 3);
        EXPECT_OK(spl_spmm(p.context, NULL, &p.a.view, &b.view, NULL, &c.view, NULL));
        for (int j = 0; j < COLUMNS; j++) {
            double *y = multiply(p.context, &p.a.view, SPL_NONE,
                                 (double *)b.view.values + j * p.a.view.cols);
            for (int64_t i = 0; i < p.a.view.rows; i++)
                EXPECT(y[i] == test_dense_at(&c, i, j));
            free(y);
        }
        test_dense_free(&b);
        test_dense_free(&c);
        free_pair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(associativity),
        cmocka_unit_test(transposed_product),
        cmocka_unit_test(linearity),
        cmocka_unit_test(permutation_invariance),
        cmocka_unit_test(columns_of_spmm_are_spmv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
