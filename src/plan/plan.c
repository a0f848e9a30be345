/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include "plan/policy.h"

#include <math.h>
#include <string.h>

/* ---- forced methods: options.method is "id,id,..." ---- */

static bool lists(const char *ids, const char *id)
{
    size_t length = strlen(id);
    for (const char *at = ids; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, id, length) == 0 && (at[length] == ',' || at[length] == 0))
            return true;
    return false;
}

static const spl__registry_entry *find_entry(const struct spl__registry *registry, const char *id, size_t length)
{
    for (int i = 0; i < registry->count; i++)
        if (strlen(registry->entries[i].id) == length && strncmp(registry->entries[i].id, id, length) == 0)
            return &registry->entries[i];
    return NULL;
}

static spl__processor processor_of(const spl_plan *plan)
{
    return plan->problem.queue.device ? SPL__PROCESSOR_gpu : SPL__PROCESSOR_cpu;
}

/* Operations need not have methods for every kind of processor. */
static spl_status check_served(const spl_plan *plan)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    for (int i = 0; i < registry->count; i++)
        if (registry->entries[i].kind == plan->problem.kind && registry->entries[i].processor == processor_of(plan))
            return SPL_OK;
    return spl__fail(SPL_UNSUPPORTED, "%s has no method that runs on a device", spl__kind_name(plan->problem.kind));
}

static spl_status check_forced(const spl_plan *plan)
{
    for (const char *at = plan->problem.options.method; at && *at;) {
        size_t length = strcspn(at, ",");
        const spl__registry_entry *entry = find_entry(plan->problem.context->registry, at, length);
        if (!entry)
            return spl__fail(SPL_INVALID_ARGUMENT, "there is no method %.*s", (int)(length < 100 ? length : 100), at);
        if (entry->kind != plan->problem.kind)
            return spl__fail(SPL_INVALID_ARGUMENT, "%s is not a method of %s", entry->id,
                             spl__kind_name(plan->problem.kind));
        if (entry->processor != processor_of(plan))
            return spl__fail(SPL_INVALID_ARGUMENT, "%s does not run on what this plan computes on: %s", entry->id,
                             plan->problem.queue.device ? "a device" : "the CPU");
        at += length + (at[length] == ',');
    }
    return SPL_OK;
}

/* Does options.method name any method of this phase? Then only those are candidates. */
static bool phase_is_forced(const spl_plan *plan, spl__phase phase)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    if (!plan->problem.options.method)
        return false;
    for (int i = 0; i < registry->count; i++)
        if (registry->entries[i].kind == plan->problem.kind && registry->entries[i].phase == phase &&
            lists(plan->problem.options.method, registry->entries[i].id))
            return true;
    return false;
}

/* Does options.method name a method that works by columns? */
static bool columns_are_forced(const spl_plan *plan)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    for (int i = 0; i < registry->count; i++)
        if ((registry->entries[i].method->attributes & SPL__BY_COLUMNS) &&
            lists(plan->problem.options.method, registry->entries[i].id))
            return true;
    return false;
}

/* ---- candidates ---- */

static const char *why_not(const spl__task *task, const spl__registry_entry *entry, bool forced)
{
    const spl_options *options = &task->plan->problem.options;
    if (forced && !lists(options->method, entry->id))
        return "another method was asked for";
    if (options->deterministic && !(entry->method->attributes & SPL__DETERMINISTIC))
        return "not deterministic";
    if (task->plan->problem.by_columns != ((entry->method->attributes & SPL__BY_COLUMNS) != 0))
        return task->plan->problem.by_columns ? "needs op(A) by rows" : "op(A) is there by rows";
    if (!forced && task->plan->problem.once && !(entry->method->attributes & SPL__IN_PLACE))
        return "copies values, which one execution does not pay back";
    return entry->method->applicable ? entry->method->applicable(task) : NULL;
}

/* References stand behind the other methods: they are no choice where one of those can serve, unless asked for. */
static void step_back(spl__candidate *c, int count)
{
    bool other = false;
    for (int i = 0; i < count; i++)
        other = other || (!c[i].why_not && !(c[i].entry->method->attributes & SPL__REFERENCE));
    for (int i = 0; i < count; i++)
        if (other && !c[i].why_not && (c[i].entry->method->attributes & SPL__REFERENCE))
            c[i].why_not = "stands behind the others";
}

