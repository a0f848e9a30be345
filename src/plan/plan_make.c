/* SPDX-License-Identifier: Apache-2.0 */
/* plan_make.c: makes and frees plans. */
#include "core/environment.h"
#include "plan/forced.h"
#include "plan/tuning/tuning.h"

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
    if (p->traits->frontier)
        p->columns = SPL__COLUMNS;
    if (!p->traits->vectors || p->queue.device)
        return make_problem(plan, request);
    if (spl__phase_is_forced(plan, SPL__PHASE_compute)) {
        p->columns = spl__attribute_is_forced(plan, SPL__PROCESSOR_cpu, SPL__BY_COLUMNS)
                         ? SPL__COLUMNS
                         : SPL__ROWS;
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

static spl_status find_table(const spl_context *context, const spl__request *request, int table,
                             const spl__operation **operation)
{
    const spl__operation *found = context->registry->operations[request->kind][table];
    if (!found)
        return spl__fail(SPL_UNSUPPORTED, "%s is not built for %s",
                         context->registry->traits[request->kind]->name,
                         table == SPL__TABLE_SEVERAL ? "several processors" : "devices");
    *operation = found;
    return SPL_OK;
}

/* Chooses the processor, and the operation's table for it; checks that there are methods. */
static spl_status place(spl_plan *plan, const spl__request *request)
{
    if (request->several)
        return plan->operation->place(plan, request->a);
    SPL__TRY(spl__problem_place(&plan->problem, request->a));
    SPL__TRY(find_table(plan->problem.context, request, spl__processor_of(plan), &plan->operation));
    if (request->on_device)
        plan->problem.queue.account.parent = request->on_device;
    SPL__TRY(spl__forced_check(plan));
    return spl__served_check(plan);
}

/* Creates the plan's event. Operands may still be on their way in the default stream: a plan that
 * stays in its own begins after them, and needs no event. To change streams for the values instead
 * would cost a small product three more events and the overlap of its last launches. */
static spl_status begin_on_device(spl_plan *plan, const spl__request *request)
{
    spl__queue *queue = &plan->problem.queue;
    plan->stays = request->alone && !request->several && !plan->problem.staged;
    if (!plan->stays)
        return spl__queue_event(queue, &plan->event);
    SPL__TRY(spl__queue_share_zeros(queue));
    return spl__queue_follow_default(queue);
}

static spl_status do_meanwhile(void *plan, const struct csr_survey *surveys, int count)
{
    return ((spl_plan *)plan)->operation->meanwhile(plan, surveys, count);
}

static spl_status fill(spl_plan *plan, const spl__request *request)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(place(plan, request));
    if (queue->device)
        SPL__TRY(begin_on_device(plan, request));
    spl__account_expect(&queue->account, (double)atomic_load(&plan->account.expected));
    spl__plan_rate_by(plan, queue->device);
    if (plan->stays && plan->operation->meanwhile)
        plan->problem.meanwhile = (spl__meanwhile){do_meanwhile, plan};
    SPL__TRY(request->several ? make_problem(plan, request)
                              : make_problem_that_fits(plan, request));
    spl__features_of_operands(&plan->problem, &plan->features);
    if (!queue->device)
        return plan->operation->plan(plan);
    if (plan->problem.staged)
        SPL__TRY(spl__problem_upload(&plan->problem));
    if (!plan->problem.traits->sparse)
        SPL__TRY(spl__staging_make(&plan->staging, &plan->problem, &plan->account));
    SPL__TRY(plan->operation->plan(plan));
    plan->ordered = atomic_load(&queue->account.live) > 0 && !plan->stays;
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
    spl__environment_check_refusals(plan->problem.context);
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
    spl_sparse *const taken[3] = {&views[0], request->b ? &views[1] : NULL,
                                  request->d ? &views[2] : NULL};
    operands = spl__problem_bytes(&p, taken, &device[0]);
    rest = traits->least_bytes(&p, &device[1]);
    return fmax(least + operands + rest, device[0] + device[1] + METHOD);
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

const spl__gpu_machine *spl__plan_gpu_machine(const spl_plan *plan, const spl__device *device)
{
    int table = spl__tuning_table(plan->problem.context, device);
    return plan->tuning ? &plan->tuning->gpu[table] : &spl__machine_gpu;
}

void spl__plan_rate_by(spl_plan *plan, const spl__device *device)
{
    const spl__tuning *tuning = plan->tuning;
    int table = spl__tuning_table(plan->problem.context, device);
    plan->machine = tuning ? &tuning->cpu : &spl__machine_cpu;
    plan->gpu_machine = spl__plan_gpu_machine(plan, device);
    plan->factors = tuning ? &tuning->factors[(int64_t)table * tuning->methods] : NULL;
}

/* NULL: the policy measure may try methods. */
static const char *why_unmeasured(const spl_options *options, bool once)
{
    if (options->deterministic)
        return "a deterministic plan does not depend on timings";
    return once ? "one execution does not pay back trials" : NULL;
}

/* What is asked for, and what is known of the machine. */
static void begin(spl_plan *p, spl_context *context, const spl__request *request,
                  const spl_options *options)
{
    /* deterministic plans do not depend on measurements */
    p->tuning = options->deterministic ? NULL : spl__tuning_of(context);
    p->problem.kind = request->kind;
    p->problem.traits = context->registry->traits[request->kind];
    p->problem.once = request->once;
    p->problem.factor_known = request->factor_known;
    p->problem.factor = request->factor;
    p->problem.checked = request->account != NULL;
    p->problem.context = context;
    p->problem.options = *options;
    spl__plan_rate_by(p, NULL);
    p->problem.unmeasured = why_unmeasured(options, request->once);
}

spl_status spl__plan_make(spl_context *context, const spl__request *request, spl_plan **plan)
{
    spl_options options;
    const spl__operation *operation = NULL;
    spl_plan *p;
    if (!context || !plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "plan" : "context");
    SPL__TRY(spl__options_read(context, request->options, &options));
    SPL__TRY(find_table(context, request, request->several ? SPL__TABLE_SEVERAL : 0, &operation));
    spl__account *parent = request->account ? request->account : &context->account;
    double least = least_bytes(context, parent, request, &options);
    SPL__TRY(allocate(context, parent, options.memory_budget, least, &p));
    spl__account_init(&p->account, &context->allocator, parent, options.memory_budget);
    spl__account_expect(&p->account, least);
    atomic_flag_clear(&p->busy);
    p->operation = operation;
    begin(p, context, request, &options);
    spl_status status = spl__memory_adopt(p, &p->account);
    if (status == SPL_OK)
        status = fill_watched(p, request);
    p->problem.options.method = NULL; /* the caller may free its string now */
    p->problem.factor_known = false;
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
