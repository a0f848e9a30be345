/* SPDX-License-Identifier: Apache-2.0 */
/* plan_api.c: functions of all plans: values, explanation, introspection. */
#include "api/call.h"
#include "core/sized.h"

void spl_plan_destroy(spl_plan *plan)
{
    spl__plan_free(plan);
}

/* ---- new values ---- */

/* Checks that `view` (NULL: unchanged) is the planned operand except for values; `name`: of the
 * argument. */
static spl_status check_same(const char *name, const spl__operand *operand, const spl_sparse *view,
                             spl_sparse *taken)
{
    const spl_sparse *s = &operand->source;
    if (!view)
        return SPL_OK;
    if (!operand->name || !s->format)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is given, but the plan has none", name);
    SPL__TRY(spl__view_read_anywhere(taken, view, operand->name));
    if (taken->rows != s->rows || taken->cols != s->cols || taken->nnz != s->nnz)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "%s is %lld x %lld with %lld entries, in the plan %lld x %lld with %lld: "
                         "only values may change",
                         operand->name, (long long)taken->rows, (long long)taken->cols,
                         (long long)taken->nnz, (long long)s->rows, (long long)s->cols,
                         (long long)s->nnz);
    if (taken->format != s->format || taken->type != s->type ||
        taken->place.kind != s->place.kind || taken->place.ordinal != s->place.ordinal ||
        taken->index_type != s->index_type || taken->offset_type != s->offset_type)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "%s has another format, type, place or width of indices than in the plan: "
                         "only values may change",
                         operand->name);
    return SPL_OK;
}

/* After a cancel the plan borrows the new arrays all the same. */
static spl_status update_watched(spl_plan *plan, const spl_sparse *const views[3])
{
    spl__watch watch;
    plan->account.watch = spl__watch_begin(&watch, plan->problem.context, "update", 0);
    spl_status status = plan->operation->update(plan, views);
    if (status == SPL_OK)
        status = spl__watch_check(plan->account.watch);
    plan->account.watch = NULL;
    return status;
}

spl_status spl_plan_update_values(spl_plan *plan, const spl_sparse *a, const spl_sparse *b,
                                  const spl_sparse *d, const spl_stream *stream)
{
    spl_sparse taken[3];
    const spl_sparse *const views[3] = {a ? &taken[0] : NULL, b ? &taken[1] : NULL,
                                        d ? &taken[2] : NULL};
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    SPL__TRY(check_same("A", &plan->problem.a, a, &taken[0]));
    SPL__TRY(check_same("B", &plan->problem.b, b, &taken[1]));
    SPL__TRY(check_same("D", &plan->problem.d, d, &taken[2]));
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status = update_watched(plan, views);
    spl__plan_mark(plan);
    return status;
}

/* ---- explanation ---- */

spl_status spl_plan_explain(const spl_plan *plan, char *text, size_t capacity, size_t *length)
{
    if (!plan || (!text && capacity > 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", plan ? "text" : "plan");
    spl__text t = spl__text_begin(text, capacity);
    plan->operation->explain(plan, &t);
    if (length)
        *length = t.length;
    return SPL_OK;
}

static spl_status check_number(const spl_plan *plan, int32_t number, int32_t count,
                               const char *kind)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    if (number < 0 || number >= count)
        return spl__fail(SPL_INVALID_ARGUMENT, "there is no %s %d: the plan has %d, from 0 on",
                         kind, number, count);
    return SPL_OK;
}

typedef int32_t (*count_fn)(const spl_plan *plan);

static int32_t steps_of(const spl_plan *plan)
{
    return plan->step_count;
}

static int32_t candidates_of(const spl_plan *plan)
{
    return plan->candidate_count;
}

/* Steps and candidates are numbered consecutively over the plans of several processors. */
static int32_t sum(const spl_plan *plan, count_fn count)
{
    int32_t all = 0;
    const spl_plan *inner;
    for (int32_t k = 0; (inner = plan->operation->inner(plan, k)); k++)
        all += count(inner);
    return all;
}

/* The plan that has item *number of all, which becomes its number there; *steps: the steps before
 * that plan's. */
static const spl_plan *owner_of(const spl_plan *plan, count_fn count, int32_t *number,
                                int32_t *steps)
{
    const spl_plan *inner;
    *steps = 0;
    for (int32_t k = 0; (inner = plan->operation->inner(plan, k)); k++) {
        if (*number < count(inner))
            return inner;
        *number -= count(inner);
        *steps += inner->step_count;
    }
    return NULL;
}

int32_t spl_plan_step_count(const spl_plan *plan)
{
    return plan ? sum(plan, steps_of) : 0;
}

spl_status spl_plan_step(const spl_plan *plan, int32_t number, spl_step *step)
{
    SPL__TRY(check_number(plan, number, spl_plan_step_count(plan), "step"));
    int32_t before;
    const spl_plan *owner = owner_of(plan, steps_of, &number, &before);
    const spl__step *s = &owner->steps[number];
    spl_step out = {.phase = spl__phase_name(s->task.phase),
                    .method = s->entry->id,
                    .reason = spl__step_reason(owner, number),
                    .row_count = s->task.rows.count,
                    .rows = s->task.rows.words,
                    .seconds = s->estimate.seconds,
                    .bytes = (size_t)s->estimate.bytes,
                    .threads = owner->problem.queue.device ? 0 : spl__step_threads(s)};
    return spl__sized_write(step, &out, sizeof out, "step");
}

int32_t spl_plan_candidate_count(const spl_plan *plan)
{
    return plan ? sum(plan, candidates_of) : 0;
}

spl_status spl_plan_candidate(const spl_plan *plan, int32_t number, spl_candidate *candidate)
{
    SPL__TRY(check_number(plan, number, spl_plan_candidate_count(plan), "candidate"));
    int32_t before;
    const spl_plan *owner = owner_of(plan, candidates_of, &number, &before);
    const spl__candidate *c = &owner->candidates[number];
    spl_candidate out = {.step = before + c->step,
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
                        .allocations = atomic_load(&plan->account.allocations),
                        .live = atomic_load(&plan->account.live),
                        .peak = atomic_load(&plan->account.peak)};
    plan->operation->count(plan, &out);
    return spl__sized_write(counters, &out, sizeof out, "counters");
}

/* ---- several processors ---- */

int32_t spl_plan_part_count(const spl_plan *plan)
{
    return plan && plan->operation->part_count ? plan->operation->part_count(plan) : 0;
}

spl_status spl_plan_part(spl_plan *plan, int32_t number, spl_part_info *info)
{
    spl_part_info out = {0};
    SPL__TRY(check_number(plan, number, spl_plan_part_count(plan), "part"));
    SPL__TRY(plan->operation->part(plan, number, &out));
    return spl__sized_write(info, &out, sizeof out, "info");
}

spl_status spl_plan_wait(spl_plan *plan)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    return plan->operation->wait(plan);
}