static spl_status collect(spl_plan *plan, const spl__task *task)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    bool forced = phase_is_forced(plan, task->phase);
    int first = plan->candidate_count;
    for (int i = 0; i < registry->count; i++) {
        const spl__registry_entry *entry = &registry->entries[i];
        if (entry->kind != plan->problem.kind || entry->phase != task->phase || entry->processor != processor_of(plan))
            continue;
        if (plan->candidate_count == SPL__MAX_CANDIDATES)
            return spl__fail(SPL_INTERNAL, "more than %d candidates", SPL__MAX_CANDIDATES);
        spl__candidate *c = &plan->candidates[plan->candidate_count++];
        *c = (spl__candidate){.entry = entry, .step = plan->step_count, .why_not = why_not(task, entry, forced)};
        entry->method->estimate(task, &c->estimate);
    }
    if (!forced)
        step_back(plan->candidates + first, plan->candidate_count - first);
    return SPL_OK;
}

static spl_status fail_without_method(const spl__task *task, const spl__candidate *c, int count)
{
    char buffer[SPL__DETAIL_BYTES];
    spl__text text = spl__text_begin(buffer, sizeof buffer);
    for (int i = 0; i < count; i++)
        spl__text_add(&text, "%s%s: %s", i ? "; " : "", c[i].entry->id, c[i].why_not);
    return spl__fail(SPL_UNSUPPORTED, "no method can serve %s %s: %s", spl__kind_name(task->plan->problem.kind),
                     spl__phase_name(task->phase), buffer);
}

/* ---- steps ---- */

static spl_status prepare(spl__step *step)
{
    spl_status status = step->entry->method->prepare(step);
    if (status == SPL_OK && step->task.phase == SPL__PHASE_symbolic)
        status = step->entry->method->execute(step, NULL);
    if (status == SPL_OK && step->entry->method->update)
        step->entry->method->update(step);
    if (status != SPL_OK) {
        step->entry->method->destroy(step);
        step->state = NULL;
    }
    return status;
}

/* Prepares the policy's choice; where it does not fit the budget, the next choice. */
static spl_status prepare_best(spl_plan *plan, spl__step *step, spl__candidate *c, int count)
{
    spl__policy_fn choose = spl__policy(plan->problem.options.policy);
    spl_status status = SPL_OK;
    for (;;) {
        spl__text reason = spl__text_begin(step->reason, sizeof step->reason);
        if (phase_is_forced(plan, step->task.phase))
            spl__text_add(&reason, "asked for by name; ");
        int best = choose(&step->task, c, count, &reason);
        if (best < 0)
            return status == SPL_OK ? fail_without_method(&step->task, c, count) : status;
        step->entry = c[best].entry;
        step->estimate = c[best].estimate;
        status = prepare(step);
        if (status == SPL_OK)
            c[best].chosen = true;
        if (status != SPL_OVER_BUDGET)
            return status;
        c[best].why_not = "did not fit the memory budget";
        spl__log(plan->problem.context, SPL_LOG_INFO, "%s %s", c[best].entry->id, c[best].why_not);
    }
}

spl__row_set spl__all_rows(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    return (spl__row_set){.count = plan->problem.rows,
                          .words = "all",
                          .products = f->products,
                          .longest_products = f->longest_products,
                          .nnz_c = f->nnz_c};
}

spl_status spl__plan_step(spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    spl__step *step = &plan->steps[plan->step_count];
    int first = plan->candidate_count;
    if (plan->step_count == SPL__MAX_STEPS) {
        spl__free(rows->list);
        return spl__fail(SPL_INTERNAL, "more than %d steps", SPL__MAX_STEPS);
    }
    step->task = (spl__task){.plan = plan, .phase = phase, .rows = *rows};
    spl_status status = collect(plan, &step->task);
    if (status == SPL_OK)
        status = prepare_best(plan, step, plan->candidates + first, plan->candidate_count - first);
    if (status != SPL_OK) {
        spl__free(rows->list);
        plan->candidate_count = first;
        return status;
    }
    plan->step_count++;
    return SPL_OK;
}

