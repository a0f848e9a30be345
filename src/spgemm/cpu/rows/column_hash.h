/* SPDX-License-Identifier: Apache-2.0 */
/* column_hash.h: the hash function of tables keyed by column: the top bits of a multiple of the
 * golden ratio. Source: D. Knuth, The Art of Computer Programming 3, 6.4. */
#ifndef SPL_SPGEMM_CPU_ROWS_COLUMN_HASH_H
#define SPL_SPGEMM_CPU_ROWS_COLUMN_HASH_H

#include "core/checked.h"

/* Bits per radix digit of sort_columns; the length up to which insertion sort is faster. */
enum { SPL__DIGIT_BITS = 8, SPL__DIGITS = 1 << SPL__DIGIT_BITS, SPL__SHORT_ROW = 48 };

/* Slots of a table for up to `columns` columns: a power of two, at least 16, at most half full. */
static inline int64_t spl__slots_for(int64_t columns)
{
    return spl__ceil_pow2(2 * spl__max_i64(8, columns));
}
/* The shift of spl__slot for a table of `slots`. */
static inline int spl__slot_shift(int64_t slots)
{
    return 64 - __builtin_ctzll((unsigned long long)slots);
}
static inline int64_t spl__slot(int64_t column, int shift)
{
    return (int64_t)(((uint64_t)column * 0x9e3779b97f4a7c15u) >> shift);
}

#endif
