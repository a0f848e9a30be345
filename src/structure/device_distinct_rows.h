/* SPDX-License-Identifier: Apache-2.0 */
/* device_distinct_rows.h: merged rows: a CSR structure on a device with one row per group of
 * identical neighbouring rows, and one entry per run of neighbouring columns that select identical
 * rows of the matrix to the right. Groups have one to six rows, in any mixture, and need no
 * alignment; nor do runs. So unlike node blocks (device_blocks.h) they are found where boundary
 * conditions remove some unknowns of a node.
 *
 * A*B is computed as (merged rows of A) * (first rows of runs in B), with one value per row of
 * the group: each product of the structures represents (rows of the group) * (columns of the
 * run) products of entries. */
#ifndef SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_H
#define SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_H

#include "device/device.h"
#include "structure/device_distinct_rows.k.h"

typedef struct spl__device_distinct_rows {
    spl_sparse csr; /* rows are groups, columns are the first ones of runs; no values */
    spl__device_array offsets, columns;
    spl__device_array run_starts; /* int32_t[csr.nnz]: the begin of each run in its row */
    spl__device_array firsts;     /* int32_t[csr.rows+1]: the first row of each group */
    double products;              /* of the matrix and the inner one */
} spl__device_distinct_rows;

/* sizes[i]: number of rows of the group that begins with row i, at most DEVICE_GROUP_ROWS; 0:
 * the row belongs to an earlier group. Rows of a group have the same columns in `csr`, and in
 * `also` unless NULL. uint8_t[rows], which the caller frees, also after failure. */
spl_status spl__device_group_sizes(spl__queue *queue, const spl_sparse *csr, const spl_sparse *also,
                                   spl__device_array *sizes);
/* Makes the structure with the groups of `sizes`, and with runs of columns that select rows of
 * one group of `inner`, by inner_sizes; inner NULL: each entry is a run. nnz must be less than
 * 2^32. Waits once. On failure spl__device_distinct_rows_free cleans up. */
spl_status spl__device_distinct_rows_make(spl__queue *queue, const spl_sparse *csr,
                                          const uint8_t *sizes, const spl_sparse *inner,
                                          const uint8_t *inner_sizes,
                                          spl__device_distinct_rows *rows);
void spl__device_distinct_rows_free(spl__queue *queue, spl__device_distinct_rows *rows);

#endif