void spl__plan_forget(spl_plan *plan, int steps)
{
    while (plan->step_count > steps) {
        spl__step *step = &plan->steps[--plan->step_count];
        step->entry->method->destroy(step);
        spl__free(step->task.rows.list);
        while (plan->candidate_count > 0 && plan->candidates[plan->candidate_count - 1].step >= plan->step_count)
            plan->candidate_count--;
    }
}

const spl__registry_entry *spl__plan_preview(spl_plan *plan, spl__phase phase, const spl__row_set *rows)
{
    char unused[1];
    spl__text reason = spl__text_begin(unused, sizeof unused);
    spl__task task = {.plan = plan, .phase = phase, .rows = *rows};
    int first = plan->candidate_count, best = -1;
    if (collect(plan, &task) == SPL_OK)
        best = spl__policy(plan->problem.options.policy)(&task, plan->candidates + first, plan->candidate_count - first,
                                                         &reason);
    plan->candidate_count = first;
    return best < 0 ? NULL : plan->candidates[first + best].entry;
}

double spl__plan_predict(spl_plan *plan, spl__phase phase, const spl__row_set *rows, const spl__registry_entry *entry)
{
    spl__task task = {.plan = plan, .phase = phase, .rows = *rows};
    spl__estimate estimate;
    if (why_not(&task, entry, phase_is_forced(plan, phase)))
        return INFINITY;
    entry->method->estimate(&task, &estimate);
    return estimate.seconds;
}

spl_status spl__plan_run(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].task.phase == phase)
            SPL__TRY(plan->steps[i].entry->method->execute(&plan->steps[i], call));
    return SPL_OK;
}

void spl__plan_update(spl_plan *plan)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].entry->method->update)
            plan->steps[i].entry->method->update(&plan->steps[i]);
}

/* ---- plans ---- */

static spl_status make_problem(spl_plan *plan, const spl__request *request)
{
    return spl__problem_make(&plan->problem, &plan->account, request->a, request->b, request->d, request->cols);
}

/* One product is cheaper than making rows of columns; and where there is no room for those, columns must do. */
static spl_status make_problem_that_fits(spl_plan *plan, const spl__request *request)
{
    spl__problem *p = &plan->problem;
    if (request->kind != SPL__KIND_spmv || p->queue.device)
        return make_problem(plan, request);
    if (phase_is_forced(plan, SPL__PHASE_compute)) {
        p->columns = columns_are_forced(plan) ? SPL__COLUMNS : SPL__ROWS;
        return make_problem(plan, request);
    }
    p->columns = request->once ? SPL__COLUMNS_AS_STORED : SPL__ROWS;
    spl_status status = make_problem(plan, request);
    if (status != SPL_OVER_BUDGET)
        return status;
    spl__problem_free(p);
    p->columns = SPL__COLUMNS_AS_STORED;
    return make_problem(plan, request);
}

static spl_status fill(spl_plan *plan, const spl__request *request)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__problem_place(&plan->problem, request->a));
    SPL__TRY(check_forced(plan));
    SPL__TRY(check_served(plan));
    SPL__TRY(make_problem_that_fits(plan, request));
    spl__features_of_operands(&plan->problem, &plan->features);
    if (!queue->device)
        return plan->operation->plan(plan);
    SPL__TRY(spl__queue_event(queue, &plan->event));
    if (plan->problem.staged)
        SPL__TRY(spl__problem_upload(&plan->problem));
    if (request->kind != SPL__KIND_spgemm)
        SPL__TRY(spl__staging_make(&plan->staging, &plan->problem, &plan->account));
    SPL__TRY(plan->operation->plan(plan));
    plan->ordered = atomic_load(&queue->account.live) > 0;
    return spl__queue_wait(queue); /* executions may go to any stream */
}

