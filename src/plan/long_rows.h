/* SPDX-License-Identifier: Apache-2.0 */
/* long_rows.h: the common part of device methods over semirings that give each long row a block of
 * its own: step->state is a spl__listed_rows. */
#ifndef SPL_PLAN_LONG_ROWS_H
#define SPL_PLAN_LONG_ROWS_H

#include "matrix/device_listed_rows.h"
#include "plan/forced.h"
#include "plan/plan.h"

/* Over semirings and of integers, or where forced. */
static inline const char *spl__long_rows_applicable(const spl__task *task)
{
    const spl_plan *plan = task->plan;
    return spl__problem_has_algebra(&plan->problem) || spl__phase_is_forced(plan, task->phase)
               ? NULL
               : "for semirings and integers";
}

/* Lists the rows of A of more than `limit` entries. */
static inline spl_status spl__long_rows_prepare(spl__step *step, int64_t limit)
{
    spl_plan *plan = step->task.plan;
    spl__listed_rows *rows;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &rows, 1));
    step->state = rows;
    return spl__listed_rows_make(&plan->problem.queue, &plan->problem.a.csr, limit,
                                 plan->features.longest_row_a, rows);
}

static inline void spl__long_rows_explain(const spl__step *step, int lanes, spl__text *text)
{
    const spl__listed_rows *rows = step->state;
    spl__text_add(text, "  lanes per row %d, %d rows by a block each\n", lanes, (int)rows->count);
}

static inline void spl__long_rows_destroy(spl__step *step)
{
    spl__listed_rows *rows = step->state;
    if (!rows)
        return;
    spl__listed_rows_free(&step->task.plan->problem.queue, rows);
    spl__free(rows);
}

/* The rows that the plan's first step has listed, if it is of this method; otherwise none are long.
 */
static inline const spl__listed_rows *spl__long_rows_of(const spl_plan *plan,
                                                        const spl__method *method)
{
    static const spl__listed_rows none = {.limit = INT64_MAX};
    return plan->steps[0].entry->method == method && plan->steps[0].state ? plan->steps[0].state
                                                                          : &none;
}

#endif
