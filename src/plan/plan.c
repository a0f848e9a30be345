/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: makes, enters, leaves and frees plans. */
#include "plan/plan.h"

#include "plan/forced.h"
#include "plan/tuning.h"

#include <math.h>

enum { METHOD = 1024 }; /* bytes of a method that works in place */

static spl_status make_problem(spl_plan *plan, const spl__request *request)
{
    return spl__problem_make(&plan->problem, &plan->account, request->a, request->b, request->d,
                             request->cols);
}

/* A single product is cheaper than the conversion of columns to rows; if memory does not suffice
 * for the conversion, columns are used as well. */
static spl_status make_problem_that_fits(spl_plan *plan, const spl__request *request)
{
    spl__problem *p = &plan->problem;
    if (!p->traits->vectors || p->queue.device)
        return make_problem(plan, request);
    if (spl__phase_is_forced(plan, SPL__PHASE_compute)) {
        p->columns = spl__columns_are_forced(plan) ? SPL__COLUMNS : SPL__ROWS;
        return make_problem(plan, request);
    }
    p->columns = spl__problem_is_single(p) ? SPL__COLUMNS_AS_STORED : SPL__ROWS;
    spl_status status = make_problem(plan, request);
    if (status == SPL_OK && p->a.made_by) /* with what rows are cut into */
        status = spl__account_check(&plan->account, METHOD + (double)p->a.csr.nnz / 512);
    if (status != SPL_OVER_BUDGET)
        return status;
    spl__problem_free(p);
    p->columns = SPL__COLUMNS_AS_STORED;
    return make_problem(plan, request);
}

/* Chooses the processor, and the operation's table for it; checks that there are methods. */
static spl_status place(spl_plan *plan, const spl__request *request)
{
    if (request->several)
        return plan->operation->place(plan, request->a);
    SPL__TRY(spl__problem_place(&plan->problem, request->a));
    plan->operation =
        plan->problem.context->registry->operations[plan->problem.kind][spl__processor_of(plan)];
    if (request->on_device)
        plan->problem.queue.account.parent = request->on_device;
    SPL__TRY(spl__forced_check(plan));
    return spl__served_check(plan);
}

static spl_status fill(spl_plan *plan, const spl__request *request)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(place(plan, request));
    spl__account_expect(&queue->account, (double)atomic_load(&plan->account.expected));
    spl__plan_rate_by(plan, queue->device);
    SPL__TRY(request->several ? make_problem(plan, request)
                              : make_problem_that_fits(plan, request));
    spl__features_of_operands(&plan->problem, &plan->features);
    if (!queue->device)
        return plan->operation->plan(plan);
    SPL__TRY(spl__queue_event(queue, &plan->event));
    if (plan->problem.staged)
        SPL__TRY(spl__problem_upload(&plan->problem));
    if (!plan->problem.traits->sparse)
        SPL__TRY(spl__staging_make(&plan->staging, &plan->problem, &plan->account));
    SPL__TRY(plan->operation->plan(plan));
    plan->ordered = atomic_load(&queue->account.live) > 0;
    if (!plan->problem.traits->sparse || !request->once)
        return spl__queue_wait(queue); /* executions may use any stream */
    /* the only execution waits for the event, on any stream */
    spl__plan_mark(plan);
    return SPL_OK;
}

/* An inner plan is watched by the call that makes the outer one, possibly from another thread. */
static spl_status fill_watched(spl_plan *plan, const spl__request *request)
{
    spl__watch watch;
    if (!request->account)
        plan->account.watch = spl__watch_begin(&watch, plan->problem.context, "plan", 0);
    spl_status status = spl__watch_check(plan->account.watch);
    if (status == SPL_OK)
        status = fill(plan, request);
    if (status == SPL_OK)
        status = spl__watch_check(plan->account.watch);
    plan->account.watch = NULL;
    spl__account_expect(&plan->account, 0);
    spl__account_expect(&plan->problem.queue.account, 0);
    return status;
}

