/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpMM by teams of lanes: see device_teams.h. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_ROWS_K_H
#define SPL_SPMM_KERNELS_SPMM_ROWS_K_H
#include "device/scalars.h"

#include <stdint.h>

enum { SPMM_ROWS_THREADS = 256 };

/* The task of a team: `rows` rows with the same columns, `length` entries each from `begin` on,
 * into rows `target` and up of C; or if target is negative a part of a row, into row ~target of
 * partial sums. For merged rows `length` and `begin` refer to words. */
struct spmm_task {
    int64_t begin;
    int32_t target;
    uint16_t length, rows;
};

/* C = alpha*A*B + beta*C; B and C have `width` columns; strides in elements between rows and
 * between columns. */
struct spmm_rows_args {
    int64_t rows, width;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *b;
    int64_t b_row, b_column;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars;
    int32_t team_bits, across_bits; /* log2 of the lanes per row, per entry */
    /* all rows of one tile of columns, then the next; else all tiles of a row together */
    int32_t by_slabs;
    int64_t tiles;
    int64_t blocks; /* blocks per tile */
    int64_t tasks;
    const struct spmm_task *task; /* [tasks]; NULL: row by row */
    const uint32_t *words;        /* for merged rows: spmm_merge.k.h */
    void *partial;                /* ACC[..*width] */
};

/* The `pieces` partial sums from `first` on (0: none begin here) form row `row` of A*B. */
struct spmm_cut {
    int32_t row, pieces;
};

struct spmm_join_args {
    int64_t width;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars;
    int64_t cuts;
    const struct spmm_cut *cut; /* [cuts] */
    const void *partial;        /* ACC[cuts*width] */
};

/* Partial sums that a thread has under way as it adds them up. */
enum { SPMM_PARTS_AT_ONCE = 16 };

/* Entries begin..begin+entries are part `number` of the `parts` parts of a row; those have
 * consecutive partial sums from `first` on. */
struct spmm_part {
    int64_t begin;
    int32_t row, entries, first, number, parts;
};

/* Rows of up to `limit` entries by teams, as in spmm_rows without tasks, or by several at once:
 * spmm_short_rows.h; longer ones in parts, each by a block: spmm_block_parts.h. */
struct spmm_parts_args {
    struct spmm_rows_args rows;
    int64_t parts, limit;
    const struct spmm_part *part; /* [parts] */
    /* [parts*tiles]: at a row's first part, how many have been stored; 0 between executions */
    int32_t *arrived;
};

/* Short rows: how many a team computes side by side, and how many entries of each; what a row has
 * beyond those follows alone. */
enum { SPMM_ABREAST = 4, SPMM_ABREAST_ENTRIES = 4 };

/* Merged rows have words instead of columns: the column, and above it one bit per row that has
 * an entry there. */
enum { SPMM_WORD_BITS = 29, SPMM_WORD_COLUMN = (1 << SPMM_WORD_BITS) - 1 };

/* The most rows of a task, loads of a lane, elements of a row of C per lane, and elements of B in
 * flight per lane. */
enum {
    SPMM_MOST_ROWS = 3,
    SPMM_MOST_RUNS = 4,
    SPMM_MOST_SUMS = 8,
    SPMM_MOST_UNDER_WAY = 32,
    SPMM_MOST_STEPS = 8,
    SPMM_DIRECT_STEPS = 4
};

/* Compile-time constants: rows of a task, elements per load of a lane, loads per lane, steps in
 * flight; whether rows are merged; whether a merged row without an entry skips the addition
 * instead of adding zero times B; whether lanes load their entries themselves. */
struct spmm_form {
    int rows, run, runs, steps;
    bool merged, checked, direct;
};

/* A lane in its team. */
struct spmm_lane {
    int team, entries; /* lanes of the team, entries that it processes at once */
    /* index of this lane in its team, index of its entry among those, the team's first lane in
     * the warp */
    int rank, entry, first;
    int entry_lanes, column; /* lanes per entry, index of this lane among them */
};
#endif
#else
#define IN_HALVES
#include "spmm/kernels/spmm_write.h"

#include "spmm/kernels/spmm_direct.h"

