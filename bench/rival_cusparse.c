/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA cuSPARSE, generic API: one rival for each number of an algorithm, so that all are reported
 * and the best one counts. Numbers are those of CUSPARSE_SPMV_CSR_ALG*, CUSPARSE_SPMM_CSR_ALG* and
 * CUSPARSE_SPGEMM_ALG*; without a number: the default, which for SpGEMM is ALG1. 32-bit indices
 * only. The driver is looked for when the rival is started, not before. */
#include "rival_cusparse.h"

#include <readable.h>
#include <stdio.h>
#include <stdlib.h>

extern const bench_rival bench_cusparse, bench_cusparse_1, bench_cusparse_2, bench_cusparse_3;

static struct {
    cusparseHandle_t handle; /* NULL: not started */
    cudaStream_t stream;
    cudaMemPool_t pool;
    char failure[BENCH_REASON];
} nv;

/* ------------------------------------------------------------------------------------- failures */

int nv_cuda(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return 1;
    snprintf(nv.failure, sizeof nv.failure, "%s: %s", call, cudaGetErrorString(error));
    (void)cudaGetLastError(); /* reported only here */
    return 0;
}

int nv_sparse(cusparseStatus_t status, const char *call)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return 1;
    snprintf(nv.failure, sizeof nv.failure, "%s: %s", call, cusparseGetErrorString(status));
    return 0;
}

int nv_fail(const char *message)
{
    snprintf(nv.failure, sizeof nv.failure, "%s", message);
    return 0;
}

const char *nv_failure(void)
{
    return nv.failure;
}

/* --------------------------------------------------------------------------------------- device */

cusparseHandle_t nv_handle(void)
{
    return nv.handle;
}

cudaStream_t nv_stream(void)
{
    return nv.stream;
}

static int open_pool(int ordinal)
{
    uint64_t keep = UINT64_MAX;
    return nv_cuda(cudaDeviceGetDefaultMemPool(&nv.pool, ordinal), "cudaDeviceGetDefaultMemPool") &&
           nv_cuda(cudaMemPoolSetAttribute(nv.pool, cudaMemPoolAttrReleaseThreshold, &keep),
                   "cudaMemPoolSetAttribute");
}

static int open_device(int ordinal)
{
    int devices = 0;
    if (!nv_cuda(cudaGetDeviceCount(&devices), "cudaGetDeviceCount") ||
        !nv_cuda(cudaSetDevice(ordinal), "cudaSetDevice") || !open_pool(ordinal) ||
        !nv_cuda(cudaStreamCreateWithFlags(&nv.stream, cudaStreamNonBlocking),
                 "cudaStreamCreateWithFlags"))
        return 0;
    cusparseHandle_t handle = NULL;
    if (!nv_sparse(cusparseCreate(&handle), "cusparseCreate") ||
        !nv_sparse(cusparseSetStream(handle, nv.stream), "cusparseSetStream"))
        return 0;
    nv.handle = handle;
    return 1;
}

static const char *start(const bench_target *target)
{
    return nv.handle || open_device(target->place.ordinal) ? NULL : nv.failure;
}

static const char *version(void)
{
    static char text[32];
    int number = 0;
    if (nv_sparse(cusparseGetVersion(nv.handle, &number), "cusparseGetVersion"))
        snprintf(text, sizeof text, "%d.%d.%d", number / 1000, number / 100 % 10, number % 100);
    return text;
}

int nv_wait(void *state)
{
    (void)state;
    return nv_cuda(cudaStreamSynchronize(nv.stream), "cudaStreamSynchronize");
}

/* --------------------------------------------------------------------------------------- memory */

int nv_alloc(size_t bytes, void **memory)
{
    char call[96];
    snprintf(call, sizeof call, "cudaMallocAsync of %s bytes", tool_thousands((int64_t)bytes).text);
    *memory = NULL;
    return nv_cuda(cudaMallocAsync(memory, bytes ? bytes : 1, nv.stream), call);
}

void nv_free(void **memory)
{
    if (*memory)
        (void)nv_cuda(cudaFreeAsync(*memory, nv.stream), "cudaFreeAsync");
    *memory = NULL;
}

