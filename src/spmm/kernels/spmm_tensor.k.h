/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmm_tensor_gpu.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#define SPL_SPMM_KERNELS_SPMM_TENSOR_K_H
#include "device/scalars.h"

#include <stdint.h>

/* A team computes 16 rows and 8 runs of columns of C; neighbouring windows share a block, where
 * they find rows of B in L1. */
enum {
    SPMM_TENSOR_THREADS = 256,
    SPMM_TENSOR_TEAM = 32,
    SPMM_TENSOR_TEAMS = SPMM_TENSOR_THREADS / SPMM_TENSOR_TEAM,
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
    const int64_t *first; /* the tiles: format/device_tiles.h */
    const int32_t *tile_columns;
    const uint32_t *bits;
};

/* Compile-time constants: elements of B per load of a lane, tiles in flight. */
struct spmm_tensor_form {
    int run, steps;
};
#endif
#else
#define IN_HALVES
#define NOT_IN_F64
#include "spmm/kernels/spmm_write.h"

/* A lane of a team: it has entries of rows `row` and row+8 of the window, and of columns `turn` and
 * turn+4 of a tile. */
typedef struct FN(tensor_lane) {
    int row, turn;
    int64_t window, slab; /* number, first column of C */
} FN(tensor_lane);

/* A tile: the bits of this lane's rows, and the rows of B that it loads. */
typedef struct FN(tensor_tile) {
    uint32_t bits;
    int32_t inner[2];
} FN(tensor_tile);

/* After the last tile returns it again, without entries, so that loads are valid. */
DEVICE FN(tensor_tile) FN(tensor_fetch)(const struct spmm_tensor_args *args, int64_t tile,
                                        int64_t end, const FN(tensor_lane) *lane)
{
    const int64_t near = tile < end ? tile : end - 1;
    const uint32_t pair =
        READ(&args->bits[near * 4 + lane->row / 2]) >> (lane->row % 2 * 16) & 0xffff;
    FN(tensor_tile) t = {tile < end ? pair : 0, {0, 0}};
    READ_RUN(t.inner, args->tile_columns + near * 8 + 2 * lane->turn, 2);
    return t;
}

/* The entry in column k, or 0; `position`: the first entry of the row in this tile. */
DEVICE T FN(tensor_entry)(const T *RESTRICT values, P position, uint32_t bits, int k)
{
    return bits >> k & 1 ? READ(&values[position + (P)POPCOUNT(bits & (((uint32_t)1 << k) - 1))])
                         : NARROW((ACC)0);
}

