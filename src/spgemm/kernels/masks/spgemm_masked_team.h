/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_masked_team.h: a team of threads meets the products of a row of op(A)*op(B), and D's
 * entries, with positions that are known: those of a mask, or of C. What is not among them is
 * dropped. Part of the templates of kernel files: read once per combination of types, without a
 * guard.
 *
 * The positions stand in a hash table in shared memory, or are searched where rows are too long for
 * one. Threads form parts of `width` lanes: a part walks one row of B at a time. */
#include "problem/semiring.h"

/* What a thread knows of its row. */
typedef struct FN(masked_row) {
    const struct spgemm_masked *m;
    int64_t begin, count; /* of the row's positions */
    const int32_t *columns;
    int32_t *keys, *places; /* the table: columns, -1 for none, and their numbers in the row */
    int rank;               /* of this thread in its team */
} FN(masked_row);

/* A team is a warp or a block. */
DEVICE void FN(masked_sync)(int team)
{
    if (team > LANES)
        SYNC();
    else
        SYNC_WARP(GROUP_MASK(LANES));
}

/* Fibonacci hashing: Knuth, volume 3, 6.4. */
DEVICE uint32_t FN(masked_slot)(const struct spgemm_masked *m, int32_t column)
{
    return (uint32_t)column * UINT32_C(2654435769) >> m->shift;
}

DEVICE void FN(masked_insert)(const FN(masked_row) *r, int32_t column, int32_t place)
{
    uint32_t slot = FN(masked_slot)(r->m, column);
    while (ATOMIC_CAS(&r->keys[slot], -1, column) != -1)
        slot = (slot + 1) & (uint32_t)(r->m->slots - 1);
    r->places[slot] = place;
}

/* The number of `column` among the row's positions; -1: it is not there. */
DEVICE int32_t FN(masked_place)(const FN(masked_row) *r, int32_t column)
{
    if (r->m->slots > 0) {
        uint32_t slot = FN(masked_slot)(r->m, column);
        while (r->keys[slot] != -1 && r->keys[slot] != column)
            slot = (slot + 1) & (uint32_t)(r->m->slots - 1);
        return r->keys[slot] == -1 ? -1 : r->places[slot];
    }
    int64_t low = 0, high = r->count;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (READ(&r->columns[middle]) <= column)
            low = middle;
        else
            high = middle;
    }
    return READ(&r->columns[low]) == column ? (int32_t)low : -1;
}

/* *to = "add"(*to, value). Integers are added in any order, other threads may do so at the same
 * time; floating-point numbers in the order of the walk, by one thread at a time. */
DEVICE void FN(masked_join)(T *to, T value, const int32_t semiring)
{
#ifdef INTEGER
    if (spl__semiring_is_min(semiring) || spl__semiring_is_max(semiring) ||
        semiring == SPL_OR_SECOND) {
        T seen = LOAD_VOLATILE(to);
        for (;;) {
            T joined = seen;
            SPL__SEMIRING_JOIN(semiring, joined, value);
            const T before = joined == seen ? seen : ATOMIC_CAS(to, seen, joined);
            if (before == seen)
                break;
            seen = before;
        }
    } else {
        ATOMIC_ADD(to, value);
    }
#else
    T sum = *to;
    SPL__SEMIRING_JOIN(semiring, sum, value);
    *to = sum;
#endif
}

/* Entry q of A meets entry r of B, in `column`. Values are only read where there is a position. */
DEVICE void FN(masked_meet)(const FN(masked_row) *r, int64_t a, int64_t b, int32_t column,
                            const bool adds)
{
    const struct spgemm_masked *m = r->m;
    const int32_t semiring = m->semiring, place = FN(masked_place)(r, column);
    if (place < 0)
        return;
    if (!adds) {
        ATOMIC_OR(&m->met[r->begin + place], 1);
        return;
    }
    T of_a = spl__semiring_reads_a(semiring) ? READ(&((const T *)m->o.a_values)[a]) : 0;
    const T of_b = spl__semiring_reads_b(semiring) ? READ(&((const T *)m->o.b_values)[b]) : 0;
    if (semiring == SPL_PLUS_TIMES)
        of_a = SPL__TIMES(SCALAR_OF_ANY(T, m->o.scalars.alpha), of_a);
    FN(masked_join)((T *)m->o.values + r->begin + place,
                    SPL__SEMIRING_PRODUCT(T, semiring, of_a, of_b), semiring);
}

/* Entries begin..end of a row, every `step`-th from number `first` on; a: the entry of A that they
 * are multiplied with, or -1: they are D's. Several loads overlap. */
