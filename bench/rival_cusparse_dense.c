/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: SpMV and SpMM. The buffer and the preprocessing are the plan; an execution
 * is one call. */
#include "rival_cusparse.h"

static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

typedef struct dense_state {
    nv_base base;
    void *x, *y, *buffer;
    cusparseDnVecDescr_t x_vector, y_vector; /* spmv */
    cusparseDnMatDescr_t x_matrix, y_matrix; /* spmm */
} dense_state;

static size_t dense_bytes(const dense_state *s, int64_t rows)
{
    const bench_problem *p = &s->base.problem;
    return (size_t)rows * (size_t)p->columns * tool_type_bytes(p->type);
}

static int describe_matrix(const dense_state *s, int64_t rows, void *values,
                           cusparseDnMatDescr_t *matrix)
{
    const bench_problem *p = &s->base.problem;
    int by_rows = p->order == SPL_ROW_MAJOR;
    return nv_sparse(cusparseCreateDnMat(matrix, rows, p->columns, by_rows ? p->columns : rows,
                                         values, s->base.type,
                                         by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                     "cusparseCreateDnMat");
}

static int describe(dense_state *s)
{
    const spl_sparse *a = &s->base.problem.a;
    if (s->base.problem.operation == BENCH_SPMM)
        return describe_matrix(s, a->cols, s->x, &s->x_matrix) &&
               describe_matrix(s, a->rows, s->y, &s->y_matrix);
    return nv_sparse(cusparseCreateDnVec(&s->x_vector, a->cols, s->x, s->base.type),
                     "cusparseCreateDnVec") &&
           nv_sparse(cusparseCreateDnVec(&s->y_vector, a->rows, s->y, s->base.type),
                     "cusparseCreateDnVec");
}

void *nv_dense_prepare(const bench_problem *problem)
{
    dense_state *s = nv_open(problem, sizeof *s);
    if (!s)
        return NULL;
    if (nv_put(problem->x, dense_bytes(s, problem->a.cols), &s->x) &&
        nv_put(problem->y, dense_bytes(s, problem->a.rows), &s->y) && describe(s))
        return s;
    nv_dense_release(s);
    return NULL;
}

int nv_dense_result(void *state, spl_sparse *c)
{
    (void)c;
    dense_state *s = state;
    return nv_fetch(s->y, dense_bytes(s, s->base.problem.a.rows), s->base.problem.y);
}

void nv_dense_release(void *state)
{
    dense_state *s = state;
    if (s->x_vector)
        cusparseDestroyDnVec(s->x_vector);
    if (s->y_vector)
        cusparseDestroyDnVec(s->y_vector);
    if (s->x_matrix)
        cusparseDestroyDnMat(s->x_matrix);
    if (s->y_matrix)
        cusparseDestroyDnMat(s->y_matrix);
    nv_free(&s->buffer);
    cudaFree(s->x);
    cudaFree(s->y);
    nv_close(&s->base);
}

int nv_spmv_plan(void *state)
{
    dense_state *s = state;
    const nv_base *b = &s->base;
    cusparseSpMVAlg_t algorithm = (cusparseSpMVAlg_t)b->problem.variant;
    size_t bytes = 0;
    nv_mark(&s->base);
    int good =
        nv_sparse(cusparseSpMV_bufferSize(nv_handle(), plain, &b->one, b->a.descriptor, s->x_vector,
                                          &b->zero, s->y_vector, b->sums, algorithm, &bytes),
                  "cusparseSpMV_bufferSize") &&
        nv_alloc(bytes, &s->buffer) &&
        nv_sparse(cusparseSpMV_preprocess(nv_handle(), plain, &b->one, b->a.descriptor, s->x_vector,
                                          &b->zero, s->y_vector, b->sums, algorithm, s->buffer),
                  "cusparseSpMV_preprocess");
    nv_account(&s->base);
    return good;
}

int nv_spmv_run(void *state)
{
    dense_state *s = state;
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpMV(nv_handle(), plain, &b->one, b->a.descriptor, s->x_vector,
                                  &b->zero, s->y_vector, b->sums,
                                  (cusparseSpMVAlg_t)b->problem.variant, s->buffer),
                     "cusparseSpMV");
}

int nv_spmm_plan(void *state)
{
    dense_state *s = state;
    const nv_base *b = &s->base;
    cusparseSpMMAlg_t algorithm = (cusparseSpMMAlg_t)b->problem.variant;
    size_t bytes = 0;
    nv_mark(&s->base);
    int good = nv_sparse(cusparseSpMM_bufferSize(nv_handle(), plain, plain, &b->one,
                                                 b->a.descriptor, s->x_matrix, &b->zero,
                                                 s->y_matrix, b->sums, algorithm, &bytes),
                         "cusparseSpMM_bufferSize") &&
               nv_alloc(bytes, &s->buffer) &&
               nv_sparse(cusparseSpMM_preprocess(nv_handle(), plain, plain, &b->one,
                                                 b->a.descriptor, s->x_matrix, &b->zero,
                                                 s->y_matrix, b->sums, algorithm, s->buffer),
                         "cusparseSpMM_preprocess");
    nv_account(&s->base);
    return good;
}

int nv_spmm_run(void *state)
{
    dense_state *s = state;
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpMM(nv_handle(), plain, plain, &b->one, b->a.descriptor, s->x_matrix,
                                  &b->zero, s->y_matrix, b->sums,
                                  (cusparseSpMMAlg_t)b->problem.variant, s->buffer),
                     "cusparseSpMM");
}
