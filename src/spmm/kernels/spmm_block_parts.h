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
 * part. Their number is the block's below 0, then come those with short rows. */
DEVICE int64_t FN(spmm_short_block)(const struct spmm_parts_args *args)
{
    return BLOCK - args->parts * args->rows.tiles;
}

DEVICE FN(spmm_share) FN(spmm_share_of)(const struct spmm_parts_args *args, int entry_lanes)
{
    const int64_t block = FN(spmm_short_block)(args);
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

/* The sum of a column over some parts of a row, in order. Loads do not wait for sums. */
DEVICE ACC FN(spmm_sum_parts)(const ACC *partial, int64_t width, int64_t from, int64_t to)
{
    ACC sum = 0;
    for (int64_t first = from; first < to; first += SPMM_PARTS_AT_ONCE) {
        ACC of_part[SPMM_PARTS_AT_ONCE];
        UNROLL for (int u = 0; u < SPMM_PARTS_AT_ONCE; u++) of_part[u] =
            first + u < to ? LOAD_VOLATILE(partial + (first + u) * width) : 0;
        UNROLL for (int u = 0; u < SPMM_PARTS_AT_ONCE; u++) sum += of_part[u];
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

/* The column of C that is number i of a tile. */
DEVICE int64_t FN(spmm_column_of)(int64_t tile, int entry_lanes, int i, const struct spmm_form form)
{
    const int sums = form.runs * form.run, lane = i / sums, of_lane = i % sums;
    return ((tile * form.runs + of_lane / form.run) * entry_lanes + lane) * form.run +
           of_lane % form.run;
}

/* The sum of a column over all parts of a row: some threads of a block add up a share of them, in
 * order, and the first of those what all have. `shared`: as spmm_join_warps. */
DEVICE ACC FN(spmm_sum_all_parts)(const ACC *partial, int64_t width, int32_t parts, bool has,
                                  int columns, ACC *shared)
{
    const int warps = THREADS / LANES, most = THREADS / columns,
              groups = most < warps ? most : warps, group = THREAD / columns;
    ACC sum = 0;
    if (has && group < groups)
        sum = FN(spmm_sum_parts)(partial, width, (int64_t)parts * group / groups,
                                 (int64_t)parts * (group + 1) / groups);
    SYNC(); /* what is shared has been read */
    if (group < groups)
        shared[THREAD] = sum;
    SYNC();
    for (int g = 1; group == 0 && g < groups; g++)
        sum += shared[g * columns + THREAD];
    return sum;
}

/* Adds up the sums of all warps, in order, and stores them; a thread per column. `shared` has
 * `sums` elements for each lane of an entry, for each warp. */
DEVICE void FN(spmm_join_warps)(const struct spmm_parts_args *args, const FN(spmm_share) *s,
                                int entry_lanes, ACC *shared, const struct spmm_form form)
{
    const struct spmm_rows_args *const r = &args->rows;
    const ACC alpha = SCALAR(ACC, r->scalars.alpha), beta = SCALAR(ACC, r->scalars.beta);
    const int columns = entry_lanes * form.runs * form.run;
    const int64_t column = FN(spmm_column_of)(s->tile, entry_lanes, THREAD % columns, form);
    const bool has = column < r->width, first_has = THREAD < columns && has;
    const int32_t first = READ(&s->part->first), parts = READ(&s->part->parts);
    ACC *const partial = (ACC *)r->partial + first * r->width + column;
    ACC sum = 0;
    for (int w = 0; first_has && w < THREADS / LANES; w++)
        sum += shared[w * columns + THREAD];
    if (parts > 1) {
        if (first_has)
            partial[READ(&s->part->number) * r->width] = sum;
        if (!FN(spmm_is_last)(&args->arrived[first * r->tiles + s->tile], parts, shared))
            return;
        sum = FN(spmm_sum_all_parts)(partial, r->width, parts, has, columns, shared);
    }
    if (first_has)
        FN(spmm_write)((T *)r->c + s->row * r->c_row + column * r->c_column, &sum, alpha, beta, 1);
}

/* The sums of this lane's share of a row, and of all lanes with the same column. */
DEVICE void FN(spmm_sum_share)(const struct spmm_rows_args *r, const FN(spmm_share) *s,
                               struct spmm_lane lane, const I *RESTRICT columns, int64_t *column,
                               ACC *sum, const struct spmm_form form)
{
    FN(spmm_source) a = {columns + s->begin, (const T *)r->values + s->begin, s->length, 1};
    FN(spmm_b) b;
    P next[SPMM_MOST_ROWS];
    if (SCALAR(ACC, r->scalars.alpha) == 0)
        a.length = 0;
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) sum[i] = 0;
    FN(spmm_begin_tile)(r, lane, s->tile, column, &b, form);
    if (form.direct)
        FN(spmm_walk_directly)(lane, a.columns, a.values, a.length, b.column[0], b.row_bytes, sum,
                               form.run);
    else
        FN(spmm_walk)(lane, &a, next, &b, sum, form);
    FN(spmm_sum_up)(lane, sum, form.runs * form.run);
}

/* Stores the sums of a part. */
DEVICE void FN(spmm_store_part)(const struct spmm_parts_args *args, const FN(spmm_share) *s,
                                struct spmm_lane lane, const ACC *sum, const struct spmm_form form)
{
    const int sums = form.runs * form.run;
    SHARED_AT_LAUNCH(ACC, shared);
    if (lane.entry == 0)
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS; i++) if (i < sums)
            shared[(WARP * lane.entry_lanes + lane.column) * sums + i] = sum[i];
    SYNC();
    FN(spmm_join_warps)(args, s, lane.entry_lanes, shared, form);
}

DEVICE struct spmm_lane FN(spmm_lane_of_share)(const struct spmm_rows_args *r,
                                               const FN(spmm_share) *s)
{
    return FN(spmm_lane_of)(s->part ? (LANES == 64 ? 6 : 5) : r->team_bits, r->across_bits);
}

DEVICE void FN(spmm_rows_and_parts)(const struct spmm_parts_args args, const I *RESTRICT columns,
                                    const struct spmm_form form)
{
    const struct spmm_rows_args *const r = &args.rows;
    const FN(spmm_share) s = FN(spmm_share_of)(&args, 1 << r->across_bits);
    const struct spmm_lane lane = FN(spmm_lane_of_share)(r, &s);
    int64_t column[SPMM_MOST_RUNS];
    ACC sum[SPMM_MOST_SUMS * SPMM_MOST_ROWS];
    FN(spmm_sum_share)(r, &s, lane, columns, column, sum, form);
    if (s.part)
        FN(spmm_store_part)(&args, &s, lane, sum, form);
    else if (s.has_row && lane.entry == 0)
        FN(spmm_write_row)(r, s.row, column, sum, form);
}
