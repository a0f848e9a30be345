/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of random cases: calls, and copies of results on the host, where they are judged. */
#include "judge_product.h"
#include "random_run.h"

#include <stdlib.h>
#include <string.h>

typedef struct sparse_case {
    random_run *r;
    run_sparse operands[3]; /* A, B, D */
    int count;              /* 2: no D */
    spl_plan *plan;
    bool kept; /* values of C by the plan: it was asked to, or has but a bound of their number */
} sparse_case;

/* One execution. */
enum { WIDE = 1 << 20 };

typedef struct sparse_call {
    int round;
    run_scalar alpha, beta;
    run_output offsets, indices, values;
} sparse_call;

static const spl_sparse *summand_of(const sparse_case *s)
{
    return s->count > 2 ? &s->operands[2].view : NULL;
}

static const void *alpha_of(const sparse_case *s, const sparse_call *call)
{
    return run_scalar_pointer(&call->alpha, s->r->c->alpha[call->round]);
}

static const void *beta_of(const sparse_case *s, const sparse_call *call)
{
    return run_scalar_pointer(&call->beta, s->r->c->beta[call->round]);
}

static void start_call(const sparse_case *s, sparse_call *call, int round)
{
    *call = (sparse_call){.round = round};
    call->alpha = run_scalar_new(s->r, s->r->c->alpha[round]);
    call->beta = run_scalar_new(s->r, s->r->c->beta[round]);
}

static void end_call(random_run *r, sparse_call *call)
{
    run_scalar_free(r, &call->alpha);
    run_scalar_free(r, &call->beta);
    run_output_free(r, &call->offsets);
    run_output_free(r, &call->indices);
    run_output_free(r, &call->values);
}

/* The library's own check says the same. */
static void expect_check(const sparse_case *s, const spl_sparse *const homes[3],
                         const spl_sparse *c, const sparse_call *call)
{
    const random_case *drawn = s->r->c;
    spl_check check = SPL_CHECK_INIT;
    spl_options options = drawn->options;
    if (drawn->device_scalars)
        options.scalar_place = s->r->place;
    const void *alpha = run_scalar_at_home(&call->alpha, drawn->alpha[call->round]);
    const void *beta = run_scalar_at_home(&call->beta, drawn->beta[call->round]);
    run_expect_ok(s->r,
                  spl_check_spgemm(alpha, homes[0], homes[1], beta, homes[2], c, &options, &check),
                  "spl_check_spgemm");
    if (!check.ok)
        run_fault(s->r, "round %d: spl_check says wrong at (%lld,%lld), ratio %g", call->round,
                  (long long)check.worst_row, (long long)check.worst_col, check.worst_ratio);
}

static void judge(const sparse_case *s, const spl_sparse *c, const sparse_call *call)
{
    const spl_sparse *homes[3] = {&s->operands[0].host.view, &s->operands[1].host.view,
                                  s->count > 2 ? &s->operands[2].host.view : NULL};
    judge_product(s->r, homes, c, call->round);
    if (!run_is_faulty(s->r) && c->cols < WIDE) /* the reference's rows are dense */
        expect_check(s, homes, c, call);
    run_add_to_digest(s->r, c->offsets, (size_t)(c->rows + 1) * zoo_index_bytes(c->offset_type));
    run_add_to_digest(s->r, c->indices, (size_t)c->nnz * zoo_index_bytes(c->index_type));
    run_add_to_digest(s->r, c->values, (size_t)c->nnz * zoo_type_bytes(c->type));
}

/* ---- matrices of the library's ---- */

static const void *fetch_to_host(random_run *r, const void *device_data, size_t bytes)
{
    void *copy = zoo_allocate(bytes);
    run_fetch(r, copy, device_data, bytes);
    return copy;
}

