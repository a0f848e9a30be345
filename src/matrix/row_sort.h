/* SPDX-License-Identifier: Apache-2.0 */
/* row_sort.h: sorts entries by row, stably: a counting sort. Large inputs use buckets of rows
 * that fit in cache, which threads share; the result does not depend on their number. */
#ifndef SPL_MATRIX_ROW_SORT_H
#define SPL_MATRIX_ROW_SORT_H

#include "core/types.h"
#include "core/watch.h"

#include <stdbool.h>

typedef struct spl__row_sort {
    /* The source: entry p lies in row key[p] of the result; its column is other[p], or, without
     * `other`, the number of the source's line that holds it. */
    const void *key, *other;
    spl_index type; /* of key and other */
    const void *line_offsets;
    spl_index line_type;
    int64_t lines;
    int64_t rows, cols, count; /* of the result */
    const void *values;        /* what goes along with an entry; NULL: its number p, an int64_t */
    size_t value_size;         /* 2, 4 or 8; 8 without values */

    /* The result, allocated: offsets[rows+1], indices[count], along[count]. */
    void *offsets, *indices, *along;
    spl_index offset_type, index_type;
    spl__watch *watch;
} spl__row_sort;

/* Sorts. Buckets need a copy of the entries; if the budget does not allow it they are not used.
 * SPL_OUT_OF_MEMORY, SPL_CANCELLED. */
spl_status spl__row_sort_run(spl__account *account, int threads, const spl__row_sort *sort);

/* Whether keys ascend. Needs `key`, `type`, `count`, `watch`. Incomplete after a cancel. */
bool spl__row_sort_idle(int threads, const spl__row_sort *sort);
/* The offsets for keys that ascend. */
void spl__row_sort_offsets(int threads, const spl__row_sort *sort);

/* row_buckets.c: the way through buckets, for row_sort.c. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET before
 * the first write. */
spl_status spl__row_buckets(spl__account *account, int threads, const spl__row_sort *sort);

/* Functions with spl_index parameters are inlined with constants by their callers, so that their
 * loops are typed. */
#define SPL__SPECIALISED static inline __attribute__((always_inline))

/* The line of the source that holds entry p < count. */
static inline int64_t spl__row_sort_line(const spl__row_sort *s, int64_t p)
{
    int64_t low = 0, high = s->lines;
    while (low + 1 < high) {
        int64_t middle = low + (high - low) / 2;
        if (spl__index_at(s->line_offsets, s->line_type, middle) <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What goes along with entry p. */
SPL__SPECIALISED uint64_t spl__row_sort_load(const spl__row_sort *s, int64_t p)
{
    if (!s->values)
        return (uint64_t)p;
    if (s->value_size == 2)
        return ((const uint16_t *)s->values)[p];
    return s->value_size == 8 ? ((const uint64_t *)s->values)[p] : ((const uint32_t *)s->values)[p];
}
SPL__SPECIALISED void spl__row_sort_store(const spl__row_sort *s, int64_t slot, uint64_t along)
{
    if (s->value_size == 8)
        ((uint64_t *)s->along)[slot] = along;
    else if (s->value_size == 2)
        ((uint16_t *)s->along)[slot] = (uint16_t)along;
    else
        ((uint32_t *)s->along)[slot] = (uint32_t)along;
}

#endif
