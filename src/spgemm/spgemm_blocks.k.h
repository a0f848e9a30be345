/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for operands that are made of dense blocks of D rows and columns (matrix/device_blocks.h): C's structure from that of its blocks, and
 * values, for which structures, offsets and columns are those of blocks. */
#ifndef T
#ifndef SPL_SPGEMM_BLOCKS_K_H
#define SPL_SPGEMM_BLOCKS_K_H
#include "spgemm/spgemm_structures.h"

enum { SPGEMM_MOST_BLOCK = 6, SPGEMM_BLOCK_LANES = 32, SPGEMM_BLOCK_THREADS = 128 };

/* C's own offsets and columns. */
struct spgemm_expand_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const int64_t *block_offsets;
    const int32_t *block_columns;
    int64_t *offsets; /* [rows*size+1] */
    int32_t *columns;
};

struct spgemm_block1_values_args {
    struct spgemm_values v;
};
struct spgemm_block2_values_args {
    struct spgemm_values v;
};
struct spgemm_block3_values_args {
    struct spgemm_values v;
};
struct spgemm_block4_values_args {
    struct spgemm_values v;
};
struct spgemm_block5_values_args {
    struct spgemm_values v;
};
struct spgemm_block6_values_args {
    struct spgemm_values v;
};
#endif
#else

#include "spgemm/spgemm_team.h"

#include "spgemm/spgemm_places.h"

/* ---- structure ---- */

DEVICE void FN(expand_row)(const struct spgemm_expand_args *args, int64_t row, const int32_t *RESTRICT columns)
{
    const int size = args->size, lane = LANE % SPGEMM_BLOCK_LANES;
    const int64_t begin = args->block_offsets[row], to = begin * size * size;
    const int64_t length = (args->block_offsets[row + 1] - begin) * size;
    int64_t block = begin + lane / size;
    int within = lane % size;
    if (lane < size)
        args->offsets[row * size + lane] = to + lane * length;
    for (int64_t q = lane; q < length; q += SPGEMM_BLOCK_LANES) {
        const int32_t column = READ(&columns[block]) * size + within;
        for (int r = 0; r < size; r++)
            args->columns[to + r * length + q] = column;
        block += SPGEMM_BLOCK_LANES / size;
        within += SPGEMM_BLOCK_LANES % size;
        block += within >= size;
        within -= within >= size ? size : 0;
    }
}

KERNEL(spgemm_expand, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_BLOCK_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_BLOCK_LANES; row < args.rows; row += BLOCKS * teams)
        FN(expand_row)(&args, row, args.block_columns);
    if (BLOCK == 0 && THREAD == 0)
        args.offsets[args.rows * args.size] = args.block_offsets[args.rows] * args.size * args.size;
}

/* ---- values ---- */

enum { FN(MOST_SLICES) = 4 };

/* Slices of 32 columns of a row of B that are loaded together, one column of each by a lane: as many as registers hold. */
DEVICE int FN(slices_for)(int d)
{
    return d <= 2 ? FN(MOST_SLICES) : d == 3 ? 3 : 2;
}

/* The team's way through the blocks of A's row, and through the columns of the rows of B that they lead to. */
typedef struct FN(walk) {
    FN(entries) e;          /* a block for each lane */
    P from, last;           /* blocks of A: the first of e, the end */
    int at;                 /* of e */
    P begin;                /* blocks of B */
    int32_t length, column; /* of B's rows; where the team is */
    bool done;
} FN(walk);

/* What a lane has there: a column of B's blocks in each slice, and an entry or two of A's block where that begins. */
typedef struct FN(load) {
    int32_t block[FN(MOST_SLICES)], within[FN(MOST_SLICES)]; /* column of blocks, -1: none; place in the block */
    T b[FN(MOST_SLICES)][SPGEMM_MOST_BLOCK];
    T a[2];
    bool first; /* columns of B's rows */
} FN(load);

/* To the next block of A whose row of B is not empty. */
DEVICE void FN(walk_on)(FN(walk) * w, const FN(team) * t, int d, const struct spgemm_values *v)
{
    do {
        w->at++;
        if (w->at >= w->e.count) {
            w->from += t->width;
            w->at = 0;
            w->done = w->from >= w->last;
            if (w->done)
                return;
            w->e = FN(entries_from)(t, w->from, w->last, 0, (const I *)v->o.s.a_columns, (const T *)0,
                                    (const P *)v->o.s.b_offsets);
        }
        w->begin = SHUFFLE(t->mask, w->e.begin, t->base + w->at);
        w->length = (int32_t)SHUFFLE(t->mask, w->e.length, t->base + w->at) * d;
    } while (w->length == 0);
    w->column = 0;
}