DEVICE struct spmm_lane FN(spmm_lane_of)(int team_bits, int across_bits)
{
    const int team = 1 << team_bits, entry_lanes = 1 << across_bits, rank = LANE & (team - 1);
    const struct spmm_lane lane = {
        team,        team >> across_bits,     rank, rank >> across_bits, LANE - rank,
        entry_lanes, rank & (entry_lanes - 1)};
    return lane;
}

/* Whether merged row m has an entry at the word. */
DEVICE bool FN(spmm_has)(I word, int m)
{
    return ((uint32_t)word >> (SPMM_WORD_BITS + m) & 1) != 0;
}

/* The entries of a task: columns, or words of merged rows; and values, `length` per row. */
typedef struct FN(spmm_source) {
    const I *columns;
    const T *values;
    P length;
    int rows;
} FN(spmm_source);

/* B from the lane's columns on: one per load. */
typedef struct FN(spmm_b) {
    const char *column[SPMM_MOST_RUNS];
    int64_t row_bytes;
} FN(spmm_b);

/* A chunk has an entry per lane of the team: this lane's column, and its value in each row. */
typedef struct FN(spmm_chunk) {
    I column;
    ACC value[SPMM_MOST_ROWS];
} FN(spmm_chunk);

/* A few steps: loads `steps` rows of B, then multiplies. Of the chunk's `count` entries this lane
 * multiplies number done + entry, and further ones at a stride of `entries`. */
DEVICE void FN(spmm_steps)(struct spmm_lane lane, const FN(spmm_chunk) *chunk, int done, int count,
                           const FN(spmm_b) *b, ACC *sum, const bool full,
                           const struct spmm_form form)
{
    T under_way[SPMM_MOST_UNDER_WAY];
    ACC factor[SPMM_MOST_STEPS * SPMM_MOST_ROWS];
    bool present[SPMM_MOST_STEPS];
    I word[SPMM_MOST_STEPS];
    UNROLL for (int u = 0; u < form.steps; u++)
    {
        const int e = done + u * lane.entries + lane.entry;
        const int from = lane.first + (e & (lane.team - 1));
        word[u] = SHUFFLE(GROUP_MASK(LANES), chunk->column, from);
        const I k = form.merged ? word[u] & SPMM_WORD_COLUMN : word[u];
        const int64_t offset = FN(spmm_distance)(k, b->row_bytes, form.run);
        UNROLL for (int m = 0; m < form.rows; m++) factor[u * form.rows + m] =
            SHUFFLE(GROUP_MASK(LANES), chunk->value[m], from);
        present[u] = full || e < count;
        UNROLL for (int r = 0; r < form.runs; r++)
        {
            T *const to = under_way + (u * form.runs + r) * form.run;
            if (!full)
                UNROLL for (int v = 0; v < form.run; v++) to[v] = NARROW((ACC)0);
            if (present[u])
                READ_RUN(to, (const T *)(b->column[r] + offset), form.run);
        }
    }
    UNROLL for (int u = 0; u < form.steps; u++) UNROLL for (int m = 0; m < form.rows; m++)
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS;
                    i++) if (i < form.runs * form.run && present[u] &&
                             (!form.checked || FN(spmm_has)(word[u], m)))
            sum[m * form.runs * form.run + i] +=
        factor[u * form.rows + m] * WIDEN(under_way[u * form.runs * form.run + i]);
}

DEVICE I FN(spmm_word)(const FN(spmm_source) *a, P position)
{
    return position < a->length ? READ(&a->columns[position]) : 0;
}

/* Loads the values of merged rows at this lane's word: those of a row are consecutive, in the
 * order of words, from next[m] on. All lanes of the warp take part. */
DEVICE void FN(spmm_fetch_merged)(const FN(spmm_source) *a, int team, FN(spmm_chunk) *chunk,
                                  P *next, const struct spmm_form form)
{
    const lane_mask team_mask = GROUP_MASK(team), lower_lanes = ((lane_mask)1 << LANE) - 1;
    UNROLL for (int m = 0; m < form.rows; m++)
    {
        const bool has = FN(spmm_has)(chunk->column, m);
        const lane_mask all = BALLOT(GROUP_MASK(LANES), has) & team_mask;
        chunk->value[m] = 0;
        if (has)
            chunk->value[m] = WIDEN(READ(&a->values[next[m] + (P)POPCOUNT(all & lower_lanes)]));
        next[m] += (P)POPCOUNT(all);
    }
}

