/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_block_rows.h: values of rows of C's node blocks (spgemm_blocks.k.h) and holed blocks
 * (spgemm_holed.k.h). Each form has its own kernels, because common ones would need more
 * registers. Part of the templates of kernel files: read once per combination of types, without
 * a guard, after spgemm_positions.h. */

#include "format/holed_row.h"
#include "spgemm/kernels/blocks/spgemm_steps.h"

enum { FN(MOST_SLICES) = 4 };

/* Number of slices (32 columns of a row of B, one per lane) that are loaded together: as many as
 * registers hold. */
DEVICE int FN(slices_for)(int d)
{
    return d <= 2 ? FN(MOST_SLICES) : d == 3 ? 3 : 2;
}

/* What a lane loads in one step: a column of B's blocks in each slice, and one or two entries of
 * A's block at the begin of a block. */
typedef struct FN(load) {
    /* column of blocks (-1: none); column within the block */
    int32_t block[FN(MOST_SLICES)], offset[FN(MOST_SLICES)];
    T b[FN(MOST_SLICES)][SPGEMM_MOST_BLOCK];
    FN(of_a) a;
} FN(load);

/* A row of A's blocks: its begin, and its columns. The values of row r of a row of blocks are
 * `length` consecutive numbers, after those of row r-1. */
typedef struct FN(block_row) {
    P begin;
    int32_t length;
} FN(block_row);

/* Lanes beyond the last column load the last one again, which is cheaper than a branch. */
DEVICE FN(load) FN(load_step)(const FN(walk) *w, const spgemm_team *t, int d,
                              const FN(block_row) *a)
{
    FN(load) l;
    l.a.loaded = w->column == 0;
    l.a.value[0] = l.a.value[1] = 0;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const int index = t->lane + i * SPGEMM_BLOCK_LANES;
        if (l.a.loaded && index < d * d)
            l.a.value[i] = READ(&w->f->a.values[a->begin * d * d + index / d * a->length +
                                                (w->from + w->index - a->begin) * d + index % d]);
    }
    UNROLL
    for (int s = 0; s < FN(slices_for)(d); s++) {
        const int32_t q = w->column + s * SPGEMM_BLOCK_LANES + t->lane, last = w->length - 1,
                      index = q < last ? q : last;
        const int32_t block = READ(&w->f->b.columns[w->begin + index / d]);
        l.block[s] = q <= last ? block : -1;
        l.offset[s] = index % d;
        UNROLL
        for (int k = 0; k < d; k++)
            l.b[s][k] = READ(&w->f->b.values[w->begin * d * d + k * w->length + index]);
    }
    return l;
}

/* Adds A's block times the lane's columns of B. Their columns in C differ from all others that
 * the team adds to at the same time. All sums are loaded before the first is stored, to overlap
 * the latencies; lanes without a column compute with zeros. */
DEVICE void FN(add_step)(const FN(load) *l, const FN(positions) *p, int d, int kind, const T *shown)
{
    const int32_t stride = p->lookup.count * d;
    int32_t position[FN(MOST_SLICES)];
    T sum[FN(MOST_SLICES)][SPGEMM_MOST_BLOCK];
    UNROLL
    for (int s = 0; s < FN(slices_for)(d); s++) {
        position[s] = l->block[s] >= 0 ? spgemm_position_of(&p->lookup, l->block[s], kind) : -1;
        position[s] = position[s] >= 0 ? position[s] * d + l->offset[s] : -1;
        UNROLL
        for (int r = 0; r < d; r++)
            sum[s][r] = position[s] >= 0 ? p->sums[r * stride + position[s]] : (T)0;
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
            if (position[s] >= 0)
                p->sums[r * stride + position[s]] = sum[s][r];
    }
}

