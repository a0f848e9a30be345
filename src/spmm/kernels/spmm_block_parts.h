/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_block_parts.h: parts of long rows, each by all warps of a block, in the launch that computes
 * the short rows. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

/* What a block computes: a part of a long row, or short rows. */
typedef struct FN(spmm_share) {
    const struct spmm_part *part; /* NULL: short rows */
    int64_t tile, row, begin;     /* row: of this team */
    P length;
    bool has_row;
} FN(spmm_share);

/* The entries of a part that this warp sums up. */
DEVICE void FN(spmm_share_of_part)(int entries_at_once, FN(spmm_share) *s)
{
    const int32_t warps = THREADS / LANES, entries = READ(&s->part->entries);
    const int32_t each =
        ((entries + warps - 1) / warps + entries_at_once - 1) / entries_at_once * entries_at_once;
    const int32_t first = WARP * each < entries ? WARP * each : entries;
    s->row = READ(&s->part->row);
    s->begin = READ(&s->part->begin) + first;
    s->length = entries - first < each ? entries - first : each;
    s->has_row = true;
}

/* The row of this team; long ones are left out. */
DEVICE void FN(spmm_share_of_rows)(const struct spmm_parts_args *args, const P *RESTRICT offsets,
                                   int64_t block, FN(spmm_share) *s)
{
    const int bits = args->rows.team_bits;
    s->row = block * (THREADS >> bits) + (THREAD >> bits);
    s->has_row = s->row < args->rows.tasks;
    if (!s->has_row)
        return;
    s->begin = (int64_t)READ(&offsets[s->row]);
    s->length = READ(&offsets[s->row + 1]) - (P)s->begin;
    if ((int64_t)s->length > args->limit) {
        s->length = 0;
        s->has_row = false;
    }
}

/* Blocks with parts come first in the grid, as the longest work: all tiles of a part, then the next
 * part. */
DEVICE FN(spmm_share) FN(spmm_share_of)(const struct spmm_parts_args *args, int entry_lanes)
{
    const int64_t parts = args->parts * args->rows.tiles, block = BLOCK - parts;
    FN(spmm_share) s = {NULL, 0, 0, 0, 0, false};
    if (block < 0) {
        s.part = &args->part[BLOCK / args->rows.tiles];
        s.tile = BLOCK % args->rows.tiles;
        FN(spmm_share_of_part)(LANES / entry_lanes, &s);
    } else {
        s.tile = block / args->rows.blocks;
        FN(spmm_share_of_rows)(args, (const P *)args->rows.offsets, block % args->rows.blocks, &s);
    }
    return s;
}

/* The sum of a column over all parts of a row, in order. */
DEVICE ACC FN(spmm_sum_parts)(const ACC *partial, int64_t width, int32_t parts)
{
    enum { AT_ONCE = 4 };
    ACC sum = 0;
    for (int32_t first = 0; first < parts; first += AT_ONCE) {
        ACC of_part[AT_ONCE];
        UNROLL for (int u = 0; u < AT_ONCE; u++) of_part[u] =
            first + u < parts ? LOAD_VOLATILE(partial + (first + u) * width) : 0;
        UNROLL for (int u = 0; u < AT_ONCE; u++) sum += of_part[u];
    }
    return sum;
}

/* Whether all parts of the row have been stored: the block that stores the last one adds them up.
 * The same for all threads of the block. */
DEVICE bool FN(spmm_is_last)(int32_t *arrived, int32_t parts, ACC *shared)
{
    int32_t *const before = (int32_t *)shared;
    SYNC(); /* this part is stored, and sums in shared memory are read */
    if (THREAD == 0)
        *before = ATOMIC_ADD_RELEASE(arrived, 1);
    SYNC();
    if (*before + 1 < parts)
        return false;
    FENCE();
    if (THREAD == 0)
        ATOMIC_EXCHANGE(arrived, 0);
    return true;
}

/* Adds up the sums of all warps, in order, and stores them; a thread per column. `shared` has
 * `sums` elements for each lane of an entry, for each warp. */
DEVICE void FN(spmm_join_warps)(const struct spmm_parts_args *args, const FN(spmm_share) *s,
                                int entry_lanes, ACC *shared, const struct spmm_form form)
{
    const struct spmm_rows_args *const r = &args->rows;
    const ACC alpha = SCALAR(ACC, r->scalars.alpha), beta = SCALAR(ACC, r->scalars.beta);
    const int sums = form.runs * form.run, lane = THREAD / sums, i = THREAD % sums;
    const int64_t column =
        ((s->tile * form.runs + i / form.run) * entry_lanes + lane) * form.run + i % form.run;
    const bool has = lane < entry_lanes && column < r->width;
    const int32_t first = READ(&s->part->first), parts = READ(&s->part->parts);
    ACC *const partial = (ACC *)r->partial + first * r->width + column;
    ACC sum = 0;
    for (int w = 0; has && w < THREADS / LANES; w++)
        sum += shared[w * entry_lanes * sums + THREAD];
    if (parts > 1) {
        if (has)
            partial[READ(&s->part->number) * r->width] = sum;
        if (!FN(spmm_is_last)(&args->arrived[first * r->tiles + s->tile], parts, shared))
            return;
        if (has)
            sum = FN(spmm_sum_parts)(partial, r->width, parts);
    }
    if (has)
        FN(spmm_write)((T *)r->c + s->row * r->c_row + column * r->c_column, &sum, alpha, beta, 1);
}

DEVICE void FN(spmm_rows_and_parts)(const struct spmm_parts_args args, const I *RESTRICT columns,
                                    const struct spmm_form form)
{
    const struct spmm_rows_args *const r = &args.rows;
    const int entry_lanes = 1 << r->across_bits, sums = form.runs * form.run;
    const FN(spmm_share) s = FN(spmm_share_of)(&args, entry_lanes);
    const struct spmm_lane lane =
        FN(spmm_lane_of)(s.part ? (LANES == 64 ? 6 : 5) : r->team_bits, r->across_bits);
    FN(spmm_source) a = {columns + s.begin, (const T *)r->values + s.begin, s.length, 1};
    FN(spmm_b) b;
    int64_t column[SPMM_MOST_RUNS];
    P next[SPMM_MOST_ROWS];
    ACC sum[SPMM_MOST_SUMS * SPMM_MOST_ROWS];
    SHARED_AT_LAUNCH(ACC, shared);
    if (SCALAR(ACC, r->scalars.alpha) == 0)
        a.length = 0;
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) sum[i] = 0;
    FN(spmm_begin_tile)(r, lane, s.tile, column, &b, form);
    if (form.direct)
        FN(spmm_walk_directly)(lane, a.columns, a.values, a.length, b.column[0], b.row_bytes, sum,
                               form.run);
    else
        FN(spmm_walk)(lane, &a, next, &b, sum, form);
    FN(spmm_sum_up)(lane, sum, sums);
    if (!s.part) {
        if (s.has_row && lane.entry == 0)
            FN(spmm_write_row)(r, s.row, column, sum, form);
        return;
    }
    if (lane.entry == 0)
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < sums)
            shared[(WARP * entry_lanes + lane.column) * sums + i] = sum[i];
    SYNC();
    FN(spmm_join_warps)(&args, &s, entry_lanes, shared, form);
}