/* What every plan for the request holds sooner or later, before anything of it is checked; the
 * budget is that of the host and of a device. */
static double least_bytes(spl_context *context, const spl__account *parent,
                          const spl__request *request, const spl_options *options)
{
    const spl_sparse *const given[3] = {request->a, request->b, request->d};
    const spl__traits *traits = context->registry->traits[request->kind];
    spl__problem p = {
        .kind = request->kind, .traits = traits, .context = context, .options = *options};
    spl_sparse views[3];
    double least = spl__counted_bytes(1, sizeof(spl_plan)) + METHOD, operands, rest, device[2];
    if (!options->memory_budget && spl__account_room(parent) == SIZE_MAX)
        return 0; /* nobody asks */
    for (int k = 0; k < 3; k++)
        if (given[k] && spl__view_read_anywhere(&views[k], given[k], "A") != SPL_OK)
            return least;
    if (!request->a || request->several || spl__problem_place(&p, request->a) != SPL_OK)
        return least;
    p.a.source = views[0];
    p.inner = options->op_a ? views[0].rows : views[0].cols;
    p.rows = options->op_a ? views[0].cols : views[0].rows;
    p.cols = request->cols;
    const spl_sparse *const taken[3] = {&views[0], request->b ? &views[1] : NULL,
                                        request->d ? &views[2] : NULL};
    operands = spl__problem_bytes(&p, taken, &device[0]);
    rest = traits->least_bytes(&p, &device[1]);
    return fmax(least + operands + rest, device[0] + device[1] + METHOD);
}

void spl__plan_expect(spl_plan *plan, double host, double device)
{
    spl__account *accounts[2] = {&plan->account, &plan->problem.queue.account};
    double held[2] = {0}, most;
    int count = plan->problem.queue.device ? 2 : 1;
    for (int k = 0; k < count; k++)
        held[k] = (double)atomic_load(&accounts[k]->held);
    most = fmax(held[0] + host, count > 1 ? held[1] + device : 0);
    for (int k = 0; k < count; k++)
        spl__account_expect(accounts[k], most - held[k]);
}

/* The plan's struct must fit its budget, before the plan can have an account of its own. */
static spl_status allocate(spl_context *context, spl__account *parent, size_t budget,
                           double expected, spl_plan **plan)
{
    spl__account first;
    spl__account_init(&first, &context->allocator, parent, budget);
    spl__account_expect(&first, expected);
    SPL__TRY(SPL__NEW_ZERO(&first, plan, 1));
    spl__memory_move(*plan, parent);
    return SPL_OK;
}

void spl__plan_rate_by(spl_plan *plan, const spl__device *device)
{
    const spl__tuning *tuning = plan->tuning;
    int table = spl__tuning_table(plan->problem.context, device);
    plan->machine = tuning ? &tuning->cpu : &spl__machine_cpu;
    plan->gpu_machine = tuning ? &tuning->gpu[table] : &spl__machine_gpu;
    plan->factors = tuning ? &tuning->factors[(int64_t)table * tuning->methods] : NULL;
}

spl_status spl__plan_make(spl_context *context, const spl__request *request, spl_plan **plan)
{
    spl_options options;
    spl_plan *p;
    if (!context || !plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "plan" : "context");
    SPL__TRY(spl__options_read(context, request->options, &options));
    spl__account *parent = request->account ? request->account : &context->account;
    double least = least_bytes(context, parent, request, &options);
    SPL__TRY(allocate(context, parent, options.memory_budget, least, &p));
    spl__account_init(&p->account, &context->allocator, parent, options.memory_budget);
    spl__account_expect(&p->account, least);
    atomic_flag_clear(&p->busy);
    /* deterministic plans do not depend on measurements */
    p->tuning = options.deterministic ? NULL : spl__tuning_of(context);
    p->operation =
        context->registry->operations[request->kind][request->several ? SPL__TABLE_SEVERAL : 0];
    p->problem.kind = request->kind;
    p->problem.traits = context->registry->traits[request->kind];
    p->problem.once = request->once;
    p->problem.checked = request->account != NULL;
    p->problem.context = context;
    p->problem.options = options;
    spl__plan_rate_by(p, NULL);
    if (options.deterministic)
        p->problem.unmeasured = "a deterministic plan does not depend on timings";
    else if (request->once)
        p->problem.unmeasured = "one execution does not pay back trials";
    spl_status status = spl__memory_adopt(p, &p->account);
    if (status == SPL_OK)
        status = fill_watched(p, request);
    p->problem.options.method = NULL; /* the caller may free its string now */
    p->problem.options.capabilities = NULL;
    if (status != SPL_OK) {
        spl__plan_free(p);
        return status;
    }
    *plan = p;
    return SPL_OK;
}

