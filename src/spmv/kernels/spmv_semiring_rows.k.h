/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmv/compute/gpu/semiring_rows: see spmv_semiring_rows_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_SEMIRING_ROWS_K_H
#define SPL_SPMV_KERNELS_SPMV_SEMIRING_ROWS_K_H
#include "device/scalars.h"
#include "problem/row_choice.h"

enum { SPMV_SEMIRING_THREADS = 256, SPMV_SEMIRING_AT_ONCE = 4 };

/* y = "add" of "multiply"(A, x) in the chosen rows; A is rows x cols in CSR; `width` lanes, a power
 * of two up to LANES, share a row. The first long_rows.count blocks have a long row each. */
struct spmv_semiring_rows_args {
    int64_t rows;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] or NULL */
    const void *x;                          /* T[cols] */
    void *y;                                /* T[rows] */
    spl__device_scalars scalars;
    struct row_choice choice;
    struct row_list long_rows;
    int32_t semiring, width;
};
#endif
#else
#define IN_HALVES
#define IN_INTEGERS
#include "problem/semiring.h"

/* This lane's share of `count` entries: every width-th from `first` on; several loads overlap. */
DEVICE ACC FN(semiring_share)(int64_t first, int64_t count, int width, const I *RESTRICT columns,
                              const T *RESTRICT values, const T *RESTRICT x, const int32_t semiring)
{
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    ACC sum = SPL__SEMIRING_NONE(ACC, semiring);
    for (int64_t p = first; p < count; p += SPMV_SEMIRING_AT_ONCE * width) {
        I column[SPMV_SEMIRING_AT_ONCE];
        ACC value[SPMV_SEMIRING_AT_ONCE], factor[SPMV_SEMIRING_AT_ONCE];
        UNROLL for (int u = 0; u < SPMV_SEMIRING_AT_ONCE; u++)
        {
            const bool valid = p + u * width < count;
            column[u] = valid ? READ_ONCE(&columns[p + u * width]) : 0;
            value[u] = valid && reads_a ? WIDEN(READ_ONCE(&values[p + u * width])) : 0;
        }
        UNROLL for (int u = 0; u < SPMV_SEMIRING_AT_ONCE; u++)
        {
            factor[u] = reads_b && p + u * width < count ? WIDEN(READ(&x[column[u]])) : 0;
        }
        UNROLL for (int u = 0; u < SPMV_SEMIRING_AT_ONCE; u++)
        {
            if (p + u * width < count)
                SPL__SEMIRING_ADD(ACC, semiring, sum, value[u], factor[u]);
        }
    }
    return sum;
}

/* The same over args->semiring. 16-bit values have one loop for all: rare, and code is not free. */
DEVICE ACC FN(semiring_share_of)(const struct spmv_semiring_rows_args *args, P begin, int64_t count,
                                 int first, int width)
{
    const I *const columns = (const I *)args->columns + begin;
    const T *const values = args->values ? (const T *)args->values + begin : (const T *)0;
    const T *const x = (const T *)args->x;
    ACC sum = 0;
#ifdef HALF
    sum = FN(semiring_share)(first, count, width, columns, values, x, args->semiring);
#else
    if (args->semiring == SPL_PLUS_TIMES)
        sum = FN(semiring_share)(first, count, width, columns, values, x, SPL_PLUS_TIMES);
    else
        SPL__FOR_SEMIRING(ACC, args->semiring,
                          sum = FN(semiring_share)(first, count, width, columns, values, x, S));
#endif
    return sum;
}

/* "add" over a group of `width` lanes, or over a block with `sums` of its warps, in the first
 * thread. All of them take part. */
DEVICE ACC FN(semiring_group)(ACC sum, int width, ACC *sums, const int32_t semiring)
{
    const int lanes = width < LANES ? width : LANES;
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        const ACC other = SHUFFLE_DOWN(GROUP_MASK(lanes), sum, distance, lanes);
        SPL__SEMIRING_JOIN(semiring, sum, other);
    }
    if (width <= LANES)
        return sum;
    if (LANE == 0)
        sums[WARP] = sum;
    SYNC();
    for (int k = 1; THREAD == 0 && k < THREADS / LANES; k++)
        SPL__SEMIRING_JOIN(semiring, sum, sums[k]);
    return sum;
}

/* Over other semirings than plus_times beta is 0 or 1: the old value is left out or added. */
DEVICE void FN(semiring_store)(const struct spmv_semiring_rows_args *args, int64_t row, ACC sum,
                               bool entries)
{
    T *const y = (T *)args->y + row;
    const ACC beta = SCALAR_OF_ANY(ACC, args->scalars.beta);
    if (args->semiring == SPL_PLUS_TIMES) {
        const ACC alpha = SCALAR_OF_ANY(ACC, args->scalars.alpha);
        const ACC scaled = alpha != 0 && entries ? SPL__TIMES(alpha, sum) : 0,
                  old = beta == 0 ? 0 : SPL__TIMES(beta, WIDEN(*y));
        sum = SPL__PLUS(scaled, old);
    } else if (beta != 0) {
        SPL__SEMIRING_JOIN(args->semiring, sum, WIDEN(*y));
    }
    *y = NARROW(sum);
}

/* Row `row` by a group of `width` threads of which this is number `rank`: lanes of a warp, or a
 * block. */
DEVICE void FN(semiring_row)(const struct spmv_semiring_rows_args *args, int64_t row, int rank,
                             int width, ACC *sums)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    const bool chosen = ROW_IS_CHOSEN(args->choice, row);
    if (!chosen && rank == 0 && args->choice.clear)
        ((T *)args->y)[row] = NARROW(SPL__SEMIRING_NONE(ACC, args->semiring));
    if (!chosen)
        return;
    const P begin = READ(&offsets[row]);
    const int64_t count = READ(&offsets[row + 1]) - begin;
    const bool left_out = width <= LANES && count > args->long_rows.limit;
    const bool multiplies =
        args->semiring != SPL_PLUS_TIMES || SCALAR_OF_ANY(ACC, args->scalars.alpha) != 0;
    if (left_out)
        return;
    ACC sum = FN(semiring_share_of)(args, begin, multiplies ? count : 0, rank, width);
    sum = FN(semiring_group)(sum, width, sums, args->semiring);
    if (rank == 0)
        FN(semiring_store)(args, row, sum, count > 0);
}

KERNEL(spmv_semiring_rows, SPMV_SEMIRING_THREADS, args)
{
    SHARED(ACC, sums, SPMV_SEMIRING_THREADS / LANES);
    const bool long_row = BLOCK < args.long_rows.count;
    const int width = long_row ? THREADS : args.width, groups = THREADS / width;
    const int64_t step = (BLOCKS - args.long_rows.count) * groups,
                  first = (BLOCK - args.long_rows.count) * groups + THREAD / width;
    for (int64_t k = long_row ? 0 : first; k < (long_row ? 1 : args.rows); k += step)
        FN(semiring_row)(&args, long_row ? READ(&args.long_rows.list[BLOCK]) : k, THREAD % width,
                         width, sums);
}
#endif
