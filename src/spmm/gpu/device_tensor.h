/* SPDX-License-Identifier: Apache-2.0 */
/* device_tensor.h: SpMM by tensor cores: the common part of its methods.
 *
 * A is divided into windows of 16 or 8 rows; the distinct columns of a window form tiles of 8
 * columns, each multiplied with 8 rows of B by one instruction per 8 (16) columns of B
 * (format/device_tiles.h). A row of B is loaded once for all rows of the window. Values are copied
 * into tiles, so that a lane loads at once what it multiplies: read in place, they took four loads
 * of scattered numbers a tile, more than the rows of B. Slots without an entry are multiplied, too,
 * which costs nothing if tiles are full enough; sums that are not finite, because Inf or NaN spread
 * that way, are computed again.
 *
 * Few windows are each shared by several teams of lanes. */
#ifndef SPL_SPMM_GPU_DEVICE_TENSOR_H
#define SPL_SPMM_GPU_DEVICE_TENSOR_H

#include "plan/plan.h"

/* The parameters of a method: rows of a window. */
typedef struct spl__tensor_method {
    int32_t height;
} spl__tensor_method;
const char *spl__device_tensor_applicable(const spl__task *task);
void spl__device_tensor_estimate(const spl__task *task, spl__estimate *e);
spl_status spl__device_tensor_prepare(spl__step *step);
void spl__device_tensor_update(spl__step *step);
spl_status spl__device_tensor_execute(spl__step *step, const spl__call *call);
void spl__device_tensor_explain(const spl__step *step, spl__text *text);
void spl__device_tensor_destroy(spl__step *step);

#endif