/* Loads the lane's entry of a chunk; for merged rows its column only. */
DEVICE FN(spmm_chunk) FN(spmm_fetch)(const FN(spmm_source) *a, P position,
                                     const struct spmm_form form)
{
    FN(spmm_chunk) chunk = {0, {0, 0, 0}};
    if (position >= a->length)
        return chunk;
    chunk.column = READ(&a->columns[position]);
    if (!form.merged)
        UNROLL for (int m = 0; m < form.rows; m++) if (m < a->rows) chunk.value[m] =
            WIDEN(READ(&a->values[m * a->length + position]));
    return chunk;
}

/* sum += value * row of B, over the team's entries. All lanes of the warp iterate as often as
 * its longest team requires. While rows of B are being loaded, so are the next entries, and for
 * merged rows, whose values depend on words, the words after those. */
DEVICE void FN(spmm_walk)(struct spmm_lane lane, const FN(spmm_source) *a, P *next_value,
                          const FN(spmm_b) *b, ACC *sum, const struct spmm_form form)
{
    const lane_mask all = GROUP_MASK(LANES);
    const int stride = form.steps * lane.entries;
    P left = a->length, position = lane.rank;
    I word = 0; /* of merged rows: that of the chunk after this one */
    FN(spmm_chunk) now = FN(spmm_fetch)(a, position, form);
    if (form.merged) {
        word = FN(spmm_word)(a, position + lane.team);
        FN(spmm_fetch_merged)(a, lane.team, &now, next_value, form);
    }
    while (BALLOT(all, left > 0)) {
        const int count = left < lane.team ? (int)left : lane.team;
        FN(spmm_chunk) next = now;
        position += lane.team;
        if (form.merged) {
            next.column = word;
            word = FN(spmm_word)(a, position + lane.team);
            FN(spmm_fetch_merged)(a, lane.team, &next, next_value, form);
        } else {
            next = FN(spmm_fetch)(a, position, form);
        }
        for (int done = 0; done < lane.team && BALLOT(all, done < count); done += stride) {
            if (BALLOT(all, done + stride <= count) == all)
                FN(spmm_steps)(lane, &now, done, count, b, sum, true, form);
            else
                FN(spmm_steps)(lane, &now, done, count, b, sum, false, form);
        }
        left -= lane.team;
        now = next;
    }
}

/* Reduces the sums over all lanes with the same column. */
DEVICE void FN(spmm_sum_up)(struct spmm_lane lane, ACC *sum, const int sums)
{
    for (int distance = lane.team / 2; distance >= lane.entry_lanes; distance /= 2)
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) if (i < sums) sum[i] +=
            SHUFFLE_XOR(GROUP_MASK(LANES), sum[i], distance);
}

/* Writes a lane's runs of one row of the task. */
DEVICE void FN(spmm_write_row)(const struct spmm_rows_args *args, int64_t target,
                               const int64_t *column, const ACC *sum, const struct spmm_form form)
{
    const ACC alpha = SCALAR(ACC, args->scalars.alpha), beta = SCALAR(ACC, args->scalars.beta);
    UNROLL for (int r = 0; r < form.runs; r++)
    {
        if (column[r] >= args->width)
            continue;
        if (target < 0)
            WRITE_RUN((ACC *)args->partial + ~target * args->width + column[r], sum + r * form.run,
                      form.run);
        else if (form.run == 1 || args->c_column == 1)
            FN(spmm_write)((T *)args->c + target * args->c_row + column[r] * args->c_column,
                           sum + r * form.run, alpha, beta, form.run);
        else
            UNROLL for (int v = 0; v < form.run; v++) FN(spmm_write)(
                (T *)args->c + target * args->c_row + (column[r] + v) * args->c_column,
                sum + r * form.run + v, alpha, beta, 1);
    }
}

/* The columns of a tile that this lane computes, and where they begin in B. */
DEVICE void FN(spmm_begin_tile)(const struct spmm_rows_args *args, struct spmm_lane lane,
                                int64_t tile, int64_t *column, FN(spmm_b) *b,
                                const struct spmm_form form)
{
    b->row_bytes = args->b_row * (int64_t)sizeof(T);
    UNROLL for (int r = 0; r < form.runs; r++)
    {
        column[r] = ((tile * form.runs + r) * lane.entry_lanes + lane.column) * form.run;
        b->column[r] = (const char *)((const T *)args->b +
                                      (column[r] < args->width ? column[r] : 0) * args->b_column);
    }
}

