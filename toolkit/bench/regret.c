/* SPDX-License-Identifier: Apache-2.0 */
#include "regret.h"

#include "regret_product.h"
#include "stopwatch.h"
#include "typed_array.h"

#include <math.h>
#include <sparloom/measured.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_TURNS = 5,
    FEW_TURNS = 3,
    TWO_TURNS = 2,
    MOST_TURNS = 200,
    PATIENCE = 5,
    MOST_PATIENCE = 20,
    TOO_LONG = 5
};
enum { BATCH = 10, PLANS = 3 };
/* Seconds of short executions in a turn. */
static const double slot = 2e-3;

const char *const regret_policies[REGRET_POLICIES] = {"cost", "rules", "measure"};

static double lesser(double a, double b)
{
    return b < a ? b : a;
}

/* ---- times ---- */

static spl_status time_product(const regret_running *r, regret_contender *c)
{
    int host = r->place.kind == SPL_HOST, measured = c->policy == SPL_POLICY_MEASURE;
    spl_options options = regret_options(r, c, c->policy < 0 || (measured && host));
    bool by_plan = (c->policy < 0 && r->setup->once) || (measured && !host);
    spl_status status = SPL_OK;
    double seconds, spent = 0;
    for (int i = 0; status == SPL_OK && i < BATCH && spent <= slot; i++) {
        status = (by_plan ? regret_time_plan : regret_time_call)(r, &options, &seconds);
        spent += seconds;
        if (status == SPL_OK)
            c->run = lesser(c->run, seconds);
    }
    return status;
}

static bool is_too_long(const regret_running *r, double seconds)
{
    const int best = regret_best(r->result);
    return best >= 0 && seconds > TOO_LONG * r->result->contenders[best].run;
}

/* Contenders that take too long the first time, or where caches were cold the second time, are not
 * run again. Short executions on the host are disturbed most, so each turn has several; devices
 * have several between two waits. */
static spl_status time_execution(const regret_running *r, regret_contender *c, spl_plan *plan)
{
    double seconds, spent = 0;
    int host = r->place.kind == SPL_HOST, runs = host ? BATCH : 1;
    spl_status status = regret_batch(r, plan, 1, &seconds);
    if (status == SPL_OK && host && seconds < slot && is_too_long(r, seconds))
        status = regret_batch(r, plan, 1, &seconds);
    if (status == SPL_OK && is_too_long(r, seconds)) {
        runs = 0;
        c->run = lesser(c->run, seconds);
    }
    for (int i = 0; status == SPL_OK && i < runs && spent <= slot; i++) {
        status = regret_batch(r, plan, host ? 1 : BATCH, &seconds);
        spent += seconds;
        if (status == SPL_OK)
            c->run = lesser(c->run, seconds);
    }
    return status;
}

/* A contender that fails is excluded: its time is infinite. */
static void time_one(regret_running *r, int number)
{
    regret_contender *c = &r->result->contenders[number];
    if ((regret_is_cold(r) ? time_product(r, c) : time_execution(r, c, r->plans[number])) != SPL_OK)
        c->plan = c->run = INFINITY;
}

/* ---- a case's turns ---- */

static void note_trials(regret_running *r, const spl_plan *plan)
{
    regret_case *item = r->result;
    item->trial_count = 0;
    for (int32_t i = 0; i < spl_plan_candidate_count(plan) && item->trial_count < REGRET_TRIALS;
         i++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        if (spl_plan_candidate(plan, i, &c) == SPL_OK && !strstr(c.method, "/numeric/") &&
            !isnan(c.measured))
            item->trials[item->trial_count++] = (regret_trial){c.method, c.seconds, c.measured};
    }
}

/* Makes the plan a few times, where time counts; the last one stays. */
static spl_status plan_often(regret_running *r, int number)
{
    regret_contender *c = &r->result->contenders[number];
    spl_options options = regret_options(r, c, c->policy < 0);
    spl_status status = SPL_OK;
    double spent = 0;
    for (int i = 0;
         status == SPL_OK && i < (regret_is_cold(r) ? 1 : PLANS) && spent <= r->setup->time_limit;
         i++) {
        spl_plan_destroy(r->plans[number]);
        r->plans[number] = NULL;
        double start = tool_now();
        status = regret_plan(r, &options, &r->plans[number]);
        double seconds = tool_now() - start;
        bool measured = i == 0 && c->policy == SPL_POLICY_MEASURE; /* the next ones know */
        c->plan = measured ? INFINITY : lesser(c->plan, seconds);
        spent += measured ? 0 : seconds;
        if (status == SPL_OK && measured)
            note_trials(r, r->plans[number]);
    }
    return status;
}

/* Policies' plans say what was chosen. Calls do not measure. */
static bool needs_plan(const regret_running *r, const regret_contender *c)
{
    if (regret_is_cold(r))
        return c->policy >= 0 && !(r->setup->once && c->policy == SPL_POLICY_MEASURE);
    return !c->hopeless;
}

static void begin_one(regret_running *r, int number)
{
    regret_contender *c = &r->result->contenders[number];
    bool planned = needs_plan(r, c);
    spl_status status = planned ? plan_often(r, number) : SPL_OK;
    if (status == SPL_OK && planned)
        regret_describe(r, r->plans[number], c);
    if (status != SPL_OK)
        c->plan = INFINITY;
    if (!regret_is_cold(r))
        return;
    spl_plan_destroy(r->plans[number]);
    r->plans[number] = NULL;
    c->plan = status == SPL_OK && (planned || c->policy < 0) && !c->hopeless ? 0 : INFINITY;
}

