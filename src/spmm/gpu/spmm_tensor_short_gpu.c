/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/tensor_short: C = alpha*A*B + beta*C by tensor cores, in tiles of 8 rows.
 *
 * C' = B'A': the 16 rows of an instruction's first factor are columns of B, and tiles of A are its
 * second factor, so that windows have 8 rows instead of 16, and fewer slots without an entry where
 * rows share columns with few neighbours. device_tensor.h is the method.
 *
 * Cost: 64 values and 32 bytes a tile per 64 columns, 8 rows of B per tile, C once. Memory: 64
 * values and 48 bytes a tile. Source: J. Shi, S. Li, Y. Xu, R. Fu, X. Wang, T. Wu, FlashSparse,
 * PPoPP 2025. Differs: as those of spmm/compute/gpu/tensor. */
#include "spmm/gpu/device_tensor.h"

#include "format/device_tiles.h"

const spl__method spl__spmm_compute_gpu_tensor_short = {
    .summary = "the same with transposed products, whose tiles have half as many rows",
    .source = "J. Shi and others, FlashSparse, PPoPP 2025",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__PAYS_ONCE | SPL__HALVES,
    .parameters = &(const spl__tensor_method){DEVICE_TILE_FEW_ROWS},
    .applicable = spl__device_tensor_applicable,
    .estimate = spl__device_tensor_estimate,
    .prepare = spl__device_tensor_prepare,
    .update = spl__device_tensor_update,
    .execute = spl__device_tensor_execute,
    .explain = spl__device_tensor_explain,
    .destroy = spl__device_tensor_destroy,
};
