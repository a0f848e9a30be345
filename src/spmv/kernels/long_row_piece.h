/* SPDX-License-Identifier: Apache-2.0 */
/* long_row_piece.h: a warp sums a piece of a long row. The warp that finishes last adds the sums
 * of all pieces, or spmv_long_join does; always in the same order. Part of the templates of
 * kernel files: read once per combination of types, without a guard. */
#include "spmv/kernels/row_lanes.h"

/* Adds the sums of a row's pieces if this one was the last to finish. */
DEVICE void FN(join_pieces)(const struct spmv_long_rows *l, int64_t first, int64_t count, T *y,
                            ACC alpha, ACC beta)
{
    int32_t arrivals = 0;
    ACC sum = 0;
    if (LANE == 0)
        arrivals = ATOMIC_ADD_RELEASE(&l->arrived[first], 1);
    arrivals = SHUFFLE(GROUP_MASK(LANES), arrivals, 0);
    if (arrivals + 1 < count)
        return;
    /* makes the memory that the counting lane sees visible to all lanes: a shuffle does not
     * order memory */
    SYNC_WARP(GROUP_MASK(LANES));
    FENCE();
    for (int64_t k = LANE; k < count; k += LANES)
        sum += LOAD_VOLATILE((const ACC *)l->sums + first + k);
    sum = FN(group_sum)(sum, LANES);
    if (LANE == 0) {
        FN(store_row)(y, sum, alpha, beta);
        ATOMIC_EXCHANGE(&l->arrived[first], 0);
    }
}

DEVICE ACC FN(piece_sum)(int64_t begin, int entries, const struct spmv_csr *a, bool one_value)
{
    const I *RESTRICT columns = (const I *)a->columns + begin;
    const T *RESTRICT values = (const T *)a->values, *RESTRICT x = (const T *)a->x;
    if (one_value)
        return FN(entries_sum)(LANE, entries, LANES, columns, values, x, true);
    return FN(entries_sum)(LANE, entries, LANES, columns, values + begin, x, false);
}

/* Stores the result of a piece: the row's sum or a part of it. */
DEVICE void FN(store_piece)(const struct spmv_long_rows *l,
                            const struct spmv_long_piece *RESTRICT p, ACC sum, T *y, ACC alpha,
                            ACC beta)
{
    const int first = READ(&p->first), parts = READ(&p->parts), row = READ(&p->row);
    sum = FN(group_sum)(sum, LANES);
    if (parts == 1) {
        if (LANE == 0)
            FN(store_row)(y + row, sum, alpha, beta);
        return;
    }
    if (LANE == 0)
        ((ACC *)l->sums)[first + READ(&p->part)] = sum;
    if (l->arrived)
        FN(join_pieces)(l, first, parts, y + row, alpha, beta);
}

/* Computes piece `piece` of the list with a whole warp. `one_value`: the first of A's values is
 * that of all entries. */
DEVICE void FN(long_piece)(const struct spmv_long_rows *l, int64_t piece, const struct spmv_csr *a,
                           ACC alpha, ACC beta, bool one_value)
{
    const struct spmv_long_piece *RESTRICT p = &l->list[piece];
    const int64_t begin = READ(&p->begin);
    const int entries = alpha != 0 ? READ(&p->entries) : 0;
    const ACC sum = FN(piece_sum)(begin, entries, a, one_value);
    FN(store_piece)(l, p, sum, (T *)a->y, alpha, beta);
}

/* The number of blocks for pieces of long rows, one warp each. They come first in the grid, as
 * the longest work. */
DEVICE int64_t FN(piece_blocks)(const struct spmv_long_rows *l)
{
    const int64_t warps = THREADS / LANES;
    return (l->pieces + warps - 1) / warps;
}
