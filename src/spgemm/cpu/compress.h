/* SPDX-License-Identifier: Apache-2.0 */
/* compress.h: columns of a matrix as words: column j is bit j % 64 of word j / 64. A row becomes
 * pairs (number of the word, mask). Neighbouring entries in the same word share a pair, so a sorted
 * row has distinct words; an unsorted row may have a word twice, which only costs time. A row with
 * the same columns as the row before shares its pairs.
 *
 * Source: S1, symbolic phase for dense B (`ids` and `bits_cols`; its word length is a parameter,
 * ours the machine's 64 bits). Differs: identical rows share their pairs; the lowest and highest
 * word of each row is stored. */
#ifndef SPL_SPGEMM_CPU_COMPRESS_H
#define SPL_SPGEMM_CPU_COMPRESS_H

#include "problem/operand.h"

enum { SPL__WORD_SHIFT = 6, SPL__WORD_BITS = 1 << SPL__WORD_SHIFT };

/* Words of a bitmap of `cols` columns. */
static inline int64_t spl__words_of(int64_t cols)
{
    return cols / SPL__WORD_BITS + (cols % SPL__WORD_BITS != 0);
}

typedef struct spl__compressed_row {
    int64_t begin, end;      /* its pairs */
    int64_t lowest, highest; /* words; lowest > highest in an empty row */
} spl__compressed_row;

typedef struct spl__compressed {
    spl__compressed_row *rows;
    void *ids;       /* word numbers, in the index type of the matrix */
    uint64_t *masks; /* never 0 */
    int64_t pairs;
} spl__compressed;

/* Compresses a CSR matrix; `equals_previous` is from spl__identical_rows_mark. On failure
 * spl__compressed_free cleans up. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__compress(spl__account *account, const spl_sparse *matrix,
                         const uint8_t *equals_previous, int threads, spl__compressed *compressed);
void spl__compressed_free(spl__compressed *compressed);

#endif
