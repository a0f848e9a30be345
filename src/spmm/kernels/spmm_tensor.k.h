/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_tensor.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#define SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#include "device/scalars.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A team computes a window of 16 or 8 rows and a slab, 8 runs of columns of C; neighbouring windows
 * share a block, where they find rows of B in L1. A block has at most THREADS threads. */
enum {
    SPMM_TENSOR_THREADS = 256,
    SPMM_TENSOR_TEAM = 32,
    SPMM_TENSOR_RUNS = 8,
    SPMM_TENSOR_MOST_RUN = 8,
    SPMM_TENSOR_LOAD = 16, /* most bytes that a lane loads at once */
    SPMM_TENSOR_MOST_STEPS = 4
};

/* C = alpha*A*B + beta*C; B and C have `width` columns; strides in elements between rows and
 * between columns. Numbers of windows and tiles have 32 bits: divisions of longer ones took a third
 * of the instructions of a short window. */
struct spmm_tensor_args {
    int64_t rows, width;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *b;
    int64_t b_row, b_column;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars;
    int32_t by_runs;      /* B can be loaded, and C stored, in runs */
    uint32_t b_row_bytes; /* if by_runs */
    /* teams that share a window's tiles: the exponent of a power of two; if more than 1, there is
     * shared memory for all sums */
    int32_t parts_log;
    uint32_t windows, slabs;
    int32_t tiles;               /* of all windows */
    const uint32_t *spans, *odd; /* see spmm_tensor_values_args */
    const int32_t *tile_columns; /* format/device_tiles.h */
    const void *tile_values;     /* T[(tiles+1) * slots of a tile], the last tile is zero */
};

/* Copies the values of A into tiles of `height` rows: those of a lane are neighbours. */
struct spmm_tensor_values_args {
    int64_t rows, windows;
    int32_t height;
    const void *offsets, *values; /* P[rows+1], T[nnz] */
    const int64_t *first;
    const uint32_t *bits;
    void *tile_values; /* T[tiles * slots of a tile] */
    /* [windows * height/8]: of every eight rows, which lanes met Inf or NaN in their row: four bits
     * a row. None of a row with numbers so large that rounding to TF32 may make Inf of them */
    uint32_t *odd;
    /* [windows * 2]: the first tile, and twice the number of tiles, plus 1 if a row is odd */
    uint32_t *spans;
};

/* Tiles that a team has in flight, where B can be loaded in runs: with more, fewer teams fit a
 * multiprocessor. Of narrow ones four, where that was 1.03 times as fast in the mean with a quarter
 * of the teams less (H200). `bytes`: of a value. */
#define SPMM_TENSOR_STEPS(tall, run, bytes) ((run) == 4 ? 4 : !(tall) && (bytes) == 4 ? 1 : 2)

/* Compile-time constants: whether windows have 16 rows, which are the rows of the first factor of
 * MULTIPLY_TILES; else they have 8, which are the columns of its second factor, and B and C are
 * transposed. Elements of B per load of a lane; tiles in flight. */
struct spmm_tensor_form {
    bool tall;
    int run, steps;
};
#endif
#else
#define IN_HALVES
#define NOT_IN_F64
#include "spmm/kernels/spmm_write.h"

/* A lane of a team. Of a tile it has the columns `turn` and turn+4, and of a tall one the rows
 * `row` and row+8, of others the row `row`. */
typedef struct FN(tensor_lane) {
    int row, turn;
    uint32_t window; /* number */
    int64_t slab;    /* first column of C */
} FN(tensor_lane);

/* The operands with their types. */
typedef struct FN(tensor_operands) {
    const struct spmm_tensor_args *args;
    const P *offsets;
    const I *columns;
    const T *values, *tile_values, *b;
} FN(tensor_operands);

/* What a lane finds: elements of C, and a bit for each element of its runs of B that is not tame in
 * some row, or was not looked at. */
typedef struct FN(tensor_sums) {
    float sums[4 * SPMM_TENSOR_MOST_RUN];
    uint32_t wild;
} FN(tensor_sums);

/* A team's share of the tiles of a window, numbered from 0: where they are, and the one that is
 * zero. */
typedef struct FN(tensor_tiles) {
    const int32_t *columns; /* this lane's of the first one */
    const T *values;
    int32_t count, zero;
} FN(tensor_tiles);

