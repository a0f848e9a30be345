/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/common_entries.h"

static int64_t search(const int32_t *few, int64_t count, const int32_t *row, int64_t length)
{
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++)
        found += spl__row_has(row, length, few[k]);
    return found;
}

/* Blocks of the row, each with those entries that are not beyond it. */
static int64_t compare_blocks(const int32_t *own, int64_t count, const int32_t *row, int64_t length)
{
    enum { BLOCK = 2 * SPL__FEW_ENTRIES };
    spl__eight sums = {0};
    const int32_t *const end = own + count;
    for (; length > 0 && own < end; row += BLOCK, length -= BLOCK) {
        const spl__eight first = spl__eight_at(row), second = spl__eight_at(row + BLOCK / 2),
                         of_first = spl__eight_first(spl__min_i64(length, BLOCK / 2)),
                         of_second = spl__eight_first(
                             spl__min_i64(spl__max_i64(length - BLOCK / 2, 0), BLOCK / 2));
        const int32_t last = length > BLOCK ? row[BLOCK - 1] : INT32_MAX;
        for (; own < end && *own <= last; own++) {
            spl__eight_compare(&sums, first, of_first, *own);
            spl__eight_compare(&sums, second, of_second, *own);
        }
    }
    return spl__eight_sum(sums);
}

SPL__APART int64_t spl__common_entries(const int32_t *few, int64_t count, const int32_t *row,
                                       int64_t length, int64_t stored)
{
    enum { FAR_LONGER = 8, BEHIND = 16 };
    if (length < count / FAR_LONGER)
        return search(row, length, few, count);
    return count < length / FAR_LONGER || stored < length + BEHIND
               ? search(few, count, row, length)
               : compare_blocks(few, count, row, length);
}
