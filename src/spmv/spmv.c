/* SPDX-License-Identifier: Apache-2.0 */
/* spmv.c: the operation y = alpha*op(A)*x + beta*y: one phase, on all rows. */
#include "plan/plan.h"
#include "spmv/gpu/device_holed_blocks.h"
#include "spmv/holed_blocks.h"

static spl_status plan_spmv(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    spl__features_of_neighbours(&plan->problem, &plan->features);
    spl__spmv_find_blocks(plan);
    SPL__TRY(spl__features_of_groups(&plan->problem, &plan->features));
    SPL__TRY(spl__spmv_find_device_blocks(plan));
    SPL__TRY(spl__features_of_values(plan));
    return spl__plan_step(plan, SPL__PHASE_compute, &all);
}

static void finish_spmv(spl_plan *plan, const spl__call *call)
{
    (void)plan, (void)call; /* nothing to store */
}

static void destroy_spmv(spl_plan *plan)
{
    (void)plan; /* no state */
}

const spl__operation spl__spmv_operation = {plan_spmv, finish_spmv, NULL, NULL, destroy_spmv};