/* Neighbours in a lane's run: all, or two halves, so that eight lanes load lines without gaps. */
DEVICE int FN(tensor_piece)(const int run)
{
    return run * (int)sizeof(T) > SPMM_TENSOR_LOAD ? SPMM_TENSOR_LOAD / (int)sizeof(T) : run;
}

/* Where element v of the run of the lanes of `row` is within a slab. */
DEVICE int FN(tensor_column)(int row, int v, const int run)
{
    const int piece = FN(tensor_piece)(run);
    return v / piece * SPMM_TENSOR_RUNS * piece + row * piece + v % piece;
}

/* Which of the lanes, as far as loads and stores of whole lines are concerned: eight neighbours
 * have eight neighbouring runs of one row. Products want them in neighbouring lanes of four rows:
 * loaded that way, the eight lanes that L1 serves at once hit its banks four times over. */
DEVICE int FN(tensor_run_of)(void)
{
    return THREAD % SPMM_TENSOR_RUNS;
}
DEVICE int FN(tensor_line_of)(void)
{
    return THREAD % SPMM_TENSOR_TEAM / SPMM_TENSOR_RUNS;
}

/* Whether B is loaded by lines. Short runs are loaded as they are multiplied, since instructions of
 * narrow windows count more. */
DEVICE bool FN(tensor_exchanges)(bool by_runs, const int run)
{
    return by_runs && run * (int)sizeof(T) >= SPMM_TENSOR_LOAD;
}

/* Another lane's numbers for this lane's; `from`: that lane in the team. */
DEVICE void FN(tensor_exchange)(T *values, int from, const int count)
{
    const int of_word = (int)(sizeof(uint32_t) / sizeof(T));
    UNROLL for (int v = 0; v < count; v += of_word)
    {
        uint32_t word;
        memcpy(&word, values + v, sizeof word);
        word = SHUFFLE(GROUP_MASK(SPMM_TENSOR_TEAM), word,
                       LANE / SPMM_TENSOR_TEAM * SPMM_TENSOR_TEAM + from);
        memcpy(values + v, &word, sizeof word);
    }
}

/* The rows of B that this lane loads for a tile; after the last tile those of that one again, so
 * that loads are valid. */
DEVICE void FN(tensor_inner)(const FN(tensor_tiles) *tiles, int32_t tile, int32_t *inner)
{
    READ_RUN(inner, tiles->columns + (int64_t)(tile < tiles->count ? tile : tiles->count - 1) * 8,
             2);
}

/* This lane's values of a tile; after the last tile those of the tile that is zero. */
DEVICE void FN(tensor_values)(const FN(tensor_tiles) *tiles, int32_t tile, T *a, const bool tall)
{
    const int64_t number = tile < tiles->count ? tile : tiles->zero;
    if (tall)
        READ_RUN(a, tiles->values + number * (4 * SPMM_TENSOR_TEAM), 4);
    else
        READ_RUN(a, tiles->values + number * (2 * SPMM_TENSOR_TEAM), 2);
}

/* Loads this lane's columns of row k of B; columns beyond B are replaced by column 0, and not
 * stored. `from`: the lane's pieces of row 0. */
DEVICE void FN(tensor_load)(const struct spmm_tensor_args *args, T *to, const T *const *from,
                            int32_t k, int64_t slab, int row, const bool by_runs, const int run)
{
    const int piece = FN(tensor_piece)(run);
    if (by_runs) {
        const uint64_t away = (uint64_t)(uint32_t)k * args->b_row_bytes;
        UNROLL for (int v = 0; v < run; v += piece)
            READ_RUN(to + v, (const T *)((const char *)from[v / piece] + away), piece);
    } else
        UNROLL for (int v = 0; v < run; v++)
        {
            const int64_t column = slab + FN(tensor_column)(row, v, run);
            to[v] = READ((const T *)args->b + k * args->b_row +
                         (column < args->width ? column : 0) * args->b_column);
        }
}

/* sums += a tile times its rows of B. A tall tile is the first factor, and each element of the
 * lanes' runs makes one product; else two elements make the 16 rows of the first factor, B'. If B
 * was loaded in runs, it is exchanged first. */
