/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmm/compute/gpu/semiring_rows: see spmm_semiring_rows_gpu.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_SEMIRING_ROWS_K_H
#define SPL_SPMM_KERNELS_SPMM_SEMIRING_ROWS_K_H
#include "spmm/kernels/spmm_semiring_args.h"
#endif
#else
#define IN_HALVES
#define IN_INTEGERS
#include "problem/semiring.h"

/* What all threads of a block share: entries of A that teams have loaded, one per lane, and sums of
 * a long row. */
typedef struct FN(semiring_stage) {
    ACC values[SPMM_SEMIRING_THREADS], sums[SPMM_SEMIRING_THREADS];
    I columns[SPMM_SEMIRING_THREADS];
} FN(semiring_stage);

/* "add" of a chunk's entries to the lane's sum; several loads of B overlap. b: the lane's column.
 */
DEVICE ACC FN(semiring_chunk)(const FN(semiring_stage) *stage, int first, int count, ACC sum,
                              const T *RESTRICT b, int64_t b_row, const int32_t semiring)
{
    const bool reads_b = spl__semiring_reads_b(semiring);
    for (int k = first; k < first + count; k += SPMM_SEMIRING_AT_ONCE) {
        ACC factor[SPMM_SEMIRING_AT_ONCE];
        UNROLL for (int u = 0; u < SPMM_SEMIRING_AT_ONCE; u++)
        {
            const bool valid = reads_b && k + u < first + count;
            factor[u] = valid ? WIDEN(READ(&b[stage->columns[k + u] * b_row])) : 0;
        }
        UNROLL for (int u = 0; u < SPMM_SEMIRING_AT_ONCE; u++)
        {
            if (k + u < first + count)
                SPL__SEMIRING_ADD(ACC, semiring, sum, stage->values[k + u], factor[u]);
        }
    }
    return sum;
}

/* The same over args->semiring. 16-bit values have one loop for all: rare, and code is not free. */
DEVICE ACC FN(semiring_chunk_of)(const struct spmm_semiring_args *args,
                                 const FN(semiring_stage) *stage, int first, int count, ACC sum,
                                 const T *b)
{
#ifdef HALF
    sum = FN(semiring_chunk)(stage, first, count, sum, b, args->b_row, args->semiring);
#else
    if (args->semiring == SPL_PLUS_TIMES)
        sum = FN(semiring_chunk)(stage, first, count, sum, b, args->b_row, SPL_PLUS_TIMES);
    else
        SPL__FOR_SEMIRING(ACC, args->semiring,
                          sum = FN(semiring_chunk)(stage, first, count, sum, b, args->b_row, S));
#endif
    return sum;
}

/* This lane's element of a row of C over chunks of a team's entries, from `begin` on, every step-th
 * entry. Every lane of the team takes part. */
DEVICE ACC FN(semiring_sum)(const struct spmm_semiring_args *args, int64_t begin, int64_t end,
                            int64_t step, int64_t column, FN(semiring_stage) *stage)
{
    const bool reads_a = spl__semiring_reads_a(args->semiring), has_column = column < args->width;
    const int team = args->team, lane = THREAD % team, first = THREAD - lane;
    const I *RESTRICT columns = (const I *)args->columns;
    const T *RESTRICT values = (const T *)args->values;
    const T *const b = (const T *)args->b + (has_column ? column * args->b_column : 0);
    ACC sum = SPL__SEMIRING_NONE(ACC, args->semiring);
    for (int64_t chunk = begin; chunk < end; chunk += step) {
        const int count = end - chunk < team ? (int)(end - chunk) : team;
        SYNC_WARP(GROUP_MASK(team)); /* the previous chunk has been read */
        if (lane < count) {
            stage->columns[THREAD] = READ(&columns[chunk + lane]);
            stage->values[THREAD] = reads_a ? WIDEN(READ(&values[chunk + lane])) : 0;
        }
        SYNC_WARP(GROUP_MASK(team));
        if (has_column)
            sum = FN(semiring_chunk_of)(args, stage, first, count, sum, b);
    }
    return sum;
}

/* Joins the sums of a block's teams, in order, in the first. */
DEVICE ACC FN(semiring_join)(FN(semiring_stage) *stage, ACC sum, int team, const int32_t semiring)
{
    SYNC(); /* the sums of the tile before have been read */
    stage->sums[THREAD] = sum;
    SYNC();
    for (int k = THREAD + team; THREAD < team && k < THREADS; k += team)
        SPL__SEMIRING_JOIN(semiring, sum, stage->sums[k]);
    return sum;
}

/* Over other semirings than plus_times beta is 0 or 1: the old value is left out or added. */
DEVICE void FN(semiring_write)(const struct spmm_semiring_args *args, T *c, ACC sum, bool entries)
{
    const ACC beta = SCALAR_OF_ANY(ACC, args->scalars.beta);
    if (args->semiring == SPL_PLUS_TIMES) {
        const ACC alpha = SCALAR_OF_ANY(ACC, args->scalars.alpha);
        const ACC scaled = alpha != 0 && entries ? SPL__TIMES(alpha, sum) : 0,
                  old = beta == 0 ? 0 : SPL__TIMES(beta, WIDEN(*c));
        sum = SPL__PLUS(scaled, old);
    } else if (beta != 0) {
        SPL__SEMIRING_JOIN(args->semiring, sum, WIDEN(*c));
    }
    *c = NARROW(sum);
}

/* A tile of columns of a row, by a team, or by the teams of a block: `whole`. */
DEVICE void FN(semiring_tile)(const struct spmm_semiring_args *args, int64_t row, int64_t column,
                              bool whole, FN(semiring_stage) *stage)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    const int64_t begin = READ(&offsets[row]), end = READ(&offsets[row + 1]),
                  skipped = whole ? THREAD / args->team * args->team : 0;
    const bool chosen = ROW_IS_CHOSEN(args->choice, row),
               writes = column < args->width && (!whole || THREAD < args->team);
    const bool multiplies =
        args->semiring != SPL_PLUS_TIMES || SCALAR_OF_ANY(ACC, args->scalars.alpha) != 0;
    T *const c = (T *)args->c + row * args->c_row + column * args->c_column;
    if (!whole && end - begin > args->long_rows.limit)
        return;
    if (!chosen) {
        if (writes && args->choice.clear)
            *c = NARROW(SPL__SEMIRING_NONE(ACC, args->semiring));
        return;
    }
    ACC sum = FN(semiring_sum)(args, begin + skipped, multiplies ? end : begin,
                               whole ? THREADS : args->team, column, stage);
    if (whole)
        sum = FN(semiring_join)(stage, sum, args->team, args->semiring);
    if (writes)
        FN(semiring_write)(args, c, sum, end > begin);
}

KERNEL_OF(struct spmm_semiring_args, spmm_semiring_rows, SPMM_SEMIRING_THREADS, args)
{
    SHARED(FN(semiring_stage), stage, 1);
    const bool whole = BLOCK < args.long_rows.count;
    const int team = args.team, teams = THREADS / team;
    const int64_t tiles = (args.width + team - 1) / team, block = BLOCK - args.long_rows.count;
    const int64_t step = whole ? 1 : (BLOCKS - args.long_rows.count) * teams,
                  first = whole ? 0 : block * teams + THREAD / team;
    for (int64_t task = first; task < (whole ? tiles : args.rows * tiles); task += step)
        FN(semiring_tile)(&args, whole ? READ(&args.long_rows.list[BLOCK]) : task / tiles,
                          task % tiles * team + THREAD % team, whole, stage);
}
#endif