/* The caller's last stream may be destroyed already: memory is freed in the order of the
 * context's own stream, after the plan's work. */
static void turn_to_context_stream(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    if (queue->device)
        (void)spl__queue_turn(queue, queue->device->stream, plan->ordered ? plan->event : NULL);
}

void spl__plan_free(spl_plan *plan)
{
    if (!plan)
        return;
    turn_to_context_stream(plan);
    spl__plan_forget(plan, 0);
    if (plan->operation->destroy)
        plan->operation->destroy(plan);
    spl__staging_free(&plan->staging, &plan->problem.queue);
    if (plan->event)
        spl__queue_event_free(&plan->problem.queue, plan->event);
    spl__queue_release(&plan->problem.queue);
    spl__problem_free(&plan->problem);
    spl__memory_move(plan, plan->account.parent); /* the plan contains its own account */
    spl__free(plan);
}

bool spl__plan_has_budget(const spl_plan *plan)
{
    const spl__account *account = &plan->account;
    return account->budget != SIZE_MAX || account->parent->budget != SIZE_MAX;
}

static spl_status compare_inputs(spl__problem *p)
{
    SPL__TRY(spl__operand_compare(&p->queue, &p->a));
    if (p->traits->sparse)
        SPL__TRY(spl__operand_compare(&p->queue, &p->b));
    return p->has_d ? spl__operand_compare(&p->queue, &p->d) : SPL_OK;
}

spl_status spl__plan_turn(spl_plan *plan, const spl_stream *stream)
{
    spl__queue *queue = &plan->problem.queue;
    if (!queue->device || plan->problem.staged)
        return SPL_OK;
    if (stream && stream->kind != queue->device->place.kind)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the stream is of kind %d, the plan's device of kind %d", stream->kind,
                         queue->device->place.kind);
    return spl__queue_turn(queue, stream ? stream->handle : NULL,
                           plan->ordered ? plan->event : NULL);
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

spl_status spl__plan_execute_entered(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    SPL__TRY(spl__plan_run(plan, phase, call));
    if (plan->operation->finish)
        plan->operation->finish(plan, call);
    atomic_fetch_add(&plan->executions, 1);
    return SPL_OK;
}

spl_status spl__plan_execute(spl_plan *plan, spl__phase phase, const spl__call *call,
                             const spl_stream *stream)
{
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = spl__plan_execute_entered(plan, phase, call);
    spl__plan_leave(plan);
    return status;
}

spl_status spl__plan_wait(spl_plan *plan)
{
    return spl__queue_settle(&plan->problem.queue);
}

void spl__plan_count(const spl_plan *plan, spl_counters *counters)
{
    spl__queue_count(&plan->problem.queue, counters);
}

const spl_plan *spl__plan_itself(const spl_plan *plan, int32_t k)
{
    return k == 0 ? plan : NULL;
}

spl__device_scalars spl__plan_scalars(const spl_plan *plan, const spl__call *call)
{
    if (plan->problem.options.scalar_place.kind == SPL_HOST)
        return spl__device_scalars_of(plan->problem.a.csr.type, call->alpha, call->beta);
    return (spl__device_scalars){.alpha = {1, call->alpha}, .beta = {0, call->beta}};
}
