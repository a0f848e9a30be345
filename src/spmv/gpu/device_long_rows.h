/* SPDX-License-Identifier: Apache-2.0 */
/* device_long_rows.h: rows of a matrix on a device that are too long for the method of the other
 * rows.
 *
 * They are cut into pieces, one warp each, in the same launch. Sums of pieces are added in
 * order, so that results are deterministic: by the warp that finishes last, or, where rows are
 * cut for locality (`near`), by a separate launch. Such pieces are short and ordered by where
 * they begin to read x, so that concurrent warps find x in L1, which the fences of the other way
 * would invalidate. */
#ifndef SPL_SPMV_GPU_DEVICE_LONG_ROWS_H
#define SPL_SPMV_GPU_DEVICE_LONG_ROWS_H

#include "plan/plan.h"
#include "spmv/kernels/spmv_long_rows.k.h"

typedef struct spl__device_long_rows {
    int64_t pieces, limit;
    bool near; /* cut for nearness */
    spl__device_array list, sums;
    spl__device_array arrived;       /* int32_t[pieces], not if near */
    spl__device_array piece_offsets; /* int64_t[rows+1], if near: the first piece of each row */
} spl__device_long_rows;

/* Finds the rows of more than `limit` entries in `csr`, on the queue's device. `near`: entries
 * per piece if cut for locality, or 0. Waits once. Must be freed also after failure. */
spl_status spl__device_long_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                      int near, spl__device_long_rows *rows);
void spl__device_long_rows_free(spl__queue *queue, spl__device_long_rows *rows);

/* The kernel argument. */
struct spmv_long_rows spl__long_rows_for_kernel(const spl__device_long_rows *rows);
struct spmv_csr spl__csr_for_kernel(const spl_plan *plan, const spl__call *call);
/* The number of blocks of `threads` threads for them, which come first in the grid. */
int64_t spl__long_row_blocks(const spl__queue *queue, const spl__device_long_rows *rows,
                             int threads);
/* After that launch: adds the sums of rows that were cut for locality, if any. */
spl_status spl__long_rows_join(spl_plan *plan, const spl__device_long_rows *rows,
                               const spl__call *call);

#endif
