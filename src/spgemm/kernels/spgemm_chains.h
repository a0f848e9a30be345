/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_chains.h: positions of columns by a chained hash table: a slot holds the position of a
 * column that hashes there, and links lead to the next ones of the slot. Part of spgemm_lookup.h.
 */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_CHAINS_H
#define SPL_SPGEMM_KERNELS_SPGEMM_CHAINS_H

/* The heads of chains follow the links: one position per slot, -1: none. */
DEVICE int32_t *spgemm_heads_of(const spgemm_lookup *p)
{
    return p->links + p->count;
}

DEVICE uint32_t spgemm_chain_of(const spgemm_lookup *p, int32_t column)
{
    return ((uint32_t)column * 2654435761u) >> p->shift;
}

DEVICE int32_t spgemm_position_in_chain(const spgemm_lookup *p, int32_t column)
{
    int32_t position = spgemm_heads_of(p)[spgemm_chain_of(p, column)];
    while (position >= 0 && p->columns[position] != column)
        position = p->links[position];
    return position;
}

/* Makes each column the head of its chain. The order of insertions does not affect lookups. */
DEVICE void spgemm_make_chains(const spgemm_lookup *p, const spgemm_team *t,
                               const int32_t *RESTRICT columns)
{
    int32_t *const heads = spgemm_heads_of(p);
    for (int64_t slot = t->rank; slot < p->slot_count; slot += t->size)
        heads[slot] = -1;
    spgemm_team_sync(t);
    for (int32_t i = t->rank; i < p->count; i += t->size) {
        p->columns[i] = columns[i];
        p->links[i] = ATOMIC_EXCHANGE(&heads[spgemm_chain_of(p, columns[i])], i);
    }
}

#endif