/* Forced contenders that took several times as long as the best in the first turns are hopeless. */
static bool has_chance(const regret_case *c, int number)
{
    const regret_contender *contender = &c->contenders[number];
    double limit = c->turns < FEW_TURNS ? 3 : 1.5;
    int best = regret_best(c);
    return contender->plan < INFINITY &&
           (best < 0 || contender->policy >= 0 || contender->run == INFINITY ||
            regret_seconds(c, contender) < limit * regret_seconds(c, &c->contenders[best]));
}

static bool enough(const regret_running *r, double elapsed)
{
    int turns = r->result->turns;
    double limit = r->setup->time_limit;
    return turns == MOST_TURNS || (turns >= LEAST_TURNS && elapsed >= limit) ||
           (turns >= FEW_TURNS && elapsed >= PATIENCE * limit) ||
           (turns >= TWO_TURNS && elapsed >= MOST_PATIENCE * limit);
}

static spl_status repeat(regret_running *r, const regret_predictions *predictions)
{
    regret_case *c = r->result;
    for (double start = tool_now(); !enough(r, tool_now() - start); c->turns++) {
        int before = c->count;
        if (c->turns == 1 && c->operation == BENCH_SPGEMM)
            regret_add_crossed(c, predictions);
        for (int i = before; i < c->count; i++)
            begin_one(r, i);
        for (int i = 0; i < c->count; i++) {
            if (r->setup->interrupted && r->setup->interrupted())
                return SPL_CANCELLED;
            if (has_chance(c, i))
                time_one(r, i);
        }
    }
    return SPL_OK;
}

/* Equal plans have equal times. On devices products of matrices that are made of blocks differ,
 * although the methods' names do not: see doc/decisions/structure.md; and a call is no plan. */
static void join_equal(const regret_running *r)
{
    regret_case *c = r->result;
    bool differ = r->setup->once || (regret_is_sparse(r) && r->place.kind != SPL_HOST);
    for (int i = 0; i < c->count && !differ; i++)
        for (int k = 0; k < i; k++) {
            regret_contender *one = &c->contenders[i], *other = &c->contenders[k];
            if (strcmp(one->methods, other->methods) != 0)
                continue;
            one->run = other->run = lesser(one->run, other->run);
            one->plan = other->plan = lesser(one->plan, other->plan);
        }
}

static spl_status measure(regret_running *r)
{
    regret_predictions predictions = {0};
    spl_wisdom_forget(r->setup->context);
    spl_status status = regret_predict_all(r, &predictions);
    if (status != SPL_OK)
        return status;
    if (r->setup->methods)
        regret_keep(&predictions, r->setup->methods);
    regret_add_contenders(r->result, &predictions, r->place.kind == SPL_HOST ? "cpu" : "gpu");
    for (int i = 0; i < r->result->count; i++)
        begin_one(r, i);
    status = repeat(r, &predictions);
    join_equal(r);
    return status;
}

/* ---- a case ---- */

static spl_status put_operands(regret_running *r, const spl_sparse *a)
{
    spl_context *context = r->setup->context;
    size_t row = (size_t)r->result->columns * tool_type_bytes(a->type);
    r->x_bytes = regret_is_sparse(r) ? 0 : (size_t)a->cols * row;
    r->y_bytes = regret_is_sparse(r) ? 0 : (size_t)a->rows * row;
    void *x = tool_array((int64_t)r->x_bytes, 1);
    if (!x)
        return SPL_OUT_OF_MEMORY;
    tool_fill_random(a->type, x, (int64_t)(r->x_bytes / tool_type_bytes(a->type)), 1, 0);
    spl_status status = tool_put_matrix(context, r->place, a, &r->a);
    if (status == SPL_OK)
        status = tool_put(context, r->place, x, r->x_bytes, &r->x);
    if (status == SPL_OK)
        status = tool_put(context, r->place, NULL, r->y_bytes, &r->y);
    free(x);
    return status;
}

static void release(regret_running *r)
{
    for (int i = 0; i < r->result->count; i++)
        spl_plan_destroy(r->plans[i]);
    tool_drop_matrix(r->setup->context, &r->a);
    tool_drop(r->setup->context, r->place, r->x, r->x_bytes);
    tool_drop(r->setup->context, r->place, r->y, r->y_bytes);
}

spl_status regret_run(const regret_setup *setup, const spl_sparse *a, regret_case *result)
{
    regret_running r = {.setup = setup, .result = result, .a.view = SPL_SPARSE_INIT};
    spl_processor_info last = SPL_PROCESSOR_INFO_INIT;
    spl_status status =
        spl_processor(setup->context, spl_processor_count(setup->context) - 1, &last);
    r.place = last.place;
    result->rows = a->rows;
    result->nnz = a->nnz;
    result->count = result->turns = result->trial_count = 0;
    result->once = setup->once;
    if (status == SPL_OK)
        status = put_operands(&r, a);
    if (status == SPL_OK)
        status = measure(&r);
    release(&r);
    return status;
}
