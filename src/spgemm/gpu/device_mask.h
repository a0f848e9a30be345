/* SPDX-License-Identifier: Apache-2.0 */
/* device_mask.h: the mask of a product on a device. */
#ifndef SPL_SPGEMM_GPU_DEVICE_MASK_H
#define SPL_SPGEMM_GPU_DEVICE_MASK_H

#include "spgemm/gpu/device_product.h"

/* Copies the problem's mask to the device, and frees it on the host; without one does nothing. */
spl_status spl__device_mask_upload(spl_plan *plan);
/* Counts the steps of dot products at the mask's positions, if it lists them. Waits once. */
spl_status spl__device_mask_survey(spl_plan *plan);
/* Positions of offsets and columns that are met become those of C, which has none yet. Waits
 * once. */
spl_status spl__device_mask_keep(spl_plan *plan, const int64_t *offsets, const int32_t *columns,
                                 const uint32_t *met);
/* Takes a complement's positions out of C. Waits once. */
spl_status spl__device_mask_take_out(spl_plan *plan);
/* Makes the row of each position of C. */
spl_status spl__device_position_rows(spl_plan *plan, spl__device_array *rows);
/* Once C is known. */
void spl__device_mask_free(spl_plan *plan);

#endif
