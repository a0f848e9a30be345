/* SPDX-License-Identifier: Apache-2.0 */
#include "regret.h"

#include "placed_array.h"
#include "stopwatch.h"
#include "typed_array.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_TURNS = 5, FEW_TURNS = 3, MOST_TURNS = 200, BATCH = 10, EXECUTIONS = 100, PLANS = 3, PATIENCE = 5 };

const char *const regret_policies[REGRET_POLICIES] = {"cost", "rules", "measure"};

/* The case while it runs. */
typedef struct running {
    const regret_setup *setup;
    regret_case *result;
    spl_place place;
    tool_placed_matrix a;
    void *x, *y; /* dense operands; y also takes values of C */
    size_t x_bytes, y_bytes;
    spl_plan *plans[REGRET_CONTENDERS]; /* but for spgemm, whose plans are made anew each time */
} running;

static int is_sparse(const running *r)
{
    return r->result->operation == BENCH_SPGEMM || r->result->operation == BENCH_NUMERIC;
}

/* ---- contenders ---- */

static regret_contender *add(regret_case *c, int policy, const char *methods)
{
    if (c->count == REGRET_CONTENDERS)
        return NULL;
    regret_contender *contender = &c->contenders[c->count++];
    *contender = (regret_contender){.policy = policy, .plan = INFINITY, .run = INFINITY};
    snprintf(contender->methods, sizeof contender->methods, "%s", methods);
    return contender;
}

/* The next method after number `from` whose id begins with `prefix`; NULL: there is none. References, and bounds, which defer work, are passed over. */
static const char *next_method(const char *prefix, int32_t *from)
{
    spl_method_info info = SPL_METHOD_INFO_INIT;
    while (*from < spl_method_count())
        if (spl_method((*from)++, &info) == SPL_OK && !strncmp(info.id, prefix, strlen(prefix)) &&
            !strstr(info.id, "/reference"))
            return info.id;
    return NULL;
}

static void add_pairs(regret_case *c, const char *processor, int all_symbolic)
{
    char symbolic[64], numeric[64], both[REGRET_METHODS];
    snprintf(symbolic, sizeof symbolic, "spgemm/symbolic/%s/", processor);
    snprintf(numeric, sizeof numeric, "spgemm/numeric/%s/", processor);
    int32_t s = 0, n;
    for (const char *first; (first = next_method(symbolic, &s)) != NULL;) {
        if (!all_symbolic && strstr(first, "upper_bound"))
            continue; /* numeric: the structure is known before values are timed */
        n = 0;
        for (const char *second; (second = next_method(numeric, &n)) != NULL;) {
            snprintf(both, sizeof both, "%s,%s", first, second);
            add(c, -1, both);
        }
        if (!all_symbolic)
            return;
    }
}

static void add_contenders(running *r)
{
    regret_case *c = r->result;
    const char *processor = r->place.kind == SPL_HOST ? "cpu" : "gpu";
    char prefix[64];
    int32_t from = 0;
    c->count = 0;
    for (int policy = 0; policy < REGRET_POLICIES; policy++)
        add(c, policy, "");
    if (is_sparse(r)) {
        add_pairs(c, processor, c->operation == BENCH_SPGEMM);
        return;
    }
    snprintf(prefix, sizeof prefix, "%s/compute/%s/", bench_operation_names[c->operation], processor);
    for (const char *id; (id = next_method(prefix, &from)) != NULL;)
        add(c, -1, id);
}

/* ---- plans ---- */

static spl_status make_plan(const running *r, const regret_contender *c, spl_plan **plan)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = r->setup->context;
    options.policy = c->policy < 0 ? SPL_POLICY_COST : (spl_policy)c->policy;
    options.method = c->policy < 0 ? c->methods : NULL;
    options.keep_result = is_sparse(r);
    if (r->result->operation == BENCH_SPMV)
        return spl_spmv_plan(context, &r->a.view, &options, plan);
    if (r->result->operation == BENCH_SPMM)
        return spl_spmm_plan(context, &r->a.view, r->result->columns, &options, plan);
    return spl_spgemm_plan(context, &r->a.view, &r->a.view, NULL, &options, plan);
}

