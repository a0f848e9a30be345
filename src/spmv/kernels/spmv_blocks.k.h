/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/blocks: see spmv_blocks_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_BLOCKS_K_H
#define SPL_SPMV_KERNELS_SPMV_BLOCKS_K_H
#include "spmv/kernels/spmv_long_rows.k.h"
#include "structure/device_identical_rows.k.h"
#include "structure/each_block_size.h"

/* LEAST: the least lanes of a team, at least one per row of a group. */
enum { SPMV_BLOCKS_THREADS = 128, SPMV_BLOCKS_LEAST = 8 };
/* Resident blocks per multiprocessor, for groups of `rows` rows, which limits the registers of a
 * thread. Measured on an H100. */
#define SPMV_BLOCKS_RESIDENT(rows) ((rows) <= 3 ? 10 : (rows) == 4 ? 8 : 7)

/* A consists of `groups` groups of identical rows; one team of `width` lanes, a power of two,
 * computes a group. Groups are rows of node blocks, whose structure is given, or they are
 * listed. Groups of rows with more than `longest` entries are left to the long rows. */
struct spmv_blocks_args {
    struct spmv_csr a;
    struct spmv_long_rows long_rows;
    int64_t groups, longest;
    const void *block_offsets; /* P[groups+1] */
    const int32_t *block_columns;
    /* of holed blocks: format/device_holed.h; NULL: other groups */
    const uint64_t *masks;
    const struct device_identical_run *list; /* [groups] */
    int32_t width;
    /* number of A's values, from the first on, that L2 keeps until the next execution; for
     * values that bypass L1 */
    int64_t kept;
};
#endif
#else

#include "spmv/kernels/long_row_piece.h"

/* `rows` rows from `row` on with the same `count` columns. Columns are at `begin`, one per
 * `size` columns, values at begin*size*size. In blocks `rows` is not set: it equals `size`. */
/* special counts: beyond the last group; left to the long rows */
enum { FN(NO_GROUP) = -1, FN(LONG_GROUP) = -2 };
typedef struct FN(identical_rows) {
    P begin;
    int32_t row;
    int count, rows;
} FN(identical_rows);

/* Compile-time constants of a kernel: groups of up to `most` rows, blocks of `size` columns. A
 * lane takes `run` neighbouring columns, a divisor of `size`, at_once times per step. streamed:
 * values bypass L1. holed: blocks may have holes, which hold zeros. */
typedef struct FN(group_form) {
    int most, size, run, at_once;
    bool streamed, holed;
} FN(group_form);

/* The position of a team: column `first` of a group, and the columns of its lanes, -1: none. */
enum { FN(MOST_ROWS) = 6, FN(MOST_RUN) = 2, FN(MOST_AT_ONCE) = 4 };
typedef struct FN(stretch) {
    FN(identical_rows) g;
    int first;
    I column[FN(MOST_AT_ONCE)];
} FN(stretch);

DEVICE void FN(read_columns)(FN(stretch) *s, int width, FN(group_form) form,
                             const I *RESTRICT columns)
{
    UNROLL for (int u = 0; u < form.at_once; u++)
    {
        const int p = s->first + (u * width + LANE % width) * form.run;
        s->column[u] = p < s->g.count
                           ? READ(&columns[s->g.begin + p / form.size]) * form.size + p % form.size
                           : -1;
    }
}

/* The values and elements of x of a stretch, all in flight at once. */
typedef struct FN(factors) {
    T value[FN(MOST_AT_ONCE)][FN(MOST_ROWS)][FN(MOST_RUN)], of_x[FN(MOST_AT_ONCE)][FN(MOST_RUN)];
} FN(factors);

DEVICE void FN(read_factors)(FN(factors) *f, const FN(stretch) *s, int width, FN(group_form) form,
                             const T *RESTRICT values, const T *RESTRICT x, int64_t kept)
{
    const T *first = values + (int64_t)s->g.begin * form.size * form.size;
    const bool keep = (int64_t)s->g.begin * form.size * form.size < kept;
    UNROLL for (int u = 0; u < form.at_once; u++)
    {
        const int p = s->first + (u * width + LANE % width) * form.run;
        const bool valid = s->column[u] >= 0;
        UNROLL for (int r = 0; r < form.most; r++)
        {
            const T *from = &first[(int64_t)r * s->g.count + p];
            const bool stored = valid && (form.size > 1 || r < s->g.rows);
            if (stored && form.run > 1)
                READ_RUN(f->value[u][r], from, form.run);
            else if (stored)
                f->value[u][r][0] = form.streamed ? READ_ONCE_KEPT(from, keep) : READ(from);
            else
                f->value[u][r][0] = f->value[u][r][form.run - 1] = 0;
        }
        if (valid)
            READ_RUN(f->of_x[u], &x[s->column[u]], form.run);
        else
            f->of_x[u][0] = f->of_x[u][form.run - 1] = 0;
    }
}

