/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_positions.h: positions of the columns of a row of C, and their sums, in the shared
 * memory of a team. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

#include "spgemm/kernels/spgemm_lookup.h"

typedef struct FN(positions) {
    spgemm_lookup lookup;
    T *sums; /* [sum_count], the same number per column */
    int32_t sum_count;
    const uint8_t *kept; /* kept: positions of the row's entries of D, then of its products */
} FN(positions);

/* Clears the sums and builds the lookup structure in the team's shared memory. */
DEVICE void FN(make_positions)(FN(positions) *p, const spgemm_team *t, int kind,
                               const int32_t *RESTRICT columns)
{
    for (int32_t i = t->rank; i < p->sum_count; i += t->size)
        p->sums[i] = 0;
    spgemm_make_lookup(&p->lookup, t, kind, columns);
    spgemm_team_sync(t);
}

/* Lays out the team's shared memory for `count` columns with `each` sums: the sums, then the
 * lookup structure, aligned to 8 bytes. If the row is spread, its sums are in C. */
DEVICE FN(positions) FN(positions_in)(const struct spgemm_values *v, const spgemm_team *t,
                                      unsigned char *shared, int kind, int64_t begin, int64_t count,
                                      int each)
{
    FN(positions) p;
    unsigned char *const mine = shared + (int64_t)t->number * v->layout.team_bytes;
    unsigned char *const finder = mine + (count * each * (int64_t)sizeof(T) + 7) / 8 * 8;
    p.lookup.count = (int32_t)count;
    p.sum_count = (int32_t)count * each;
    p.sums = kind == SPGEMM_SPREAD ? (T *)v->o.values + begin : (T *)mine;
    p.lookup.columns = (int32_t *)finder;
    p.lookup.links = p.lookup.columns + count;
    p.lookup.bits = (uint32_t *)(kind == SPGEMM_SPREAD ? mine : finder);
    p.lookup.nested = (uint32_t *)0;
    p.lookup.slots = (uint64_t *)finder;
    p.lookup.slot_count = v->layout.slots;
    p.lookup.shift = v->layout.shift;
    p.lookup.first_word = p.lookup.words = 0;
    p.kept = (const uint8_t *)0;
    return p;
}

/* A row, or every pieces-th of its chunks of `most` columns, if `pieces` teams share it. */
typedef struct FN(piece) {
    int64_t row, begin, end; /* of C: the first chunk, the end of the row */
} FN(piece);

DEVICE FN(piece) FN(piece_of)(const struct spgemm_values *v, int64_t k)
{
    FN(piece) p;
    p.row = spgemm_row_at(v->layout.list, v->layout.pieces == 1 ? k : k / v->layout.pieces);
    p.begin =
        v->o.offsets[p.row] + (v->layout.pieces == 1 ? 0 : k % v->layout.pieces * v->layout.most);
    p.end = v->o.offsets[p.row + 1];
    return p;
}

DEVICE int64_t FN(length_of_chunk)(const struct spgemm_values *v, const FN(piece) *p, int64_t index)
{
    return p->end - index < v->layout.most ? p->end - index : v->layout.most;
}
