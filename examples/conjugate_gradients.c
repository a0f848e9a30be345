/* SPDX-License-Identifier: Apache-2.0 */
/* conjugate_gradients FILE: solves A*x = b for a symmetric positive definite matrix, b = A*(1, ...,
 * 1).
 *
 * One plan, executed hundreds of times: what a Krylov solver needs of a matrix. The preconditioner
 * is the diagonal of A. Source: M. Hestenes, E. Stiefel, Methods of Conjugate Gradients for Solving
 * Linear Systems, 1952. */
#include <math.h>
#include <sparloom/sparloom.h>
#include <stdio.h>
#include <stdlib.h>

static void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

static double *vector(int64_t n)
{
    double *v = calloc((size_t)n + 1, sizeof *v);
    if (!v)
        exit(1);
    return v;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void read_diagonal(const spl_sparse *a, double *diagonal)
{
    const int32_t *offsets = a->offsets, *columns = a->indices;
    const double *values = a->values;
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t p = offsets[i]; p < offsets[i + 1]; p++)
            if (columns[p] == i)
                diagonal[i] += values[p];
}

/* x = A^-1 b; returns the number of iterations. `plan` multiplies by A. */
static int solve(spl_plan *plan, int64_t n, const double *diagonal, const double *b, double *x)
{
    double *r = vector(n), *z = vector(n), *p = vector(n), *q = vector(n);
    double goal = 1e-10 * sqrt(dot(n, b, b)), rho = 0;
    int k = 0;

    for (int64_t i = 0; i < n; i++)
        r[i] = b[i]; /* x = 0 */
    while (sqrt(dot(n, r, r)) > goal && k < 10 * n) {
        for (int64_t i = 0; i < n; i++)
            z[i] = r[i] / diagonal[i];
        double rho_before = rho;
        rho = dot(n, r, z);
        for (int64_t i = 0; i < n; i++)
            p[i] = z[i] + (k ? rho / rho_before * p[i] : 0);
        must(spl_spmv_execute(plan, NULL, p, NULL, q, NULL));
        double alpha = rho / dot(n, p, q);
        for (int64_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        k++;
    }
    free(r), free(z), free(p), free(q);
    return k;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: conjugate_gradients FILE.mtx\n");
        return 2;
    }
    spl_context *context;
    spl_matrix *matrix;
    spl_read_options form = SPL_READ_OPTIONS_INIT;
    spl_sparse a = SPL_SPARSE_INIT;
    spl_plan *plan;
    form.offset_type = form.index_type = SPL_I32; /* read_diagonal relies on it */
    must(spl_context_create(NULL, &context));
    must(spl_read(context, argv[1], &form, &matrix));
    must(spl_matrix_view(matrix, &a));
    must(spl_spmv_plan(context, &a, NULL, &plan));

    int64_t n = a.rows;
    double *ones = vector(n), *b = vector(n), *x = vector(n), *diagonal = vector(n);
    for (int64_t i = 0; i < n; i++)
        ones[i] = 1;
    must(spl_spmv_execute(plan, NULL, ones, NULL, b, NULL));
    read_diagonal(&a, diagonal);
    int iterations = solve(plan, n, diagonal, b, x);

    double error = 0;
    for (int64_t i = 0; i < n; i++)
        error = fmax(error, fabs(x[i] - 1));
    printf("%lld unknowns, %d iterations, largest error %.1e\n", (long long)n, iterations, error);

    free(ones), free(b), free(x), free(diagonal);
    spl_plan_destroy(plan);
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
    return error < 1e-3 ? 0 : 1;
}