/* Judges and destroys it. */
static void judge_matrix(const sparse_case *s, spl_matrix *matrix, const sparse_call *call)
{
    spl_sparse c = SPL_SPARSE_INIT;
    run_expect_ok(s->r, spl_matrix_view(matrix, &c), "spl_matrix_view");
    if (c.place.kind != s->r->place.kind || c.place.ordinal != s->r->place.ordinal)
        run_fault(s->r, "C lives elsewhere than A");
    c.place = (spl_place){SPL_HOST, 0};
    c.offsets =
        fetch_to_host(s->r, c.offsets, (size_t)(c.rows + 1) * zoo_index_bytes(c.offset_type));
    c.indices = fetch_to_host(s->r, c.indices, (size_t)c.nnz * zoo_index_bytes(c.index_type));
    c.values = fetch_to_host(s->r, c.values, (size_t)c.nnz * zoo_type_bytes(c.type));
    judge(s, &c, call);
    free((void *)c.offsets);
    free((void *)c.indices);
    free((void *)c.values);
    spl_matrix_destroy(matrix);
}

static void run_one_shot(sparse_case *s)
{
    static char untouched[64];
    random_run *r = s->r;
    sparse_call call;
    spl_matrix *const before = (spl_matrix *)(void *)untouched, *c = before;
    start_call(s, &call, 0);
    run_operands_are_ready(r);
    spl_status status =
        spl_spgemm(r->context, alpha_of(s, &call), &s->operands[0].view, &s->operands[1].view,
                   beta_of(s, &call), summand_of(s), &r->options, &c);
    if (run_answered(r, status, "one-shot call"))
        judge_matrix(s, c, &call);
    else if (c != before)
        run_fault(r, "a call that failed has written where C is to be told");
    run_expect_memory(r);
    end_call(r, &call);
}

/* ---- plans ---- */

static spl_result result_of(const sparse_case *s)
{
    spl_result result = SPL_RESULT_INIT;
    run_expect_ok(s->r, spl_spgemm_result(s->plan, &result), "spl_spgemm_result");
    return result;
}

static void send_outputs(const sparse_case *s, sparse_call *call, const spl_result *result)
{
    run_output *const outputs[] = {&call->offsets, &call->indices, &call->values};
    size_t bytes[] = {(size_t)(result->rows + 1) * zoo_index_bytes(result->offset_type),
                      (size_t)result->nnz * zoo_index_bytes(result->index_type),
                      (size_t)result->nnz * zoo_type_bytes(result->type)};
    for (int k = 0; k < 3; k++) {
        *outputs[k] = run_output_new(bytes[k]);
        run_output_send(s->r, outputs[k]);
    }
}

static void fetch_outputs(const sparse_case *s, sparse_call *call)
{
    run_output *const outputs[] = {&call->offsets, &call->indices, &call->values};
    for (int k = 0; k < 3; k++) {
        run_output_fetch(s->r, outputs[k]);
        if (!run_output_intact(outputs[k]))
            run_fault(s->r, "round %d: memory beside C was written", call->round);
    }
}

/* Where rows pass through a device in blocks, because they may not fit it, each execution
 * allocates. */
static bool may_allocate(const random_case *c)
{
    uint64_t processors = c->options.processors;
    bool several = (processors & (processors - 1)) != 0,
         staged = c->setup->devices && !c->resident && processors != 1;
    return several || staged ||
           (c->resident && processors && processors != UINT64_C(1) << c->resident);
}

/* A call that was refused must have written none of the first `count` outputs;
 * true: it succeeded. */
static bool answered(const sparse_case *s, sparse_call *call, int count, spl_status status,
                     const char *call_name)
{
    run_output *const outputs[] = {&call->offsets, &call->indices, &call->values};
    if (run_answered(s->r, status, call_name))
        return true;
    for (int k = 0; k < count; k++) {
        run_output_fetch(s->r, outputs[k]);
        if (outputs[k]->bytes && !run_output_untouched(outputs[k]))
            run_fault(s->r, "%s answered %s and has written C", call_name, spl_status_name(status));
    }
    return false;
}

static bool execute(const sparse_case *s, sparse_call *call)
{
    random_run *r = s->r;
    int64_t allocations = run_allocations(r);
    void *values = s->kept ? NULL : call->values.data;
    spl_status status =
        spl_spgemm_execute(s->plan, alpha_of(s, call), beta_of(s, call), values, NULL);
    if (!may_allocate(r->c))
        run_expect_none_allocated(r, allocations, "execute");
    return answered(s, call, 3, status, "execute");
}

