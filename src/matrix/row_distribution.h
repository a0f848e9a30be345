/* SPDX-License-Identifier: Apache-2.0 */
/* row_distribution.h: the length of each row, and how many rows have each length. */
#ifndef SPL_MATRIX_ROW_DISTRIBUTION_H
#define SPL_MATRIX_ROW_DISTRIBUTION_H

#include "matrix/view.h"

/* lengths[rows]: entries of each row of a view that has been taken. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__row_lengths(spl__account *account, const spl_sparse *view, int64_t **lengths);

/* The distribution function of [S2]: row_counts[b] rows have lengths[b] entries, lengths ascending,
 * no row_count 0. */
typedef struct spl__distribution {
    int64_t count;
    int64_t *lengths, *row_counts;
} spl__distribution;

/* SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__distribution_make(spl__account *account, const int64_t *row_lengths, int64_t rows,
                                  spl__distribution *distribution);
void spl__distribution_free(spl__distribution *distribution);

#endif
