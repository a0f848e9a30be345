/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV and SpMM of random cases: calls, and the verdict about every element. A vector is a matrix
 * of one column. */
#include "exact_sums.h"
#include "random_run.h"

#include <stdlib.h>
#include <string.h>

typedef struct dense_case {
    random_run *r;
    run_sparse a;
    int64_t rows, inner, columns;
    spl_plan *plan;
} dense_case;

/* One execution. */
typedef struct dense_call {
    int round;
    spl_dense b, c;
    void *b_home; /* as in b.values */
    run_input b_input;
    run_output c_output;
    run_scalar alpha, beta;
} dense_call;

/* ---- dense matrices ---- */

static spl_dense new_view(const dense_case *d, int64_t rows, spl_order order, int64_t pad)
{
    spl_dense view = SPL_DENSE_INIT;
    bool vector = d->r->c->operation == RANDOM_SPMV;
    view.type = d->r->c->type;
    view.order = vector ? SPL_COLUMN_MAJOR : order;
    view.place = d->r->place;
    view.rows = rows;
    view.cols = d->columns;
    view.ld = (view.order == SPL_ROW_MAJOR ? view.cols : rows) + (vector ? 0 : pad);
    return view;
}

static int64_t position_of(const spl_dense *v, int64_t i, int64_t j)
{
    return v->order == SPL_ROW_MAJOR ? i * v->ld + j : i + j * v->ld;
}

/* The last line ends with its last element. */
static int64_t elements_of(const spl_dense *v)
{
    return v->rows > 0 && v->cols > 0 ? position_of(v, v->rows - 1, v->cols - 1) + 1 : 0;
}

static size_t bytes_of(const spl_dense *v)
{
    return (size_t)elements_of(v) * zoo_type_bytes(v->type);
}

static void fill_row(zoo_random *random, void *host_data, const spl_dense *v, int64_t i,
                     random_values values)
{
    for (int64_t j = 0; j < v->cols; j++)
        zoo_value_set(host_data, v->type, position_of(v, i, j),
                      random_value(random, values, v->type));
}

/* ---- entries of op(A) ---- */

static void entries_of(const dense_case *d, zoo_triples *t)
{
    zoo_triples_of_view(t, &d->a.host.view);
    if (d->r->c->options.op_a != SPL_NONE)
        zoo_triples_transpose(t);
}

/* B: NaN in rows that no column of op(A) leads to, which must not be read into a result. */
static void fill_factor(const dense_case *d, dense_call *call, zoo_random *random)
{
    zoo_triples t;
    unsigned char *used = zoo_allocate((size_t)d->inner);
    memset(used, 0, (size_t)d->inner);
    entries_of(d, &t);
    for (int64_t e = 0; e < t.nnz; e++)
        used[t.j[e]] = 1;
    zoo_triples_free(&t);
    call->b_home = zoo_allocate(bytes_of(&call->b));
    memset(call->b_home, 0xFF, bytes_of(&call->b));
    for (int64_t i = 0; i < d->inner; i++)
        if (used[i])
            fill_row(random, call->b_home, &call->b, i, d->r->c->x_values);
    free(used);
}

/* ---- calls ---- */

static void start_call(const dense_case *d, dense_call *call, int round)
{
    random_run *r = d->r;
    const random_case *c = r->c;
    zoo_random random;
    zoo_random_seed(&random, c->a.seed + 31 * (uint64_t)round);
    *call = (dense_call){.round = round};
    call->b = new_view(d, d->inner, c->order_b, c->pad_b);
    call->c = new_view(d, d->rows, c->order_c, c->pad_c);
    fill_factor(d, call, &random);
    call->b_input = run_input_new(r, call->b_home, bytes_of(&call->b));
    call->b.values = (void *)call->b_input.data;
    call->c_output = run_output_new(bytes_of(&call->c));
    for (int64_t i = 0; i < d->rows && run_beta(c, round) != 0; i++)
        fill_row(&random, run_output_host(&call->c_output), &call->c, i, c->y_values);
    run_output_send(r, &call->c_output);
    call->c.values = call->c_output.data;
    call->alpha = run_scalar_new(r, c->alpha[round]);
    call->beta = run_scalar_new(r, c->beta[round]);
}

static void end_call(random_run *r, dense_call *call)
{
    run_input_free(r, &call->b_input);
    run_output_free(r, &call->c_output);
    run_scalar_free(r, &call->alpha);
    run_scalar_free(r, &call->beta);
    free(call->b_home);
}