DEVICE void FN(tensor_multiply)(float *sums, const T *a, T *lower, T *upper, int owner,
                                const bool by_runs, const struct spmm_tensor_form form)
{
    UNROLL for (int j = 0; j < form.run; j += 2)
    {
        if (FN(tensor_exchanges)(by_runs, form.run)) {
            FN(tensor_exchange)(lower + j, owner, 2);
            FN(tensor_exchange)(upper + j, owner, 2);
        }
        if (form.tall) {
            MULTIPLY_TILES(sums + 4 * j, a, lower + j, upper + j, 2);
        } else {
            const T turned[4] = {lower[j], lower[j + 1], upper[j], upper[j + 1]};
            MULTIPLY_TILES(sums + 2 * j, turned, a, a + 1, 1);
        }
    }
}

/* Whether a number is finite, and stays so when it is rounded to TF32. */
DEVICE bool FN(tensor_tame)(T x)
{
    const ACC more = WIDEN(x) * (ACC)1.001;
    return more - more == 0;
}

/* A bit for each element of a run that is not tame. */
DEVICE uint32_t FN(tensor_wild)(const T *values, const int run)
{
    uint32_t bits = 0;
    UNROLL for (int v = 0; v < run; v++) bits |= (uint32_t)!FN(tensor_tame)(values[v]) << v;
    return bits;
}

/* sums += tiles times their rows of B, several at a time; finds wild columns of B if
 * `checks`. */
DEVICE void FN(tensor_walk)(const struct spmm_tensor_args *args, const FN(tensor_tiles) *tiles,
                            const FN(tensor_lane) *lane, FN(tensor_sums) *to, const bool by_runs,
                            const bool checks, const struct spmm_tensor_form form)
{
    float *const sums = to->sums;
    const int run = form.run, piece = FN(tensor_piece)(run),
              own_run = FN(tensor_exchanges)(by_runs, run) ? FN(tensor_run_of)() : lane->row,
              owner = lane->turn * SPMM_TENSOR_RUNS + lane->row;
    const T *from[SPMM_TENSOR_MOST_RUN];
    int32_t next[2 * SPMM_TENSOR_MOST_STEPS];
    UNROLL for (int v = 0; v < run; v += piece)
    {
        const int64_t column = lane->slab + FN(tensor_column)(own_run, v, run);
        from[v / piece] = (const T *)args->b + (column < args->width ? column : 0);
    }
    UNROLL for (int u = 0; u < form.steps; u++) FN(tensor_inner)(tiles, u, next + 2 * u);
    for (int32_t tile = 0; tile < tiles->count; tile += form.steps) {
        T lower[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN],
            upper[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN];
        T a[SPMM_TENSOR_MOST_STEPS * 4];
        UNROLL for (int u = 0; u < form.steps; u++)
        {
            FN(tensor_load)(args, lower + u * run, from, next[2 * u], lane->slab, lane->row,
                            by_runs, run);
            FN(tensor_load)(args, upper + u * run, from, next[2 * u + 1], lane->slab, lane->row,
                            by_runs, run);
            FN(tensor_values)(tiles, tile + u, a + 4 * u, form.tall);
        }
        UNROLL for (int u = 0; u < form.steps; u++)
            FN(tensor_inner)(tiles, tile + form.steps + u, next + 2 * u);
        UNROLL for (int u = 0; u < form.steps; u++) FN(tensor_multiply)(
            sums, a + 4 * u, lower + u * run, upper + u * run, owner, by_runs, form);
        UNROLL for (int u = 0; checks && u < form.steps; u++) to->wild |=
            FN(tensor_wild)(lower + u * run, run) | FN(tensor_wild)(upper + u * run, run);
    }
}

/* The odd rows of half h of the window, as spmm_tensor_values_args has them. */
DEVICE uint32_t FN(tensor_odd)(const struct spmm_tensor_args *args, const FN(tensor_lane) *lane,
                               int h, const struct spmm_tensor_form form)
{
    return READ(&args->odd[form.tall ? lane->window * 2 + (uint32_t)h : lane->window]);
}

