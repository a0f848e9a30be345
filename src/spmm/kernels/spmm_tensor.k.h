/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_tensor.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#define SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#include "device/scalars.h"

#include <stdbool.h>
#include <stdint.h>

/* A team computes a window of 16 or 8 rows and 8 runs of columns of C; neighbouring windows share a
 * block, where they find rows of B in L1. A block has at most THREADS threads. */
enum {
    SPMM_TENSOR_THREADS = 256,
    SPMM_TENSOR_TEAM = 32,
    SPMM_TENSOR_RUNS = 8,
    SPMM_TENSOR_MOST_RUN = 8,
    SPMM_TENSOR_MOST_STEPS = 4
};

/* C = alpha*A*B + beta*C; B and C have `width` columns; strides in elements between rows and
 * between columns. */
struct spmm_tensor_args {
    int64_t rows, width;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *b;
    int64_t b_row, b_column;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars;
    int32_t by_runs; /* B can be loaded, and C stored, in runs */
    /* teams that share a window's tiles: a power of two; if more than 1, there is shared memory
     * for all sums */
    int32_t parts;
    int64_t windows, slabs;
    int64_t tiles;        /* of all windows */
    const int64_t *first; /* the tiles: format/device_tiles.h */
    const int32_t *tile_columns;
    const void *tile_values; /* T[(tiles+1) * slots of a tile], the last tile is zero */
};

/* Copies the values of A into tiles of `height` rows: those of a lane are neighbours. */
struct spmm_tensor_values_args {
    int64_t rows, windows;
    int32_t height;
    const void *offsets, *values; /* P[rows+1], T[nnz] */
    const int64_t *first;
    const uint32_t *bits;
    void *tile_values; /* T[tiles * slots of a tile] */
};

/* Tiles that a team has in flight, where B can be loaded in runs: with more, fewer teams fit a
 * multiprocessor. `bytes`: of a value. */
#define SPMM_TENSOR_STEPS(tall, run, bytes)                                                        \
    ((bytes) == 2 ? ((tall) && (run) == 4 ? 4 : 2) : !(tall) && (run) == 8 ? 1 : 2)

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
    int64_t window, slab; /* number, first column of C */
} FN(tensor_lane);

/* The operands with their types. */
typedef struct FN(tensor_operands) {
    const struct spmm_tensor_args *args;
    const P *offsets;
    const I *columns;
    const T *values, *tile_values, *b;
} FN(tensor_operands);

/* The rows of B that this lane loads for a tile; after the last tile those of that one again, so
 * that loads are valid. */
DEVICE void FN(tensor_inner)(const struct spmm_tensor_args *args, int64_t tile, int64_t end,
                             const FN(tensor_lane) *lane, int32_t *inner)
{
    READ_RUN(inner, args->tile_columns + (tile < end ? tile : end - 1) * 8 + 2 * lane->turn, 2);
}

/* This lane's values of a tile; after the last tile those of the tile that is zero. */
DEVICE void FN(tensor_values)(const FN(tensor_operands) *o, int64_t tile, int64_t end, T *a,
                              const bool tall)
{
    const int64_t lane =
        (tile < end ? tile : o->args->tiles) * SPMM_TENSOR_TEAM + THREAD % SPMM_TENSOR_TEAM;
    if (tall)
        READ_RUN(a, o->tile_values + lane * 4, 4);
    else
        READ_RUN(a, o->tile_values + lane * 2, 2);
}

/* Loads this lane's columns of row k of B; columns beyond B are replaced by column 0, and not
 * stored. */
DEVICE void FN(tensor_load)(const struct spmm_tensor_args *args, T *to, const T *RESTRICT b,
                            int32_t k, int64_t column, const bool by_runs, const int run)
{
    if (by_runs) {
        const uint64_t away = (uint64_t)(uint32_t)k * (uint32_t)(args->b_row * (int64_t)sizeof(T));
        READ_RUN(to, (const T *)((const char *)(b + (column < args->width ? column : 0)) + away),
                 run);
    } else
        UNROLL for (int v = 0; v < run; v++) to[v] = READ(
            &b[k * args->b_row + (column + v < args->width ? column + v : 0) * args->b_column]);
}

/* sums += a tile times its rows of B. A tall tile is the first factor, and each element of the
 * lanes' runs makes one product; else two elements make the 16 rows of the first factor, B'. */
DEVICE void FN(tensor_multiply)(float *sums, const T *a, const T *lower, const T *upper,
                                const struct spmm_tensor_form form)
{
    if (form.tall)
        MULTIPLY_TILES(sums, a, lower, upper, form.run);
    else
        UNROLL for (int j = 0; j < form.run / 2; j++)
        {
            const T turned[4] = {lower[2 * j], lower[2 * j + 1], upper[2 * j], upper[2 * j + 1]};
            MULTIPLY_TILES(sums + 4 * j, turned, a, a + 1, 1);
        }
}