/* What was chosen, and what it is predicted to take; of spgemm both phases, of numeric the second. */
static void describe(const running *r, const spl_plan *plan, regret_contender *c)
{
    char methods[REGRET_METHODS] = "";
    c->predicted = 0;
    for (int32_t i = 0; i < spl_plan_step_count(plan); i++) {
        spl_step step = SPL_STEP_INIT;
        if (spl_plan_step(plan, i, &step) != SPL_OK ||
            (r->result->operation == BENCH_NUMERIC && strcmp(step.phase, "numeric") != 0))
            continue;
        size_t used = strlen(methods);
        snprintf(methods + used, sizeof methods - used, "%s%s", used ? "," : "", step.method);
        c->predicted += step.seconds;
    }
    snprintf(c->methods, sizeof c->methods, "%s", methods);
}

/* ---- executions ---- */

static spl_dense dense(const running *r, int64_t rows, void *values)
{
    spl_dense d = SPL_DENSE_INIT;
    d.type = r->result->type;
    d.order = SPL_ROW_MAJOR;
    d.place = r->place;
    d.rows = rows;
    d.cols = d.ld = r->result->columns;
    d.values = values;
    return d;
}

static spl_status execute(const running *r, spl_plan *plan)
{
    if (r->result->operation == BENCH_SPMV)
        return spl_spmv_execute(plan, NULL, r->x, NULL, r->y, NULL);
    if (r->result->operation != BENCH_SPMM)
        return spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    spl_dense b = dense(r, r->a.view.cols, r->x), c = dense(r, r->a.view.rows, r->y);
    return spl_spmm_execute(plan, NULL, &b, NULL, &c, NULL);
}

static spl_status run_batch(const running *r, spl_plan *plan, int count, double *seconds)
{
    spl_status status = SPL_OK;
    double start = tool_now();
    for (int i = 0; i < count && status == SPL_OK; i++)
        status = execute(r, plan);
    if (status == SPL_OK)
        status = spl_sync(r->setup->context, NULL);
    *seconds = (tool_now() - start) / count;
    return status;
}

static double lesser(double a, double b)
{
    return b < a ? b : a;
}

/* spgemm: everything from the operands to the values. */
static spl_status time_product(const running *r, regret_contender *c)
{
    spl_plan *plan = NULL;
    double execution = 0, start = tool_now();
    spl_status status = make_plan(r, c, &plan);
    if (status == SPL_OK)
        status = run_batch(r, plan, 1, &execution);
    c->run = lesser(c->run, tool_now() - start);
    spl_plan_destroy(plan);
    return status;
}

static spl_status time_execution(const running *r, regret_contender *c, spl_plan *plan)
{
    double untimed, seconds;
    spl_status status = run_batch(r, plan, 1, &untimed); /* others ran in between */
    if (status == SPL_OK)
        status = run_batch(r, plan, r->place.kind == SPL_HOST ? 1 : BATCH, &seconds);
    if (status == SPL_OK)
        c->run = lesser(c->run, seconds);
    return status;
}

/* Who fails is out: the least of its times is infinite. */
static void time_one(running *r, int number)
{
    regret_contender *c = &r->result->contenders[number];
    bool cold = r->result->operation == BENCH_SPGEMM;
    if ((cold ? time_product(r, c) : time_execution(r, c, r->plans[number])) != SPL_OK)
        c->plan = c->run = INFINITY;
}

/* Makes the plan a few times; the last one stays. */
static spl_status plan_often(running *r, int number)
{
    regret_contender *c = &r->result->contenders[number];
    spl_status status = SPL_OK;
    double spent = 0;
    for (int i = 0; status == SPL_OK && i < PLANS && spent <= r->setup->time_limit; i++) {
        spl_plan_destroy(r->plans[number]);
        r->plans[number] = NULL;
        double start = tool_now();
        status = make_plan(r, c, &r->plans[number]);
        double seconds = tool_now() - start;
        c->plan =
            i == 0 && c->policy == SPL_POLICY_MEASURE ? INFINITY : lesser(c->plan, seconds); /* the next ones know */
        spent += seconds;
    }
    return status;
}

/* Plans of each, their time, and what was chosen. Who cannot plan is out. */
static void begin(running *r)
{
    bool cold = r->result->operation == BENCH_SPGEMM;
    for (int i = 0; i < r->result->count; i++) {
        regret_contender *c = &r->result->contenders[i];
        spl_status status = plan_often(r, i);
        if (status != SPL_OK)
            c->plan = INFINITY;
        if (status == SPL_OK)
            describe(r, r->plans[i], c);
        if (!cold)
            continue;
        spl_plan_destroy(r->plans[i]);
        r->plans[i] = NULL;
        c->plan = status == SPL_OK ? 0 : INFINITY;
    }
}

