/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_chains.h: positions of columns by a chained hash table: a slot holds the position of a
 * column that hashes there, and links lead to the next ones of the slot. Part of the template of
 * spgemm_values.k.h. */

/* The heads of chains follow the links: one position per slot, -1: none. */
DEVICE int32_t *FN(heads_of)(const FN(positions) *p)
{
    return p->links + p->count;
}

DEVICE uint32_t FN(chain_of)(const FN(positions) *p, int32_t column)
{
    return ((uint32_t)column * 2654435761u) >> p->shift;
}

DEVICE int32_t FN(position_in_chain)(const FN(positions) *p, int32_t column)
{
    int32_t position = FN(heads_of)(p)[FN(chain_of)(p, column)];
    while (position >= 0 && p->columns[position] != column)
        position = p->links[position];
    return position;
}

/* Makes each column the head of its chain. The order of insertions does not affect lookups. */
DEVICE void FN(make_chains)(const FN(positions) *p, const FN(team) *t,
                            const int32_t *RESTRICT columns)
{
    int32_t *const heads = FN(heads_of)(p);
    for (int64_t slot = t->rank; slot < p->slot_count; slot += t->size)
        heads[slot] = -1;
    FN(team_sync)(t);
    for (int32_t i = t->rank; i < p->count; i += t->size) {
        p->columns[i] = columns[i];
        p->links[i] = ATOMIC_EXCHANGE(&heads[FN(chain_of)(p, columns[i])], i);
    }
}
