/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/coo: see spmv_coo_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_COO_K_H
#define SPL_SPMV_KERNELS_SPMV_COO_K_H
#include "spmv/kernels/spmv_long_rows.k.h"

enum { SPMV_COO_THREADS = 256, SPMV_COO_CHUNK = 1024 };

/* rows[p] = the row of entry p */
struct spmv_coo_rows_args {
    int64_t row_count, nnz;
    const void *offsets; /* P[row_count+1] */
    int32_t *rows;
};

/* y = beta*y */
struct spmv_coo_scale_args {
    struct spmv_csr a;
};

/* A warp adds chunks of CHUNK entries to y; partial sums of a row that began in an earlier chunk
 * are stored to carries, T[chunks]. */
struct spmv_coo_args {
    struct spmv_csr a;
    int64_t chunks;
    const int32_t *rows;
    void *carries;
};

/* Adds the carries to y. */
struct spmv_coo_carry_args {
    struct spmv_coo_args coo;
};
#endif
#else

#include "spmv/kernels/row_lanes.h"

DEVICE void FN(find_rows)(int64_t row_count, int64_t nnz, const P *RESTRICT offsets,
                          int32_t *RESTRICT rows)
{
    for (int64_t p = BLOCK * THREADS + THREAD; p < nnz; p += BLOCKS * THREADS) {
        int64_t low = 0, high = row_count - 1;
        while (low < high) { /* binary search for the first row that ends after p */
            const int64_t middle = (low + high) / 2;
            if (READ(&offsets[middle + 1]) <= p)
                low = middle + 1;
            else
                high = middle;
        }
        rows[p] = (int32_t)low;
    }
}

KERNEL(spmv_coo_rows, SPMV_COO_THREADS, args)
{
    FN(find_rows)(args.row_count, args.nnz, (const P *)args.offsets, args.rows);
}

KERNEL(spmv_coo_scale, SPMV_COO_THREADS, args)
{
    const T beta = SCALAR(T, args.a.scalars.beta);
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.a.rows; i += BLOCKS * THREADS)
        FN(store_row)((T *)args.a.y + i, (T)0, (T)0, beta);
}

/* A sum and its row; row -1: none. */
typedef struct FN(run) {
    int32_t row;
    T sum;
} FN(run);

/* Inclusive segmented sum: over the lane and the lanes before it with the same row; rows ascend. */
DEVICE T FN(run_sums)(FN(run) r)
{
    for (int distance = 1; distance < LANES; distance *= 2) {
        const int32_t row = SHUFFLE_UP(GROUP_MASK(LANES), r.row, distance, LANES);
        const T sum = SHUFFLE_UP(GROUP_MASK(LANES), r.sum, distance, LANES);
        if (LANE >= distance && row == r.row)
            r.sum += sum;
    }
    return r.sum;
}

/* Ends a run: of the row that began before the chunk, or of one that this chunk writes. */
DEVICE void FN(end_run)(FN(run) r, int32_t begun, T *carry, T *y, T alpha)
{
    if (r.row == begun)
        *carry = alpha * r.sum;
    else if (r.row >= 0)
        y[r.row] += alpha * r.sum;
}

DEVICE void FN(coo_chunk)(int64_t chunk, const struct spmv_coo_args *args, T alpha)
{
    const I *RESTRICT columns = (const I *)args->a.columns;
    const T *RESTRICT values = (const T *)args->a.values, *RESTRICT x = (const T *)args->a.x;
    const int64_t begin = chunk * SPMV_COO_CHUNK;
    const int64_t end = begin + SPMV_COO_CHUNK < args->a.nnz ? begin + SPMV_COO_CHUNK : args->a.nnz;
    const int32_t previous = begin > 0 ? READ(&args->rows[begin - 1]) : -2;
    const int32_t begun = READ(&args->rows[begin]) == previous ? previous : -2;
    T *carry = (T *)args->carries + chunk, *y = (T *)args->a.y;
    FN(run) open = {-1, 0}; /* the last lane's run, which may continue */
    for (int64_t base = begin; base < end; base += LANES) {
        const int64_t p = base + LANE;
        FN(run) r = {-1, 0};
        if (p < end) {
            r.row = READ_ONCE(&args->rows[p]);
            r.sum = READ_ONCE(&values[p]) * READ(&x[READ_ONCE(&columns[p])]);
        }
        const bool goes_on = open.row == SHUFFLE(GROUP_MASK(LANES), r.row, 0);
        if (LANE == 0 && goes_on)
            r.sum += open.sum;
        else if (LANE == 0)
            FN(end_run)(open, begun, carry, y, alpha);
        r.sum = FN(run_sums)(r);
        const int32_t next = SHUFFLE_DOWN(GROUP_MASK(LANES), r.row, 1, LANES);
        if (LANE < LANES - 1 && next != r.row)
            FN(end_run)(r, begun, carry, y, alpha);
        open.row = SHUFFLE(GROUP_MASK(LANES), r.row, LANES - 1);
        open.sum = SHUFFLE(GROUP_MASK(LANES), r.sum, LANES - 1);
    }
    if (LANE == 0)
        FN(end_run)(open, begun, carry, y, alpha);
}

KERNEL(spmv_coo, SPMV_COO_THREADS, args)
{
    const T alpha = SCALAR(T, args.a.scalars.alpha);
    const int64_t warps = THREADS / LANES;
    for (int64_t c = BLOCK * warps + WARP; c < args.chunks && alpha != 0; c += BLOCKS * warps)
        FN(coo_chunk)(c, &args, alpha);
}

/* The first chunk that carries to a row adds the carries of all chunks, in order. */
DEVICE void FN(add_carries)(const struct spmv_coo_args *args)
{
    const int32_t *RESTRICT rows = args->rows;
    const T *RESTRICT carries = (const T *)args->carries;
    T *y = (T *)args->a.y;
    for (int64_t c = BLOCK * THREADS + THREAD + 1; c < args->chunks; c += BLOCKS * THREADS) {
        const int32_t row = READ(&rows[c * SPMV_COO_CHUNK]);
        T sum = 0;
        if (row != READ(&rows[c * SPMV_COO_CHUNK - 1]) ||
            (c > 1 && row == READ(&rows[(c - 1) * SPMV_COO_CHUNK - 1])))
            /* nothing is carried, or an earlier chunk adds it, because the row began before the
             * previous chunk, too */
            continue;
        for (int64_t k = c; k < args->chunks && READ(&rows[k * SPMV_COO_CHUNK]) == row; k++)
            sum += READ(&carries[k]);
        y[row] += sum;
    }
}

KERNEL(spmv_coo_carry, SPMV_COO_THREADS, args)
{
    if (SCALAR(T, args.coo.a.scalars.alpha) != 0)
        FN(add_carries)(&args.coo);
}
#endif