/* The begins of the values of merged rows. */
DEVICE void FN(spmm_first)(const P *RESTRICT offsets, bool has_task, int64_t target, int rows,
                           P *next, const struct spmm_form form)
{
    UNROLL for (int m = 0; m < form.rows; m++) next[m] =
        has_task && m < rows ? READ(&offsets[target + m]) : 0;
}

DEVICE bool FN(spmm_is_odd)(const ACC *sum, const int sums)
{
    bool odd = false;
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) if (i < sums) odd |=
        !(sum[i] - sum[i] == 0);
    return odd;
}

DEVICE void FN(spmm_rows)(const struct spmm_rows_args args, const I *RESTRICT columns,
                          const struct spmm_form form)
{
    const P *RESTRICT offsets = (const P *)args.offsets;
    const struct spmm_task *RESTRICT tasks = args.task;
    const int64_t tile = args.by_slabs ? BLOCK / args.blocks : BLOCK % args.tiles;
    const int64_t block = args.by_slabs ? BLOCK % args.blocks : BLOCK / args.tiles;
    const struct spmm_lane lane = FN(spmm_lane_of)(args.team_bits, args.across_bits);
    const int64_t number = block * (THREADS >> args.team_bits) + (THREAD >> args.team_bits);
    const bool has_task = number < args.tasks;
    FN(spmm_source) a = {columns, (const T *)args.values, 0, 1};
    FN(spmm_b) b;
    int64_t begin = 0, target = number, column[SPMM_MOST_RUNS];
    P next[SPMM_MOST_ROWS];
    ACC sum[SPMM_MOST_SUMS * SPMM_MOST_ROWS];
    if (has_task && tasks) {
        begin = READ(&tasks[number].begin);
        target = READ(&tasks[number].target);
        a.length = READ(&tasks[number].length);
        a.rows = READ(&tasks[number].rows);
    } else if (has_task) {
        begin = (int64_t)READ(&offsets[number]);
        a.length = READ(&offsets[number + 1]) - (P)begin;
    }
    if (SCALAR(ACC, args.scalars.alpha) == 0)
        a.length = 0;
    a.columns += begin;
    a.values += form.merged ? 0 : begin; /* those of merged rows are where the rows are */
    UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) sum[i] = 0;
    FN(spmm_begin_tile)(&args, lane, tile, column, &b, form);
    if (form.merged)
        FN(spmm_first)(offsets, has_task, target, a.rows, next, form);
    if (form.direct)
        FN(spmm_walk_directly)(lane, a.columns, a.values, a.length, b.column[0], b.row_bytes, sum,
                               form.run);
    else
        FN(spmm_walk)(lane, &a, next, &b, sum, form);
    /* Zero times Inf or NaN is not zero: compute again without such products, in the same order. */
    if (form.merged &&
        BALLOT(GROUP_MASK(LANES), FN(spmm_is_odd)(sum, form.rows * form.run * form.runs))) {
        const struct spmm_form checked = {form.rows, form.run, form.runs, 1, true, true, false};
        UNROLL for (int i = 0; i < SPMM_MOST_SUMS * SPMM_MOST_ROWS; i++) sum[i] = 0;
        FN(spmm_first)(offsets, has_task, target, a.rows, next, form);
        FN(spmm_walk)(lane, &a, next, &b, sum, checked);
    }
    FN(spmm_sum_up)(lane, sum, form.rows * form.run * form.runs);
    if (has_task && lane.entry == 0)
        UNROLL for (int m = 0; m < form.rows; m++) if (m < a.rows)
            FN(spmm_write_row)(&args, target + m, column, sum + m * form.run * form.runs, form);
}

#include "spmm/kernels/spmm_block_parts.h"
#include "spmm/kernels/spmm_short_rows.h"

/* One kernel body in several forms, with the values of spmm_form in their names. */
#define SPMM_FORM(name, source, ...)                                                               \
    KERNEL_OF(struct spmm_rows_args, name, SPMM_ROWS_THREADS, args)                                \
    {                                                                                              \
        const struct spmm_form form = {__VA_ARGS__};                                               \
        FN(spmm_rows)(args, (const I *)args.source, form);                                         \
    }