DEVICE void FN(step_on)(FN(walk) * w, const FN(team) * t, int d, const struct spgemm_values *v)
{
    w->column += FN(slices_for)(d) * SPGEMM_BLOCK_LANES;
    if (w->column >= w->length)
        FN(walk_on)(w, t, d, v);
}

/* Row r of a row of blocks has its values one behind the other, `length` of them, after those of row r-1. Lanes beyond the last column load that
 * one, which costs less than not to. */
DEVICE FN(load) FN(load_step)(const FN(walk) * w, const FN(team) * t, int d, P a_begin, int32_t a_length,
                              const T *RESTRICT a_values, const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    FN(load) l;
    l.first = w->column == 0;
    l.a[0] = l.a[1] = 0;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const int at = t->lane + i * SPGEMM_BLOCK_LANES;
        if (l.first && at < d * d)
            l.a[i] = READ(&a_values[a_begin * d * d + at / d * a_length + (w->from + w->at - a_begin) * d + at % d]);
    }
    UNROLL
    for (int s = 0; s < FN(slices_for)(d); s++) {
        const int32_t q = w->column + s * SPGEMM_BLOCK_LANES + t->lane, last = w->length - 1, at = q < last ? q : last;
        const int32_t block = READ(&b_columns[w->begin + at / d]);
        l.block[s] = q <= last ? block : -1;
        l.within[s] = at % d;
        UNROLL
        for (int k = 0; k < d; k++)
            l.b[s][k] = READ(&b_values[w->begin * d * d + k * w->length + at]);
    }
    return l;
}

/* alpha * A's block, where all lanes see it; sums of other rows of B are complete then. */
DEVICE void FN(show_block)(const FN(load) * l, const FN(team) * t, int d, T alpha, T *shown)
{
    if (!l->first)
        return;
    SYNC_WARP(t->mask);
    UNROLL
    for (int i = 0; i < 2; i++)
        if (t->lane + i * SPGEMM_BLOCK_LANES < d * d)
            shown[t->lane + i * SPGEMM_BLOCK_LANES] = alpha * l->a[i];
    SYNC_WARP(t->mask);
}

/* Adds A's block times the lane's columns of B: their columns in C differ from all others that the team adds to meanwhile. All sums are loaded before the
 * first is stored, so that nothing waits in between; lanes without a column compute with zeros. */
DEVICE void FN(add_step)(const FN(load) * l, const FN(places) * p, int d, int kind, const T *shown)
{
    const int32_t stride = p->count * d;
    int32_t place[FN(MOST_SLICES)];
    T sum[FN(MOST_SLICES)][SPGEMM_MOST_BLOCK];
    UNROLL
    for (int s = 0; s < FN(slices_for)(d); s++) {
        place[s] = l->block[s] >= 0 ? FN(place_of)(p, l->block[s], kind) : -1;
        place[s] = place[s] >= 0 ? place[s] * d + l->within[s] : -1;
        UNROLL
        for (int r = 0; r < d; r++)
            sum[s][r] = place[s] >= 0 ? p->sums[r * stride + place[s]] : (T)0;
    }
    UNROLL
    for (int r = 0; r < d; r++) {
        UNROLL
        for (int k = 0; k < d; k++) {
            const T a = shown[r * d + k];
            UNROLL
            for (int s = 0; s < FN(slices_for)(d); s++)
                sum[s][r] += a * l->b[s][k];
        }
    }
    UNROLL
    for (int s = 0; s < FN(slices_for)(d); s++) {
        UNROLL
        for (int r = 0; r < d; r++)
            if (place[s] >= 0)
                p->sums[r * stride + place[s]] = sum[s][r];
    }
}

/* The same for entries whose columns may repeat: one lane after the other. */
DEVICE void FN(add_step_in_turn)(const FN(load) * l, const FN(team) * t, const FN(places) * p, int kind, const T *shown)
{
    for (int s = 0; s < FN(slices_for)(1); s++) {
        const int32_t place = l->block[s] >= 0 ? FN(place_of)(p, l->block[s], kind) : -1;
        for (int turn = 0; turn < t->width; turn++) {
            if (turn == t->lane && place >= 0)
                p->sums[place] += shown[0] * l->b[s][0];
            SYNC_WARP(t->mask);
        }
    }
}

/* Loads of the next step are under way while one is added. (Taking turns between two sets of registers saves the copies, but needs so many of them that
 * fewer teams run at once: slower for blocks of three.) */