/* The plan itself must fit its budget, before it can keep an account of its own. */
static spl_status allocate(spl_context *context, size_t budget, spl_plan **plan)
{
    spl__account first;
    spl__account_init(&first, &context->allocator, &context->account, budget);
    SPL__TRY(SPL__NEW_ZERO(&first, plan, 1));
    spl__memory_move(*plan, &context->account);
    return SPL_OK;
}

spl_status spl__plan_make(spl_context *context, const spl__request *request, spl_plan **plan)
{
    spl_options options;
    spl_plan *p;
    if (!context || !plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "plan" : "context");
    SPL__TRY(spl__options_read(context, request->options, &options));
    SPL__TRY(allocate(context, options.memory_budget, &p));
    spl__account_init(&p->account, &context->allocator, &context->account, options.memory_budget);
    atomic_flag_clear(&p->busy);
    p->machine = &spl__machine_cpu;
    p->operation = context->registry->operations[request->kind];
    p->problem.kind = request->kind;
    p->problem.once = request->once;
    p->problem.context = context;
    p->problem.options = options;
    spl_status status = spl__memory_adopt(p, &p->account);
    if (status == SPL_OK)
        status = fill(p, request);
    p->problem.options.method = NULL; /* the caller's text may go away now */
    if (status != SPL_OK) {
        spl__plan_free(p);
        return status;
    }
    *plan = p;
    return SPL_OK;
}

/* The caller's last stream may be gone already: memory is given back in the order of the context's own, behind the plan's work. */
static void turn_home(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    if (queue->device)
        (void)spl__queue_turn(queue, queue->device->stream, plan->ordered ? plan->event : NULL);
}

void spl__plan_free(spl_plan *plan)
{
    if (!plan)
        return;
    turn_home(plan);
    spl__plan_forget(plan, 0);
    plan->operation->destroy(plan);
    spl__staging_free(&plan->staging, &plan->problem.queue);
    if (plan->event)
        spl__queue_event_free(&plan->problem.queue, plan->event);
    spl__queue_release(&plan->problem.queue);
    spl__problem_free(&plan->problem);
    spl__free(plan);
}

static spl_status compare_inputs(spl__problem *p)
{
    SPL__TRY(spl__operand_compare(&p->queue, &p->a));
    if (p->kind == SPL__KIND_spgemm)
        SPL__TRY(spl__operand_compare(&p->queue, &p->b));
    return p->has_d ? spl__operand_compare(&p->queue, &p->d) : SPL_OK;
}

spl_status spl__plan_turn(spl_plan *plan, const spl_stream *stream)
{
    spl__queue *queue = &plan->problem.queue;
    if (!queue->device || plan->problem.staged)
        return SPL_OK;
    if (stream && stream->kind != queue->device->place.kind)
        return spl__fail(SPL_INVALID_ARGUMENT, "the stream is of kind %d, the plan's device of kind %d", stream->kind,
                         queue->device->place.kind);
    return spl__queue_turn(queue, stream ? stream->handle : NULL, plan->ordered ? plan->event : NULL);
}

spl_status spl__plan_enter(spl_plan *plan, const spl_stream *stream)
{
    if (atomic_flag_test_and_set(&plan->busy))
        return spl__fail(SPL_BUSY, "an execute of this plan is in flight in another thread");
    spl_status status = spl__plan_turn(plan, stream);
    if (status == SPL_OK && plan->problem.options.check_inputs)
        status = compare_inputs(&plan->problem);
    if (status != SPL_OK)
        spl__plan_leave(plan);
    return status;
}

void spl__plan_mark(spl_plan *plan)
{
    if (plan->event && plan->ordered)
        spl__queue_mark(&plan->problem.queue, plan->event);
}

void spl__plan_leave(spl_plan *plan)
{
    spl__plan_mark(plan);
    atomic_flag_clear(&plan->busy);
}

spl__device_scalars spl__plan_scalars(const spl_plan *plan, const spl__call *call)
{
    if (plan->problem.options.scalar_place.kind == SPL_HOST)
        return spl__device_scalars_of(plan->problem.a.csr.type, call->alpha, call->beta);
    return (spl__device_scalars){.alpha = {1, call->alpha}, .beta = {0, call->beta}};
}
