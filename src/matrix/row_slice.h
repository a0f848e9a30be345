/* SPDX-License-Identifier: Apache-2.0 */
/* row_slice.h: some rows of a CSR matrix as a separate matrix. */
#ifndef SPL_MATRIX_ROW_SLICE_H
#define SPL_MATRIX_ROW_SLICE_H

#include "matrix/view.h"

/* A slice of consecutive rows shares columns and values with its matrix, and the first slice its
 * offsets; rows in another order are copied. */
typedef struct spl__row_slice {
    spl_sparse csr;
    /* rows of the matrix, in the slice's order; NULL: begin, begin + 1, ... */
    const int64_t *order;
    int64_t begin, first; /* first: the matrix' entry that comes first, without an order */
    void *offsets, *indices, *values;
} spl__row_slice;

/* Rows order[begin..end), which must stay, or without an order begin..end, of a matrix that has
 * been checked. On failure spl__row_slice_free cleans up. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__row_slice_make(spl__account *account, int threads, const spl_sparse *matrix,
                               const int64_t *order, int64_t begin, int64_t end,
                               spl__row_slice *slice);
/* Takes new values of the matrix, whose arrays may have moved. */
void spl__row_slice_update(spl__row_slice *slice, const spl_sparse *matrix);
void spl__row_slice_free(spl__row_slice *slice);

#endif
