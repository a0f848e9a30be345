/* SPDX-License-Identifier: Apache-2.0 */
/* columns_repeat.h: device code that compares neighbouring rows of a CSR structure. Included once
 * per instance of a kernel. */
/* Whether `length` columns at `begin` equal those before them. All lanes of the warp take part;
 * `same` is false for teams without work. */
DEVICE bool FN(columns_repeat)(bool equal, int64_t begin, int64_t length, const I *RESTRICT columns)
{
    const lane_mask warp = GROUP_MASK(LANES), team = GROUP_MASK(DEVICE_GROUPS_LANES);
    for (int64_t p = LANE % DEVICE_GROUPS_LANES; BALLOT(warp, equal && p < length);
         p += DEVICE_GROUPS_LANES)
        if (equal && p < length)
            equal = READ(&columns[begin + p]) == READ(&columns[begin + p - length]);
    return (BALLOT(warp, !equal) & team) == 0;
}
