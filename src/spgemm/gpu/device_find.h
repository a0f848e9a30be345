/* SPDX-License-Identifier: Apache-2.0 */
/* device_find.h: the symbolic phase on a device, for its methods. */
#ifndef SPL_SPGEMM_GPU_DEVICE_FIND_H
#define SPL_SPGEMM_GPU_DEVICE_FIND_H

#include "spgemm/gpu/device_product.h"

/* The parameters in which methods differ in the cost model: steps of a warp per product and per
 * row, launches, and whether one team finds rows of very many columns with hash tables. */
void spl__device_find_estimate(const spl__task *task, spl__device_costs costs,
                               spl__estimate *estimate);
/* The state of a symbolic method: its bins, for explanations. */
spl_status spl__device_find_prepare(spl__step *step);
/* Options of the symbolic phase. ATTEMPT: the last shape is a hash table that rows may overflow,
 * see device_find.c. UNSORTED: hashed columns may come in any order. BOUNDED: columns are stored
 * at the upper bounds of rows, so that none is found twice. */
enum { SPL__FIND_ATTEMPT = 1, SPL__FIND_UNSORTED = 2, SPL__FIND_BOUNDED = 4 };
/* Enqueues early the bins that spl__device_find needs first. */
spl_status spl__device_find_enqueue_early(const spl__task *task, const spl__row_shapes *shapes);
/* The symbolic phase with those shapes: C's offsets and columns. */
spl_status spl__device_find(spl__step *step, const spl__row_shapes *shapes, unsigned flags);
void spl__device_find_explain(const spl__step *step, spl__text *text);
void spl__device_find_destroy(spl__step *step);

#endif