/* The sums of one of the window's teams over its share of tiles. */
DEVICE void FN(tensor_part)(const FN(tensor_operands) *o, uint32_t part,
                            const FN(tensor_lane) *lane, FN(tensor_sums) *to,
                            const struct spmm_tensor_form form)
{
    const struct spmm_tensor_args *const args = o->args;
    const int slots = (form.tall ? 4 : 2) * SPMM_TENSOR_TEAM;
    uint32_t span[2];
    READ_RUN(span, args->spans + (uint64_t)lane->window * 2, 2);
    const bool odd = span[1] % 2 != 0;
    uint32_t first = span[0], count = span[1] / 2;
    if (args->parts_log > 0) {
        const uint32_t before = count * part >> args->parts_log;
        count = (count * (part + 1) >> args->parts_log) - before;
        first += before;
    }
    const int pair =
        FN(tensor_exchanges)(args->by_runs, form.run) ? FN(tensor_line_of)() : lane->turn;
    const FN(tensor_tiles) tiles = {args->tile_columns + (int64_t)first * 8 + 2 * pair,
                                    o->tile_values + (int64_t)first * slots +
                                        THREAD % SPMM_TENSOR_TEAM * (slots / SPMM_TENSOR_TEAM),
                                    (int32_t)count, args->tiles - (int32_t)first};
    const struct spmm_tensor_form singly = {form.tall, form.run, 1}; /* saves registers */
    to->wild = odd ? 0 : ~(uint32_t)0;
    if (count > 0 && args->by_runs && !odd)
        FN(tensor_walk)(args, &tiles, lane, to, true, false, form);
    else if (count > 0 && args->by_runs)
        FN(tensor_walk)(args, &tiles, lane, to, true, true, singly);
    else if (count > 0)
        FN(tensor_walk)(args, &tiles, lane, to, false, true, singly);
}

/* The first team of each window adds the sums of the others, in order. */
DEVICE void FN(tensor_add_up)(const struct spmm_tensor_args *args, int part, FN(tensor_sums) *to,
                              const struct spmm_tensor_form form)
{
    SHARED_AT_LAUNCH(float, all);
    const int count = (form.tall ? 4 : 2) * form.run;
    float *const own = all + THREAD;
    uint32_t *const wild = (uint32_t *)(own + count * THREADS);
    UNROLL for (int i = 0; i < count; i++) own[i * THREADS] = to->sums[i];
    *wild = to->wild;
    SYNC();
    for (int p = 1; part == 0 && p < 1 << args->parts_log; p++) {
        UNROLL for (int i = 0; i < count; i++) to->sums[i] +=
            own[i * THREADS + p * SPMM_TENSOR_TEAM];
        to->wild |= wild[p * SPMM_TENSOR_TEAM];
    }
}

#include "spmm/kernels/spmm_tensor_results.h"

/* Teams of a block: parts of a window, windows; blocks: slabs, windows. */
DEVICE FN(tensor_lane) FN(tensor_find_lane)(const struct spmm_tensor_args *args, uint32_t team,
                                            const int run)
{
    const uint32_t position = (uint32_t)THREAD % SPMM_TENSOR_TEAM, block = (uint32_t)BLOCK,
                   windows = (uint32_t)THREADS / SPMM_TENSOR_TEAM >> args->parts_log,
                   at = args->slabs > 1 ? block / args->slabs : block,
                   slab = block - at * args->slabs;
    const FN(tensor_lane) lane = {(int)(position / 4), (int)(position % 4),
                                  at * windows + (team >> args->parts_log),
                                  (int64_t)slab * (SPMM_TENSOR_RUNS * run)};
    return lane;
}

DEVICE void FN(spmm_tensor)(const struct spmm_tensor_args *args, const struct spmm_tensor_form form)
{
    const FN(tensor_operands) o = {args,
                                   (const P *)args->offsets,
                                   (const I *)args->columns,
                                   (const T *)args->values,
                                   (const T *)args->tile_values,
                                   (const T *)args->b};
    const uint32_t team = (uint32_t)THREAD / SPMM_TENSOR_TEAM,
                   part = team & (((uint32_t)1 << args->parts_log) - 1);
    const FN(tensor_lane) lane = FN(tensor_find_lane)(args, team, form.run);
    const bool any = lane.window < args->windows,
               multiplies = SCALAR(ACC, args->scalars.alpha) != 0;
    FN(tensor_sums) to;
    UNROLL for (int i = 0; i < (form.tall ? 4 : 2) * form.run; i++) to.sums[i] = 0;
    to.wild = 0;
    if (any && multiplies)
        FN(tensor_part)(&o, part, &lane, &to, form);
    if (args->parts_log > 0)
        FN(tensor_add_up)(args, (int)part, &to, form);
    if (!any || part > 0)
        return;
    if (multiplies)
        FN(tensor_again)(&o, &lane, &to, form);
    FN(tensor_store)(args, &lane, to.sums, form);
}

