/* SPDX-License-Identifier: Apache-2.0 */
/* plan_api.c: what all plans have in common: values, explanation, introspection. */
#include "api/call.h"
#include "core/sized.h"
#include "plan/explain.h"

void spl_plan_destroy(spl_plan *plan)
{
    spl__plan_free(plan);
}

/* ---- new values ---- */

/* Is `view` (NULL: unchanged) the matrix that the operand was planned with, but for values? */
static spl_status check_same(const spl__operand *operand, const spl_sparse *view, spl_sparse *taken)
{
    const spl_sparse *s = &operand->source;
    if (!view)
        return SPL_OK;
    if (!operand->name || !s->format)
        return spl__fail(SPL_INVALID_ARGUMENT, "the plan has no such operand");
    SPL__TRY(spl__view_read_anywhere(taken, view, operand->name));
    if (taken->format != s->format || taken->type != s->type || taken->rows != s->rows || taken->cols != s->cols ||
        taken->nnz != s->nnz || taken->place.kind != s->place.kind || taken->place.ordinal != s->place.ordinal ||
        taken->index_type != s->index_type || taken->offset_type != s->offset_type)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is not the matrix of the plan: only values may change",
                         operand->name);
    return SPL_OK;
}

static spl_status update(spl__problem *p, spl__operand *operand, const spl_sparse *view, const spl_sparse *taken)
{
    if (!view)
        return SPL_OK;
    SPL__TRY(spl__operand_update(&p->queue, operand, taken->values));
    return p->options.check_inputs ? spl__operand_mark(&p->queue, operand) : SPL_OK;
}

static spl_status update_all(spl_plan *plan, const spl_sparse *const views[3], const spl_sparse taken[3])
{
    spl__problem *p = &plan->problem;
    SPL__TRY(update(p, &p->a, views[0], &taken[0]));
    SPL__TRY(update(p, &p->b, views[1], &taken[1]));
    SPL__TRY(update(p, &p->d, views[2], &taken[2]));
    spl__plan_update(plan);
    return SPL_OK;
}

spl_status spl_plan_update_values(spl_plan *plan, const spl_sparse *a, const spl_sparse *b, const spl_sparse *d,
                                  const spl_stream *stream)
{
    spl_sparse taken[3];
    const spl_sparse *const views[3] = {a, b, d};
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    SPL__TRY(check_same(&plan->problem.a, a, &taken[0]));
    SPL__TRY(check_same(&plan->problem.b, b, &taken[1]));
    SPL__TRY(check_same(&plan->problem.d, d, &taken[2]));
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status = update_all(plan, views, taken);
    spl__plan_mark(plan);
    return status;
}

/* ---- explanation ---- */

spl_status spl_plan_explain(const spl_plan *plan, char *text, size_t capacity, size_t *length)
{
    if (!plan || (!text && capacity > 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", plan ? "text" : "plan");
    spl__text t = spl__text_begin(text, capacity);
    spl__plan_explain(plan, &t);
    if (length)
        *length = t.length;
    return SPL_OK;
}

static spl_status check_number(const spl_plan *plan, int32_t number, int32_t count, const char *what)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    if (number < 0 || number >= count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s %d of %d", what, number, count);
    return SPL_OK;
}

int32_t spl_plan_step_count(const spl_plan *plan)
{
    return plan ? plan->step_count : 0;
}

spl_status spl_plan_step(const spl_plan *plan, int32_t number, spl_step *step)
{
    SPL__TRY(check_number(plan, number, spl_plan_step_count(plan), "step"));
    const spl__step *s = &plan->steps[number];
    spl_step out = {.phase = spl__phase_name(s->task.phase),
                    .method = s->entry->id,
                    .reason = s->reason,
                    .row_count = s->task.rows.count,
                    .rows = s->task.rows.words,
                    .seconds = s->estimate.seconds,
                    .bytes = (size_t)s->estimate.bytes};
    return spl__sized_write(step, &out, sizeof out, "step");
}

int32_t spl_plan_candidate_count(const spl_plan *plan)
{
    return plan ? plan->candidate_count : 0;
}

spl_status spl_plan_candidate(const spl_plan *plan, int32_t number, spl_candidate *candidate)
{
    SPL__TRY(check_number(plan, number, spl_plan_candidate_count(plan), "candidate"));
    const spl__candidate *c = &plan->candidates[number];
    spl_candidate out = {.step = c->step,
                         .method = c->entry->id,
                         .applicable = !c->why_not,
                         .chosen = c->chosen,
                         .seconds = c->estimate.seconds,
                         .bytes = (size_t)c->estimate.bytes,
                         .reason = c->why_not ? c->why_not : "",
                         .measured = c->measured.seconds};
    return spl__sized_write(candidate, &out, sizeof out, "candidate");
}

int32_t spl_plan_feature_count(const spl_plan *plan)
{
    return plan ? SPL__FEATURES : 0;
}

spl_status spl_plan_feature(const spl_plan *plan, int32_t number, spl_feature *feature)
{
    SPL__TRY(check_number(plan, number, spl_plan_feature_count(plan), "feature"));
    spl_feature out = {0};
    spl__feature_get(&plan->features, number, &out);
    return spl__sized_write(feature, &out, sizeof out, "feature");
}

spl_status spl_plan_counters(const spl_plan *plan, spl_counters *counters)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    spl_counters out = {.executions = atomic_load(&plan->executions),
                        .allocations = atomic_load(&plan->account.allocations) +
                                       atomic_load(&plan->problem.queue.account.allocations),
                        .live = atomic_load(&plan->account.live),
                        .peak = atomic_load(&plan->account.peak),
                        .launches = atomic_load(&plan->problem.queue.launches),
                        .synchronisations = atomic_load(&plan->problem.queue.synchronisations),
                        .fetched = atomic_load(&plan->problem.queue.fetched)};
    return spl__sized_write(counters, &out, sizeof out, "counters");
}
