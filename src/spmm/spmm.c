/* SPDX-License-Identifier: Apache-2.0 */
/* spmm.c: the operation C = alpha*op(A)*B + beta*C, B and C dense: one phase, on all rows. */
#include "plan/plan.h"
#include "spmm/blocks_of_a.h"
#include "spmm/gpu/device_merge.h"
#include "spmm/masked_rows_of_c.h"

static spl_status plan_spmm(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    spl__features_of_neighbours(&plan->problem, &plan->features);
    spl__spmm_find_blocks(plan);
    SPL__TRY(spl__features_of_tiles(&plan->problem, &plan->features));
    SPL__TRY(spl__spmm_look_at_overlap(plan));
    return spl__plan_step(plan, SPL__PHASE_compute, &all);
}

const spl__traits spl__spmm_traits = {.name = "spmm",
                                      .formula = "C = alpha*op(A)*B + beta*C",
                                      .look_at_a = SPL__LOOK_NO_FURTHER,
                                      .least_bytes = spl__staging_bytes};

const spl__operation spl__spmm_operation = {SPL__ON_ONE_PROCESSOR, .plan = plan_spmm,
                                            .execute = spl__dense_execute,
                                            .execute_rows = spl__spmm_masked_rows};
