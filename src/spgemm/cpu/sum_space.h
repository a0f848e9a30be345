/* SPDX-License-Identifier: Apache-2.0 */
/* sum_space.h: the workspace in which sum_row.h adds up a row of C. */
#ifndef SPL_SPGEMM_CPU_SUM_SPACE_H
#define SPL_SPGEMM_CPU_SUM_SPACE_H

#include "spgemm/cpu/compress.h"
#include "spgemm/cpu/sort_keys.h"
#include "spgemm/product.h"

/* A key is column * 64 + position. */
enum { SPL__PLACE_BITS = 6, SPL__MOST_KEY_COLUMNS = 1 << (32 - SPL__PLACE_BITS) };
_Static_assert(SPL__MOST_KEYS <= 1 << SPL__PLACE_BITS, "a place must fit its bits");

/* Eight bytes as a number whose lowest byte is the first. */
static inline uint64_t spl__in_memory_order(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(eight);
#else
    return eight;
#endif
}

/* log2 of the columns per bit of `top`: at least the eight marks that are read together. */
static inline int spl__top_shift(int64_t cols)
{
    int shift = SPL__WORD_SHIFT + 3;
    while ((cols - 1) >> shift >= SPL__WORD_BITS)
        shift++;
    return shift;
}

/* Marks are padded to whole stretches. */
static inline int64_t spl__marks_of(int64_t cols)
{
    int shift = spl__top_shift(cols);
    return ((cols >> shift) + 1) << (shift - SPL__WORD_SHIFT);
}

/* Whether a row of C with up to `work` products is sorted in registers. */
static inline bool spl__sum_is_short(int64_t work, int64_t cols)
{
    return work <= SPL__MOST_KEYS && cols <= SPL__MOST_KEY_COLUMNS;
}

/* The head of a thread's workspace. */
typedef struct spl__sum_head {
    /* the arrays for long rows, which not every thread meets, have been cleared */
    _Alignas(SPL__LINE) bool cleared;
} spl__sum_head;

/* Bytes of a workspace for short rows, their keys and terms, and ... */
static inline size_t spl__sum_space(size_t value)
{
    return sizeof(spl__sum_head) + SPL__MOST_KEYS * (sizeof(uint32_t) + value);
}

/* ... how many more where rows are long: accumulator, bitmap and marks. */
static inline size_t spl__long_sum_space(int64_t cols, size_t value)
{
    size_t words = (size_t)spl__words_of(cols);
    return words * (SPL__WORD_BITS * value + sizeof(uint64_t)) + (size_t)spl__marks_of(cols);
}

/* Makes a new workspace ready for a first row. */
static inline void spl__sum_space_start(void *workspace)
{
    *(spl__sum_head *)workspace = (spl__sum_head){.cleared = false};
}

#endif
