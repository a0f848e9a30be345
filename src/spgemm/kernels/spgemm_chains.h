/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_chains.h: places of columns by a hash table with chains: a slot leads to the place of a
 * column that hashes there, from which links lead to the next ones of its slot. Part of the
 * template of spgemm_values.k.h. */

/* Heads of chains lie behind the links: per slot a place, -1: none. */
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

/* Each column becomes the head of its chain: in which order, makes no difference to
 * what is found. */
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