/* This lane's entries of a tile; advances *position past the tile. */
DEVICE void FN(tensor_entries)(const T *RESTRICT values, P *position, uint32_t bits, int turn, T *a)
{
    const uint32_t near = bits & 0xff, far = bits >> 8;
    a[0] = FN(tensor_entry)(values, position[0], near, turn);
    a[1] = FN(tensor_entry)(values, position[1], far, turn);
    a[2] = FN(tensor_entry)(values, position[0], near, turn + 4);
    a[3] = FN(tensor_entry)(values, position[1], far, turn + 4);
    position[0] += (P)POPCOUNT(near);
    position[1] += (P)POPCOUNT(far);
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

/* The operands with their types. */
typedef struct FN(tensor_operands) {
    const struct spmm_tensor_args *args;
    const P *offsets;
    const I *columns;
    const T *values, *b;
} FN(tensor_operands);

/* sums += the window's tiles `tile` to end-1 times their rows of B, several at a time. */
DEVICE void FN(tensor_walk)(const FN(tensor_operands) *o, int64_t tile, int64_t end, P *position,
                            const FN(tensor_lane) *lane, float *sums, const bool by_runs,
                            const struct spmm_tensor_form form)
{
    const int64_t column = lane->slab + lane->row * form.run;
    FN(tensor_tile) next[SPMM_TENSOR_MOST_STEPS];
    UNROLL for (int u = 0; u < form.steps; u++) next[u] =
        FN(tensor_fetch)(o->args, tile + u, end, lane);
    for (; tile < end; tile += form.steps) {
        T lower[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN],
            upper[SPMM_TENSOR_MOST_STEPS * SPMM_TENSOR_MOST_RUN];
        T a[SPMM_TENSOR_MOST_STEPS * 4];
        UNROLL for (int u = 0; u < form.steps; u++)
        {
            FN(tensor_load)(o->args, lower + u * form.run, o->b, next[u].inner[0], column, by_runs,
                            form.run);
            FN(tensor_load)(o->args, upper + u * form.run, o->b, next[u].inner[1], column, by_runs,
                            form.run);
            FN(tensor_entries)(o->values, position, next[u].bits, lane->turn, a + 4 * u);
        }
        UNROLL for (int u = 0; u < form.steps; u++) next[u] =
            FN(tensor_fetch)(o->args, tile + form.steps + u, end, lane);
        UNROLL for (int u = 0; u < form.steps; u++)
            MULTIPLY_TILES(sums, a + 4 * u, lower + u * form.run, upper + u * form.run, form.run);
    }
}

/* Binary search in the row begin..end for the first entry whose column is not below `column`. */
DEVICE P FN(tensor_search)(const I *RESTRICT columns, P begin, P end, I column)
{
    while (begin < end) {
        const P middle = begin + (end - begin) / 2;
        if (READ(&columns[middle]) < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
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
    P position[2] = {0, 0};
    UNROLL for (int i = 0; i < 2; i++)
    {
        const int64_t row = lane->window * 16 + lane->row + 8 * i;
        if (row < args->rows)
            position[i] = READ(&o->offsets[row]);
        if (row < args->rows && part > 0 && tile < end)
            position[i] = FN(tensor_search)(o->columns, position[i], READ(&o->offsets[row + 1]),
                                            READ(&args->tile_columns[tile * 8]));
    }
    if (tile < end && args->by_runs)
        FN(tensor_walk)(o, tile, end, position, lane, sums, true, form);
    else if (tile < end)
        FN(tensor_walk)(o, tile, end, position, lane, sums, false, form);
}

/* The first team of each window adds the sums of the others, in order. */
DEVICE void FN(tensor_add_up)(const struct spmm_tensor_args *args, int part, float *sums,
                              const int count)
{
    SHARED_AT_LAUNCH(float, all);
    UNROLL for (int i = 0; i < count; i++) all[i * SPMM_TENSOR_THREADS + THREAD] = sums[i];
    SYNC();
    for (int p = 1; part == 0 && p < args->parts; p++)
        UNROLL for (int i = 0; i < count; i++) sums[i] +=
            all[i * SPMM_TENSOR_THREADS + THREAD + p * SPMM_TENSOR_TEAM];
}

/* Tiles multiply slots without entries as well, so Inf or NaN of B would spread to rows that do
 * not use it. Elements that are not finite are computed again, entry by entry. sums[4v + 2f + q]
 * belongs to row `row` + 8f and element v of run 2*turn + q. */
DEVICE void FN(tensor_again)(const FN(tensor_operands) *o, const FN(tensor_lane) *lane, float *sums,
                             const int run)
{
    const struct spmm_tensor_args *const args = o->args;
    bool finite = true;
    UNROLL for (int i = 0; i < 4 * run; i++) finite = finite && sums[i] - sums[i] == 0;
    for (int i = 0; !finite && i < 4 * run; i++) {
        const int64_t row = lane->window * 16 + lane->row + i / 2 % 2 * 8;
        const int64_t column = lane->slab + (2 * lane->turn + i % 2) * run + i / 4;
        const bool there = row < args->rows && column < args->width;
        const P end = there ? READ(&o->offsets[row + 1]) : 0;
        float sum = 0;
        for (P p = there ? READ(&o->offsets[row]) : 0; p < end; p++)
            sum += WIDEN(READ(&o->values[p])) *
                   WIDEN(READ(&o->b[READ(&o->columns[p]) * args->b_row + column * args->b_column]));
        UNROLL for (int k = 0; k < 4 * run; k++) sums[k] = k == i ? sum : sums[k];
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

DEVICE void FN(tensor_store)(const struct spmm_tensor_args *args, const FN(tensor_lane) *lane,
                             const float *sums, const int run)
{
    UNROLL for (int i = 0; i < 4; i++)
    {
        ACC own[SPMM_TENSOR_MOST_RUN];
        UNROLL for (int v = 0; v < run; v++) own[v] = sums[4 * v + i];
        FN(tensor_store_run)(args, lane->window * 16 + lane->row + i / 2 * 8,
                             lane->slab + (2 * lane->turn + i % 2) * run, own, run);
    }
}

DEVICE void FN(spmm_tensor)(const struct spmm_tensor_args *args, const struct spmm_tensor_form form)
{
    const FN(tensor_operands) o = {args, (const P *)args->offsets, (const I *)args->columns,
                                   (const T *)args->values, (const T *)args->b};
    const int team = THREAD / SPMM_TENSOR_TEAM, position = THREAD % SPMM_TENSOR_TEAM,
              part = team % args->parts;
    const FN(tensor_lane) lane = {position / 4, position % 4,
                                  (BLOCK / args->slabs * SPMM_TENSOR_TEAMS + team) / args->parts,
                                  BLOCK % args->slabs * SPMM_TENSOR_RUNS * form.run};
    const bool any = lane.window < args->windows,
               multiplies = SCALAR(ACC, args->scalars.alpha) != 0;
    float sums[4 * SPMM_TENSOR_MOST_RUN];
    UNROLL for (int i = 0; i < 4 * form.run; i++) sums[i] = 0;
    if (any && multiplies)
        FN(tensor_part)(&o, part, &lane, sums, form);
    if (args->parts > 1)
        FN(tensor_add_up)(args, part, sums, 4 * form.run);
    if (!any || part > 0)
        return;
    if (multiplies)
        FN(tensor_again)(&o, &lane, sums, form.run);
    FN(tensor_store)(args, &lane, sums, form.run);
}

#define SPMM_TENSOR(run, blocks, steps)                                                            \
    KERNEL_RESIDENT_OF(struct spmm_tensor_args, spmm_tensor_##run, SPMM_TENSOR_THREADS, blocks,    \
                       args)                                                                       \
    {                                                                                              \
        const struct spmm_tensor_form form = {run, steps};                                         \
        FN(spmm_tensor)(&args, form);                                                              \
    }
SPMM_TENSOR(4, 3, 1)
#ifdef HALF
SPMM_TENSOR(8, 3, 1)
#else
SPMM_TENSOR(8, 2, 2)
#endif
#undef SPMM_TENSOR
#endif