/* sums += the window's tiles `tile` to end-1 times their rows of B, several at a time. */
DEVICE void FN(tensor_walk)(const FN(tensor_operands) *o, int64_t tile, int64_t end,
                            const FN(tensor_lane) *lane, float *sums, const bool by_runs,
                            const struct spmm_tensor_form form)
{
    const int64_t column = lane->slab + lane->row * form.run;
    int32_t next[2 * SPMM_TENSOR_MOST_STEPS];
    UNROLL for (int u = 0; u < form.steps; u++)
        FN(tensor_inner)(o->args, tile + u, end, lane, next + 2 * u);
    for (; tile < end; tile += form.steps) {
        T lower[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN],
            upper[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN];
        T a[SPMM_TENSOR_MOST_STEPS * 4];
        UNROLL for (int u = 0; u < form.steps; u++)
        {
            FN(tensor_load)(o->args, lower + u * form.run, o->b, next[2 * u], column, by_runs,
                            form.run);
            FN(tensor_load)(o->args, upper + u * form.run, o->b, next[2 * u + 1], column, by_runs,
                            form.run);
            FN(tensor_values)(o, tile + u, end, a + 4 * u, form.tall);
        }
        UNROLL for (int u = 0; u < form.steps; u++)
            FN(tensor_inner)(o->args, tile + form.steps + u, end, lane, next + 2 * u);
        UNROLL for (int u = 0; u < form.steps; u++)
            FN(tensor_multiply)(sums, a + 4 * u, lower + u * form.run, upper + u * form.run, form);
    }
}

/* The sums of one of the window's teams over its share of tiles. */
DEVICE void FN(tensor_part)(const FN(tensor_operands) *o, int part, const FN(tensor_lane) *lane,
                            float *sums, const struct spmm_tensor_form form)
{
    const struct spmm_tensor_args *const args = o->args;
    const int64_t first = READ(&args->first[lane->window]),
                  tiles = READ(&args->first[lane->window + 1]) - first;
    const int64_t tile = first + tiles * part / args->parts,
                  end = first + tiles * (part + 1) / args->parts;
    const struct spmm_tensor_form singly = {form.tall, form.run, 1}; /* saves registers */
    if (tile < end && args->by_runs)
        FN(tensor_walk)(o, tile, end, lane, sums, true, form);
    else if (tile < end)
        FN(tensor_walk)(o, tile, end, lane, sums, false, singly);
}

/* The first team of each window adds the sums of the others, in order. */
DEVICE void FN(tensor_add_up)(const struct spmm_tensor_args *args, int part, float *sums,
                              const int count)
{
    SHARED_AT_LAUNCH(float, all);
    UNROLL for (int i = 0; i < count; i++) all[i * THREADS + THREAD] = sums[i];
    SYNC();
    for (int p = 1; part == 0 && p < args->parts; p++)
        UNROLL for (int i = 0; i < count; i++) sums[i] +=
            all[i * THREADS + THREAD + p * SPMM_TENSOR_TEAM];
}

/* Where sums[i] belongs: a row of the window, and a column of the team's runs. */
DEVICE int FN(tensor_row_of)(const FN(tensor_lane) *lane, int i, const struct spmm_tensor_form form)
{
    return form.tall ? lane->row + i / 2 % 2 * 8 : 2 * lane->turn + i % 2;
}
DEVICE int FN(tensor_column_of)(const FN(tensor_lane) *lane, int i,
                                const struct spmm_tensor_form form)
{
    return form.tall ? (2 * lane->turn + i % 2) * form.run + i / 4
                     : lane->row * form.run + i / 4 * 2 + i / 2 % 2;
}

/* Tiles multiply slots without entries as well, so Inf or NaN of B would spread to rows that do
 * not use it. Elements that are not finite are computed again, entry by entry. */
DEVICE void FN(tensor_again)(const FN(tensor_operands) *o, const FN(tensor_lane) *lane, float *sums,
                             const struct spmm_tensor_form form)
{
    const struct spmm_tensor_args *const args = o->args;
    const int count = (form.tall ? 4 : 2) * form.run;
    bool finite = true;
    UNROLL for (int i = 0; i < count; i++) finite = finite && sums[i] - sums[i] == 0;
    for (int i = 0; !finite && i < count; i++) {
        const int64_t row = lane->window * (form.tall ? 16 : 8) + FN(tensor_row_of)(lane, i, form);
        const int64_t column = lane->slab + FN(tensor_column_of)(lane, i, form);
        const bool inside = row < args->rows && column < args->width;
        const P end = inside ? READ(&o->offsets[row + 1]) : 0;
        float sum = 0;
        for (P p = inside ? READ(&o->offsets[row]) : 0; p < end; p++)
            sum += WIDEN(READ(&o->values[p])) *
                   WIDEN(READ(&o->b[READ(&o->columns[p]) * args->b_row + column * args->b_column]));
        UNROLL for (int k = 0; k < count; k++) sums[k] = k == i ? sum : sums[k];
    }
}

