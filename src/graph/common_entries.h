/* SPDX-License-Identifier: Apache-2.0 */
/* common_entries.h: how many entries two ascending rows have in common, with few branches that are
 * hard to foresee: a merge ends each of its steps in one.
 *
 * Rows of up to eight entries are compared all with all, eight entries at once; so are blocks of
 * longer ones; where one row is far longer, entries of the other are searched in it by halves. */
#ifndef SPL_GRAPH_COMMON_ENTRIES_H
#define SPL_GRAPH_COMMON_ENTRIES_H

#include "core/checked.h"
#include "core/watch.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPL__FEW_ENTRIES = 8 };

typedef int32_t spl__four __attribute__((vector_size(16), aligned(4), may_alias));

/* Eight entries, or -1 where entries count; sums of comparisons, which are -1 too. */
typedef struct spl__eight {
    spl__four low, high;
} spl__eight;

static inline spl__four spl__four_at(const int32_t *from)
{
    return *(const spl__four *)from;
}

static inline spl__eight spl__eight_at(const int32_t *from)
{
    return (spl__eight){spl__four_at(from), spl__four_at(from + 4)};
}

/* The first `length` of eight entries, 0..8. */
static inline spl__eight spl__eight_first(int64_t length)
{
    static const int32_t all[] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
    return spl__eight_at(all + SPL__FEW_ENTRIES - length);
}

static inline void spl__eight_compare(spl__eight *sums, spl__eight with, spl__eight counts,
                                      int32_t entry)
{
    const spl__four all = {entry, entry, entry, entry};
    sums->low += (with.low == all) & counts.low;
    sums->high += (with.high == all) & counts.high;
}

/* The first `length` of four entries, 0..4. */
static inline spl__four spl__four_first(int64_t length)
{
    static const int32_t all[] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return spl__four_at(all + 4 - length);
}

static inline void spl__four_compare(spl__eight *sums, spl__four with, spl__four counts,
                                     int32_t entry)
{
    const spl__four all = {entry, entry, entry, entry};
    sums->low += (with == all) & counts;
}

/* How many comparisons held. */
static inline int64_t spl__eight_sum(spl__eight sums)
{
    int64_t found = 0;
    for (int k = 0; k < 4; k++)
        found -= (int64_t)sums.low[k] + sums.high[k];
    return found;
}

/* The last position of an entry that is not greater, or 0. */
static inline int64_t spl__row_search(const int32_t *row, int64_t length, int32_t entry)
{
    const int32_t *at = row;
    while (length > 1) {
        const int64_t half = length >> 1;
        at = at[half] <= entry ? at + half : at;
        length -= half;
    }
    return at - row;
}

/* Whether a row has the entry. */
static inline bool spl__row_has(const int32_t *row, int64_t length, int32_t entry)
{
    return length > 0 && row[spl__row_search(row, length, entry)] == entry;
}

/* The number of common entries; `row` is followed by others, `stored` together. */
int64_t spl__common_entries(const int32_t *few, int64_t count, const int32_t *row, int64_t length,
                            int64_t stored);

#endif
