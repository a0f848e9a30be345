/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/tensor: C = alpha*A*B + beta*C by tensor cores, if options.accuracy allows their
 * rounding.
 *
 * device_tensor.h is the method, here with windows of 16 rows.
 *
 * Cost: 128 values and 32 bytes a tile per 64 columns, 8 rows of B per tile, C once. Memory: 128
 * values and 48 bytes a tile. Source: Y. Wang and others, TC-GNN, USENIX ATC 2023; rounding of
 * tensor cores: M. Fasi, N. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor
 * cores, PeerJ Computer Science 7:e330, 2021. Differs: values in the order in which lanes multiply
 * them; loads of 16 bytes; any K, orders, leading dimensions; f32 as TF32, f16, bf16. */
#include "spmm/gpu/device_tensor.h"

#include "format/device_tiles.h"

const spl__method spl__spmm_compute_gpu_tensor = {
    .summary = "tensor cores on tiles of gathered columns, for reduced accuracy",
    .source = "Y. Wang and others, TC-GNN, USENIX ATC 2023",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__PAYS_ONCE | SPL__HALVES,
    .parameters = &(const spl__tensor_method){DEVICE_TILE_ROWS},
    .applicable = spl__device_tensor_applicable,
    .estimate = spl__device_tensor_estimate,
    .prepare = spl__device_tensor_prepare,
    .update = spl__device_tensor_update,
    .execute = spl__device_tensor_execute,
    .explain = spl__device_tensor_explain,
    .destroy = spl__device_tensor_destroy,
};
