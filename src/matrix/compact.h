/* SPDX-License-Identifier: Apache-2.0 */
/* compact.h: matrices with far more rows or columns than entries, without the empty ones: for
 * properties that depend neither on their number nor on their positions. No array here is as
 * long as a dimension. */
#ifndef SPL_MATRIX_COMPACT_H
#define SPL_MATRIX_COMPACT_H

#include "core/memory.h"
#include "matrix/view.h"

/* Coordinates of 64 bits over arrays of their own; the values are the source's. */
typedef struct spl__coordinates {
    spl_sparse view;
    int64_t *rows, *cols;
} spl__coordinates;

/* Whether an array as long as a dimension would be far larger than the matrix. */
bool spl__is_far(const spl_sparse *view);

/* The entries of a view that was taken, in stored order. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET:
 * nothing is left. */
spl_status spl__coordinates_make(spl__account *account, const spl_sparse *view,
                                 spl__coordinates *all);
/* Rows become the number of row / size among those of all entries, in order, columns likewise; of a
 * square matrix both by one numbering, so that what lies on the diagonal or mirrors something still
 * does. No other matrix becomes square. O(nnz); workspace as spl__renumber. Statuses as above, and
 * SPL_CANCELLED. */
spl_status spl__compact_make(spl__account *account, const spl__coordinates *source, int64_t size,
                             spl__coordinates *compact);
void spl__coordinates_free(spl__coordinates *all);

#endif