DEVICE void FN(masked_walk)(const FN(masked_row) *r, int64_t a, int64_t begin, int64_t end,
                            int first, int step, const bool adds)
{
    const struct spgemm_masked *m = r->m;
    const I *RESTRICT columns = (const I *)(a < 0 ? m->o.s.d_columns : m->o.s.b_columns);
    for (int64_t p = begin + first; p < end; p += SPGEMM_MASKED_AT_ONCE * step) {
        I column[SPGEMM_MASKED_AT_ONCE];
        UNROLL for (int u = 0; u < SPGEMM_MASKED_AT_ONCE; u++)
        {
            column[u] = p + u * step < end ? READ(&columns[p + u * step]) : -1;
        }
        UNROLL for (int u = 0; u < SPGEMM_MASKED_AT_ONCE; u++)
        {
            if (column[u] < 0)
                continue;
            if (a >= 0) {
                FN(masked_meet)(r, a, p + u * step, column[u], adds);
                continue;
            }
            const int32_t place = FN(masked_place)(r, column[u]);
            if (place >= 0 && adds)
                FN(masked_join)((T *)m->o.values + r->begin + place,
                                SPL__TIMES(SCALAR_OF_ANY(T, m->o.scalars.beta),
                                           READ(&((const T *)m->o.d_values)[p + u * step])),
                                m->semiring);
            else if (place >= 0)
                ATOMIC_OR(&m->met[r->begin + place], 1);
        }
    }
}

/* The first entry that this thread takes of a row that a part walks. In order, entries whose
 * columns may be equal are left to one thread. */
DEVICE int FN(masked_first)(const struct spgemm_masked *m, int lane)
{
    return m->in_order && !m->ascending && lane > 0 ? INT32_MAX / 2 : lane;
}
DEVICE int FN(masked_step)(const struct spgemm_masked *m, int width)
{
    return m->in_order && !m->ascending ? 1 : width;
}

DEVICE void FN(masked_products)(const FN(masked_row) *r, int64_t row, const bool adds)
{
    const struct spgemm_masked *m = r->m;
    const P *RESTRICT a_offsets = (const P *)m->o.s.a_offsets;
    const P *RESTRICT b_offsets = (const P *)m->o.s.b_offsets;
    const I *RESTRICT a_columns = (const I *)m->o.s.a_columns;
    const int lane = r->rank % m->width;
    const int64_t end = READ(&a_offsets[row + 1]);
    for (int64_t a = READ(&a_offsets[row]) + r->rank / m->width; a < end; a += m->team / m->width) {
        const I k = READ(&a_columns[a]);
        FN(masked_walk)(r, a, READ(&b_offsets[k]), READ(&b_offsets[k + 1]),
                        FN(masked_first)(m, lane), FN(masked_step)(m, m->width), adds);
        if (m->in_order)
            SYNC_WARP(GROUP_MASK(LANES));
    }
}

DEVICE void FN(masked_entries)(const FN(masked_row) *r, int64_t row, const bool adds)
{
    const struct spgemm_masked *m = r->m;
    const P *RESTRICT d_offsets = (const P *)m->o.s.d_offsets;
    FN(masked_walk)(r, -1, READ(&d_offsets[row]), READ(&d_offsets[row + 1]),
                    FN(masked_first)(m, r->rank), FN(masked_step)(m, m->team), adds);
}

/* Puts the row's positions into its table, and what "add" makes of none into its values. */
DEVICE void FN(masked_begin)(const FN(masked_row) *r, const bool adds)
{
    const struct spgemm_masked *m = r->m;
    for (int64_t s = r->rank; s < m->slots; s += m->team)
        r->keys[s] = -1;
    FN(masked_sync)(m->team);
    for (int64_t p = r->rank; p < r->count; p += m->team) {
        if (adds)
            ((T *)m->o.values)[r->begin + p] = SPL__SEMIRING_NONE(T, m->semiring);
        if (m->slots > 0)
            FN(masked_insert)(r, READ(&r->columns[p]), (int32_t)p);
    }
    FN(masked_sync)(m->team);
}

/* Row number `k` of the list. */
DEVICE void FN(masked_compute)(const struct spgemm_masked *m, unsigned char *shared, int64_t k,
                               const bool adds)
{
    const int64_t row = READ(&m->list[k]), begin = READ(&m->o.offsets[row]);
    int32_t *const table = (int32_t *)shared + THREAD / m->team * 2 * m->slots;
    const FN(masked_row) r = {.m = m,
                              .begin = begin,
                              .count = READ(&m->o.offsets[row + 1]) - begin,
                              .columns = m->o.columns + begin,
                              .keys = table,
                              .places = table + m->slots,
                              .rank = THREAD % m->team};
    const bool multiplies =
        !adds || m->semiring != SPL_PLUS_TIMES || SCALAR_OF_ANY(T, m->o.scalars.alpha) != 0;
    FN(masked_begin)(&r, adds);
    if (multiplies)
        FN(masked_products)(&r, row, adds);
    if (!m->o.s.d_offsets || (adds && SCALAR_OF_ANY(T, m->o.scalars.beta) == 0))
        return;
    FN(masked_sync)(m->team);
    FN(masked_entries)(&r, row, adds);
}
