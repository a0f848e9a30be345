/* SPDX-License-Identifier: Apache-2.0 */
#include "regret_product.h"

#include "stopwatch.h"

#include <stdio.h>
#include <string.h>

/* ---- plans ---- */

/* Of all plans of the case. */
static spl_options common_options(const regret_running *r)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.executions = regret_is_cold(r);
    if (r->result->operation == BENCH_SPMM)
        options.accuracy = r->setup->accuracy;
    return options;
}

spl_options regret_options(const regret_running *r, const regret_contender *c, int by_name)
{
    spl_options options = common_options(r);
    options.policy = by_name ? SPL_POLICY_COST : (spl_policy)c->policy;
    options.method = by_name ? c->methods : NULL;
    options.keep_result = regret_is_sparse(r);
    return options;
}

spl_status regret_plan(const regret_running *r, const spl_options *options, spl_plan **plan)
{
    spl_context *context = r->setup->context;
    if (r->result->operation == BENCH_SPMV)
        return spl_spmv_plan(context, &r->a.view, options, plan);
    if (r->result->operation == BENCH_SPMM)
        return spl_spmm_plan(context, &r->a.view, r->result->columns, options, plan);
    return spl_spgemm_plan(context, &r->a.view, &r->a.view, NULL, options, plan);
}

static int is_bounded(const regret_running *r, const spl_plan *plan)
{
    spl_result shape = SPL_RESULT_INIT;
    return regret_is_sparse(r) && spl_spgemm_result(plan, &shape) == SPL_OK && !shape.exact;
}

void regret_describe(const regret_running *r, const spl_plan *plan, regret_contender *c)
{
    char methods[REGRET_METHODS] = "";
    c->predicted = 0;
    for (int32_t i = 0; i < spl_plan_step_count(plan); i++) {
        spl_step step = SPL_STEP_INIT;
        if (spl_plan_step(plan, i, &step) != SPL_OK ||
            !strcmp(step.phase, "form") || /* predicts the other phases, takes no time itself */
            (r->result->operation == BENCH_NUMERIC && strcmp(step.phase, "numeric") != 0))
            continue;
        size_t used = strlen(methods);
        snprintf(methods + used, sizeof methods - used, "%s%s", used ? "," : "", step.method);
        c->predicted += step.seconds;
    }
    snprintf(c->methods, sizeof c->methods, "%s", methods);
}

/* On devices plans work on blocks or groups of rows where that is expected to pay, for which other
 * methods serve than for the matrix as it is. */
static void predict_as_it_is(const regret_running *r, regret_predictions *p)
{
    spl_options options = common_options(r);
    spl_plan *plan = NULL;
    regret_predictions others = {0};
    options.method = regret_misfit(p, "spgemm/numeric/gpu/h"); /* hybrid, or a hash */
    if (options.method && regret_plan(r, &options, &plan) == SPL_OK)
        regret_predict(&others, plan, "spgemm/numeric/");
    regret_predict_others(p, &others);
    spl_plan_destroy(plan);
}

spl_status regret_predict_all(const regret_running *r, regret_predictions *p)
{
    spl_options options = common_options(r);
    spl_plan *plan = NULL;
    spl_status status = regret_plan(r, &options, &plan);
    if (status == SPL_OK && is_bounded(r, plan)) {
        regret_predict(p, plan, "spgemm/symbolic/");
        spl_plan_destroy(plan);
        plan = NULL;
        options.method = regret_centre(p, "spgemm/symbolic/");
        status = regret_plan(r, &options, &plan);
        if (status == SPL_OK)
            regret_predict(p, plan, "spgemm/numeric/");
    } else if (status == SPL_OK) {
        regret_predict(p, plan, "");
    }
    spl_plan_destroy(plan);
    if (status == SPL_OK && regret_is_sparse(r))
        predict_as_it_is(r, p);
    return status;
}

/* ---- executions ---- */

static spl_dense dense(const regret_running *r, int64_t rows, void *values)
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

static spl_status execute(const regret_running *r, spl_plan *plan)
{
    if (r->result->operation == BENCH_SPMV)
        return spl_spmv_execute(plan, NULL, r->x, NULL, r->y, NULL);
    if (r->result->operation != BENCH_SPMM)
        return spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    spl_dense b = dense(r, r->a.view.cols, r->x), c = dense(r, r->a.view.rows, r->y);
    return spl_spmm_execute(plan, NULL, &b, NULL, &c, NULL);
}

spl_status regret_batch(const regret_running *r, spl_plan *plan, int count, double *seconds)
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

static spl_status call(const regret_running *r, const spl_options *options, spl_matrix **product)
{
    spl_context *context = r->setup->context;
    spl_dense b = dense(r, r->a.view.cols, r->x), c = dense(r, r->a.view.rows, r->y);
    if (r->result->operation == BENCH_SPMV)
        return spl_spmv(context, NULL, &r->a.view, r->x, NULL, r->y, options);
    if (r->result->operation == BENCH_SPMM)
        return spl_spmm(context, NULL, &r->a.view, &b, NULL, &c, options);
    return spl_spgemm(context, NULL, &r->a.view, &r->a.view, NULL, NULL, options, product);
}

spl_status regret_time_call(const regret_running *r, const spl_options *options, double *seconds)
{
    spl_matrix *product = NULL;
    double start = tool_now();
    spl_status status = call(r, options, &product);
    if (status == SPL_OK)
        status = spl_sync(r->setup->context, NULL);
    *seconds = tool_now() - start;
    spl_matrix_destroy(product);
    return status;
}

spl_status regret_time_plan(const regret_running *r, const spl_options *options, double *seconds)
{
    spl_plan *plan = NULL;
    spl_matrix *product = NULL;
    double untimed, start = tool_now();
    spl_status status = regret_plan(r, options, &plan);
    int bounded = status == SPL_OK && is_bounded(r, plan);
    if (status == SPL_OK)
        status = regret_batch(r, plan, 1, &untimed);
    if (status == SPL_OK && bounded)
        status = spl_spgemm_take(plan, &product);
    *seconds = tool_now() - start;
    spl_plan_destroy(plan);
    if (!regret_is_sparse(r))
        *seconds = tool_now() - start; /* calls end with that */
    spl_matrix_destroy(product);
    return status;
}
