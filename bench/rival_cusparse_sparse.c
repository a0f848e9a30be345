/* SPDX-License-Identifier: Apache-2.0 */
/* cuSPARSE: SpGEMM. `spgemm` is all that a caller without a plan pays: workEstimation, compute,
 * copy, the buffers, C's arrays, and the end of the buffers. `numeric` is
 * cusparseSpGEMMreuse_compute after the structure was found. C comes with sorted rows from both
 * (NVIDIA in issue 84 of CUDALibrarySamples). */
#include "rival_cusparse.h"

#include <stdlib.h>

enum { BUFFERS = 5 };
static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
/* ALG3 computes this part of the products at a time; the value of NVIDIA's example. */
static const float chunk = 0.2F;

typedef struct sparse_state {
    nv_base base;
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t product;
    void *buffers[BUFFERS];           /* externalBuffer1, ... */
    void *offsets, *indices, *values; /* of C, there */
    int64_t nnz;
    spl_sparse fetched; /* C on the host */
} sparse_state;

/* ----------------------------------------------------------------------------------- begin, end */

void *nv_sparse_prepare(const bench_problem *problem)
{
    sparse_state *s = nv_open(problem, sizeof *s);
    if (s)
        nv_mark(&s->base);
    return s;
}

static int begin_product(sparse_state *s)
{
    const spl_sparse *a = &s->base.problem.a, *b = bench_right(&s->base.problem);
    return nv_alloc((size_t)(a->rows + 1) * sizeof(int32_t), &s->offsets) &&
           nv_sparse(cusparseCreateCsr(&s->c, a->rows, b->cols, 0, s->offsets, NULL, NULL,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, s->base.type),
                     "cusparseCreateCsr of C") &&
           nv_sparse(cusparseSpGEMM_createDescr(&s->product), "cusparseSpGEMM_createDescr");
}

static void end_product(sparse_state *s)
{
    if (s->product)
        cusparseSpGEMM_destroyDescr(s->product);
    if (s->c)
        cusparseDestroySpMat(s->c);
    s->product = NULL;
    s->c = NULL;
    for (int i = 0; i < BUFFERS; i++)
        nv_free(&s->buffers[i]);
}

static void free_result(sparse_state *s)
{
    nv_free(&s->offsets);
    nv_free(&s->indices);
    nv_free(&s->values);
}

/* C's arrays, when its size is known. */
static int allocate_result(sparse_state *s)
{
    int64_t rows = 0, cols = 0;
    return nv_sparse(cusparseSpMatGetSize(s->c, &rows, &cols, &s->nnz), "cusparseSpMatGetSize") &&
           nv_alloc((size_t)s->nnz * sizeof(int32_t), &s->indices) &&
           nv_alloc((size_t)s->nnz * tool_type_bytes(s->base.problem.type), &s->values) &&
           nv_sparse(cusparseCsrSetPointers(s->c, s->offsets, s->indices, s->values),
                     "cusparseCsrSetPointers");
}

static void forget_fetched(sparse_state *s)
{
    free((void *)s->fetched.offsets);
    free((void *)s->fetched.indices);
    free((void *)s->fetched.values);
    s->fetched = (spl_sparse)SPL_SPARSE_INIT;
}

void nv_sparse_release(void *state)
{
    sparse_state *s = state;
    end_product(s);
    free_result(s);
    forget_fetched(s);
    nv_close(&s->base);
}

int nv_sparse_result(void *state, spl_sparse *c)
{
    sparse_state *s = state;
    const spl_sparse *a = &s->base.problem.a;
    size_t value = tool_type_bytes(a->type);
    void *offsets = tool_array(a->rows + 1, sizeof(int32_t)),
         *indices = tool_array(s->nnz, sizeof(int32_t));
    void *values = tool_array(s->nnz, value);
    forget_fetched(s);
    s->fetched = *a;
    s->fetched.cols = bench_right(&s->base.problem)->cols;
    s->fetched.nnz = s->nnz;
    s->fetched.offsets = offsets;
    s->fetched.indices = indices;
    s->fetched.values = values;
    *c = s->fetched;
    return offsets && indices && values &&
           nv_fetch(s->offsets, (size_t)(a->rows + 1) * sizeof(int32_t), offsets) &&
           nv_fetch(s->indices, (size_t)s->nnz * sizeof(int32_t), indices) &&
           nv_fetch(s->values, (size_t)s->nnz * value, values);
}

/* --------------------------------------------------------------------------------------- spgemm */

static cusparseSpGEMMAlg_t algorithm_of(const sparse_state *s)
{
    return (cusparseSpGEMMAlg_t)s->base.problem.variant;
}

/* With buffer NULL, sets *bytes to the required size. */
static int work_estimation(sparse_state *s, size_t *bytes, void *buffer)
{
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpGEMM_workEstimation(
                         nv_handle(), plain, plain, &b->one, b->a.descriptor, nv_right(b), &b->zero,
                         s->c, b->type, algorithm_of(s), s->product, bytes, buffer),
                     "cusparseSpGEMM_workEstimation");
}

static int compute(sparse_state *s, size_t *bytes, void *buffer)
{
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpGEMM_compute(nv_handle(), plain, plain, &b->one, b->a.descriptor,
                                            nv_right(b), &b->zero, s->c, b->type, algorithm_of(s),
                                            s->product, bytes, buffer),
                     "cusparseSpGEMM_compute");
}

/* Without a buffer: its size; with one: the bytes that `compute` needs. */
static int estimate_memory(sparse_state *s, size_t *bytes, void *buffer, size_t *compute_bytes)
{
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpGEMM_estimateMemory(nv_handle(), plain, plain, &b->one,
                                                   b->a.descriptor, nv_right(b), &b->zero, s->c,
                                                   b->type, algorithm_of(s), s->product, chunk,
                                                   bytes, buffer, compute_bytes),
                     "cusparseSpGEMM_estimateMemory");
}