/* The same for entries whose columns may repeat: lanes take turns. */
DEVICE void FN(add_step_in_turn)(const FN(load) *l, const spgemm_team *t, const FN(positions) *p,
                                 int kind, const T *shown)
{
    for (int s = 0; s < FN(slices_for)(1); s++) {
        const int32_t position =
            l->block[s] >= 0 ? spgemm_position_of(&p->lookup, l->block[s], kind) : -1;
        for (int turn = 0; turn < t->width; turn++) {
            if (turn == t->lane && position >= 0)
                p->sums[position] += shown[0] * l->b[s][0];
            SYNC_WARP(t->mask);
        }
    }
}

/* Loads of the next step overlap the additions of the current one. (Double buffering with two
 * sets of registers saves copies, but occupancy falls: slower for blocks of three.) */
DEVICE void FN(add_blocks)(const FN(positions) *p, const spgemm_team *t, int d, int kind,
                           const struct spgemm_values *v, int64_t row, T *shown)
{
    FN(factors) f = FN(factors_of)(&v->o);
    f.valued = false; /* values are those of blocks */
    FN(walk) w = FN(walk_from)(&f, t, row, d);
    const FN(block_row) a = {w.from + t->width, (int32_t)(w.last - (w.from + t->width)) * d};
    FN(walk_on)(&w, t);
    if (w.done)
        return;
    FN(load) now = FN(load_step)(&w, t, d, &a);
    while (!w.done) {
        FN(load) next = now;
        w.column += FN(slices_for)(d) * SPGEMM_BLOCK_LANES;
        if (w.column >= w.length)
            FN(walk_on)(&w, t);
        if (!w.done)
            next = FN(load_step)(&w, t, d, &a);
        FN(show)(&now.a, t, d * d, f.alpha, shown);
        if (d == 1 && !v->ordered)
            FN(add_step_in_turn)(&now, t, p, kind, shown);
        else
            FN(add_step)(&now, p, d, kind, shown);
        now = next;
    }
}

DEVICE void FN(add_addend_blocks)(const FN(positions) *p, const spgemm_team *t, int d, int kind,
                                  const struct spgemm_values *v, int64_t row, T beta)
{
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    const P begin = d_offsets[row];
    const int32_t length = (int32_t)(d_offsets[row + 1] - begin) * d;
    const T *const values = (const T *)v->o.d_values + begin * d * d;
    /* lanes whose columns are known to differ */
    const int adders = d == 1 && !v->ordered ? 1 : t->width;
    for (int32_t q = t->lane; t->lane < adders && q < length; q += adders) {
        const int32_t position =
            spgemm_position_of(&p->lookup, ((const I *)v->o.s.d_columns)[begin + q / d], kind);
        for (int r = 0; position >= 0 && r < d; r++)
            p->sums[(r * p->lookup.count + position) * d + q % d] += beta * values[r * length + q];
    }
}

/* Stores the sums of `count` columns of blocks from `begin` on, all of which are entries of C;
 * and their columns, if requested: this overlaps the rest. */
DEVICE void FN(store_positions)(const struct spgemm_values *v, const spgemm_team *t,
                                const FN(positions) *p, int d, const FN(piece) *piece,
                                int64_t begin)
{
    const int64_t row_begin = v->o.offsets[piece->row], length = (piece->end - row_begin) * d;
    T *const out = (T *)v->o.values + row_begin * d * d + (begin - row_begin) * d;
    for (int r = 0; r < d; r++)
        for (int32_t q = t->rank; q < p->lookup.count * d; q += t->size)
            out[r * length + q] = p->sums[r * p->lookup.count * d + q];
    if (!v->expanded)
        return;
    int32_t *const columns = v->expanded + row_begin * d * d + (begin - row_begin) * d;
    for (int32_t q = t->rank; q < p->lookup.count * d; q += t->size) {
        const int32_t column = READ(&v->o.columns[begin + q / d]) * d + q % d;
        for (int r = 0; r < d; r++)
            columns[r * length + q] = column;
    }
}

/* The number of entries in row r of C's blocks before block `begin` of the row of blocks that
 * starts at `row_begin`. */
