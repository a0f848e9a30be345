/* SPDX-License-Identifier: Apache-2.0 */
/* device_long_rows.h: rows of a matrix on a device that are too long for the method that takes the
 * others.
 *
 * They are cut into pieces, a warp for each, in the same launch. Sums of pieces are added up in
 * their order, so that results do not depend on which is done last: either by that one; or, where
 * rows are cut for nearness, by a launch of its own. Those pieces are short, and come in the order
 * of where they begin to read x, so that warps which run at the same time find x in L1, which the
 * other way to add up would empty at each row. */
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

/* Rows of `csr`, on the queue's device, of more than `limit` entries; `near`: cut for nearness, in
 * pieces of so many, or 0. Waits once. Free what was made in any case. */
spl_status spl__device_long_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                      int near, spl__device_long_rows *rows);
void spl__device_long_rows_free(spl__queue *queue, spl__device_long_rows *rows);

/* As kernels take them. */
struct spmv_long_rows spl__long_rows_for_kernel(const spl__device_long_rows *rows);
struct spmv_csr spl__csr_for_kernel(const spl_plan *plan, const spl__call *call);
/* Blocks of `threads` threads that take them: first in their grid. */
int64_t spl__long_row_blocks(const spl__queue *queue, const spl__device_long_rows *rows,
                             int threads);
/* Behind that launch: adds up sums of rows that were cut for nearness, if there are any. */
spl_status spl__long_rows_join(spl_plan *plan, const spl__device_long_rows *rows,
                               const spl__call *call);

#endif
