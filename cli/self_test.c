/* SPDX-License-Identifier: Apache-2.0 */
/* Tiny products with known answers, for "sparloom doctor": each compared with numbers written here
 * and with the reference. */
#include "self_test.h"

/*     (1 2 0)        (1)
 * A = (0 3 0)    x = (2)    A*x = (5 6 19)'    A*A = (1 8 0; 0 9 0; 24 8 25)
 *     (4 0 5)        (3)                                                         */
typedef union numbers { /* of any type */
    float f32[6];
    double f64[6];
} numbers;

static const int32_t offsets[] = {0, 2, 3, 5}, columns[] = {0, 1, 1, 0, 2};
static const double entries[] = {1, 2, 3, 4, 5}, vector[] = {1, 2, 3}, image[] = {5, 6, 19},
                    square[] = {1, 8, 9, 24, 8, 25};

static numbers of_type(spl_type type, const double *values, int count)
{
    numbers out;
    (void)spl_convert_values(type, &out, SPL_F64, values, count);
    return out;
}

static spl_sparse tiny(spl_type type, const numbers *values)
{
    spl_sparse a = SPL_SPARSE_INIT;
    a.format = SPL_CSR;
    a.type = type;
    a.offset_type = SPL_I32;
    a.index_type = SPL_I32;
    a.rows = 3;
    a.cols = 3;
    a.nnz = 5;
    a.offsets = offsets;
    a.indices = columns;
    a.values = values;
    return a;
}

static spl_dense tiny_dense(spl_type type, numbers *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = type;
    dense.order = SPL_COLUMN_MAJOR;
    dense.rows = 3;
    dense.cols = 1;
    dense.ld = 3;
    dense.values = values;
    return dense;
}

static spl_status compare(spl_type type, const void *got, const double *wanted, int count)
{
    double values[6];
    spl_status status = spl_convert_values(SPL_F64, values, type, got, count);
    for (int i = 0; status == SPL_OK && i < count; i++)
        if (values[i] != wanted[i])
            status = SPL_INTERNAL;
    return status;
}

static spl_status test_spmv(spl_context *context, const spl_options *options, spl_type type)
{
    numbers values = of_type(type, entries, 5), x = of_type(type, vector, 3), y;
    spl_sparse a = tiny(type, &values);
    spl_status status = spl_spmv(context, NULL, &a, &x, NULL, &y, options);
    return status ? status : compare(type, &y, image, 3);
}

static spl_status test_spmm(spl_context *context, const spl_options *options, spl_type type)
{
    numbers values = of_type(type, entries, 5), x = of_type(type, vector, 3), y;
    spl_sparse a = tiny(type, &values);
    spl_dense b = tiny_dense(type, &x), c = tiny_dense(type, &y);
    spl_status status = spl_spmm(context, NULL, &a, &b, NULL, &c, options);
    return status ? status : compare(type, &y, image, 3);
}

static spl_status test_spgemm(spl_context *context, const spl_options *options, spl_type type)
{
    numbers values = of_type(type, entries, 5);
    spl_sparse a = tiny(type, &values), c = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    spl_matrix *product = NULL;
    spl_status status = spl_spgemm(context, NULL, &a, &a, NULL, NULL, options, &product);
    if (!status)
        status = spl_matrix_view(product, &c);
    if (!status)
        status = spl_check_spgemm(NULL, &a, &a, NULL, NULL, &c, NULL, &check);
    if (!status && (!check.ok || c.nnz != 6))
        status = SPL_INTERNAL;
    if (!status)
        status = compare(type, c.values, square, 6);
    spl_matrix_destroy(product);
    return status;
}

const cli_self_test cli_self_tests[] = {
    {"spmv", test_spmv, 1},
    {"spmm", test_spmm, 1},
    {"spgemm", test_spgemm, 0},
    {0},
};