/* Stores one run of one row of C. */
DEVICE void FN(tensor_store_run)(const struct spmm_tensor_args *args, int64_t row, int64_t column,
                                 const ACC *own, const int run)
{
    const ACC alpha = SCALAR(ACC, args->scalars.alpha), beta = SCALAR(ACC, args->scalars.beta);
    T *const c = (T *)args->c + row * args->c_row + column * args->c_column;
    if (row >= args->rows || column >= args->width)
        return;
    if (args->by_runs && args->c_column == 1)
        FN(spmm_write)(c, own, alpha, beta, run);
    else
        UNROLL for (int v = 0; v < run; v++) if (column + v < args->width)
            FN(spmm_write)(c + v * args->c_column, own + v, alpha, beta, 1);
}

/* A lane has a run of columns of two rows, or of two runs of two rows. */
DEVICE void FN(tensor_store)(const struct spmm_tensor_args *args, const FN(tensor_lane) *lane,
                             const float *sums, const struct spmm_tensor_form form)
{
    UNROLL for (int i = 0; i < (form.tall ? 4 : 2); i++)
    {
        ACC own[SPMM_TENSOR_MOST_RUN];
        UNROLL for (int v = 0; v < form.run; v++) own[v] =
            form.tall ? sums[4 * v + i] : sums[4 * (v / 2) + v % 2 * 2 + i];
        FN(tensor_store_run)(
            args, lane->window * (form.tall ? 16 : 8) + FN(tensor_row_of)(lane, i, form),
            lane->slab + FN(tensor_column_of)(lane, form.tall ? i : 0, form), own, form.run);
    }
}

DEVICE void FN(spmm_tensor)(const struct spmm_tensor_args *args, const struct spmm_tensor_form form)
{
    const FN(tensor_operands) o = {args,
                                   (const P *)args->offsets,
                                   (const I *)args->columns,
                                   (const T *)args->values,
                                   (const T *)args->tile_values,
                                   (const T *)args->b};
    const int team = THREAD / SPMM_TENSOR_TEAM, position = THREAD % SPMM_TENSOR_TEAM,
              part = team % args->parts, count = (form.tall ? 4 : 2) * form.run;
    const FN(tensor_lane) lane = {position / 4, position % 4,
                                  (BLOCK / args->slabs * (THREADS / SPMM_TENSOR_TEAM) + team) /
                                      args->parts,
                                  BLOCK % args->slabs * SPMM_TENSOR_RUNS * form.run};
    const bool any = lane.window < args->windows,
               multiplies = SCALAR(ACC, args->scalars.alpha) != 0;
    float sums[4 * SPMM_TENSOR_MOST_RUN];
    UNROLL for (int i = 0; i < count; i++) sums[i] = 0;
    if (any && multiplies)
        FN(tensor_part)(&o, part, &lane, sums, form);
    if (args->parts > 1)
        FN(tensor_add_up)(args, part, sums, count);
    if (!any || part > 0)
        return;
    if (multiplies)
        FN(tensor_again)(&o, &lane, sums, form);
    FN(tensor_store)(args, &lane, sums, form);
}

#define SPMM_TENSOR(name, tall, run, blocks)                                                       \
    KERNEL_RESIDENT_OF(struct spmm_tensor_args, spmm_tensor_##name##_##run, SPMM_TENSOR_THREADS,   \
                       blocks, args)                                                               \
    {                                                                                              \
        const struct spmm_tensor_form form = {tall, run, SPMM_TENSOR_STEPS(tall, run, sizeof(T))}; \
        FN(spmm_tensor)(&args, form);                                                              \
    }
SPMM_TENSOR(short, false, 4, 4)
SPMM_TENSOR(short, false, 8, 4)
#ifdef HALF
SPMM_TENSOR(tall, true, 4, 3)
SPMM_TENSOR(tall, true, 8, 3)
#else
SPMM_TENSOR(tall, true, 4, 4)
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
    for (int64_t tile = first; tile < end; tile++) {
        const uint32_t pair = READ(&args->bits[tile * 4 + row / 2]) >> (row % 2 * 16);
        UNROLL for (int i = 0; i < 2; i++)
        {
            const uint32_t bits = pair >> 8 * i & 0xff;
            for (int q = 0; i < halves && q < 2; q++)
                to[(tile * SPMM_TENSOR_TEAM + rank) * 2 * halves + q * halves + i] =
                    FN(tensor_entry)(values, position[i], bits, turn + 4 * q);
            position[i] += (P)POPCOUNT(bits);
        }
    }
}

KERNEL(spmm_tensor_values, SPMM_TENSOR_THREADS, args)
{
    const int64_t window = (BLOCK * THREADS + THREAD) / SPMM_TENSOR_TEAM;
    if (window < args.windows)
        FN(tensor_copy)(&args, (const P *)args.offsets, (const T *)args.values, window,
                        (T *)args.tile_values);
}
#endif
