/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of SpMM over a min_ or max_ semiring with the rows of B that win: see
 * spmm_semiring_rows_gpu.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_WINNERS_K_H
#define SPL_SPMM_KERNELS_SPMM_WINNERS_K_H
#include "spmm/kernels/spmm_semiring_args.h"
#endif
#else
#define IN_HALVES
#define IN_INTEGERS
#include "problem/semiring.h"

/* The best product so far, and the row of B in it; -1: none. */
typedef struct FN(winner) {
    ACC best;
    I row;
} FN(winner);

/* The better one; of equal ones the least row. NaN is no better than none. */
DEVICE void FN(winner_join)(FN(winner) *w, ACC product, I row, const int32_t semiring)
{
    const bool better = spl__semiring_is_min(semiring) ? product < w->best : product > w->best,
               first = product == w->best && (w->row < 0 || row < w->row);
    if (better)
        w->best = product;
    if (row >= 0 && (better || first))
        w->row = row;
}

/* Of entries begin, begin + step, ... of a row, for the lane's column of B. Loads overlap. */
DEVICE FN(winner) FN(winner_of)(const struct spmm_semiring_args *args, int64_t begin, int64_t end,
                                int64_t step, const T *b)
{
    const bool reads_a = spl__semiring_reads_a(args->semiring);
    const I *RESTRICT columns = (const I *)args->columns;
    const T *RESTRICT values = (const T *)args->values;
    FN(winner) w = {SPL__SEMIRING_NONE(ACC, args->semiring), -1};
    for (int64_t p = begin; p < end; p += SPMM_SEMIRING_AT_ONCE * step) {
        I k[SPMM_SEMIRING_AT_ONCE];
        ACC product[SPMM_SEMIRING_AT_ONCE];
        UNROLL for (int u = 0; u < SPMM_SEMIRING_AT_ONCE; u++)
        {
            k[u] = p + u * step < end ? READ(&columns[p + u * step]) : -1;
        }
        UNROLL for (int u = 0; u < SPMM_SEMIRING_AT_ONCE; u++)
        {
            const ACC of_a = reads_a && k[u] >= 0 ? WIDEN(READ(&values[p + u * step])) : 0,
                      of_b = k[u] >= 0 ? WIDEN(READ(&b[k[u] * args->b_row])) : 0;
            product[u] = SPL__SEMIRING_PRODUCT(ACC, args->semiring, of_a, of_b);
        }
        UNROLL for (int u = 0; u < SPMM_SEMIRING_AT_ONCE; u++)
        {
            if (k[u] >= 0)
                FN(winner_join)(&w, product[u], k[u], args->semiring);
        }
    }
    return w;
}

/* The best of a block's teams, in the first one. */
DEVICE FN(winner) FN(winner_of_block)(FN(winner) *all, FN(winner) w, int team,
                                      const int32_t semiring)
{
    SYNC(); /* those of the tile before have been read */
    all[THREAD] = w;
    SYNC();
    for (int t = THREAD + team; THREAD < team && t < THREADS; t += team)
        FN(winner_join)(&w, all[t].best, all[t].row, semiring);
    return w;
}

/* A tile of columns of a row, by a team, or by the teams of a block: `whole`. */
DEVICE void FN(winners_tile)(const struct spmm_semiring_args *args, int64_t row, int64_t column,
                             bool whole, FN(winner) *all)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    const int64_t begin = READ(&offsets[row]), end = READ(&offsets[row + 1]);
    const bool chosen = ROW_IS_CHOSEN(args->choice, row), has_column = column < args->width,
               writes = has_column && (!whole || THREAD < args->team);
    const T *const b = (const T *)args->b + (has_column ? column * args->b_column : 0);
    FN(winner) w = {SPL__SEMIRING_NONE(ACC, args->semiring), -1};
    if (!whole && end - begin > args->long_rows.limit)
        return;
    if (chosen && has_column)
        w = FN(winner_of)(args, begin + (whole ? THREAD / args->team : 0), end,
                          whole ? THREADS / args->team : 1, b);
    if (whole)
        w = FN(winner_of_block)(all, w, args->team, args->semiring);
    if (!writes || (!chosen && !args->choice.clear))
        return;
    ((T *)args->c)[row * args->c_row + column * args->c_column] = NARROW(w.best);
    args->winners[row * args->winners_ld + column] = w.row;
}

KERNEL_OF(struct spmm_semiring_args, spmm_winners, SPMM_SEMIRING_THREADS, args)
{
    SHARED(FN(winner), all, SPMM_SEMIRING_THREADS);
    const bool whole = BLOCK < args.long_rows.count;
    const int team = args.team, teams = THREADS / team;
    const int64_t tiles = (args.width + team - 1) / team, block = BLOCK - args.long_rows.count;
    const int64_t step = whole ? 1 : (BLOCKS - args.long_rows.count) * teams,
                  first = whole ? 0 : block * teams + THREAD / team;
    for (int64_t task = first; task < (whole ? tiles : args.rows * tiles); task += step)
        FN(winners_tile)(&args, whole ? READ(&args.long_rows.list[BLOCK]) : task / tiles,
                         task % tiles * team + THREAD % team, whole, all);
}
#endif