static spl_status one_shot(const dense_case *d, const dense_call *call)
{
    random_run *r = d->r;
    const void *alpha = run_scalar_pointer(&call->alpha, r->c->alpha[0]);
    const void *beta = run_scalar_pointer(&call->beta, r->c->beta[0]);
    if (r->c->operation == RANDOM_SPMV)
        return spl_spmv(r->context, alpha, &d->a.view, call->b.values, beta, call->c.values,
                        &r->options);
    return spl_spmm(r->context, alpha, &d->a.view, &call->b, beta, &call->c, &r->options);
}

static spl_status execute(const dense_case *d, const dense_call *call)
{
    const random_case *c = d->r->c;
    const void *alpha = run_scalar_pointer(&call->alpha, c->alpha[call->round]);
    const void *beta = run_scalar_pointer(&call->beta, c->beta[call->round]);
    if (c->operation == RANDOM_SPMV)
        return spl_spmv_execute(d->plan, alpha, call->b.values, beta, call->c.values, NULL);
    return spl_spmm_execute(d->plan, alpha, &call->b, beta, &call->c, NULL);
}

/* ---- verdicts ---- */

static exact_sum *exact_of(const dense_case *d, const dense_call *call)
{
    const random_case *c = d->r->c;
    double alpha = run_alpha(c, call->round), beta = run_beta(c, call->round);
    exact_sum *sums = zoo_allocate((size_t)(d->rows * d->columns) * sizeof *sums);
    zoo_triples t;
    memset(sums, 0, (size_t)(d->rows * d->columns) * sizeof *sums);
    entries_of(d, &t);
    for (int64_t e = 0; e < t.nnz && alpha != 0; e++)
        for (int64_t j = 0; j < d->columns; j++) {
            double b = zoo_value_at(call->b_home, c->type, position_of(&call->b, t.j[e], j));
            exact_add_product(&sums[t.i[e] * d->columns + j], t.v[e], b);
        }
    const void *before = run_output_before(&call->c_output);
    for (int64_t i = 0; i < d->rows && beta != 0; i++)
        for (int64_t j = 0; j < d->columns; j++)
            exact_add_old(&sums[i * d->columns + j], beta,
                          zoo_value_at(before, c->type, position_of(&call->c, i, j)));
    zoo_triples_free(&t);
    return sums;
}

static void judge_elements(const dense_case *d, const dense_call *call)
{
    const random_case *c = d->r->c;
    bool reduced = c->options.accuracy == SPL_ACCURACY_REDUCED;
    exact_rule rule = {run_alpha(c, call->round), c->type, reduced, false, c->device_scalars};
    exact_sum *sums = exact_of(d, call);
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < d->columns; j++) {
            const exact_sum *sum = &sums[i * d->columns + j];
            double actual = zoo_value_at(run_output_host(&call->c_output), c->type,
                                         position_of(&call->c, i, j));
            if (!exact_accepts(sum, &rule, actual))
                run_fault(d->r,
                          "round %d: element (%lld,%lld) is %.17g; alpha %g times %.17Lg (%lld "
                          "terms, sizes %Lg) "
                          "plus %.17Lg",
                          call->round, (long long)i, (long long)j, actual, rule.alpha,
                          sum->products.value, (long long)sum->products.terms, sum->products.size,
                          sum->old.value);
        }
    free(sums);
}

/* The library's own check says the same. */
static void expect_check(const dense_case *d, const dense_call *call)
{
    const random_case *c = d->r->c;
    spl_check check = SPL_CHECK_INIT;
    spl_options options = c->options;
    if (c->device_scalars)
        options.scalar_place = d->r->place;
    spl_dense b = call->b, before = call->c, after = call->c;
    const void *alpha = run_scalar_at_home(&call->alpha, c->alpha[call->round]);
    const void *beta = run_scalar_at_home(&call->beta, c->beta[call->round]);
    b.place = before.place = after.place = (spl_place){SPL_HOST, 0};
    b.values = call->b_home;
    before.values = run_output_before(&call->c_output);
    after.values = run_output_host(&call->c_output);
    spl_status status =
        c->operation == RANDOM_SPMV
            ? spl_check_spmv(alpha, &d->a.host.view, b.values, beta, before.values, after.values,
                             &options, &check)
            : spl_check_spmm(alpha, &d->a.host.view, &b, beta, &before, &after, &options, &check);
    run_expect_ok(d->r, status, "spl_check");
    if (!check.ok)
        run_fault(d->r, "round %d: spl_check says wrong at (%lld,%lld), ratio %g", call->round,
                  (long long)check.worst_row, (long long)check.worst_col, check.worst_ratio);
}