DEVICE void FN(add_products)(T *sums, const FN(factors) *f, FN(group_form) form)
{
    UNROLL for (int u = 0; u < form.at_once; u++)
    {
        UNROLL for (int r = 0; r < form.most; r++)
        {
            UNROLL for (int k = 0; k < form.run; k++) sums[r] += f->value[u][r][k] * f->of_x[u][k];
        }
    }
}

/* Reduces the sums of the team's lanes. Lanes that differ in one bit exchange halves of their
 * sums, until each has one: three steps for six rows, instead of three per row. The lane then
 * has the sum of row *row, if that is among `rows`; -1: none. */
DEVICE T FN(share_sums)(T *sums, int rows, int width, int most, int *row)
{
    int left = most, own_row = 0, end = rows, bits = 1;
    UNROLL for (int step = 0; step < 3; step++)
    {
        const int distance = 1 << step, half = (left + 1) / 2;
        const bool upper = left > 1 && (LANE & distance) != 0;
        UNROLL for (int i = 0; i < half; i++)
        {
            const T next_sum =
                left > 1 && half + i < left ? sums[half + i] : (left > 1 ? (T)0 : sums[i]);
            const T kept = upper ? next_sum : sums[i], given = upper ? sums[i] : next_sum;
            sums[i] = kept + SHUFFLE_XOR(GROUP_MASK(width), given, distance);
        }
        if (left > 1) {
            end = upper ? end : (end < own_row + half ? end : own_row + half);
            own_row += upper ? half : 0;
            bits = 2 * distance;
        }
        left = half;
    }
    for (int distance = SPMV_BLOCKS_LEAST; distance < width; distance *= 2)
        sums[0] += SHUFFLE_XOR(GROUP_MASK(width), sums[0], distance);
    *row = LANE % width < bits && own_row < end ? own_row : -1;
    return sums[0];
}

/* The sum of row `row` of a group of holed blocks, from the entries alone. */
DEVICE T FN(sum_entries)(const struct spmv_blocks_args *args, const FN(identical_rows) *g, int row,
                         int size)
{
    const T *RESTRICT x = (const T *)args->a.x;
    const T *RESTRICT values =
        (const T *)args->a.values + (int64_t)g->begin * size * size + (int64_t)row * g->count;
    T sum = 0;
    for (int p = 0; p < g->count; p++) {
        const int64_t block = (int64_t)g->begin + p / size;
        if (READ(&args->masks[block]) >> (row * size + p % size) & 1)
            sum += READ(&values[p]) *
                   READ(&x[(int64_t)READ(&args->block_columns[block]) * size + p % size]);
    }
    return sum;
}

/* A hole must not be multiplied by Inf or NaN in x: a sum that is not finite is computed again. */
DEVICE void FN(store_sums)(const struct spmv_blocks_args *args, const FN(identical_rows) *g,
                           T *sums, int rows, FN(group_form) form)
{
    int row;
    T sum = FN(share_sums)(sums, rows, args->width, form.most, &row);
    if (form.holed && row >= 0 && !(sum - sum == 0))
        sum = FN(sum_entries)(args, g, row, form.size);
    if (row >= 0)
        FN(store_row)((T *)args->a.y + g->row + row, sum, SCALAR(T, args->a.scalars.alpha),
                      SCALAR(T, args->a.scalars.beta));
}

/* Loads group `number`, from the list if `size` is 1. Without `reads` it has no columns. */
DEVICE FN(identical_rows) FN(read_group)(const struct spmv_blocks_args *args, int64_t number,
                                         int size, bool reads)
{
    FN(identical_rows) g = {0, 0, FN(NO_GROUP), 0};
    if (number >= args->groups)
        return g;
    if (size > 1) {
        const P *offsets = (const P *)args->block_offsets;
        g.begin = READ(&offsets[number]);
        const P count = (READ(&offsets[number + 1]) - g.begin) * size;
        g.row = (int32_t)number * size;
        g.count = count > args->longest ? FN(LONG_GROUP) : (int)count;
    } else {
        const struct device_identical_run *RESTRICT group = &args->list[number];
        const uint32_t shape = READ(&group->shape);
        g.begin = (P)READ(&group->begin);
        g.row = READ(&group->row);
        g.rows = (int)(shape % 8);
        g.count = (int)(shape / 8);
    }
    if (!reads && g.count > 0)
        g.count = 0;
    return g;
}

/* Processes the team's groups, at a stride of `teams`. While the values of one stretch are
 * loaded, the columns of the next are read, and the position of the next group: so a stretch
 * takes the latency of one memory access instead of three dependent ones. */