/* Who was asked for and took several times as long as the best in the first turns has no chance. */
static bool has_chance(const regret_case *c, int number)
{
    const double hopeless = 3;
    int best = regret_best(c);
    return c->contenders[number].plan < INFINITY &&
           (c->turns < 2 || best < 0 || c->contenders[number].policy >= 0 ||
            regret_seconds(c, &c->contenders[number]) < hopeless * regret_seconds(c, &c->contenders[best]));
}

static bool enough(const running *r, double elapsed)
{
    int turns = r->result->turns;
    double limit = r->setup->time_limit;
    return turns == MOST_TURNS || (turns >= LEAST_TURNS && elapsed >= limit) ||
           (turns >= FEW_TURNS && elapsed >= PATIENCE * limit);
}

static spl_status repeat(running *r)
{
    regret_case *c = r->result;
    for (double start = tool_now(); !enough(r, tool_now() - start); c->turns++)
        for (int i = 0; i < c->count; i++) {
            if (r->setup->interrupted && r->setup->interrupted())
                return SPL_CANCELLED;
            if (has_chance(c, i))
                time_one(r, i);
        }
    return SPL_OK;
}

/* Equal plans have equal times. On devices products of matrices that are made of blocks differ, although the methods' names do not: see doc/design.md. */
static void join_equal(const running *r)
{
    regret_case *c = r->result;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < i; k++) {
            regret_contender *one = &c->contenders[i], *other = &c->contenders[k];
            if (strcmp(one->methods, other->methods) != 0 || (is_sparse(r) && r->place.kind != SPL_HOST))
                continue;
            one->run = other->run = lesser(one->run, other->run);
            one->plan = other->plan = lesser(one->plan, other->plan);
        }
}

/* ---- a case ---- */

static spl_status put_operands(running *r, const spl_sparse *a)
{
    spl_context *context = r->setup->context;
    size_t row = (size_t)r->result->columns * tool_type_bytes(a->type);
    r->x_bytes = is_sparse(r) ? 0 : (size_t)a->cols * row;
    r->y_bytes = is_sparse(r) ? 0 : (size_t)a->rows * row;
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

static void release(running *r)
{
    for (int i = 0; i < r->result->count; i++)
        spl_plan_destroy(r->plans[i]);
    tool_drop_matrix(r->setup->context, &r->a);
    tool_drop(r->setup->context, r->place, r->x, r->x_bytes);
    tool_drop(r->setup->context, r->place, r->y, r->y_bytes);
}

spl_status regret_run(const regret_setup *setup, const spl_sparse *a, regret_case *result)
{
    running r = {.setup = setup, .result = result, .a.view = SPL_SPARSE_INIT};
    spl_processor_info last = SPL_PROCESSOR_INFO_INIT;
    spl_status status = spl_processor(setup->context, spl_processor_count(setup->context) - 1, &last);
    r.place = last.place;
    result->rows = a->rows;
    result->nnz = a->nnz;
    result->count = result->turns = 0;
    if (status == SPL_OK)
        status = put_operands(&r, a);
    if (status == SPL_OK) {
        spl_wisdom_forget(setup->context);
        add_contenders(&r);
        begin(&r);
        status = repeat(&r);
        join_equal(&r);
    }
    release(&r);
    return status;
}

/* ---- what it says ---- */

double regret_seconds(const regret_case *result, const regret_contender *c)
{
    return result->operation == BENCH_SPGEMM ? c->run : c->run + c->plan / EXECUTIONS;
}

int regret_best(const regret_case *result)
{
    int best = -1;
    for (int i = 0; i < result->count; i++) {
        double seconds = regret_seconds(result, &result->contenders[i]);
        if (seconds < INFINITY && (best < 0 || seconds < regret_seconds(result, &result->contenders[best])))
            best = i;
    }
    return best;
}

double regret_of(const regret_case *result, int policy)
{
    int best = regret_best(result);
    for (int i = 0; i < result->count && best >= 0; i++)
        if (result->contenders[i].policy == policy) {
            double seconds = regret_seconds(result, &result->contenders[i]);
            return seconds < INFINITY ? seconds / regret_seconds(result, &result->contenders[best]) : NAN;
        }
    return NAN;
}