#define SPMM_PARTS(name, ...)                                                                      \
    KERNEL_OF(struct spmm_parts_args, name, SPMM_ROWS_THREADS, args)                               \
    {                                                                                              \
        const struct spmm_form form = {__VA_ARGS__};                                               \
        FN(spmm_rows_and_parts)(args, (const I *)args.rows.columns, form);                         \
    }
#define SPMM_ROWS(rows, run, runs, steps)                                                          \
    SPMM_FORM(spmm_rows_##rows##x##run##x##runs, columns, rows, run, runs, steps, false, false,    \
              false)
#define SPMM_PARTS_OF(run, runs, steps)                                                            \
    SPMM_PARTS(spmm_parts_##run##x##runs, 1, run, runs, steps, false, false, false)
#define SPMM_PARTS_DIRECTLY(run)                                                                   \
    SPMM_PARTS(spmm_parts_direct_##run, 1, run, 1, SPMM_DIRECT_STEPS, false, false, true)
#define SPMM_SHORT(run)                                                                            \
    KERNEL_RESIDENT_OF(struct spmm_parts_args, spmm_short_##run, SPMM_ROWS_THREADS,                \
                       (sizeof(ACC) < 8 && run < 8 ? 4 : 2), args)                                 \
    {                                                                                              \
        const struct spmm_form form = {1, run, 1, SPMM_DIRECT_STEPS, false, false, true};          \
        FN(spmm_short_rows_and_parts)(args, (const I *)args.rows.columns, form);                   \
    }
#define SPMM_MERGED(run, runs, steps)                                                              \
    SPMM_FORM(spmm_merged_##run##x##runs, words, SPMM_MOST_ROWS, run, runs, steps, true, false,    \
              false)
#define SPMM_DIRECT(run)                                                                           \
    SPMM_FORM(spmm_direct_##run, columns, 1, run, 1, SPMM_DIRECT_STEPS, false, false, true)

SPMM_ROWS(1, 4, 1, 4)
SPMM_ROWS(1, 2, 1, 8)
SPMM_ROWS(1, 1, 1, 8)
SPMM_ROWS(3, 4, 1, 4)
SPMM_ROWS(3, 2, 1, 4)
SPMM_ROWS(3, 1, 1, 4)
SPMM_MERGED(4, 1, 4)
SPMM_MERGED(2, 1, 4)
SPMM_MERGED(1, 1, 4)
SPMM_DIRECT(4)
SPMM_DIRECT(2)
SPMM_DIRECT(1)
SPMM_PARTS_OF(4, 1, 4)
SPMM_PARTS_OF(2, 1, 8)
SPMM_PARTS_OF(1, 1, 8)
SPMM_PARTS_DIRECTLY(4)
SPMM_PARTS_DIRECTLY(2)
SPMM_PARTS_DIRECTLY(1)
SPMM_SHORT(4)
SPMM_SHORT(2)
SPMM_SHORT(1)
#ifdef HALF /* the same number of sums in one run */
SPMM_ROWS(1, 8, 1, 4)
SPMM_ROWS(3, 8, 1, 2)
SPMM_MERGED(8, 1, 2)
SPMM_DIRECT(8)
SPMM_PARTS_OF(8, 1, 4)
SPMM_PARTS_DIRECTLY(8)
SPMM_SHORT(8)
#else
SPMM_ROWS(1, 4, 2, 4)
SPMM_ROWS(1, 2, 2, 4)
SPMM_ROWS(1, 1, 2, 8)
SPMM_ROWS(1, 1, 4, 4)
SPMM_ROWS(3, 4, 2, 2)
SPMM_ROWS(3, 2, 2, 4)
SPMM_ROWS(3, 1, 2, 4)
SPMM_ROWS(3, 1, 4, 2)
SPMM_MERGED(4, 2, 2)
SPMM_MERGED(2, 2, 4)
SPMM_MERGED(1, 2, 4)
SPMM_MERGED(1, 4, 2)
#endif
#undef SPMM_ROWS
#undef SPMM_MERGED
#undef SPMM_DIRECT
#undef SPMM_PARTS_OF
#undef SPMM_PARTS_DIRECTLY
#undef SPMM_PARTS
#undef SPMM_SHORT
#undef SPMM_FORM

/* The sum of some partial sums of a column, in order. Loads do not wait for sums. */
DEVICE ACC FN(spmm_sum_pieces)(const ACC *RESTRICT partial, int64_t pieces, int64_t width)
{
    enum { AT_ONCE = 8 };
    ACC sum = 0;
    int64_t p = 0;
    for (; p + AT_ONCE <= pieces; p += AT_ONCE) {
        ACC some[AT_ONCE];
        UNROLL for (int k = 0; k < AT_ONCE; k++) some[k] = READ(&partial[(p + k) * width]);
        UNROLL for (int k = 0; k < AT_ONCE; k++) sum += some[k];
    }
    for (; p < pieces; p++)
        sum += READ(&partial[p * width]);
    return sum;
}

/* A cut row and LANES of its columns. */
typedef struct FN(joint) {
    int64_t first, column; /* piece; the lane's column */
    int32_t row, pieces;   /* 0: nothing to do */
} FN(joint);

DEVICE FN(joint) FN(spmm_joint)(const struct spmm_join_args *args,
                                const struct spmm_cut *RESTRICT cuts, int64_t task)
{
    const int64_t tiles = (args->width + LANES - 1) / LANES, first = task / tiles;
    FN(joint) j = {first, task % tiles * LANES + LANE, 0, 0};
    if (first >= args->cuts)
        return j;
    j.row = READ(&cuts[first].row);
    j.pieces = READ(&cuts[first].pieces);
    return j;
}

DEVICE void FN(spmm_store_joint)(const struct spmm_join_args *args, const FN(joint) *j, ACC sum)
{
    const ACC alpha = SCALAR(ACC, args->scalars.alpha), beta = SCALAR(ACC, args->scalars.beta);
    FN(spmm_write)((T *)args->c + j->row * args->c_row + j->column * args->c_column, &sum, alpha,
                   beta, 1);
}

/* All warps add up pieces of a row, in turn those of each. */
DEVICE void FN(spmm_join_long)(const struct spmm_join_args *args, const FN(joint) *j,
                               const ACC *RESTRICT partial, ACC *sums)
{
    const int warps = THREADS / LANES;
    const int64_t from = j->first + (int64_t)j->pieces * WARP / warps,
                  to = j->first + (int64_t)j->pieces * (WARP + 1) / warps;
    if (j->column < args->width)
        sums[THREAD] =
            FN(spmm_sum_pieces)(partial + from * args->width + j->column, to - from, args->width);
    SYNC();
    if (WARP == 0 && j->column < args->width) {
        ACC sum = 0;
        for (int w = 0; w < warps; w++)
            sum += sums[w * LANES + LANE];
        FN(spmm_store_joint)(args, j, sum);
    }
    SYNC();
}

/* One warp per cut row and LANES columns; a block for those of many pieces, whose loads one warp
 * waited for one by one: a row of 3,000 took 1.8 ms (H200, f32, K = 32). */
DEVICE void FN(spmm_join_rows)(const struct spmm_join_args *args,
                               const struct spmm_cut *RESTRICT cuts, const ACC *RESTRICT partial,
                               ACC *sums)
{
    enum { FEW = 64 };
    const int64_t tiles = (args->width + LANES - 1) / LANES, warps = THREADS / LANES;
    for (int64_t task = BLOCK * warps; task < args->cuts * tiles; task += BLOCKS * warps) {
        const FN(joint) own = FN(spmm_joint)(args, cuts, task + WARP);
        if (own.pieces > 0 && own.pieces <= FEW && own.column < args->width)
            FN(spmm_store_joint)(args, &own,
                                 FN(spmm_sum_pieces)(partial + own.first * args->width + own.column,
                                                     own.pieces, args->width));
        if (!SYNC_OR(own.pieces > FEW))
            continue;
        for (int w = 0; w < warps; w++) {
            const FN(joint) j = FN(spmm_joint)(args, cuts, task + w);
            if (j.pieces > FEW)
                FN(spmm_join_long)(args, &j, partial, sums);
        }
    }
}

KERNEL(spmm_join, SPMM_ROWS_THREADS, args)
{
    SHARED(ACC, sums, SPMM_ROWS_THREADS);
    FN(spmm_join_rows)(&args, args.cut, (const ACC *)args.partial, sums);
}
#endif
