/* SPDX-License-Identifier: Apache-2.0 */
/* device_find.h: the symbolic phase on a device, for its methods. */
#ifndef SPL_SPGEMM_GPU_DEVICE_FIND_H
#define SPL_SPGEMM_GPU_DEVICE_FIND_H

#include "spgemm/gpu/device_product.h"

/* The parameters of a symbolic method. */
typedef struct spl__find_method {
    spl__row_shapes shapes;
    spl__device_costs costs;
    bool attempts;     /* the last shape is a hash table that rows may overflow: device_find.c */
    bool unsorted;     /* where the plan accepts it, hashed columns come in any order */
    bool bounded;      /* columns are stored at the upper bounds of rows: none is found twice */
    bool compresses;   /* reads B compressed */
    bool as_wide_as_c; /* windows are as wide as C, and read as a whole */
} spl__find_method;
/* The functions of a method. Its state: its bins, for explanations. */
void spl__device_find_estimate(const spl__task *task, spl__estimate *estimate);
spl_status spl__device_find_prepare(spl__step *step);
spl_status spl__device_find_enqueue_early(const spl__task *task);
spl_status spl__device_find_execute(spl__step *step, const spl__call *call);
void spl__device_find_explain(const spl__step *step, spl__text *text);

#endif
