/* SPDX-License-Identifier: Apache-2.0 */
/* spmv.c: the operation y = alpha*op(A)*x + beta*y: one phase, on all rows. */
#include "plan/plan.h"
#include "spmv/gpu/device_holed_blocks.h"
#include "spmv/gpu/device_masked_rows.h"
#include "spmv/holed_blocks.h"
#include "spmv/masked_rows.h"

/* What is found in a matrix on a device serves methods of plus_times alone. */
static spl_status plan_spmv(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    if (plan->problem.queue.device && spl__problem_has_algebra(&plan->problem))
        return spl__plan_step(plan, SPL__PHASE_compute, &all);
    spl__features_of_neighbours(&plan->problem, &plan->features);
    spl__spmv_find_blocks(plan);
    SPL__TRY(spl__features_of_groups(&plan->problem, &plan->features));
    SPL__TRY(spl__spmv_find_device_blocks(plan));
    SPL__TRY(spl__features_of_values(plan));
    return spl__plan_step(plan, SPL__PHASE_compute, &all);
}

static spl_status execute_rows(spl_plan *plan, const spl__call *call)
{
    return plan->problem.queue.device ? spl__spmv_device_masked_rows(plan, call)
                                      : spl__spmv_masked_rows(plan, call);
}

const spl__traits spl__spmv_traits = {.name = "spmv",
                                      .formula = "y = alpha*op(A)*x + beta*y",
                                      .vectors = true,
                                      .look_at_a = SPL__LOOK_FOR_GROUPS,
                                      .least_bytes = spl__staging_bytes};

const spl__operation spl__spmv_operation = {SPL__ON_ONE_PROCESSOR, .plan = plan_spmv,
                                            .execute = spl__dense_execute,
                                            .execute_rows = execute_rows};
