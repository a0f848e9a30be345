/* SPDX-License-Identifier: Apache-2.0 */
/* device_distinct_rows.h: a CSR structure on a device with a row for each group of neighbouring
 * rows that have the same columns, and an entry for each run of neighbouring columns that lead to
 * rows alike of the matrix to the right. Groups have one to six rows, in any mixture, and need no
 * alignment, and neither do runs: unlike blocks (device_blocks.h) they are there where some
 * unknowns of a node are missing, as boundary conditions leave them.
 *
 * A*B is (the groups of A) * (the first rows of runs in B), with as many values as a group has
 * rows: each product of the structures stands for as many products of entries as the group has rows
 * times the run has columns. */
#ifndef SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_H
#define SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_H

#include "device/device.h"
#include "structure/device_distinct_rows.k.h"

typedef struct spl__device_distinct_rows {
    spl_sparse csr; /* rows are groups, columns the first ones of runs; no values */
    spl__device_array offsets, columns;
    spl__device_array run_starts; /* int32_t[csr.nnz] where each run begins in its row; the next
                                 one, or the row's end, ends it */
    spl__device_array firsts;     /* int32_t[csr.rows+1] the first row of each group */
    double products;              /* of the matrix with the inner one */
} spl__device_distinct_rows;

/* sizes[i]: rows of the group that begins with row i, up to DEVICE_GROUP_ROWS; 0: the row goes with
 * an earlier one. Rows of a group have the same columns in `csr`, and in `also` if it is not NULL.
 * uint8_t[rows], which the caller frees, also after a failure. */
spl_status spl__device_group_sizes(spl__queue *queue, const spl_sparse *csr, const spl_sparse *also,
                                   spl__device_array *sizes);
/* The structure with the groups of `sizes`, and with runs of columns that lead to rows of one group
 * of `inner`, by inner_sizes; inner NULL: each entry is a run. Less than 2^32 entries. Waits once.
 * On failure spl__device_distinct_rows_free cleans up. */
spl_status spl__device_distinct_rows_make(spl__queue *queue, const spl_sparse *csr,
                                          const uint8_t *sizes, const spl_sparse *inner,
                                          const uint8_t *inner_sizes,
                                          spl__device_distinct_rows *joined);
void spl__device_distinct_rows_free(spl__queue *queue, spl__device_distinct_rows *joined);

#endif