int nv_put(const void *from, size_t bytes, void **device_data)
{
    *device_data = NULL;
    return nv_cuda(cudaMalloc(device_data, bytes ? bytes : 1), "cudaMalloc") &&
           nv_cuda(cudaMemcpyAsync(*device_data, from, bytes, cudaMemcpyHostToDevice, nv.stream),
                   "cudaMemcpyAsync") &&
           nv_wait(NULL);
}

int nv_fetch(const void *device_data, size_t bytes, void *to)
{
    return nv_cuda(cudaMemcpyAsync(to, device_data, bytes, cudaMemcpyDeviceToHost, nv.stream),
                   "cudaMemcpyAsync") &&
           nv_wait(NULL);
}

static int64_t pool_figure(enum cudaMemPoolAttr which)
{
    uint64_t bytes = 0;
    (void)nv_cuda(cudaMemPoolGetAttribute(nv.pool, which, &bytes), "cudaMemPoolGetAttribute");
    return (int64_t)bytes;
}

void nv_mark(nv_base *base)
{
    /* the attribute can only be set to 0: the high-water mark then restarts from the bytes in
     * use */
    uint64_t zero = 0;
    base->used = pool_figure(cudaMemPoolAttrUsedMemCurrent);
    (void)nv_cuda(cudaMemPoolSetAttribute(nv.pool, cudaMemPoolAttrUsedMemHigh, &zero),
                  "cudaMemPoolSetAttribute");
}

void nv_account(nv_base *base)
{
    int64_t now = pool_figure(cudaMemPoolAttrUsedMemCurrent),
            high = pool_figure(cudaMemPoolAttrUsedMemHigh);
    double most = (double)(base->kept + (high > now ? high : now) - base->used);
    base->peak = most > base->peak ? most : base->peak;
    base->kept += now - base->used;
}

double nv_peak(void *state)
{
    return ((nv_base *)state)->peak;
}

/* -------------------------------------------------------------------------------------- A and B */

static int put_matrix(const nv_base *base, const spl_sparse *a, nv_matrix *matrix)
{
    return nv_put(a->offsets, (size_t)(a->rows + 1) * sizeof(int32_t), &matrix->offsets) &&
           nv_put(a->indices, (size_t)a->nnz * sizeof(int32_t), &matrix->indices) &&
           nv_put(a->values, (size_t)a->nnz * tool_type_bytes(a->type), &matrix->values) &&
           nv_sparse(cusparseCreateCsr(&matrix->descriptor, a->rows, a->cols, a->nnz,
                                       matrix->offsets, matrix->indices, matrix->values,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_BASE_ZERO, base->type),
                     "cusparseCreateCsr");
}

void nv_drop(nv_matrix *matrix)
{
    if (matrix->descriptor)
        cusparseDestroySpMat(matrix->descriptor);
    cudaFree(matrix->offsets);
    cudaFree(matrix->indices);
    cudaFree(matrix->values);
    *matrix = (nv_matrix){0};
}

cusparseSpMatDescr_t nv_right(const nv_base *base)
{
    return base->problem.b ? base->b.descriptor : base->a.descriptor;
}

void *nv_open(const bench_problem *problem, size_t size)
{
    static const cudaDataType types[] = {[SPL_F32] = CUDA_R_32F,
                                         [SPL_F64] = CUDA_R_64F,
                                         [SPL_F16] = CUDA_R_16F,
                                         [SPL_BF16] = CUDA_R_16BF};
    int narrow = problem->a.offset_type == SPL_I32 && bench_right(problem)->offset_type == SPL_I32;
    nv_base *base = narrow ? calloc(1, size) : NULL;
    if (!base) {
        nv_fail("offsets have 64 bits, or there is no memory");
        return NULL;
    }
    base->problem = *problem;
    base->type = types[problem->type];
    base->sums = problem->type == SPL_F64 ? CUDA_R_64F : CUDA_R_32F;
    base->one = tool_scalar_of(problem->type, 1);
    base->zero = tool_scalar_of(problem->type, 0);
    if (put_matrix(base, &problem->a, &base->a) &&
        (!problem->b || put_matrix(base, problem->b, &base->b)))
        return base;
    nv_close(base);
    return NULL;
}

