/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_later.h: rows that SPGEMM_ROW_LANES lanes process one by one, except long rows, which
 * are deferred to the whole block. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_LATER_H
#define SPL_SPGEMM_KERNELS_SPGEMM_LATER_H

#include "device/dialect.h"
#include "spgemm/kernels/spgemm_structures.h"

typedef struct spgemm_later {
    int64_t rows[SPGEMM_MOST_LATER];
    uint32_t count;
} spgemm_later;

/* Whether the row is deferred; the same for all lanes of the group. */
DEVICE bool spgemm_wait(spgemm_later *later, int64_t row, int64_t length)
{
    uint32_t position = 0;
    if (length <= SPGEMM_LONG_ROW)
        return false;
    if (LANE % SPGEMM_ROW_LANES == 0)
        position = ATOMIC_ADD(&later->count, 1);
    position =
        SHUFFLE(GROUP_MASK(SPGEMM_ROW_LANES), position, LANE / SPGEMM_ROW_LANES * SPGEMM_ROW_LANES);
    if (LANE % SPGEMM_ROW_LANES == 0 && position < SPGEMM_MOST_LATER)
        later->rows[position] = row;
    return position < SPGEMM_MOST_LATER;
}

DEVICE int64_t spgemm_rows_waiting(const spgemm_later *later)
{
    return later->count < SPGEMM_MOST_LATER ? later->count : SPGEMM_MOST_LATER;
}

#endif
