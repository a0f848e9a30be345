/* SPDX-License-Identifier: Apache-2.0 */
/* holed_row.h: rows of blocks with masks, in kernels (format/device_holed.h). Part of the templates
 * of kernel files: read once per combination of types, without a guard. */

/* Lanes that walk a row together. */
enum { FN(HOLED_LANES) = 32 };

/* A lane's slot in a row of such blocks: slot q of the row, which is column `within` of block
 * `block`; and the stride to its next slot. */
typedef struct FN(holed_slot) {
    int32_t q, block, within, blocks, slots;
} FN(holed_slot);

DEVICE FN(holed_slot) FN(first_slot)(int size)
{
    const int lane = LANE % FN(HOLED_LANES);
    const FN(holed_slot) first = {lane, lane / size, lane % size, FN(HOLED_LANES) / size,
                                  FN(HOLED_LANES) % size};
    return first;
}

/* Advances without a division. */
DEVICE void FN(next_slot)(FN(holed_slot) *m, int size)
{
    m->q += FN(HOLED_LANES);
    m->block += m->blocks;
    m->within += m->slots;
    m->block += m->within >= size;
    m->within -= m->within >= size ? size : 0;
}

/* Whether the slot is an entry in row r of the blocks with these masks; a row has `slots` slots. */
DEVICE bool FN(is_entry)(const FN(holed_slot) *m, const uint64_t *RESTRICT masks, int32_t slots,
                         int r, int size)
{
    return m->q < slots && (READ(&masks[m->block]) >> (r * size + m->within) & 1) != 0;
}

/* The number of earlier lanes of the team for which `there` is true; *all: of all lanes. */
DEVICE int FN(rank_among)(bool there, int *all)
{
    const lane_mask lanes = BALLOT(GROUP_MASK(FN(HOLED_LANES)), there),
                    lower_lanes = ((lane_mask)1 << LANE) - 1;
    *all = (int)POPCOUNT(lanes);
    return (int)POPCOUNT(lanes & lower_lanes);
}
