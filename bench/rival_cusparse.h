/* SPDX-License-Identifier: Apache-2.0 */
/* rival_cusparse.h: shared by the adapters to cuSPARSE: one handle and stream, device memory, A on
 * the device, and the name of a failed call.
 *
 * Buffers and results are allocated in stream order from the device's default pool
 * (cudaMallocAsync), which keeps freed memory. Its high-water mark is the reported peak.
 * Operands are not in the pool. Functions that return an int return 0 for failure. */
#ifndef BENCH_RIVAL_CUSPARSE_H
#define BENCH_RIVAL_CUSPARSE_H

#include <bench_rival.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <typed_array.h>

#if CUSPARSE_VERSION < 12300
#error "cusparseSpMV_preprocess needs cuSPARSE 12.3, of CUDA 12.4, or newer"
#endif

/* A matrix in CSR on the device. */
typedef struct nv_matrix {
    void *offsets, *indices, *values;
    cusparseSpMatDescr_t descriptor;
} nv_matrix;

/* The first member of each adapter's state. */
typedef struct nv_base {
    bench_problem problem;
    cudaDataType type, sums; /* of the values; of the sums */
    tool_scalar one, zero;
    nv_matrix a, b; /* b: only if it is not A */
    /* bytes of the pool: in use at nv_mark; held by this state since it was made */
    int64_t used, kept;
    double peak;
} nv_base;

/* 1 if the call succeeded; else what nv_failure() says. */
int nv_cuda(cudaError_t error, const char *call);
int nv_sparse(cusparseStatus_t status, const char *call);
/* Returns 0. */
int nv_fail(const char *message);
const char *nv_failure(void);

cusparseHandle_t nv_handle(void);
cudaStream_t nv_stream(void);

/* A state of `size` bytes, all zero but for its nv_base; NULL if it cannot be had. */
void *nv_open(const bench_problem *problem, size_t size);
/* Frees the state and all that nv_open allocated. */
void nv_close(nv_base *base);

/* Copies `from` to new device memory outside the pool. */
int nv_put(const void *from, size_t bytes, void **device_data);
/* Waits. */
int nv_fetch(const void *device_data, size_t bytes, void *to);

/* Frees the matrix's device memory; all members are zero afterwards. */
void nv_drop(nv_matrix *matrix);
/* The right operand of a sparse product. */
cusparseSpMatDescr_t nv_right(const nv_base *base);

/* From the pool. Never NULL, not even for 0 bytes: cuSPARSE takes a NULL buffer for a request of
 * its size. */
int nv_alloc(size_t bytes, void **memory);
/* NULL is allowed; *memory is NULL afterwards. */
void nv_free(void **memory);

/* What the pool hands out from nv_mark to nv_account counts as the state's. */
void nv_mark(nv_base *base);
void nv_account(nv_base *base);

/* Of bench_kernel. */
int nv_wait(void *state);
double nv_peak(void *state);

void *nv_dense_prepare(const bench_problem *problem);
int nv_dense_result(void *state, spl_sparse *c);
void nv_dense_release(void *state);
/* nv_dense_prepare with A in sliced ELL. */
void *nv_sell_prepare(const bench_problem *problem);
int nv_spmv_plan(void *state);
int nv_spmv_run(void *state);
int nv_spmm_plan(void *state);
int nv_spmm_run(void *state);

void *nv_sparse_prepare(const bench_problem *problem);
int nv_sparse_result(void *state, spl_sparse *c);
void nv_sparse_release(void *state);
int nv_spgemm_run(void *state);
void nv_spgemm_discard(void *state);
int nv_numeric_plan(void *state);
int nv_numeric_run(void *state);

#endif