/* Exports of plans of several processors may allocate, since C passes through the host. */
static bool export(const sparse_case *s, sparse_call *call)
{
    void *values = s->kept ? call->values.data : NULL;
    int64_t allocations = run_allocations(s->r);
    spl_status status =
        spl_spgemm_export(s->plan, call->offsets.data, call->indices.data, values, NULL);
    if (!may_allocate(s->r->c))
        run_expect_none_allocated(s->r, allocations, "export");
    return answered(s, call, s->kept ? 3 : 2, status, "export");
}

/* Computes and exports; true: C is in the call's outputs. */
static bool compute(const sparse_case *s, sparse_call *call, spl_result *result)
{
    *result = result_of(s);
    if (!s->kept)
        send_outputs(s, call, result);
    if (!execute(s, call))
        return false;
    if (s->kept) {
        *result = result_of(s);
        send_outputs(s, call, result);
    }
    if (!export(s, call))
        return false;
    fetch_outputs(s, call);
    return !run_is_faulty(s->r);
}

static spl_sparse product_of(const sparse_call *call, const spl_result *result)
{
    spl_sparse c = SPL_SPARSE_INIT;
    c.format = SPL_CSR;
    c.type = result->type;
    c.offset_type = result->offset_type;
    c.index_type = result->index_type;
    c.rows = result->rows;
    c.cols = result->cols;
    c.nnz = result->nnz;
    c.offsets = run_output_host(&call->offsets);
    c.indices = run_output_host(&call->indices);
    c.values = run_output_host(&call->values);
    return c;
}

/* A copy of the kept result. */
static void take(const sparse_case *s, const sparse_call *call)
{
    spl_matrix *matrix = NULL;
    if (run_answered(s->r, spl_spgemm_take(s->plan, &matrix), "spl_spgemm_take"))
        judge_matrix(s, matrix, call);
}

/* Those operands get new values that a bit of the seed says. */
static void renew(sparse_case *s, int round)
{
    random_run *r = s->r;
    run_old old[3] = {{.arrays[0].bytes = 0}};
    const spl_sparse *views[3] = {NULL, NULL, NULL};
    random_update update = r->c->update[round];
    if (update == UPDATE_NONE)
        return;
    for (int k = 0; k < s->count; k++)
        if (r->c->a.seed >> (8 + 3 * round + k) & 1) {
            old[k] = run_sparse_renew(r, &s->operands[k], update);
            views[k] = &s->operands[k].view;
        }
    int64_t allocations = run_allocations(r);
    run_expect_ok(r, spl_plan_update_values(s->plan, views[0], views[1], views[2], NULL),
                  "update_values");
    run_expect_none_allocated(r, allocations, "update_values");
    for (int k = 0; k < 3; k++)
        run_old_free(r, &old[k]);
}

static void execute_once(sparse_case *s, int round)
{
    sparse_call call;
    spl_result result;
    start_call(s, &call, round);
    renew(s, round);
    if (compute(s, &call, &result)) {
        spl_sparse c = product_of(&call, &result);
        judge(s, &c, &call);
        if (s->r->c->take)
            take(s, &call);
    }
    end_call(s->r, &call);
}

static void run_plan(sparse_case *s)
{
    random_run *r = s->r;
    run_operands_are_ready(r);
    spl_status status = spl_spgemm_plan(r->context, &s->operands[0].view, &s->operands[1].view,
                                        summand_of(s), &r->options, &s->plan);
    bool planned = run_answered(r, status, "plan");
    s->kept = planned && (r->c->options.keep_result || !result_of(s).exact);
    if (planned)
        run_note_methods(r, s->plan);
    for (int round = 0; planned && round < r->c->rounds && r->verdict.outcome == OUTCOME_RIGHT;
         round++)
        execute_once(s, round);
    spl_plan_destroy(s->plan);
    run_expect_memory(r);
}

void run_sparse_case(random_run *r)
{
    const random_case *c = r->c;
    const random_matrix *recipes[] = {&c->a, &c->b, &c->d};
    sparse_case s = {.r = r, .count = c->has_d ? 3 : 2};
    for (int k = 0; k < s.count; k++)
        s.operands[k] = run_sparse_new(r, recipes[k]);
    if (c->one_shot)
        run_one_shot(&s);
    else
        run_plan(&s);
    for (int k = 0; k < s.count; k++)
        run_sparse_free(r, &s.operands[k]);
}
