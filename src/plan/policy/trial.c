/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/policy/trial.h"

#include "core/checked.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* An execution is repeated until it ran LEAST_RUNS times and for `slot` seconds, or MOST_RUNS
 * times; LONG_RUNS times if that takes `patience` seconds. A device gets BATCH executions between
 * two waits, so that waiting does not count. */
enum { LEAST_RUNS = 5, LONG_RUNS = 2, MOST_RUNS = 200, BATCH = 8 };
static const double slot = 5e-3, patience = 0.05, hopeless = 2;

/* A byte whose repetition is a positive normal number of every type: 0.75 in f32 and bf16,
 * 4.8e-4 in f64, 1.8 in f16. */
enum { ANY_NUMBER = 0x3f };
enum { PIECE = 1 << 20 }; /* bytes between polls of the watch */

/* ---- operands ---- */

static spl_status make_filled(spl_plan *plan, int64_t count, spl__device_array *array)
{
    spl__queue *queue = &plan->problem.queue;
    size_t size = spl__type_size(plan->problem.a.csr.type);
    if (queue->device) {
        SPL__TRY(spl__queue_alloc(queue, count, size, array));
        return array->bytes > 0 ? spl__queue_fill(queue, array->data, ANY_NUMBER, array->bytes)
                                : SPL_OK;
    }
    SPL__TRY(spl__alloc(&plan->account, count, size, &array->data));
    array->bytes = (size_t)count * size;
    spl__watch *watch = spl__account_watch(&plan->account);
    for (size_t offset = 0; offset < array->bytes && spl__watch_goes_on(watch); offset += PIECE)
        memset((char *)array->data + offset, ANY_NUMBER,
               array->bytes - offset < PIECE ? array->bytes - offset : PIECE);
    return spl__watch_check(watch);
}

