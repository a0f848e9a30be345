/* SPDX-License-Identifier: Apache-2.0 */
/* spread_product.h: C = alpha*op(A)*op(B) + beta*D by several processors: what product.h is for one. */
#ifndef SPL_PARTITION_SPREAD_PRODUCT_H
#define SPL_PARTITION_SPREAD_PRODUCT_H

#include "partition/spread.h"
#include "spgemm/product.h"

void spl__product_part_free(spl__spread_part *part);
spl__product_terms spl__spread_product_terms(const spl_plan *plan);
spl__product_state spl__spread_product_state(const spl_plan *plan);
spl_status spl__spread_product_execute(spl_plan *plan, const spl__call *call, void *values);
spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values);

#endif
