/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/form/gpu/entries: both phases multiply the operands as they are, entry by entry.
 *
 * Cost: none. Memory: none. Source: F. Gustavson, ACM TOMS 4(3), 1978. */
#include "spgemm/gpu/device_values.h"
#include "spgemm/gpu/forms/form_kinds.h"

const spl__form_kind spl__form_entries = {
    .id = "spgemm/form/gpu/entries",
    .refuses = {[SPL__BY_ROWS] = "too few neighbouring rows have the same columns"},
    .borrows = {true, true, true},
    .block_values = spl__node_block_values,
};

static const char *applicable(const spl__task *task)
{
    const spl__form_kind *rows = &spl__form_identical_rows;
    return spl__form_is_forced(task->plan, rows) ? rows->refuses[SPL__BY_ENTRIES] : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__form_estimate(task, task->plan->gpu_machine->spgemm_form_entries, e);
}

static spl_status prepare(spl__step *step)
{
    spl__form_begin(step->task.plan, &spl__form_entries, spl__form_of(step->task.plan));
    return SPL_OK;
}

const spl__method spl__spgemm_form_gpu_entries = {
    .summary = "the operands as they are, entry by entry",
    .source = "F. Gustavson, ACM TOMS 4(3), 1978",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS | SPL__ALGEBRA | SPL__INTEGERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .destroy = spl__form_destroy,
};