#define SPMM_TENSOR(name, tall, run, blocks)                                                       \
    KERNEL_RESIDENT_OF(struct spmm_tensor_args, spmm_tensor_##name##_##run, SPMM_TENSOR_THREADS,   \
                       blocks, args)                                                               \
    {                                                                                              \
        const struct spmm_tensor_form form = {tall, run, SPMM_TENSOR_STEPS(tall, run, sizeof(T))}; \
        FN(spmm_tensor)(&args, form);                                                              \
    }
SPMM_TENSOR(short, false, 8, 4)
SPMM_TENSOR(tall, true, 4, 3)
#ifdef HALF
SPMM_TENSOR(short, false, 4, 4)
SPMM_TENSOR(tall, true, 8, 3)
#else
SPMM_TENSOR(short, false, 4, 3)
SPMM_TENSOR(tall, true, 8, 2)
#endif
#undef SPMM_TENSOR

/* ---- values ---- */

/* The entry in column k of a row of a tile, or 0; `position`: the row's first entry in the tile. */
DEVICE T FN(tensor_entry)(const T *RESTRICT values, P position, uint32_t bits, int k)
{
    return bits >> k & 1 ? READ(&values[position + (P)POPCOUNT(bits & (((uint32_t)1 << k) - 1))])
                         : NARROW((ACC)0);
}

/* A bit for each lane of the team. */
DEVICE uint32_t FN(tensor_team_bits)(bool bit)
{
    return (uint32_t)(BALLOT(GROUP_MASK(SPMM_TENSOR_TEAM), bit) >>
                      LANE / SPMM_TENSOR_TEAM * SPMM_TENSOR_TEAM);
}

/* Copies the values of a window: a lane those that it multiplies. */
DEVICE void FN(tensor_copy)(const struct spmm_tensor_values_args *args, const P *RESTRICT offsets,
                            const T *RESTRICT values, int64_t window, T *RESTRICT to)
{
    const int rank = THREAD % SPMM_TENSOR_TEAM, row = rank / 4, turn = rank % 4,
              halves = args->height / 8;
    const int64_t first = READ(&args->first[window]), end = READ(&args->first[window + 1]);
    P position[2] = {0, 0};
    UNROLL for (int i = 0; i < 2; i++)
    {
        const int64_t number = window * args->height + row + 8 * i;
        if (i < halves && number < args->rows)
            position[i] = READ(&offsets[number]);
    }
    bool odd[2] = {false, false}, wild[2] = {false, false};
    for (int64_t tile = first; tile < end; tile++) {
        const uint32_t pair = READ(&args->bits[tile * 4 + row / 2]) >> (row % 2 * 16);
        UNROLL for (int i = 0; i < 2; i++)
        {
            const uint32_t bits = pair >> 8 * i & 0xff;
            UNROLL for (int q = 0; q < 2; q++)
            {
                if (i >= halves)
                    continue;
                const T value = FN(tensor_entry)(values, position[i], bits, turn + 4 * q);
                const ACC wide = WIDEN(value);
                to[(tile * SPMM_TENSOR_TEAM + rank) * 2 * halves + q * halves + i] = value;
                odd[i] = odd[i] || wide - wide != 0;
                wild[i] = wild[i] || (wide - wide == 0 && !FN(tensor_tame)(value));
            }
            position[i] += (P)POPCOUNT(bits);
        }
    }
    uint32_t any = 0;
    UNROLL for (int i = 0; i < 2; i++)
    {
        if (i >= halves)
            continue;
        const uint32_t large = FN(tensor_team_bits)(wild[i]),
                       bits = FN(tensor_team_bits)(odd[i] && (large >> 4 * row & 15) == 0);
        any |= bits;
        if (rank == 0)
            args->odd[window * halves + i] = bits;
    }
    if (rank < 2)
        args->spans[window * 2 + rank] =
            rank == 0 ? (uint32_t)first : (uint32_t)(end - first) * 2 + (any != 0);
}

KERNEL(spmm_tensor_values, SPMM_TENSOR_THREADS, args)
{
    const int64_t window = (BLOCK * THREADS + THREAD) / SPMM_TENSOR_TEAM;
    if (window < args.windows)
        FN(tensor_copy)(&args, (const P *)args.offsets, (const T *)args.values, window,
                        (T *)args.tile_values);
}
#endif
