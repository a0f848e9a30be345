/* SPDX-License-Identifier: Apache-2.0 */
/* ell_position.h: finds a row in blocks of ELL by its position. Part of the templates of kernel
 * files: read once per combination of types, without a guard. */

typedef struct FN(ell_position) {
    int64_t row, length, entry, step; /* entry k of the row is at entry + k*step */
} FN(ell_position);

DEVICE FN(ell_position) FN(ell_position_of)(const struct ell_blocks *ell, int64_t position)
{
    FN(ell_position) found;
    int64_t low = 0, high = ell->blocks - 1;
    while (low <
           high) { /* binary search for the last block that begins at or before the position */
        const int64_t middle = (low + high + 1) / 2;
        if (READ(&ell->table[middle].first) <= position)
            low = middle;
        else
            high = middle - 1;
    }
    const int64_t first = READ(&ell->table[low].first);
    found.row = ell->rows ? (int64_t)READ(&ell->rows[position]) : position;
    found.length = READ(&ell->table[low].length);
    found.step = READ(&ell->table[low + 1].first) - first;
    found.entry = READ(&ell->table[low].entries) + position - first;
    return found;
}