DEVICE int64_t FN(entries_before)(const uint64_t *RESTRICT masks, const spgemm_team *t, int r,
                                  int d, int64_t row_begin, int64_t begin)
{
    int64_t entries = 0;
    for (int64_t q = row_begin + t->lane; q < begin; q += t->width)
        entries += POPCOUNT((uint32_t)(READ(&masks[q]) >> (r * d)) & ((1u << d) - 1));
    for (int x = t->width / 2; x > 0; x /= 2)
        entries += SHUFFLE_XOR(t->mask, entries, x);
    return entries;
}

/* Stores the sums of `count` columns of blocks from `begin` on, except those in holes. */
DEVICE void FN(store_entries)(const struct spgemm_values *v, const spgemm_team *t,
                              const FN(positions) *p, int d, int64_t row, int64_t begin)
{
    const int32_t positions = p->lookup.count * d;
    const holed_slot first = holed_first_slot(d);
    for (int r = 0; r < d; r++) {
        holed_slot m = first;
        int64_t to = v->m.offsets[row * d + r] +
                     FN(entries_before)(v->m.masks, t, r, d, v->o.offsets[row], begin);
        for (int32_t base = 0; base < positions; base += HOLED_LANES, holed_next_slot(&m, d)) {
            int all;
            const bool entry = holed_is_entry(&m, v->m.masks + begin, positions, r, d);
            const int rank = holed_rank(entry, &all);
            if (entry)
                ((T *)v->o.values)[to + rank] = p->sums[r * positions + m.q];
            to += all;
        }
    }
}

/* Computes a chunk of columns of blocks from `begin` on in C's structure. */
DEVICE void FN(compute_blocks)(const struct spgemm_values *v, const spgemm_team *t,
                               unsigned char *shared, int d, int kind, bool holed,
                               const FN(piece) *piece, int64_t begin)
{
    const int64_t count = FN(length_of_chunk)(v, piece, begin);
    const T alpha = SCALAR(T, v->o.scalars.alpha), beta = SCALAR(T, v->o.scalars.beta);
    T *const shown = (T *)(shared + (int64_t)(t->number + 1) * v->layout.team_bytes) -
                     SPGEMM_MOST_BLOCK * SPGEMM_MOST_BLOCK;
    FN(positions) p = FN(positions_in)(v, t, shared, kind, begin, count, d * d);
    FN(make_positions)(&p, t, kind, v->o.columns + begin);
    if (alpha != 0)
        FN(add_blocks)(&p, t, d, kind, v, piece->row, shown);
    spgemm_team_sync(t);
    if (beta != 0 && v->o.s.d_offsets)
        FN(add_addend_blocks)(&p, t, d, kind, v, piece->row, beta);
    spgemm_team_sync(t);
    if (holed)
        FN(store_entries)(v, t, &p, d, piece->row, begin);
    else
        FN(store_positions)(v, t, &p, d, piece, begin);
    spgemm_team_sync(t);
}

/* A team has as many lanes as a slice has columns. */
DEVICE void FN(compute_rows_of_blocks)(const struct spgemm_values *v, unsigned char *shared, int d,
                                       int kind, bool holed)
{
    const spgemm_team t = spgemm_team_of(SPGEMM_BLOCK_LANES, SPGEMM_BLOCK_LANES);
    const int64_t teams = THREADS / t.size;
    for (int64_t k = BLOCK * teams + t.number; k < v->layout.list_count * v->layout.pieces;
         k += BLOCKS * teams) {
        const FN(piece) piece = FN(piece_of)(v, k);
        for (int64_t index = piece.begin; index < piece.end;
             index += v->layout.most * v->layout.pieces)
            FN(compute_blocks)(v, &t, shared, d, kind, holed, &piece, index);
    }
}

/* d and holed are compile-time constants in all callers. holed: C has holed blocks. */
DEVICE void FN(compute_all_blocks)(const struct spgemm_values *v, unsigned char *shared, int d,
                                   bool holed)
{
    if (v->layout.kind == SPGEMM_WINDOW)
        FN(compute_rows_of_blocks)(v, shared, d, SPGEMM_WINDOW, holed);
    else
        FN(compute_rows_of_blocks)(v, shared, d, SPGEMM_HASH, holed);
}
