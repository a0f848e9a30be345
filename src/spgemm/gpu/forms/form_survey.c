/* SPDX-License-Identifier: Apache-2.0 */
/* form_survey.c: looks at the operands for what forms are predicted from. */
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/spgemm_blocks.k.h"
#include "structure/device_blocks.h"
#include "structure/device_identical_rows.h"

/* Results of the search in operands that were copied to this device. */
struct looked {
    uint32_t blocks[3], unused;
    struct device_identical_sample identical;
};

/* Whether the operand has the arrays of the first. */
static bool is_twin(spl__operand *const *operands, int i)
{
    return i > 0 && spl__view_same_structure(&operands[0]->csr, &operands[i]->csr);
}

static double ratio(double count, double to)
{
    return to > 0 ? count / to : 1;
}

static spl_status look(spl_plan *plan, spl__operand *const *operands, int count,
                       struct looked *sample)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__queue_fill(queue, sample, 0, sizeof *sample));
    for (int i = 0; i < count; i++)
        if (!is_twin(operands, i))
            SPL__TRY(spl__device_blocks_look(queue, &operands[i]->csr, &sample->blocks[i]));
    return operands[0]->csr.rows > 0
               ? spl__device_identical_sample(queue, &operands[0]->csr, &sample->identical)
               : SPL_OK;
}

/* Resident operands have been surveyed already; operands that were copied to this device are
 * searched now. */
static spl_status look_at_operands(spl_plan *plan, spl__operand *const *operands, int count)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array device_sums;
    struct looked found;
    if (!plan->problem.staged)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &device_sums));
    spl_status status = look(plan, operands, count, device_sums.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, device_sums.data, sizeof found);
    spl__queue_free(queue, &device_sums);
    if (status != SPL_OK)
        return status;
    for (int i = 0; i < count; i++)
        operands[i]->survey.block = found.blocks[is_twin(operands, i) ? 0 : i];
    operands[0]->survey.repeated =
        ratio((double)found.identical.repeated, (double)found.identical.sampled);
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
