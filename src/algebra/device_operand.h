/* SPDX-License-Identifier: Apache-2.0 */
/* device_operand.h: matrices on a device that operations on entries read. */
#ifndef SPL_ALGEBRA_DEVICE_OPERAND_H
#define SPL_ALGEBRA_DEVICE_OPERAND_H

#include "matrix/device_arrange.h"

/* The context's device that has the arrays of `m`. SPL_INVALID_ARGUMENT: there is none;
 * SPL_UNSUPPORTED: indices of 64 bits. `name` is what messages call the matrix. */
spl_status spl__operand_device(spl_context *context, const spl_sparse *m, const char *name,
                               spl__device **device);

/* A matrix in CSR: `view` is the caller's, or points to what follows. */
typedef struct spl__device_lines {
    spl_sparse view;
    spl__device_arrangement arrangement;
    spl__device_array offsets, indices, values;
} spl__device_lines;

/* The matrix on the queue's device, or with `transpose` its transpose, in CSR, entries of a row in
 * any order. Its arrays have been checked. To be freed in any case. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_lines_take(spl__queue *queue, const spl_sparse *m, bool transpose,
                                  spl__device_lines *lines);
/* The same with offsets of `offset_type`, the columns of a row ascending, each once: equal
 * positions are summed. `ascends`: those of each line of `m` do (csr_survey.h). May wait. */
spl_status spl__device_lines_normalise(spl__queue *queue, const spl_sparse *m, bool ascends,
                                       spl_index offset_type, spl__device_lines *lines);
void spl__device_lines_free(spl__queue *queue, spl__device_lines *lines);

/* Launches a kernel of entries.k.h for the matrix' types, a warp for each of `rows`. */
spl_status spl__device_rows_launch(spl__queue *queue, const spl_sparse *csr, const char *name,
                                   int64_t rows, const void *args, size_t bytes);

/* Turns lengths of rows, P[count + 1], into offsets; *total: their sum. Waits. */
spl_status spl__device_total(spl__queue *queue, spl_index type, void *lengths, int64_t count,
                             int64_t *total);

#endif