static void expect_gaps(const dense_case *d, const dense_call *call)
{
    const spl_dense *v = &call->c;
    size_t bytes = zoo_type_bytes(v->type);
    int64_t length = v->order == SPL_ROW_MAJOR ? v->cols : v->rows, end = elements_of(v);
    const unsigned char *host_data = run_output_host(&call->c_output);
    for (int64_t position = 0; position < end; position++)
        for (size_t k = 0; k < bytes && position % v->ld >= length; k++)
            if (host_data[(size_t)position * bytes + k] != 0xFF)
                run_fault(d->r, "round %d: C was written between its lines", call->round);
    if (!run_output_intact(&call->c_output))
        run_fault(d->r, "round %d: memory beside C was written", call->round);
}

static void judge(const dense_case *d, dense_call *call, spl_status status, const char *call_name)
{
    run_output_fetch(d->r, &call->c_output);
    if (!run_answered(d->r, status, call_name)) {
        if (!run_output_untouched(&call->c_output))
            run_fault(d->r, "%s answered %s and has written C", call_name, spl_status_name(status));
        return;
    }
    expect_gaps(d, call);
    judge_elements(d, call);
    if (d->r->c->options.accuracy != SPL_ACCURACY_REDUCED)
        expect_check(d, call);
    run_add_to_digest(d->r, run_output_host(&call->c_output), call->c_output.bytes);
}

/* ---- rounds ---- */

static void renew(dense_case *d, int round)
{
    random_update update = d->r->c->update[round];
    if (update == UPDATE_NONE)
        return;
    run_old old = run_sparse_renew(d->r, &d->a, update);
    int64_t allocations = run_allocations(d->r);
    run_expect_ok(d->r, spl_plan_update_values(d->plan, &d->a.view, NULL, NULL, NULL),
                  "spl_plan_update_values");
    run_expect_none_allocated(d->r, allocations, "spl_plan_update_values");
    run_old_free(d->r, &old);
}

static void execute_once(dense_case *d, int round)
{
    dense_call call;
    start_call(d, &call, round);
    renew(d, round);
    int64_t allocations = run_allocations(d->r);
    spl_status status = execute(d, &call);
    run_expect_none_allocated(d->r, allocations, "execute");
    judge(d, &call, status, "execute");
    end_call(d->r, &call);
}

static spl_status make_plan(dense_case *d)
{
    random_run *r = d->r;
    if (r->c->operation == RANDOM_SPMV)
        return spl_spmv_plan(r->context, &d->a.view, &r->options, &d->plan);
    return spl_spmm_plan(r->context, &d->a.view, d->columns, &r->options, &d->plan);
}

static void run_plan(dense_case *d)
{
    random_run *r = d->r;
    run_operands_are_ready(r);
    bool planned = run_answered(r, make_plan(d), "plan");
    if (planned)
        run_note_methods(r, d->plan);
    for (int round = 0; planned && round < r->c->rounds && r->verdict.outcome == OUTCOME_RIGHT;
         round++)
        execute_once(d, round);
    spl_plan_destroy(d->plan);
    run_expect_memory(r);
}

static void run_one_shot(dense_case *d)
{
    dense_call call;
    start_call(d, &call, 0);
    run_operands_are_ready(d->r);
    judge(d, &call, one_shot(d, &call), "one-shot call");
    run_expect_memory(d->r);
    end_call(d->r, &call);
}

void run_dense_case(random_run *r)
{
    const random_case *c = r->c;
    bool turned = c->options.op_a != SPL_NONE;
    dense_case d = {.r = r, .a = run_sparse_new(r, &c->a)};
    d.rows = turned ? c->a.cols : c->a.rows;
    d.inner = turned ? c->a.rows : c->a.cols;
    d.columns = c->operation == RANDOM_SPMV ? 1 : c->columns;
    if (c->one_shot)
        run_one_shot(&d);
    else
        run_plan(&d);
    run_sparse_free(r, &d.a);
}
