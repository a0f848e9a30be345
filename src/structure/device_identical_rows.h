/* SPDX-License-Identifier: Apache-2.0 */
/* device_identical_rows.h: identical rows: neighbouring rows of a CSR matrix on a device with
 * the same columns in the same order, as in finite elements with several unknowns per node.
 * Unlike node blocks (device_blocks.h) groups need no alignment and may differ in size. */
#ifndef SPL_STRUCTURE_DEVICE_IDENTICAL_ROWS_H
#define SPL_STRUCTURE_DEVICE_IDENTICAL_ROWS_H

#include "device/device.h"
#include "structure/device_identical_rows.k.h"

/* equals_previous[i] = 1 if row i, of up to `longest` entries, has the columns of row i - 1, in
 * the same order; 0 if i is a multiple of DEVICE_RUN_LIMIT; with `further` also where it was 0
 * before. Enqueues one kernel. */
spl_status spl__device_identical_rows_mark(spl__queue *queue, const spl_sparse *csr,
                                           int64_t longest, bool further, uint8_t *equals_previous);

/* The rows of up to `longest` entries in groups of up to DEVICE_GROUP_ROWS, in order; longer
 * rows are in no group. */
typedef struct spl__device_identical_rows {
    int64_t count, rows;
    spl__device_array list; /* struct device_identical_run[count] */
} spl__device_identical_rows;

/* Waits once. On failure spl__device_identical_rows_free cleans up. */
spl_status spl__device_identical_rows_make(spl__queue *queue, const spl_sparse *csr,
                                           int64_t longest, spl__device_identical_rows *groups);
void spl__device_identical_rows_free(spl__queue *queue, spl__device_identical_rows *groups);

#endif