/* Bytes of the buffer: ALG1 returns a bound of them itself; ALG2 and ALG3 have a function for
 * it, whose buffer is freed at once. */
static int ask_compute(sparse_state *s, size_t *bytes)
{
    size_t more = 0;
    if (algorithm_of(s) == CUSPARSE_SPGEMM_ALG1)
        return compute(s, bytes, NULL);
    int good = estimate_memory(s, &more, NULL, NULL) && nv_alloc(more, &s->buffers[2]) &&
               estimate_memory(s, &more, s->buffers[2], bytes);
    nv_free(&s->buffers[2]);
    return good;
}

/* With many products and 32-bit indices, ALG3 is reported to write out of bounds (header of
 * cuda_sparse_by_sparse_mex.cu of Spinach), perhaps into our arrays. */
static int is_safe(sparse_state *s)
{
    int64_t products = 0;
    if (algorithm_of(s) != CUSPARSE_SPGEMM_ALG3)
        return 1;
    if (!nv_sparse(cusparseSpGEMM_getNumProducts(s->product, &products),
                   "cusparseSpGEMM_getNumProducts"))
        return 0;
    return products <= INT32_MAX ||
           nv_fail("not tried: ALG3 with 32-bit indices and more than 2^31 products");
}

static int copy(sparse_state *s)
{
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpGEMM_copy(nv_handle(), plain, plain, &b->one, b->a.descriptor,
                                         nv_right(b), &b->zero, s->c, b->type, algorithm_of(s),
                                         s->product),
                     "cusparseSpGEMM_copy");
}

int nv_spgemm_run(void *state)
{
    sparse_state *s = state;
    size_t first = 0, second = 0;
    int good = begin_product(s) && work_estimation(s, &first, NULL) &&
               nv_alloc(first, &s->buffers[0]) && work_estimation(s, &first, s->buffers[0]) &&
               is_safe(s) && ask_compute(s, &second) && nv_alloc(second, &s->buffers[1]) &&
               compute(s, &second, s->buffers[1]) && allocate_result(s) && copy(s);
    end_product(s);
    return good;
}

void nv_spgemm_discard(void *state)
{
    sparse_state *s = state;
    free_result(s);
    nv_account(&s->base);
    nv_mark(&s->base);
}

/* -------------------------------------------------------------------------------------- numeric */

static int reuse_estimation(sparse_state *s)
{
    size_t bytes = 0;
    for (int asked = 0; asked < 2; asked++) {
        if (asked && !nv_alloc(bytes, &s->buffers[0]))
            return 0;
        if (!nv_sparse(cusparseSpGEMMreuse_workEstimation(
                           nv_handle(), plain, plain, s->base.a.descriptor, nv_right(&s->base),
                           s->c, algorithm_of(s), s->product, &bytes, s->buffers[0]),
                       "cusparseSpGEMMreuse_workEstimation"))
            return 0;
    }
    return 1;
}

static int call_nnz(sparse_state *s, size_t bytes[3])
{
    void **buffers = s->buffers + 1;
    return nv_sparse(cusparseSpGEMMreuse_nnz(nv_handle(), plain, plain, s->base.a.descriptor,
                                             nv_right(&s->base), s->c, algorithm_of(s), s->product,
                                             &bytes[0], buffers[0], &bytes[1], buffers[1],
                                             &bytes[2], buffers[2]),
                     "cusparseSpGEMMreuse_nnz");
}

/* The first two buffers are no longer needed afterwards. */
static int reuse_nnz(sparse_state *s)
{
    size_t bytes[3] = {0};
    int good = call_nnz(s, bytes);
    for (int i = 0; i < 3 && good; i++)
        good = nv_alloc(bytes[i], &s->buffers[i + 1]);
    good = good && call_nnz(s, bytes);
    nv_free(&s->buffers[0]);
    nv_free(&s->buffers[1]);
    return good;
}

/* The third is no longer needed afterwards; the fourth and the fifth are used by executions. */
static int reuse_copy(sparse_state *s)
{
    size_t bytes = 0;
    for (int asked = 0; asked < 2; asked++) {
        if (asked && !nv_alloc(bytes, &s->buffers[4]))
            return 0;
        if (!nv_sparse(cusparseSpGEMMreuse_copy(nv_handle(), plain, plain, s->base.a.descriptor,
                                                nv_right(&s->base), s->c, algorithm_of(s),
                                                s->product, &bytes, s->buffers[4]),
                       "cusparseSpGEMMreuse_copy"))
            return 0;
    }
    nv_free(&s->buffers[2]);
    return 1;
}

/* An element that an execution does not write stays zero and fails the check. */
static int clear_values(sparse_state *s)
{
    size_t bytes = (size_t)s->nnz * tool_type_bytes(s->base.problem.type);
    return nv_cuda(cudaMemsetAsync(s->values, 0, bytes, nv_stream()), "cudaMemsetAsync");
}

int nv_numeric_plan(void *state)
{
    sparse_state *s = state;
    nv_mark(&s->base);
    int good = begin_product(s) && reuse_estimation(s) && reuse_nnz(s) && allocate_result(s) &&
               clear_values(s) && reuse_copy(s);
    nv_account(&s->base);
    return good;
}

int nv_numeric_run(void *state)
{
    sparse_state *s = state;
    const nv_base *b = &s->base;
    return nv_sparse(cusparseSpGEMMreuse_compute(nv_handle(), plain, plain, &b->one,
                                                 b->a.descriptor, nv_right(b), &b->zero, s->c,
                                                 b->type, algorithm_of(s), s->product),
                     "cusparseSpGEMMreuse_compute");
}
