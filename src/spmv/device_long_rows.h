/* SPDX-License-Identifier: Apache-2.0 */
/* device_long_rows.h: rows of a matrix on a device that are too long for the method that takes the others.
 *
 * They are cut into pieces, a warp for each, in the same launch; the piece that is done last adds up the sums of its row in the order of pieces, so
 * that results do not depend on which one that is. */
#ifndef SPL_SPMV_DEVICE_LONG_ROWS_H
#define SPL_SPMV_DEVICE_LONG_ROWS_H

#include "plan/plan.h"
#include "spmv/spmv_long_rows.k.h"

typedef struct spl__device_long_rows {
    int64_t pieces, limit;
    spl__device_array list, sums, arrived;
} spl__device_long_rows;

/* Rows of `csr`, on the queue's device, of more than `limit` entries. Waits once. Free what was made in any case. */
spl_status spl__device_long_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                      spl__device_long_rows *rows);
void spl__device_long_rows_free(spl__queue *queue, spl__device_long_rows *rows);

/* As kernels take them. */
struct spmv_long_rows spl__long_rows_for_kernel(const spl__device_long_rows *rows);
struct spmv_csr spl__csr_for_kernel(const spl_plan *plan, const spl__call *call);
/* Blocks of `threads` threads that take them: first in their grid. */
int64_t spl__long_row_blocks(const spl__queue *queue, const spl__device_long_rows *rows, int threads);

#endif
