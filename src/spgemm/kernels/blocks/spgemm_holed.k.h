/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for operands in holed blocks (format/device_holed.h): masks of C's blocks from those
 * of A, B and D, C's structure from its masks, values in blocks, and values entry by entry for
 * numbers that must not be multiplied by a hole. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_HOLED_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_HOLED_K_H
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"
#include "spgemm/kernels/spgemm_structures.h"

enum { SPGEMM_HOLED_LANES = 32, SPGEMM_MASKS_THREADS = 128 };

struct spgemm_holed_rows {
    int64_t rows; /* of blocks */
    int32_t size;
    const int64_t *block_offsets;
    const int32_t *block_columns;
    const uint64_t *masks;
    int64_t *offsets; /* [rows*size+1] */
};
/* offsets[i] = length of row i */
struct spgemm_holed_lengths_args {
    struct spgemm_holed_rows x;
};
struct spgemm_holed_columns_args {
    struct spgemm_holed_rows x;
    int32_t *columns;
};

/* Computes all rows of C from the operands' own structures; does nothing if *wanted is zero. */
struct spgemm_exact_values_args {
    struct spgemm_operands o;
    const uint32_t *wanted;
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_positions.h"

#include "spgemm/kernels/blocks/spgemm_block_rows.h"

/* ---- masks ---- */

/* The mask of a product of two blocks. Row r of the result is the OR of the rows k of b for
 * which a has an entry (r, k): column k of a, one bit every `size` bits, times row k of b puts
 * that row into all rows at once. */
DEVICE uint64_t FN(mask_of_product)(uint64_t a, uint64_t b, int size, uint64_t column)
{
    const uint64_t row = ((uint64_t)1 << size) - 1;
    uint64_t mask = 0;
    for (int k = 0; k < size; k++)
        mask |= (a >> k & column) * (b >> (k * size) & row);
    return mask;
}

/* The bits of column 0 of a mask. */
DEVICE uint64_t FN(first_column)(int size)
{
    uint64_t column = 0;
    for (int r = 0; r < size; r++)
        column |= (uint64_t)1 << (r * size);
    return column;
}

/* A lane's columns of a row of B's blocks: two, whose masks are loaded together with those of
 * other rows; -1: none. */
typedef struct FN(mask_load) {
    int32_t column[2];
    uint64_t mask[2];
} FN(mask_load);

DEVICE FN(mask_load) FN(load_masks)(const spgemm_team *t, P begin, P length,
                                    const I *RESTRICT columns, const uint64_t *RESTRICT masks)
{
    FN(mask_load) l;
    UNROLL
    for (int i = 0; i < 2; i++) {
        const P q = t->lane + i * SPGEMM_HOLED_LANES;
        l.column[i] = q < length ? READ(&columns[begin + q]) : -1;
        l.mask[i] = q < length ? READ(&masks[begin + q]) : 0;
    }
    return l;
}

DEVICE void FN(add_mask)(const FN(positions) *p, int kind, int32_t column, uint64_t mask)
{
    const int32_t position = column >= 0 ? spgemm_position_of(&p->lookup, column, kind) : -1;
    if (position >= 0)
        ((uint64_t *)p->sums)[position] |= mask;
}

/* The columns of a row of B's blocks differ, so lanes do not collide. Loads of four rows
 * overlap. */
DEVICE void FN(add_masks)(const FN(positions) *p, const spgemm_team *t, int kind,
                          const struct spgemm_values *v, int64_t row)
{
    const FN(factors) f = FN(structures_of)(&v->o.s);
    const uint64_t *a_masks = (const uint64_t *)v->o.a_values,
                   *b_masks = (const uint64_t *)v->o.b_values;
    const int size = v->m.size;
    const uint64_t column = FN(first_column)(size);
    const P last = READ(&f.a.offsets[row + 1]);
    for (P from = READ(&f.a.offsets[row]); from < last; from += t->width) {
        const FN(entries) e = FN(entries_from)(t, &f, from, last);
        const uint64_t mask_of_lane = from + t->lane < last ? READ(&a_masks[from + t->lane]) : 0;
        for (int index = 0; index < e.count; index += SPGEMM_AT_ONCE) {
            const FN(rows_at_once) rows = FN(rows_from)(t, &f, &e, index);
            FN(mask_load) l[SPGEMM_AT_ONCE];
            UNROLL
            for (int u = 0; u < SPGEMM_AT_ONCE; u++)
                l[u] = FN(load_masks)(t, rows.begin[u], rows.length[u], f.b.columns, b_masks);
            UNROLL
            for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
                const uint64_t a = SHUFFLE(t->mask, mask_of_lane, t->base + (index + u) % t->width);
                for (int i = 0; i < 2 && i * SPGEMM_HOLED_LANES < rows.length[u]; i++)
                    FN(add_mask)(p, kind, l[u].column[i],
                                 FN(mask_of_product)(a, l[u].mask[i], size, column));
                for (P q = t->lane + 2 * SPGEMM_HOLED_LANES; q < rows.length[u]; q += t->width)
                    FN(add_mask)(
                        p, kind, READ(&f.b.columns[rows.begin[u] + q]),
                        FN(mask_of_product)(a, READ(&b_masks[rows.begin[u] + q]), size, column));
                SYNC_WARP(t->mask);
            }
        }
    }
}

