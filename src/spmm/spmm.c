/* SPDX-License-Identifier: Apache-2.0 */
/* spmm.c: the operation C = alpha*op(A)*B + beta*C, B and C dense: one phase, on all rows. */
#include "plan/plan.h"
#include "spmm/blocks_of_a.h"
#include "spmm/gpu/device_masked_rows_of_c.h"
#include "spmm/gpu/device_merge.h"
#include "spmm/masked_rows_of_c.h"

/* What is found in a matrix on a device serves methods of plus_times alone. */
static spl_status plan_spmm(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    if (plan->problem.queue.device && spl__problem_has_algebra(&plan->problem))
        return spl__plan_step(plan, SPL__PHASE_compute, &all);
    spl__features_of_neighbours(&plan->problem, &plan->features);
    spl__spmm_find_blocks(plan);
    SPL__TRY(spl__features_of_tiles(&plan->problem, &plan->features));
    SPL__TRY(spl__spmm_look_at_overlap(plan));
    return spl__plan_step(plan, SPL__PHASE_compute, &all);
}

static spl_status execute_rows(spl_plan *plan, const spl__call *call)
{
    return plan->problem.queue.device ? spl__spmm_device_masked_rows(plan, call)
                                      : spl__spmm_masked_rows(plan, call);
}

const spl__traits spl__spmm_traits = {.name = "spmm",
                                      .formula = "C = alpha*op(A)*B + beta*C",
                                      .look_at_a = SPL__LOOK_NO_FURTHER,
                                      .least_bytes = spl__staging_bytes};

const spl__operation spl__spmm_operation = {SPL__ON_ONE_PROCESSOR, .plan = plan_spmm,
                                            .execute = spl__dense_execute,
                                            .execute_rows = execute_rows};
