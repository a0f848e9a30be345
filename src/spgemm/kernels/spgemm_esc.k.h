/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the values of short rows of C = alpha*A*B + beta*D by expanding, sorting and
 * compressing their products in registers. The columns of a row are those of its products and of
 * D, so the n-th distinct column of the sort is the n-th of the row. Terms of a sum keep their
 * order: A's and B's entries, then D's. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_ESC_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_ESC_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* Keys in registers: a column, and below it the number of a product; SPGEMM_KEYS per lane. */
enum { SPGEMM_NUMBER_BITS = 7, SPGEMM_KEY_COLUMNS = (1 << (31 - SPGEMM_NUMBER_BITS)) - 1 };
/* Rows of at most SPGEMM_KEYS products per lane of a team. */
struct spgemm_esc_lanes_args {
    struct spgemm_operands o;
    const uint32_t *list;
    int64_t list_count;
    int32_t team;
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_keys.h"

#include "spgemm/kernels/spgemm_pieces.h"

/* Fills the part's keys and terms from number `taken` on. */
DEVICE void FN(take_terms)(spgemm_keys *k, const spgemm_team *t, P taken, const FN(piece) *p,
                           T *RESTRICT terms)
{
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int number = u * t->width + t->lane;
        const P index = number - taken;
        if (index >= 0 && index < p->length) {
            k->key[u] = READ(&p->columns[p->begin + index]) << SPGEMM_NUMBER_BITS | number;
            terms[number] = FN(term_at)(p, index);
        }
    }
}

/* Expand. */
DEVICE spgemm_keys FN(expand_row)(const struct spgemm_operands *o, const spgemm_team *t,
                                  int64_t row, T *RESTRICT terms)
{
    FN(factors) f = FN(factors_of)(o);
    const P last = READ(&f.a.offsets[row + 1]);
    spgemm_keys k;
    FN(piece) p = FN(empty_piece)(o);
    P taken = 0;
    f.valued = f.alpha != 0;
    for (int u = 0; u < SPGEMM_KEYS; u++)
        k.key[u] = INT32_MAX;
    for (P first = READ(&f.a.offsets[row]); first < last; first += t->width) {
        const FN(entries) e = FN(entries_from)(t, &f, first, last);
        for (int i = 0; i < e.count; i++) {
            p.begin = SHUFFLE(t->mask, e.begin, t->base + i);
            p.length = SHUFFLE(t->mask, e.length, t->base + i);
            p.scale = SHUFFLE(t->mask, e.value, t->base + i);
            FN(take_terms)(&k, t, taken, &p, terms);
            taken += p.length;
        }
    }
    if (o->s.d_offsets) {
        p = FN(piece_of_addend)(o, row);
        FN(take_terms)(&k, t, taken, &p, terms);
    }
    return k;
}

/* Compress: the first key of a column adds up its terms. */
DEVICE void FN(compress_row)(const spgemm_keys *k, const spgemm_team *t, int32_t *sorted,
                             const T *terms, T *RESTRICT out)
{
    const lane_mask lower_lanes = ((lane_mask)1 << LANE) - 1;
    const int most = SPGEMM_KEYS * t->width;
    int count = 0;
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++)
        sorted[u * t->width + t->lane] = k->key[u];
    SYNC_WARP(t->mask);
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int number = u * t->width + t->lane, column = k->key[u] >> SPGEMM_NUMBER_BITS;
        const bool is_first = k->key[u] != INT32_MAX &&
                              (number == 0 || sorted[number - 1] >> SPGEMM_NUMBER_BITS != column);
        const lane_mask found = BALLOT(t->mask, is_first);
        T sum = 0;
        for (int i = number; is_first && i < most && sorted[i] >> SPGEMM_NUMBER_BITS == column; i++)
            sum += terms[sorted[i] & (most - 1)];
        if (is_first)
            out[count + POPCOUNT(found & lower_lanes)] = sum;
        count += POPCOUNT(found);
    }
    SYNC_WARP(t->mask);
}

/* `width`, of a team, is a compile-time constant in all callers. */
DEVICE void FN(compute_in_lanes)(const struct spgemm_esc_lanes_args *args, int width, int32_t *keys,
                                 T *terms)
{
    const spgemm_team t = spgemm_team_of(width, width);
    const int64_t teams = THREADS / width;
    const int first_key = t.number * SPGEMM_KEYS * width;
    for (int64_t k = BLOCK * teams + t.number; k < args->list_count; k += BLOCKS * teams) {
        const int64_t row = spgemm_row_at(args->list, k);
        spgemm_keys sorted = FN(expand_row)(&args->o, &t, row, terms + first_key);
        spgemm_sort_keys(&sorted, &t);
        FN(compress_row)(&sorted, &t, keys + first_key, terms + first_key,
                         (T *)args->o.values + args->o.offsets[row]);
    }
}

KERNEL(spgemm_esc_lanes, SPGEMM_ROWS_THREADS, args)
{
    SHARED(int32_t, keys, SPGEMM_ROWS_THREADS * SPGEMM_KEYS);
    SHARED(T, terms, SPGEMM_ROWS_THREADS * SPGEMM_KEYS);
    if (args.team == 4)
        FN(compute_in_lanes)(&args, 4, keys, terms);
    else if (args.team == 8)
        FN(compute_in_lanes)(&args, 8, keys, terms);
    else if (args.team == 16)
        FN(compute_in_lanes)(&args, 16, keys, terms);
    else
        FN(compute_in_lanes)(&args, 32, keys, terms);
}
#endif
