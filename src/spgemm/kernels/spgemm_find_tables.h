/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_find_tables.h: rows of C found in hash tables of words, which are sorted afterwards. Part
 * of the templates of spgemm_find.k.h. */

/* Moves the words of the table to its begin, in any order. *count, shared and initially zero,
 * becomes their number. The team may have more threads than the table has slots: in a joint
 * launch every team is as wide as the widest. */
DEVICE void FN(gather_words)(const FN(team) *t, const FN(set) *set, int32_t *count)
{
    for (int64_t start = 0; start < set->slots; start += t->size) {
        const bool valid = start + t->rank < set->slots;
        const int32_t word = valid ? set->keys[start + t->rank] : -1;
        const uint32_t bits = valid ? set->bits[start + t->rank] : 0;
        const lane_mask found = BALLOT(t->mask, word != -1),
                        lower_lanes = ((lane_mask)1 << LANE) - 1;
        int32_t index = 0;
        if (t->lane == 0)
            index = ATOMIC_ADD(count, POPCOUNT(found));
        index = SHUFFLE(t->mask, index, t->base) + POPCOUNT(found & lower_lanes);
        FN(team_sync)(t); /* writes stay within slots that have been read: index < start + size */
        if (word != -1) {
            set->keys[index] = word;
            set->bits[index] = bits;
        }
    }
    FN(team_sync)(t);
}

/* Sorts the first `count` words with a bitonic network in which every comparison puts the
 * smaller word first, so that missing words up to a power of two count as infinite. */
DEVICE void FN(sort_words)(const FN(team) *t, const FN(set) *set, int32_t count)
{
    for (int32_t size = 2; size / 2 < count; size *= 2)
        for (int32_t step = size / 2; step > 0; step /= 2) {
            for (int32_t i = t->rank;; i += t->size) {
                const int32_t low = (i & ~(step - 1)) * 2 + (i & (step - 1));
                const int32_t high =
                    step == size / 2 ? low + 2 * (step - (i & (step - 1))) - 1 : low + step;
                if (low >= count)
                    break;
                if (high < count && set->keys[low] > set->keys[high]) {
                    const int32_t word = set->keys[low];
                    const uint32_t bits = set->bits[low];
                    set->keys[low] = set->keys[high];
                    set->bits[low] = set->bits[high];
                    set->keys[high] = word;
                    set->bits[high] = bits;
                }
            }
            FN(team_sync)(t);
        }
}

/* Clears the table and *count. */
DEVICE void FN(clear_table)(const FN(team) *t, const FN(set) *set, int32_t *count)
{
    for (int64_t slot = t->rank; slot < set->slots; slot += t->size) {
        set->keys[slot] = -1;
        set->bits[slot] = 0;
    }
    if (t->rank == 0)
        *count = 0;
    FN(team_sync)(t);
}

/* Writes the columns of the table's words. *count must be zero. */
DEVICE void FN(write_table)(const struct spgemm_find *f, const FN(team) *t, int64_t row,
                            FN(set) *set, int32_t *counts, int32_t *count, int64_t *position)
{
    FN(gather_words)(t, set, count);
    set->words = *count;
    if (!f->unsorted)
        FN(sort_words)(t, set, set->words);
    FN(write_set)(f, t, row, set, SPGEMM_HASH, 0, !f->columns, counts, position);
}

DEVICE void FN(find_in_table)(const struct spgemm_find *f, const FN(team) *t, int64_t row,
                              FN(set) *set, int32_t *counts, int32_t *count, int64_t *position)
{
    FN(clear_table)(t, set, count);
    FN(insert_row)(set, t, SPGEMM_HASH, f, row);
    FN(team_sync)(t);
    FN(write_table)(f, t, row, set, counts, count, position);
}

/* Inserts the row; lists it as overflowed if the table does not hold it. */
DEVICE void FN(attempt_row)(const struct spgemm_find *f, const FN(team) *t, int64_t row,
                            FN(set) *set, int32_t *counts, int32_t *count, int64_t *position)
{
    FN(clear_table)(t, set, count);
    FN(insert_row)(set, t, FN(ATTEMPT), f, row);
    FN(team_sync)(t);
    const bool overflows = *count > FN(most_words)(set);
    FN(team_sync)(t);
    if (t->rank == 0)
        *count = 0;
    if (t->rank == 0 && overflows)
        f->overflowed[ATOMIC_ADD(f->overflows, 1)] = (uint32_t)row;
    FN(team_sync)(t);
    if (!overflows)
        FN(write_table)(f, t, row, set, counts, count, position);
}

DEVICE void FN(find_in_tables)(const struct spgemm_find *f, int32_t *tables, int32_t *counts,
                               int32_t *words, int64_t *slots, bool attempt)
{
    FN(team) t = FN(team_of)(f->layout.team, f->layout.width);
    t.long_row = f->layout.long_row;
    FN(set) set;
    set.keys = tables + t.number * 2 * f->layout.slots;
    set.bits = (uint32_t *)set.keys + f->layout.slots;
    set.slots = f->layout.slots;
    set.shift = f->layout.shift;
    set.first_word = 0;
    set.used = words + t.number;
    for (int64_t k = FN(first_of_team)(&f->layout, &t); k < f->layout.list_count;
         k += FN(teams_of)(&f->layout, &t)) {
        const int64_t row = FN(row_at)(f->layout.list, k);
        if (FN(is_settled)(f, row))
            continue;
        if (attempt)
            FN(attempt_row)(f, &t, row, &set, counts, words, slots);
        else
            FN(find_in_table)(f, &t, row, &set, counts + t.number * t.parts, words + t.number,
                              slots + t.number);
    }
}