DEVICE void FN(add_blocks)(const FN(places) * p, const FN(team) * t, int d, int kind, const struct spgemm_values *v,
                           int64_t row, T alpha, T *shown)
{
    const P *a_offsets = (const P *)v->o.s.a_offsets;
    const P a_begin = READ(&a_offsets[row]);
    FN(walk) w;
    w.e.count = w.at = 0;
    w.from = a_begin - t->width;
    w.last = READ(&a_offsets[row + 1]);
    const int32_t a_length = (int32_t)(w.last - a_begin) * d;
    FN(walk_on)(&w, t, d, v);
    if (w.done)
        return;
    FN(load)
    now = FN(load_step)(&w, t, d, a_begin, a_length, (const T *)v->o.a_values, (const I *)v->o.s.b_columns,
                        (const T *)v->o.b_values);
    while (!w.done) {
        FN(load) next = now;
        FN(step_on)(&w, t, d, v);
        if (!w.done)
            next = FN(load_step)(&w, t, d, a_begin, a_length, (const T *)v->o.a_values, (const I *)v->o.s.b_columns,
                                 (const T *)v->o.b_values);
        FN(show_block)(&now, t, d, alpha, shown);
        if (d == 1 && !v->ordered)
            FN(add_step_in_turn)(&now, t, p, kind, shown);
        else
            FN(add_step)(&now, p, d, kind, shown);
        now = next;
    }
}

DEVICE void FN(add_addend_blocks)(const FN(places) * p, const FN(team) * t, int d, int kind,
                                  const struct spgemm_values *v, int64_t row, T beta)
{
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    const P begin = d_offsets[row];
    const int32_t length = (int32_t)(d_offsets[row + 1] - begin) * d;
    const T *const values = (const T *)v->o.d_values + begin * d * d;
    const int together = d == 1 && !v->ordered ? 1 : t->width; /* columns that are known to differ */
    for (int32_t q = t->lane; t->lane < together && q < length; q += together) {
        const int32_t place = FN(place_of)(p, ((const I *)v->o.s.d_columns)[begin + q / d], kind);
        for (int r = 0; place >= 0 && r < d; r++)
            p->sums[(r * p->count + place) * d + q % d] += beta * values[r * length + q];
    }
}

/* The sums of `count` columns of blocks, which begin at `begin` in C's structure. */
DEVICE void FN(compute_blocks)(const struct spgemm_values *v, const FN(team) * t, unsigned char *shared, int d,
                               int kind, const FN(piece) * piece, int64_t begin, int64_t count)
{
    const T alpha = SCALAR(T, v->o.scalars.alpha), beta = SCALAR(T, v->o.scalars.beta);
    T *const shown = (T *)(shared + (int64_t)(t->number + 1) * v->team_bytes) - SPGEMM_MOST_BLOCK * SPGEMM_MOST_BLOCK;
    FN(places) p = FN(places_in)(v, t, shared, kind, begin, count, d * d);
    FN(make_places)(&p, t, kind, v->o.columns + begin);
    if (alpha != 0)
        FN(add_blocks)(&p, t, d, kind, v, piece->row, alpha, shown);
    FN(team_sync)(t);
    if (beta != 0 && v->o.s.d_offsets)
        FN(add_addend_blocks)(&p, t, d, kind, v, piece->row, beta);
    FN(team_sync)(t);
    const int64_t row_begin = v->o.offsets[piece->row], length = (piece->end - row_begin) * d;
    T *const out = (T *)v->o.values + row_begin * d * d + (begin - row_begin) * d;
    for (int r = 0; r < d; r++)
        for (int32_t q = t->rank; q < p.count * d; q += t->size)
            out[r * length + q] = p.sums[r * p.count * d + q];
    FN(team_sync)(t);
}

/* Teams have the lanes of a slice. */
DEVICE void FN(compute_rows_of_blocks)(const struct spgemm_values *v, unsigned char *shared, int d, int kind)
{
    const FN(team) t = FN(team_of)(SPGEMM_BLOCK_LANES, SPGEMM_BLOCK_LANES);
    const int64_t teams = THREADS / t.size;
    for (int64_t k = BLOCK * teams + t.number; k < v->list_count * v->pieces; k += BLOCKS * teams) {
        const FN(piece) piece = FN(piece_of)(v, k);
        for (int64_t at = piece.begin; at < piece.end; at += v->most * v->pieces)
            FN(compute_blocks)(v, &t, shared, d, kind, &piece, at, FN(length_of_chunk)(v, &piece, at));
    }
}

DEVICE void FN(compute_all_blocks)(const struct spgemm_values *v, unsigned char *shared, int d)
{
    if (v->kind == SPGEMM_WINDOW)
        FN(compute_rows_of_blocks)(v, shared, d, SPGEMM_WINDOW);
    else
        FN(compute_rows_of_blocks)(v, shared, d, SPGEMM_HASH);
}

KERNEL(spgemm_block1_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 1);
}

KERNEL(spgemm_block2_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 2);
}

KERNEL(spgemm_block3_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 3);
}

KERNEL(spgemm_block4_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 4);
}

KERNEL(spgemm_block5_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 5);
}

KERNEL(spgemm_block6_values, SPGEMM_BLOCK_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_all_blocks)(&args.v, shared, 6);
}
#endif
