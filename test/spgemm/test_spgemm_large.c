/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 2 where it is not refused: more than 2^31 products, and, if SPARLOOM_TEST_LARGE is set
 * (20 GB of memory), more than 2^31 entries of C, computed in full. */
#include "lib/run_products.h"

#include <stdlib.h>

static void ascending(int32_t *columns, int64_t count)
{
    for (int64_t j = 0; j < count; j++)
        columns[j] = (int32_t)j;
}

/* A full rows x cols matrix in arrays of its own; entry (i, j) is value(i, j). */
static spl_sparse full(int32_t rows, int32_t cols, float (*value)(int32_t i, int32_t j))
{
    int64_t nnz = (int64_t)rows * cols;
    int32_t *offsets = zoo_allocate(((size_t)rows + 1) * sizeof *offsets);
    int32_t *columns = zoo_allocate((size_t)nnz * sizeof *columns);
    float *values = zoo_allocate((size_t)nnz * sizeof *values);
    for (int32_t i = 0; i <= rows; i++)
        offsets[i] = i * cols;
    for (int32_t i = 0; i < rows; i++) {
        ascending(columns + offsets[i], cols);
        for (int32_t j = 0; j < cols; j++)
            values[offsets[i] + j] = value(i, j);
    }
    return zoo_csr(SPL_F32, rows, cols, offsets, columns, values);
}

static void free_full(spl_sparse *m)
{
    free((void *)m->offsets);
    free((void *)m->indices);
    free((void *)m->values);
}

/* Values whose sums and products are exact. */
static float one(int32_t i, int32_t j)
{
    (void)i, (void)j;
    return 1;
}

static float by_position(int32_t i, int32_t j)
{
    return (float)(1 + (i + 3 * j) % 61);
}

/* The context must outlive what was made from it. */
static spl_matrix *multiply(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                            const char *method, spl_sparse *view)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *c = NULL;
    options.method = method;
    EXPECT_OK(spl_spgemm(context, NULL, a, b, NULL, NULL, &options, &c));
    *view = (spl_sparse)SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, view));
    return c;
}

/* n^3 products in n^2 entries of C. */
static void products_beyond_32_bits(void **state)
{
    (void)state;
    const int32_t n = testing_scale() > 1 ? 130 : 1300;
    spl_context *context = testing_context(2);
    spl_sparse a = full(n, n, one), c;
    spl_matrix *m = multiply(context, &a, &a, NULL, &c);
    const float *values = c.values;
    int64_t wrong = 0;
    EXPECT(c.nnz == (int64_t)n * n && c.offset_type == SPL_I32);
    for (int64_t q = 0; q < c.nnz; q++)
        wrong += !(values[q] == (float)n);
    EXPECT(wrong == 0);
    spl_matrix_destroy(m);
    spl_context_destroy(context);
    free_full(&a);
}

static void expect_outer(const spl_sparse *c, const spl_sparse *column, const spl_sparse *row)
{
    const float *a = column->values, *b = row->values, *values = c->values;
    const int32_t *columns = c->indices;
    const int64_t *offsets = c->offsets;
    int64_t wrong = 0;
    EXPECT(c->offset_type == SPL_I64 && c->nnz == column->rows * row->cols);
    for (int64_t i = 0; i < c->rows; i++) {
        wrong += offsets[i] != i * row->cols || offsets[i + 1] != (i + 1) * row->cols;
        for (int64_t j = 0; j < row->cols; j++) {
            int64_t q = i * row->cols + j;
            wrong += !(columns[q] == j && values[q] == a[i] * b[j]);
        }
    }
    EXPECT(wrong == 0);
}

/* A column times a row: as many entries of C as products, one more than 31 bits count, or, scaled
 * down, a few. */
static void entries_beyond_32_bits(void **state)
{
    (void)state;
    static const char *const methods[] = {NULL,
                                          "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/dense"};
    if (!getenv("SPARLOOM_TEST_LARGE"))
        skip(); /* the refusals, which need no memory, are in test/api/test_overflow.c */
    spl_context *context = testing_context(2);
    for (int m = 0; m < 2; m++) {
        spl_sparse column = full(46341, 1, by_position), row = full(1, 46341, by_position), c;
        testing_case("more than 2^31 entries, %s", methods[m] ? methods[m] : "auto");
        spl_matrix *product = multiply(context, &column, &row, methods[m], &c);
        expect_outer(&c, &column, &row);
        spl_matrix_destroy(product);
        free_full(&column);
        free_full(&row);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_beyond_32_bits),
        cmocka_unit_test(entries_beyond_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