DEVICE void FN(add_addend_masks)(const FN(positions) *p, const spgemm_team *t, int kind,
                                 const struct spgemm_values *v, int64_t row)
{
    const P *d_offsets = (const P *)v->o.s.d_offsets;
    for (P q = d_offsets[row] + t->lane; q < d_offsets[row + 1]; q += t->width) {
        const int32_t position =
            spgemm_position_of(&p->lookup, ((const I *)v->o.s.d_columns)[q], kind);
        if (position >= 0)
            ((uint64_t *)p->sums)[position] |= ((const uint64_t *)v->o.d_values)[q];
    }
}

/* Computes the masks of `count` blocks from `begin` on. */
DEVICE void FN(find_masks)(const struct spgemm_values *v, const spgemm_team *t,
                           unsigned char *shared, int kind, int64_t row, int64_t begin,
                           int64_t count)
{
    FN(positions) p =
        FN(positions_in)(v, t, shared, kind, begin, count, (int)(sizeof(uint64_t) / sizeof(T)));
    FN(make_positions)(&p, t, kind, v->o.columns + begin);
    FN(add_masks)(&p, t, kind, v, row);
    if (v->o.s.d_offsets)
        FN(add_addend_masks)(&p, t, kind, v, row);
    spgemm_team_sync(t);
    for (int32_t q = t->rank; q < p.lookup.count; q += t->size)
        ((uint64_t *)v->o.values)[begin + q] = ((uint64_t *)p.sums)[q];
    spgemm_team_sync(t);
}

DEVICE void FN(find_all_masks)(const struct spgemm_values *v, unsigned char *shared, int kind)
{
    const spgemm_team t = spgemm_team_of(SPGEMM_HOLED_LANES, SPGEMM_HOLED_LANES);
    const int64_t teams = THREADS / t.size;
    for (int64_t k = BLOCK * teams + t.number; k < v->layout.list_count * v->layout.pieces;
         k += BLOCKS * teams) {
        const FN(piece) piece = FN(piece_of)(v, k);
        for (int64_t index = piece.begin; index < piece.end;
             index += v->layout.most * v->layout.pieces)
            FN(find_masks)(v, &t, shared, kind, piece.row, index,
                           FN(length_of_chunk)(v, &piece, index));
    }
}

/* The values are masks. */
KERNEL_OF(struct spgemm_values, spgemm_masks, SPGEMM_MASKS_THREADS, v)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    if (v.layout.kind == SPGEMM_WINDOW)
        FN(find_all_masks)(&v, shared, SPGEMM_WINDOW);
    else
        FN(find_all_masks)(&v, shared, SPGEMM_HASH);
}

/* ---- C's own structure ---- */

KERNEL(spgemm_holed_lengths, SPGEMM_ROWS_THREADS, args)
{
    const int size = args.x.size;
    const uint64_t bits = ((uint64_t)1 << size) - 1;
    const int64_t teams = THREADS / SPGEMM_HOLED_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_HOLED_LANES; row < args.x.rows;
         row += BLOCKS * teams)
        for (int r = 0; r < size; r++) {
            int64_t length = 0;
            for (int64_t q = args.x.block_offsets[row] + LANE % SPGEMM_HOLED_LANES;
                 q < args.x.block_offsets[row + 1]; q += SPGEMM_HOLED_LANES)
                length += POPCOUNT((uint32_t)(READ(&args.x.masks[q]) >> (r * size) & bits));
            for (int x = SPGEMM_HOLED_LANES / 2; x > 0; x /= 2)
                length += SHUFFLE_XOR(GROUP_MASK(SPGEMM_HOLED_LANES), length, x);
            if (LANE % SPGEMM_HOLED_LANES == 0)
                args.x.offsets[row * size + r] = length;
        }
}

