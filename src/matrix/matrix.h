/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.h: owned matrices. */
#ifndef SPL_MATRIX_MATRIX_H
#define SPL_MATRIX_MATRIX_H

#include "matrix/view.h"

struct spl_matrix {
    spl_sparse view; /* what callers see: points to the arrays below */
    void *offsets, *indices, *values;
};

/* A matrix with uninitialised arrays for the header's format, types, rows, cols, nnz; `header` has no arrays of its own.
 * CSR and CSC: offsets are not initialised either. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__matrix_new(spl__account *account, const spl_sparse *header, spl_matrix **matrix);
/* The same around arrays of the account that are there already; those that are NULL are made. It takes them over, on success only. */
spl_status spl__matrix_around(spl__account *account, const spl_sparse *header, void *offsets, void *indices,
                              void *values, spl_matrix **matrix);
/* Lets the matrix outlive `its` account: all its memory moves to the ancestor `to`. */
void spl__matrix_move(spl_matrix *matrix, spl__account *to);

/* spl_convert without reading options from outside: `source` must have been taken (view.h). The result does not depend on `threads`,
 * at least 1. */
spl_status spl__convert(spl__account *account, int threads, const spl_sparse *source,
                        const spl_convert_options *options, spl_matrix **result);

#endif
