/* SPDX-License-Identifier: Apache-2.0 */
/* sum_space.h: the workspace in which sum_row.h adds up a row of C. */
#ifndef SPL_SPGEMM_CPU_ROWS_SUM_SPACE_H
#define SPL_SPGEMM_CPU_ROWS_SUM_SPACE_H

#include "spgemm/cpu/compress.h"
#include "spgemm/cpu/rows/sort_keys.h"
#include "spgemm/product.h"

/* A key is a column, and a position in the lowest bits: 6, or 8 where columns leave room for them.
 */
enum { SPL__FEW_BITS = 6, SPL__MOST_BITS = 8 };
_Static_assert(SPL__FEW_KEYS <= 1 << SPL__FEW_BITS, "a position must fit its bits");
_Static_assert(SPL__MOST_KEYS <= 1 << SPL__MOST_BITS, "a position must fit its bits");

static inline int spl__position_bits(int64_t cols)
{
    return cols <= (int64_t)1 << (32 - SPL__MOST_BITS) ? SPL__MOST_BITS : SPL__FEW_BITS;
}

/* Marks that are read together; columns that are listed together. */
enum { SPL__MARKS = 64, SPL__LISTED_AT_ONCE = 4 };

/* Clears SPL__MARKS bytes that are 0 or 1; returns a bit for each. */
static inline uint64_t spl__take_marks(uint8_t *marks)
{
    uint64_t bits = 0;
#if defined(__AVX512BW__)
    const __m512i bytes = _mm512_loadu_si512(marks);
    bits = _mm512_test_epi8_mask(bytes, bytes);
#elif defined(__AVX2__)
    for (int k = 0; k < SPL__MARKS; k += 32) {
        const __m256i bytes = _mm256_loadu_si256((const void *)(marks + k));
        bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7)) << k;
    }
#else
    for (int k = 0; k < SPL__MARKS; k++)
        bits |= (uint64_t)marks[k] << k;
#endif
    if (bits)
        memset(marks, 0, SPL__MARKS);
    return bits;
}

/* log2 of the columns per bit of `top`: at least the marks that are read together. */
static inline int spl__top_shift(int64_t cols)
{
    int shift = 2 * SPL__WORD_SHIFT;
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

/* Whether a row of C with up to `work` products is sorted, whatever registers there are. */
static inline bool spl__sum_is_short(int64_t work, int64_t cols)
{
    return work <= SPL__FEW_KEYS && cols <= (int64_t)1 << (32 - SPL__FEW_BITS);
}

/* The same with the registers that the includer is compiled for. */
static inline bool spl__sum_is_sorted(int64_t work, int64_t cols)
{
#ifdef __AVX512F__
    if (work <= SPL__MOST_KEYS && spl__position_bits(cols) == SPL__MOST_BITS)
        return true;
#endif
    return spl__sum_is_short(work, cols);
}

/* Keys and terms are written by whole registers. */
enum { SPL__KEY_ROOM = SPL__MOST_KEYS + SPL__KEY_LANES };

/* A row of C that others may repeat, shifted: repeat_row.h. Columns are relative to the first one
 * of A's row. It has at least SPL__SHAPE_PRODUCTS products, and at most as many of the others. */
enum {
    SPL__SHAPE_PRODUCTS = 8,
    SPL__SHAPE_TERMS = 32,
    SPL__SHAPE_COLUMNS = 64,
    SPL__SHAPE_PIECES = 256
};
typedef struct spl__shape {
    int32_t terms, products, found; /* of A's row, of both, of C's row; terms 0: no shape */
    int32_t pieces;
    int32_t wait, next_wait; /* rows until a shape is made, and after it has been */
    int32_t last[3];         /* of the row before: terms, products, found */
    int32_t inner[SPL__SHAPE_TERMS + SPL__KEY_LANES], lengths[SPL__SHAPE_TERMS];
    int32_t b_columns[SPL__KEY_ROOM], columns[SPL__SHAPE_COLUMNS + SPL__KEY_LANES];
    /* entries of a row of B, consecutive there, that go to one register of sums; in the order of
     * registers */
    struct spl__piece {
        uint8_t term, first, sums, unused;
        uint16_t from, to; /* the lanes where they are loaded, and where they are added */
    } piece[SPL__SHAPE_PIECES];
} spl__shape;

/* The head of a thread's workspace. */
typedef struct spl__sum_head {
    /* the arrays for long rows, which not every thread meets, have been cleared */
    _Alignas(SPL__LINE) bool cleared;
    bool sorts;       /* listed columns */
    uint32_t *stamps; /* of each column of C: the row that met it last; NULL: none are listed */
    uint32_t stamp;   /* of the row before; 0: stamps are not cleared */
    spl__shape shape;
} spl__sum_head;

/* Bytes of a workspace for short rows, their keys and terms, and ... */
static inline size_t spl__sum_space(size_t value)
{
    return sizeof(spl__sum_head) + SPL__KEY_ROOM * (sizeof(uint32_t) + value);
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
    spl__sum_head *head = workspace;
    head->cleared = false;
    head->stamps = NULL;
    head->stamp = 0;
    head->sorts = true;
    head->shape.terms = head->shape.wait = 0;
    head->shape.next_wait = 1;
    memset(head->shape.last, 0, sizeof head->shape.last);
}

#endif