DEVICE void FN(note_columns)(const struct spgemm_holed_columns_args *args, int64_t row, int r,
                             const int32_t *RESTRICT blocks, const uint64_t *RESTRICT masks,
                             int32_t positions)
{
    const int size = args->x.size;
    int64_t to = args->x.offsets[row * size + r];
    holed_slot m = holed_first_slot(size);
    for (int32_t base = 0; base < positions; base += HOLED_LANES, holed_next_slot(&m, size)) {
        int all;
        const bool entry = holed_is_entry(&m, masks, positions, r, size);
        const int rank = holed_rank(entry, &all);
        if (entry)
            args->columns[to + rank] = READ(&blocks[m.block]) * size + m.offset;
        to += all;
    }
}

KERNEL(spgemm_holed_columns, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_HOLED_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_HOLED_LANES; row < args.x.rows;
         row += BLOCKS * teams) {
        const int64_t begin = args.x.block_offsets[row];
        const int32_t positions = (int32_t)(args.x.block_offsets[row + 1] - begin) * args.x.size;
        for (int r = 0; r < args.x.size; r++)
            FN(note_columns)(&args, row, r, args.x.block_columns + begin, args.x.masks + begin,
                             positions);
    }
}

/* ---- values ---- */

#define SPGEMM_HOLED_VALUES(size)                                                                  \
    KERNEL_OF(struct spgemm_values, spgemm_holed##size##_values, SPGEMM_BLOCK_THREADS, v)          \
    {                                                                                              \
        SHARED_AT_LAUNCH(unsigned char, shared);                                                   \
        FN(compute_all_blocks)(&v, shared, size, true);                                            \
    }
EACH_BLOCK_SIZE(SPGEMM_HOLED_VALUES)
#undef SPGEMM_HOLED_VALUES

/* ---- values, entry by entry ---- */

/* The row of C in which columns are searched. */
typedef struct FN(exact_row) {
    const int32_t *columns;
    T *values;
    int64_t length;
} FN(exact_row);

/* The value of a column that the row has. */
DEVICE T *FN(exact_position)(const FN(exact_row) *c, int32_t column)
{
    int64_t low = 0;
    for (int64_t remaining = c->length; remaining > 1;) {
        const int64_t half = remaining / 2;
        low += c->columns[low + half] <= column ? half : 0;
        remaining -= half;
    }
    return &c->values[low];
}

/* Adds a row of B or D, whose columns differ. */
DEVICE void FN(add_exactly)(const FN(exact_row) *c, T scale, P begin, P end,
                            const I *RESTRICT columns, const T *RESTRICT values)
{
    for (P q = begin + LANE % SPGEMM_HOLED_LANES; q < end; q += SPGEMM_HOLED_LANES)
        *FN(exact_position)(c, READ(&columns[q])) += scale * READ(&values[q]);
    SYNC_WARP(GROUP_MASK(SPGEMM_HOLED_LANES));
}

DEVICE void FN(compute_exactly)(const struct spgemm_operands *o, int64_t row)
{
    const T alpha = SCALAR(T, o->scalars.alpha), beta = SCALAR(T, o->scalars.beta);
    const P *a = (const P *)o->s.a_offsets, *b = (const P *)o->s.b_offsets,
            *d = (const P *)o->s.d_offsets;
    const int64_t begin = o->offsets[row];
    const FN(exact_row) c = {o->columns + begin, (T *)o->values + begin,
                             o->offsets[row + 1] - begin};
    for (int64_t q = LANE % SPGEMM_HOLED_LANES; q < c.length; q += SPGEMM_HOLED_LANES)
        c.values[q] = 0;
    SYNC_WARP(GROUP_MASK(SPGEMM_HOLED_LANES));
    for (P p = a[row]; alpha != 0 && p < a[row + 1]; p++) {
        const I k = ((const I *)o->s.a_columns)[p];
        FN(add_exactly)(&c, alpha * ((const T *)o->a_values)[p], b[k], b[k + 1],
                        (const I *)o->s.b_columns, (const T *)o->b_values);
    }
    if (beta != 0 && d)
        FN(add_exactly)(&c, beta, d[row], d[row + 1], (const I *)o->s.d_columns,
                        (const T *)o->d_values);
}

KERNEL(spgemm_exact_values, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_HOLED_LANES;
    if (READ(args.wanted) == 0)
        return;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_HOLED_LANES; row < args.o.s.rows;
         row += BLOCKS * teams)
        FN(compute_exactly)(&args.o, row);
}
#endif
