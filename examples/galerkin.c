/* SPDX-License-Identifier: Apache-2.0 */
/* galerkin FILE: the coarse matrix P^T*A*P of algebraic multigrid, and once more after the values
 * of A have changed.
 *
 * P puts four consecutive unknowns together: P(i, i/4) = 1. Each row of P sums to 1, so the entries
 * of P^T*A*P have the same sum as those of A, which is what this program checks. When a time step
 * changes the values of A and not its structure, the two plans are kept: only values are computed
 * again. Source: K. Stuben, A Review of Algebraic Multigrid, Journal of Computational and Applied
 * Mathematics 128, 2001. */
#include <math.h>
#include <sparloom/sparloom.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOGETHER = 4 };

typedef struct product { /* C = op(A)*B with its plan */
    spl_plan *plan;
    spl_matrix *matrix;
    spl_sparse c;
} product;

static void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

/* P as COO over the given arrays of `rows` elements. */
static spl_sparse fill_aggregation(int64_t rows, int32_t *row, int32_t *column, double *value)
{
    for (int64_t i = 0; i < rows; i++) {
        row[i] = (int32_t)i;
        column[i] = (int32_t)(i / TOGETHER);
        value[i] = 1;
    }
    spl_sparse p = SPL_SPARSE_INIT;
    p.format = SPL_COO;
    p.type = SPL_F64;
    p.offset_type = p.index_type = SPL_I32;
    p.rows = p.nnz = rows;
    p.cols = (rows + TOGETHER - 1) / TOGETHER;
    p.offsets = row;
    p.indices = column;
    p.values = value;
    return p;
}

static product multiply(spl_context *context, const spl_sparse *a, spl_operator op_a,
                        const spl_sparse *b)
{
    product result = {.c = SPL_SPARSE_INIT};
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = op_a;
    options.keep_result = 1;
    must(spl_spgemm_plan(context, a, b, NULL, &options, &result.plan));
    must(spl_spgemm_execute(result.plan, NULL, NULL, NULL, NULL));
    must(spl_spgemm_take(result.plan, &result.matrix));
    must(spl_matrix_view(result.matrix, &result.c));
    return result;
}

/* The same product after new values of A or B (NULL: unchanged). */
static void multiply_again(product *p, const spl_sparse *a, const spl_sparse *b)
{
    void *values;
    must(spl_plan_update_values(p->plan, a, b, NULL, NULL));
    must(spl_spgemm_execute(p->plan, NULL, NULL, NULL, NULL));
    must(spl_matrix_arrays(p->matrix, NULL, NULL, &values));
    must(spl_spgemm_export(p->plan, NULL, NULL, values, NULL));
}

static void destroy(product *p)
{
    spl_plan_destroy(p->plan);
    spl_matrix_destroy(p->matrix);
}

/* Prints and compares the sums of the entries; returns 1 if they agree up to rounding. */
static int same_sum(const spl_sparse *fine, const spl_sparse *coarse)
{
    double sum[2] = {0, 0}, magnitude = 0;
    for (int64_t p = 0; p < fine->nnz; p++) {
        sum[0] += ((const double *)fine->values)[p];
        magnitude += fabs(((const double *)fine->values)[p]);
    }
    for (int64_t p = 0; p < coarse->nnz; p++)
        sum[1] += ((const double *)coarse->values)[p];
    printf("%lld rows, sum %.10g -> ", (long long)fine->rows, sum[0]);
    printf("%lld rows, sum %.10g\n", (long long)coarse->rows, sum[1]);
    return fabs(sum[0] - sum[1]) <= 1e-10 * magnitude;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: galerkin FILE.mtx\n");
        return 2;
    }
    spl_context *context;
    spl_matrix *matrix;
    spl_sparse a = SPL_SPARSE_INIT;
    void *values;
    must(spl_context_create(NULL, &context));
    must(spl_read(context, argv[1], NULL, &matrix));
    must(spl_matrix_view(matrix, &a));
    must(spl_matrix_arrays(matrix, NULL, NULL, &values));

    size_t rows = (size_t)a.rows;
    int32_t *row = calloc(rows + 1, sizeof *row), *column = calloc(rows + 1, sizeof *column);
    double *value = calloc(rows + 1, sizeof *value);
    if (!row || !column || !value)
        return 1;
    spl_sparse p = fill_aggregation(a.rows, row, column, value);

    product ap = multiply(context, &a, SPL_NONE, &p);
    product ptap = multiply(context, &p, SPL_TRANSPOSE, &ap.c);
    int right = same_sum(&a, &ptap.c);

    for (int64_t i = 0; i < a.nnz; i++) /* a time step */
        ((double *)values)[i] *= 1.5;
    multiply_again(&ap, &a, NULL);
    multiply_again(&ptap, NULL, &ap.c);
    right &= same_sum(&a, &ptap.c);

    destroy(&ptap);
    destroy(&ap);
    free(row), free(column), free(value);
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
    return right ? 0 : 1;
}
