/* SPDX-License-Identifier: Apache-2.0 */
/* holed_row.h: rows of blocks with masks, in kernels (format/device_holed.h). */
#ifndef SPL_FORMAT_HOLED_ROW_H
#define SPL_FORMAT_HOLED_ROW_H

#include "device/dialect.h"

/* Lanes that walk a row together. */
enum { HOLED_LANES = 32 };

/* A lane's slot in a row of such blocks: slot q of the row, which is column `offset` of block
 * `block`; and the stride to its next slot. */
typedef struct holed_slot {
    int32_t q, block, offset, blocks, slots;
} holed_slot;

DEVICE holed_slot holed_first_slot(int size)
{
    const int lane = LANE % HOLED_LANES;
    const holed_slot first = {lane, lane / size, lane % size, HOLED_LANES / size,
                              HOLED_LANES % size};
    return first;
}

/* Advances without a division. */
DEVICE void holed_next_slot(holed_slot *m, int size)
{
    m->q += HOLED_LANES;
    m->block += m->blocks;
    m->offset += m->slots;
    m->block += m->offset >= size;
    m->offset -= m->offset >= size ? size : 0;
}

/* Whether the slot is an entry in row r of the blocks with these masks; a row has `slots` slots. */
DEVICE bool holed_is_entry(const holed_slot *m, const uint64_t *RESTRICT masks, int32_t slots,
                           int r, int size)
{
    return m->q < slots && (READ(&masks[m->block]) >> (r * size + m->offset) & 1) != 0;
}

/* The number of earlier lanes of the team for which `is_entry` is true; *all: of all lanes. */
DEVICE int holed_rank(bool is_entry, int *all)
{
    const lane_mask lanes = BALLOT(GROUP_MASK(HOLED_LANES), is_entry),
                    lower_lanes = ((lane_mask)1 << LANE) - 1;
    *all = (int)POPCOUNT(lanes);
    return (int)POPCOUNT(lanes & lower_lanes);
}

#endif