static spl_status make_dense(spl__trial *t)
{
    const spl__problem *p = &t->plan->problem;
    int64_t right, result;
    if (p->staged) { /* the plan's arrays are used */
        t->staged = true;
        t->right = t->plan->staging.right;
        t->result = t->plan->staging.result;
        return t->right.bytes > 0 ? spl__queue_fill(&t->plan->problem.queue, t->right.data,
                                                    ANY_NUMBER, t->right.bytes)
                                  : SPL_OK;
    }
    if (!spl__mul_i64(p->inner, p->cols, &right) || !spl__mul_i64(p->rows, p->cols, &result))
        return spl__fail(SPL_OVER_BUDGET, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(make_filled(t->plan, right, &t->right));
    return make_filled(t->plan, result, &t->result);
}

static spl_dense dense_over(const spl__problem *p, int64_t rows, const spl__device_array *array)
{
    return (spl_dense){.size = sizeof(spl_dense),
                       .type = p->a.csr.type,
                       .order = SPL_ROW_MAJOR,
                       .place = p->queue.device ? p->queue.device->place : (spl_place){SPL_HOST, 0},
                       .rows = rows,
                       .cols = p->cols,
                       .ld = p->cols,
                       .values = array->data};
}

static void fill_call(spl__trial *t, spl__phase phase)
{
    const spl__problem *p = &t->plan->problem;
    spl__value_set(t->alpha, spl__type_of_sums(p->a.csr.type), 0, 1);
    spl__value_set(t->beta, spl__type_of_sums(p->a.csr.type), 0, 0);
    t->call = (spl__call){
        .alpha = t->alpha, .beta = t->beta, .watch = spl__account_watch(&t->plan->account)};
    if (phase == SPL__PHASE_numeric) {
        t->call.values = t->result.data;
        return;
    }
    t->b = dense_over(p, p->inner, &t->right);
    t->c = dense_over(p, p->rows, &t->result);
    t->call.b = &t->b;
    t->call.c = &t->c;
    t->call.x = t->right.data;
    t->call.y = t->result.data;
}

spl_status spl__trial_begin(spl__trial *t, spl_plan *plan, spl__phase phase)
{
    *t = (spl__trial){.plan = plan};
    if (phase == SPL__PHASE_symbolic)
        return SPL_OK;
    if (phase == SPL__PHASE_compute)
        SPL__TRY(make_dense(t));
    else
        SPL__TRY(make_filled(plan, (int64_t)plan->features.nnz_c, &t->result));
    fill_call(t, phase);
    return SPL_OK;
}

void spl__trial_end(spl__trial *t)
{
    if (t->staged)
        return;
    if (t->plan->problem.queue.device) {
        spl__queue_free(&t->plan->problem.queue, &t->right);
        spl__queue_free(&t->plan->problem.queue, &t->result);
    } else {
        spl__free(t->right.data);
        spl__free(t->result.data);
    }
}

/* ---- times ---- */

static spl_status wait_for(spl_plan *plan)
{
    return plan->problem.queue.device ? spl__queue_wait(&plan->problem.queue) : SPL_OK;
}

/* Mean seconds of `count` consecutive executions. */
static spl_status execute(spl__step *step, const spl__call *call, int count, double *seconds)
{
    double start = omp_get_wtime();
    for (int i = 0; i < count; i++) {
        SPL__TRY(step->entry->method->execute(step, call));
        SPL__TRY(spl__watch_check(call->watch));
    }
    SPL__TRY(wait_for(step->task.plan));
    *seconds = (omp_get_wtime() - start) / count;
    return SPL_OK;
}

bool spl__trial_is_hasty(const spl__trial *t)
{
    const spl__trial_hook *hook = t->plan->problem.context->hook;
    return hook && hook->hasty;
}

static bool enough(const spl__trial *t, int runs, double spent)
{
    if (spl__trial_is_hasty(t) && runs > 0)
        return true;
    return runs >= MOST_RUNS || (runs >= LEAST_RUNS && spent >= slot) ||
           (runs >= LONG_RUNS && spent >= patience);
}

static spl_status repeat(spl__trial *t, spl__step *step, double best, spl__timing *timing)
{
    int batch = t->plan->problem.queue.device && !spl__trial_is_hasty(t) ? BATCH : 1;
    double seconds, spent = 0;
    SPL__TRY(execute(step, &t->call, 1, &timing->run));
    if (timing->run > hopeless * best && timing->run > slot)
        return SPL_OK;
    for (int runs = 0; !enough(t, runs, spent); runs++) {
        SPL__TRY(execute(step, &t->call, batch, &seconds));
        timing->run = fmin(timing->run, seconds);
        spent += seconds * batch;
        if (runs == 0 && seconds > hopeless * best)
            break;
    }
    return SPL_OK;
}

static void tell(spl_plan *plan, const spl__step *step, const spl__call *call,
                 const spl__timing *timing)
{
    spl__trial_hook *hook = plan->problem.context->hook;
    if (hook)
        hook->tried(hook, step, call, timing);
}

static spl_status prepare(spl__trial *t, spl__step *step, double *seconds)
{
    double start = omp_get_wtime();
    SPL__TRY(spl__step_prepare(step));
    spl_status status = wait_for(t->plan);
    *seconds = omp_get_wtime() - start;
    if (status != SPL_OK)
        spl__step_free(step);
    return status;
}

/* Discards stored results of executions, also after a failed preparation. */
static void end(spl__trial *t, spl__step *step, spl_status prepared)
{
    if (prepared == SPL_OK)
        spl__step_free(step);
    if (t->plan->operation->unlearn)
        t->plan->operation->unlearn(t->plan);
}

static spl_status run_prepared(spl__trial *t, spl__step *step, double best, spl__timing *timing)
{
    spl_status prepared = prepare(t, step, &timing->prepare), status = prepared;
    if (status == SPL_OK)
        status = repeat(t, step, best, timing);
    if (status == SPL_OK)
        tell(t->plan, step, &t->call, timing);
    end(t, step, prepared);
    return status;
}

/* The only execution of a one-shot plan is the first one: each trial gets new memory. */
static spl_status run_once(spl__trial *t, spl__step *step, double best, spl__timing *timing)
{
    double seconds = 0, prepared_in, spent = 0;
    timing->run = timing->prepare = INFINITY;
    for (int runs = 0; !enough(t, runs, spent); runs++) {
        spl_status prepared = prepare(t, step, &prepared_in), status = prepared;
        if (status == SPL_OK)
            status = execute(step, &t->call, 1, &seconds);
        if (status == SPL_OK) {
            timing->run = fmin(timing->run, seconds);
            timing->prepare = fmin(timing->prepare, prepared_in);
            spent += prepared_in + seconds;
            if (runs == 0)
                tell(t->plan, step, &t->call, timing);
        }
        end(t, step, prepared);
        SPL__TRY(status);
        if (seconds > hopeless * best)
            break;
    }
    return SPL_OK;
}

/* The symbolic phase runs in prepare; its results are freed before the next trial. */
static spl_status run_symbolic(spl__trial *t, spl__step *step, double best, spl__timing *timing)
{
    double seconds, spent = 0;
    timing->run = INFINITY;
    timing->prepare = 0;
    for (int runs = 0; !enough(t, runs, spent); runs++) {
        spl_status status = prepare(t, step, &seconds);
        if (status == SPL_OK) {
            timing->run = fmin(timing->run, seconds);
            spent += seconds;
            if (runs == 0)
                tell(t->plan, step, NULL, timing);
            spl__step_free(step);
        }
        t->plan->operation->forget(t->plan);
        SPL__TRY(status);
        if (seconds > hopeless * best)
            break;
    }
    return SPL_OK;
}

spl_status spl__trial_run(spl__trial *t, spl__step *step, double best, spl__timing *timing)
{
    bool once = spl__problem_is_single(&t->plan->problem) && !t->plan->problem.queue.device;
    if (step->task.phase == SPL__PHASE_symbolic)
        return run_symbolic(t, step, best, timing);
    return (once ? run_once : run_prepared)(t, step, best, timing);
}
