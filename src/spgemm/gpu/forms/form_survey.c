/* SPDX-License-Identifier: Apache-2.0 */
/* form_survey.c: looks at the operands for what forms are predicted from. */
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"
#include "structure/csr_survey.h"
#include "structure/device_blocks.h"

/* Whether the operand has the arrays of the first. */
static bool is_twin(spl__operand *const *operands, int i)
{
    return i > 0 && spl__view_same_structure(&operands[0]->csr, &operands[i]->csr);
}

/* Resident operands have been surveyed already; operands that were copied to this device are
 * searched now. */
static spl_status look_at_operands(spl_plan *plan, spl__operand *const *operands, int count)
{
    spl__survey_task tasks[SPL__MOST_SURVEYS];
    int n = 0;
    if (!plan->problem.staged)
        return SPL_OK;
    for (int i = 0; i < count; i++)
        if (!is_twin(operands, i))
            tasks[n++] =
                (spl__survey_task){.view = &operands[i]->csr,
                                   .look = i == 0 ? SPL__LOOK_FOR_GROUPS : SPL__LOOK_FOR_BLOCKS,
                                   .survey = &operands[i]->survey};
    SPL__TRY(spl__device_looks(&plan->problem.queue, tasks, n));
    for (int i = 1; i < count; i++)
        if (is_twin(operands, i))
            operands[i]->survey.block = operands[0]->survey.block;
    return SPL_OK;
}

/* The largest size of node blocks that all operands have. */
static int32_t block_size(spl__operand *const *operands, int count)
{
    const spl_sparse *matrices[3];
    int64_t found[3];
    for (int i = 0; i < count; i++) {
        matrices[i] = &operands[i]->csr;
        found[i] = operands[i]->survey.block;
    }
    return spl__device_block_size(matrices, found, count, SPGEMM_MOST_BLOCK);
}

/* Compact forms know no masks, semirings and integers. */
static bool serves_any(const spl_plan *plan)
{
    if (spl__needs_positions(&plan->problem))
        return false;
    return !spl__form_excluded(plan, &spl__form_node_blocks) ||
           !spl__form_excluded(plan, &spl__form_holed_blocks) ||
           !spl__form_excluded(plan, &spl__form_identical_rows);
}

spl_status spl__survey_forms(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    spl__operand *const operands[] = {&p->a, &p->b, &p->d};
    spl__form_survey *s = &spl__device_product_of(plan)->survey;
    int count = p->has_d ? 3 : 2;
    *s = (spl__form_survey){.node_block = 1, .distinct_share = 1, .holed = {.size = 1}};
    if (!serves_any(plan))
        return SPL_OK;
    SPL__TRY(look_at_operands(plan, operands, count));
    s->node_block = block_size(operands, count);
    s->distinct_share = 1 - p->a.survey.repeated;
    return spl__holed_blocks_look(plan, &s->holed);
}
