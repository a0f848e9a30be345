/* SPDX-License-Identifier: Apache-2.0 */
/* device_plan.h: planning of products on a device. */
#ifndef SPL_SPGEMM_GPU_DEVICE_PLAN_H
#define SPL_SPGEMM_GPU_DEVICE_PLAN_H

#include "spgemm/product.h"

/* Plans the product: its form, C's structure, its values. Makes plan->state. */
spl_status spl__device_product_plan(spl_plan *plan);
/* For spl__operation: counts work ahead. */
spl_status spl__device_product_meanwhile(spl_plan *plan, const struct csr_survey *surveys,
                                         int count);
void spl__device_product_free(spl_plan *plan);
/* Frees C's structure. */
void spl__device_product_forget(spl_plan *plan);
/* Allocates narrow offsets, if C has them. */
spl_status spl__device_make_narrow(spl_plan *plan);
/* As spl__product_predict, entry by entry; changes the state of what is assumed. */
double spl__device_product_predict(spl_plan *assumed);

#endif
