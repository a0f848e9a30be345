/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_table.h: rows of C found in hash tables of words, which are sorted afterwards. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_TABLE_H
#define SPL_SPGEMM_KERNELS_SPGEMM_TABLE_H

#include "spgemm/kernels/find/spgemm_set.h"

/* Moves the words of the table to its begin, in any order. *set->used, initially zero, becomes
 * their number. The team may have more threads than the table has slots: in a joint
 * launch every team is as wide as the widest. */
DEVICE void spgemm_gather_words(const spgemm_team *t, const spgemm_set *set)
{
    for (int64_t start = 0; start < set->slots; start += t->size) {
        const bool valid = start + t->rank < set->slots;
        const int32_t word = valid ? set->keys[start + t->rank] : -1;
        const uint32_t bits = valid ? set->bits[start + t->rank] : 0;
        const lane_mask found = BALLOT(t->mask, word != -1),
                        lower_lanes = ((lane_mask)1 << LANE) - 1;
        int32_t index = 0;
        if (t->lane == 0)
            index = ATOMIC_ADD(set->used, POPCOUNT(found));
        index = SHUFFLE(t->mask, index, t->base) + POPCOUNT(found & lower_lanes);
        spgemm_team_sync(
            t); /* writes stay within slots that have been read: index < start + size */
        if (word != -1) {
            set->keys[index] = word;
            set->bits[index] = bits;
        }
    }
    spgemm_team_sync(t);
}

/* Sorts the first `count` words with a bitonic network in which every comparison puts the
 * smaller word first, so that missing words up to a power of two count as infinite. */
DEVICE void spgemm_sort_words(const spgemm_team *t, const spgemm_set *set, int32_t count)
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
            spgemm_team_sync(t);
        }
}

/* Clears the table and the number of its words. */
DEVICE void spgemm_clear_table(const spgemm_team *t, const spgemm_set *set)
{
    for (int64_t slot = t->rank; slot < set->slots; slot += t->size) {
        set->keys[slot] = -1;
        set->bits[slot] = 0;
    }
    if (t->rank == 0)
        *set->used = 0;
    spgemm_team_sync(t);
}

/* Writes the columns of the table's words. *set->used must be zero. */
DEVICE void spgemm_write_table(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                               spgemm_set *set)
{
    spgemm_gather_words(t, set);
    set->words = *set->used;
    if (!f->unsorted)
        spgemm_sort_words(t, set, set->words);
    spgemm_write_set(f, t, row, set, SPGEMM_HASH, 0, !f->columns);
}

#endif
