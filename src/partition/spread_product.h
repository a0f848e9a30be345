/* SPDX-License-Identifier: Apache-2.0 */
/* spread_product.h: C = alpha*op(A)*op(B) + beta*D by several processors: the counterpart of
 * product.h. Each has its rows of A and D and all of B, and computes its rows of C, which are
 * consecutive in the caller's arrays. */
#ifndef SPL_PARTITION_SPREAD_PRODUCT_H
#define SPL_PARTITION_SPREAD_PRODUCT_H

#include "plan/plan.h"

/* Makes the parts of plan->spread. */
spl_status spl__spread_product_make(spl_plan *plan);
/* Frees what is not the parts'. */
void spl__spread_product_free(spl_plan *plan);

/* Functions of spl__operation. */
spl__product_terms spl__spread_product_terms(const spl_plan *plan);
spl__product_state spl__spread_product_state(const spl_plan *plan);
spl_status spl__spread_product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream);
spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                      const spl_stream *stream);

#endif