DEVICE void FN(walk_groups)(const struct spmv_blocks_args *args, int64_t number, int teams,
                            FN(group_form) form)
{
    const I *RESTRICT columns =
        form.size > 1 ? (const I *)args->block_columns : (const I *)args->a.columns;
    const T *RESTRICT values = (const T *)args->a.values, *RESTRICT x = (const T *)args->a.x;
    const int width = args->width, length = width * form.run * form.at_once;
    const bool reads = SCALAR(T, args->a.scalars.alpha) != 0;
    T sums[FN(MOST_ROWS)] = {0, 0, 0, 0, 0, 0};
    FN(stretch) current, following;
    FN(factors) f;
    current.g = FN(read_group)(args, number, form.size, reads);
    current.first = 0;
    FN(read_columns)(&current, width, form, columns);
    FN(identical_rows) next = FN(read_group)(args, number + teams, form.size, reads);
    while (current.g.count != FN(NO_GROUP)) {
        const bool last = current.first + length >= current.g.count;
        FN(read_factors)(&f, &current, width, form, values, x, args->kept);
        following.g = last ? next : current.g;
        following.first = last ? 0 : current.first + length;
        FN(read_columns)(&following, width, form, columns);
        if (last) {
            number += teams;
            next = FN(read_group)(args, number + teams, form.size, reads);
        }
        FN(add_products)(sums, &f, form);
        if (last) {
            if (current.g.count != FN(LONG_GROUP))
                FN(store_sums)(args, &current.g, sums, form.size > 1 ? form.size : current.g.rows,
                               form);
            UNROLL for (int r = 0; r < form.most; r++) sums[r] = 0;
        }
        current = following;
    }
}

/* The first blocks of the grid take pieces of long rows. */
DEVICE void FN(multiply_groups)(const struct spmv_blocks_args *args, FN(group_form) form)
{
    const int64_t pieces = FN(piece_blocks)(&args->long_rows),
                  piece = BLOCK * (THREADS / LANES) + WARP;
    const int teams = THREADS / args->width;
    if (BLOCK >= pieces)
        FN(walk_groups)(args, (BLOCK - pieces) * teams + THREAD / args->width,
                        (int)(BLOCKS - pieces) * teams, form);
    else if (piece < args->long_rows.pieces)
        FN(long_piece)(&args->long_rows, piece, &args->a, SCALAR(T, args->a.scalars.alpha),
                       SCALAR(T, args->a.scalars.beta), false);
}

/* A lane has 16 bytes of x in flight at a time, and a stretch of A's values per row. */
DEVICE void FN(multiply)(const struct spmv_blocks_args *args, int most, int size, int run,
                         bool streamed)
{
    const FN(group_form) form = {most, size, run, 16 / (int)sizeof(T) / run, streamed, false};
    FN(multiply_groups)(args, form);
}

/* There are no long rows here. */
DEVICE void FN(multiply_holed)(const struct spmv_blocks_args *args, int size, bool streamed)
{
    const FN(group_form) form = {size, size, 1, 16 / (int)sizeof(T), streamed, true};
    const int teams = THREADS / args->width;
    FN(walk_groups)(args, BLOCK * teams + THREAD / args->width, (int)BLOCKS * teams, form);
}

#define SPMV_BLOCKS(name, rows, multiply, ...)                                                     \
    KERNEL_RESIDENT_OF(struct spmv_blocks_args, name, SPMV_BLOCKS_THREADS,                         \
                       SPMV_BLOCKS_RESIDENT(rows), args)                                           \
    {                                                                                              \
        FN(multiply)(&args, __VA_ARGS__);                                                          \
    }
#define SPMV_BLOCKS_OF_SIZE(size)                                                                  \
    SPMV_BLOCKS(spmv_blocks_##size, size, multiply, size, size, 1, false)                          \
    SPMV_BLOCKS(spmv_blocks_##size##_once, size, multiply, size, size, 1, true)                    \
    SPMV_BLOCKS(spmv_holed_##size, size, multiply_holed, size, false)                              \
    SPMV_BLOCKS(spmv_holed_##size##_once, size, multiply_holed, size, true)
EACH_BLOCK_SIZE(SPMV_BLOCKS_OF_SIZE)
SPMV_BLOCKS(spmv_block_pairs_2, 2, multiply, 2, 2, 2, false)
SPMV_BLOCKS(spmv_block_pairs_4, 4, multiply, 4, 4, 2, false)
SPMV_BLOCKS(spmv_block_pairs_6, 6, multiply, 6, 6, 2, false)
SPMV_BLOCKS(spmv_identical_rows, DEVICE_GROUP_ROWS, multiply, DEVICE_GROUP_ROWS, 1, 1, false)
SPMV_BLOCKS(spmv_identical_rows_once, DEVICE_GROUP_ROWS, multiply, DEVICE_GROUP_ROWS, 1, 1, true)
#undef SPMV_BLOCKS
#undef SPMV_BLOCKS_OF_SIZE
#endif