void nv_close(nv_base *base)
{
    nv_drop(&base->a);
    nv_drop(&base->b);
    free(base);
}

/* --------------------------------------------------------------------------------------- tables */

#define SPMV(algorithm)                                                                            \
    {                                                                                              \
        .prepare = nv_dense_prepare, .plan = nv_spmv_plan, .run = nv_spmv_run, .wait = nv_wait,    \
        .result = nv_dense_result, .release = nv_dense_release, .peak = nv_peak,                   \
        .variant = algorithm                                                                       \
    }
#define SELL(algorithm)                                                                            \
    {                                                                                              \
        .prepare = nv_sell_prepare, .plan = nv_spmv_plan, .run = nv_spmv_run, .wait = nv_wait,     \
        .result = nv_dense_result, .release = nv_dense_release, .peak = nv_peak,                   \
        .variant = algorithm                                                                       \
    }
#define SPMM(algorithm)                                                                            \
    {                                                                                              \
        .prepare = nv_dense_prepare, .plan = nv_spmm_plan, .run = nv_spmm_run, .wait = nv_wait,    \
        .result = nv_dense_result, .release = nv_dense_release, .peak = nv_peak,                   \
        .variant = algorithm                                                                       \
    }
#define SPGEMM(algorithm)                                                                          \
    {                                                                                              \
        .prepare = nv_sparse_prepare, .run = nv_spgemm_run, .wait = nv_wait,                       \
        .result = nv_sparse_result, .discard = nv_spgemm_discard, .release = nv_sparse_release,    \
        .peak = nv_peak, .variant = algorithm                                                      \
    }
#define NUMERIC(algorithm)                                                                         \
    {                                                                                              \
        .prepare = nv_sparse_prepare, .plan = nv_numeric_plan, .run = nv_numeric_run,              \
        .wait = nv_wait, .result = nv_sparse_result, .release = nv_sparse_release,                 \
        .peak = nv_peak, .variant = algorithm                                                      \
    }

const bench_rival bench_cusparse = {
    .name = "cusparse",
    .start = start,
    .version = version,
    .failure = nv_failure,
    .halves = 1,
    .kernels = {[BENCH_SPMV] = SPMV(CUSPARSE_SPMV_ALG_DEFAULT),
                [BENCH_SPMM] = SPMM(CUSPARSE_SPMM_ALG_DEFAULT),
                [BENCH_NUMERIC] = NUMERIC(CUSPARSE_SPGEMM_DEFAULT)},
};
/* Reuse of the structure has two algorithms of its own: the default and a deterministic one. */
const bench_rival bench_cusparse_1 = {
    .name = "cusparse-1",
    .start = start,
    .version = version,
    .failure = nv_failure,
    .halves = 1,
    .kernels = {[BENCH_SPMV] = SPMV(CUSPARSE_SPMV_CSR_ALG1),
                [BENCH_SPMM] = SPMM(CUSPARSE_SPMM_CSR_ALG1),
                [BENCH_SPGEMM] = SPGEMM(CUSPARSE_SPGEMM_ALG1),
                [BENCH_NUMERIC] = NUMERIC(CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC)},
};
const bench_rival bench_cusparse_2 = {
    .name = "cusparse-2",
    .start = start,
    .version = version,
    .failure = nv_failure,
    .halves = 1,
    .kernels = {[BENCH_SPMV] = SPMV(CUSPARSE_SPMV_CSR_ALG2),
                [BENCH_SPMM] = SPMM(CUSPARSE_SPMM_CSR_ALG2),
                [BENCH_SPGEMM] = SPGEMM(CUSPARSE_SPGEMM_ALG2)},
};
const bench_rival bench_cusparse_3 = {
    .name = "cusparse-3",
    .start = start,
    .version = version,
    .failure = nv_failure,
    .halves = 1,
    .kernels = {[BENCH_SPMV] = SELL(CUSPARSE_SPMV_SELL_ALG1),
                [BENCH_SPMM] = SPMM(CUSPARSE_SPMM_CSR_ALG3),
                [BENCH_SPGEMM] = SPGEMM(CUSPARSE_SPGEMM_ALG3)},
};
