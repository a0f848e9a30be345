/* SPDX-License-Identifier: Apache-2.0 */
/* ell.h: ELL: every row padded to the length of the longest.
 *
 * Entry k of row i is at i*width + k, row by row as in [S2], example 1; the column of padding is
 * -1. One core processes a row, so rows are not interleaved as for GPUs.
 * Memory: rows*width*(value + index) bytes. Source: R. Grimes, D. Kincaid, D. Young, ITPACK 2.0
 * User's Guide, Univ. of Texas, 1979; [S2]. */
#ifndef SPL_FORMAT_ELL_H
#define SPL_FORMAT_ELL_H

#include "matrix/matrix.h"

typedef struct spl__ell {
    spl_sparse shape; /* header of the matrix as CSR, no arrays */
    int64_t width;    /* entries of the longest row */
    void *indices, *values;
} spl__ell;

/* Makes the structure of a CSR matrix in ELL; values are not initialised. On failure frees
 * everything. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__ell_make(spl__account *account, const spl_sparse *csr, int threads, spl__ell *ell);
/* Copies the values of the same matrix; padding becomes 0. */
void spl__ell_fill(spl__watch *watch, spl__ell *ell, const spl_sparse *csr, int threads);
void spl__ell_free(spl__ell *ell);

#endif
