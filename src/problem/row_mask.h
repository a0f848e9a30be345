/* SPDX-License-Identifier: Apache-2.0 */
/* row_mask.h: the rows of y or C that an execution computes: spl_row_mask as methods read it. */
#ifndef SPL_PLAN_ROW_MASK_H
#define SPL_PLAN_ROW_MASK_H

#include "sparloom/algebra.h"

#include <stdbool.h>
#include <string.h>

/* The first row from `row` on, before `end`, whose byte is not 0, or is 0 if `complement`; `end`:
 * there is none. Eight at a time are passed over. */
static inline int64_t spl__row_mask_next_byte(const spl_row_mask *mask, int64_t row, int64_t end)
{
    const bool zero = mask->complement;
    while (row < end) {
        uint64_t word;
        if (row + 8 <= end) {
            memcpy(&word, mask->bytes + row, sizeof word);
            const bool has_zero = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
            if (zero ? !has_zero : word == 0) {
                row += 8;
                continue;
            }
        }
        if ((mask->bytes[row] == 0) == zero)
            return row;
        row++;
    }
    return end;
}

static inline int64_t spl__row_mask_next_bit(const spl_row_mask *mask, int64_t row, int64_t end)
{
    const uint64_t flip = mask->complement ? UINT64_MAX : 0;
    while (row < end) {
        uint64_t word = (mask->bits[row >> 6] ^ flip) >> (row & 63);
        if (word) {
            row += __builtin_ctzll(word);
            break;
        }
        row = (row | 63) + 1;
    }
    return row < end ? row : end;
}

/* The first row from `row` on, before `end`, that is computed; `end`: none. Without a mask all
 * are. */
static inline int64_t spl__row_mask_next(const spl_row_mask *mask, int64_t row, int64_t end)
{
    if (!mask)
        return row;
    return mask->bits ? spl__row_mask_next_bit(mask, row, end)
                      : spl__row_mask_next_byte(mask, row, end);
}

static inline bool spl__row_mask_has(const spl_row_mask *mask, int64_t row)
{
    return spl__row_mask_next(mask, row, row + 1) == row;
}

#endif
