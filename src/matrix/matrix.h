/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.h: owned matrices. */
#ifndef SPL_MATRIX_MATRIX_H
#define SPL_MATRIX_MATRIX_H

#include "device/device.h"
#include "matrix/view.h"

struct spl_matrix {
    spl_sparse view; /* what callers see: points to the arrays below */
    void *offsets, *indices, *values;
    /* queue.device NULL: the arrays are blocks of an account, on the host; else they are ... */
    spl__queue queue;
    spl__device_array device_arrays[3]; /* ... these, of this queue */
};

/* A matrix with uninitialised arrays for the header's format, types, rows, cols, nnz; `header` has
 * no arrays of its own. CSR and CSC: offsets are not initialised either. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__matrix_new(spl__account *account, const spl_sparse *header, spl_matrix **matrix);
/* The same with existing arrays of the account; those that are NULL are allocated. Takes them
 * over, on success only. */
spl_status spl__matrix_around(spl__account *account, const spl_sparse *header, void *offsets,
                              void *indices, void *values, spl_matrix **matrix);
/* Lets the matrix outlive `its` account: all its memory moves to the ancestor `to`. */
void spl__matrix_move(spl_matrix *matrix, spl__account *to);

/* The same on the queue's device, whose stream the arrays can be used in, before
 * spl__device_matrix_settle lets all others have them. */
spl_status spl__device_matrix_new(spl__account *account, const spl__queue *queue,
                                  const spl_sparse *header, spl_matrix **matrix);
/* The same around arrays of the queue: offsets, indices, values. It takes them over, on success
 * only. */
spl_status spl__device_matrix_around(spl__account *account, spl__queue *queue,
                                     const spl_sparse *header, spl__device_array *const arrays[3],
                                     spl_matrix **matrix);
/* Waits for what the queue was told to write to the matrix. */
spl_status spl__device_matrix_settle(spl_matrix *matrix, spl__queue *queue);
void spl__device_matrix_free_arrays(spl_matrix *matrix);

/* Replaces a matrix on the host by one without its entries of value 0 or -0, if it has any. The
 * order of the others stays. After a cancel not all is written. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET:
 * the matrix is as before. */
spl_status spl__matrix_drop_zeros(spl__account *account, spl_matrix **matrix);

/* spl_convert without reading options from outside: `source` must have been taken (view.h). The
 * result does not depend on `threads`, at least 1. */
spl_status spl__convert(spl__account *account, int threads, const spl_sparse *source,
                        const spl_convert_options *options, spl_matrix **result);
/* No more than what the result, and making it, takes, but for the workspace that sorts the longest
 * row. */
double spl__convert_bytes(const spl_sparse *source, const spl_convert_options *options);
/* Whether to estimate what a call for the view will hold: of coordinates this takes a pass over
 * them, which only a budget is worth. */
bool spl__estimate_pays(const spl__account *account, const spl_sparse *view);

#endif
