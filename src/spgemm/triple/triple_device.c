/* SPDX-License-Identifier: Apache-2.0 */
/* triple_device.c: the operation C = alpha*op(P)'*op(A)*op(P) on a device: two plans of SpGEMM
 * behind the interface of one.
 *
 *   middle = A*P            the first plan keeps its structure and values, ...
 *   C = alpha*P'*middle     ... which the second reads there
 *
 * Not row by row as on the CPU: a row of P'*A is long, and a team of threads has no memory for one
 * by columns. The middle stays as long as the plan does, because executions allocate nothing.
 *
 * Cost: the two products. Memory: A*P, P' and C on the device. */
#include "spgemm/triple/triple_state.h"

#include "structure/device_widths.h"

typedef struct pair {
    spl_plan *first, *second;
    spl_sparse middle;
    bool computed; /* values that the plan keeps */
} pair;

static pair *pair_of(const spl_plan *plan)
{
    return plan->state;
}

static spl__product_state state_of_c(const spl_plan *plan)
{
    const spl_plan *second = pair_of(plan)->second;
    return second->operation->state(second);
}

/* ---- plan ---- */

static spl_status make_inner(spl_plan *plan, const spl_sparse *a, const spl_sparse *b,
                             const spl_options *options, spl_plan **inner)
{
    const spl__request request = {.kind = SPL__KIND_spgemm,
                                  .a = a,
                                  .b = b,
                                  .options = options,
                                  .account = &plan->account,
                                  .on_device = &plan->problem.queue.account};
    return spl__plan_make(plan->problem.context, &request, inner);
}

/* A prepared operand as a matrix on the device. */
static spl_sparse resident(const spl_plan *plan, const spl__operand *operand)
{
    spl_sparse view = operand->csr;
    view.size = sizeof view;
    view.place = plan->problem.queue.device->place;
    return view;
}

/* The arrays of an inner plan. */
static spl_status view_of(spl_plan *inner, spl_sparse *view)
{
    const spl__problem *p = &inner->problem;
    *view = resident(inner, &p->a);
    view->rows = p->rows;
    view->cols = p->cols;
    view->nnz = inner->operation->state(inner).nnz;
    return inner->operation->view(inner, view);
}

static spl_status make_pair(spl_plan *plan, pair *t)
{
    const spl__problem *p = &plan->problem;
    const spl_sparse a = resident(plan, &p->a), b = resident(plan, &p->b);
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = p->options.policy;
    options.threads = p->options.threads;
    options.deterministic = p->options.deterministic;
    options.executions = p->options.executions;
    options.updates = p->options.updates;
    options.keep_result = options.unsorted = 1;
    SPL__TRY(spl__queue_wait(&plan->problem.queue)); /* operands that were uploaded */
    SPL__TRY(make_inner(plan, &a, &b, &options, &t->first));
    SPL__TRY(view_of(t->first, &t->middle));
    SPL__TRY(spl__queue_wait(&t->first->problem.queue)); /* columns may have been written now */
    options.op_a = SPL_TRANSPOSE;
    options.unsorted = 0;
    options.keep_result = p->options.keep_result || p->staged;
    options.result_offset_type = p->options.result_offset_type;
    return make_inner(plan, &b, &t->middle, &options, &t->second);
}

static spl_status plan_pair(spl_plan *plan)
{
    pair *t;
    SPL__TRY(spl__triple_check(plan));
    plan->problem.rows = plan->problem.cols; /* of C; so far they were A's */
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &t, 1));
    plan->state = t;
    SPL__TRY(make_pair(plan, t));
    SPL__TRY(spl__check_result_width(plan, state_of_c(plan).nnz));
    plan->features.nnz_c = (double)state_of_c(plan).nnz;
    return SPL_OK;
}

static void destroy_pair(spl_plan *plan)
{
    pair *t = pair_of(plan);
    if (!t)
        return;
    spl__plan_free(t->second);
    spl__plan_free(t->first);
    spl__free(t);
    plan->state = NULL;
}

/* ---- values ---- */

/* The stream to which the plan has turned. */
static spl_stream stream_of(const spl_plan *plan)
{
    const spl__queue *queue = &plan->problem.queue;
    return (spl_stream){.kind = queue->device->place.kind, .handle = queue->stream};
}

static spl_status announce(spl_plan *inner, const spl_sparse *a, const spl_sparse *b,
                           const spl_stream *stream)
{
    const spl_sparse *const views[3] = {a, b, NULL};
    if (!a && !b)
        return SPL_OK;
    SPL__TRY(spl__plan_turn(inner, stream));
    spl_status status = inner->operation->update(inner, views);
    spl__plan_mark(inner);
    return status;
}

/* C, of which columns may be written only now. */
static spl_status view_in_turn(spl_plan *plan, spl_sparse *c)
{
    spl_plan *second = pair_of(plan)->second;
    const spl_stream stream = stream_of(plan);
    SPL__TRY(spl__plan_turn(second, &stream));
    spl_status status = view_of(second, c);
    spl__plan_mark(second);
    return status;
}

static spl_status update_pair(spl_plan *plan, const spl_sparse *const operands[3])
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__plan_update(plan, operands));
    const spl_stream stream = stream_of(plan);
    const spl_sparse a = resident(plan, &p->a), b = resident(plan, &p->b),
                     *new_b = operands[1] ? &b : NULL;
    SPL__TRY(announce(pair_of(plan)->first, operands[0] ? &a : NULL, new_b, &stream));
    return announce(pair_of(plan)->second, new_b, NULL, &stream);
}

static spl_status multiply(spl_plan *plan, spl__call *call)
{
    const pair *t = pair_of(plan);
    const spl_stream stream = stream_of(plan);
    const double one = 1, zero = 0;
    const float one_f32 = 1, zero_f32 = 0;
    const bool narrow = plan->problem.a.csr.type == SPL_F32;
    spl__call first = {.alpha = narrow ? (const void *)&one_f32 : &one,
                       .beta = narrow ? (const void *)&zero_f32 : &zero};
    SPL__TRY(t->first->operation->execute(t->first, &first, &stream));
    SPL__TRY(announce(t->second, NULL, &t->middle, &stream));
    return t->second->operation->execute(t->second, call, &stream);
}

/* Values for an array on the host pass through those of the second plan. */
static spl_status compute(spl_plan *plan, spl__call *call)
{
    void *values = call->values;
    spl_sparse c;
    if (plan->problem.staged)
        call->values = NULL;
    SPL__TRY(multiply(plan, call));
    if (plan->problem.staged && values) {
        SPL__TRY(view_in_turn(plan, &c));
        SPL__TRY(spl__queue_fetch(&plan->problem.queue, values, c.values,
                                  (size_t)c.nnz * spl__type_size(c.type)));
    }
    pair_of(plan)->computed |= !values;
    atomic_fetch_add(&plan->executions, 1);
    return SPL_OK;
}

static spl_status execute_pair(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = compute(plan, call);
    spl__plan_leave(plan);
    return status;
}

/* ---- C for callers ---- */

static spl__product_terms terms_of(const spl_plan *plan)
{
    return (spl__product_terms){.capacity = state_of_c(plan).nnz,
                                .keeps = plan->problem.options.keep_result};
}

static spl__product_state state_of(const spl_plan *plan)
{
    spl__product_state c = state_of_c(plan);
    c.keeps = plan->problem.options.keep_result;
    c.computed = (c.keeps && pair_of(plan)->computed) || c.nnz == 0;
    c.offset_type = spl__offset_type_for(plan, c.nnz);
    return c;
}

/* To the host by way of a copy in 32 bits, if that is their type. */
static spl_status export_offsets(spl_plan *plan, void *offsets, const spl_sparse *c)
{
    spl__queue *queue = &plan->problem.queue;
    const int64_t count = c->rows + 1;
    spl__device_array narrow = {0};
    if (spl__offset_type_for(plan, c->nnz) == SPL_I64)
        return spl__queue_copy(queue, offsets, c->offsets, (size_t)count * sizeof(int64_t));
    if (!plan->problem.staged)
        return spl__device_narrow(queue, c->offsets, count, offsets);
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int32_t), &narrow));
    spl_status status = spl__device_narrow(queue, c->offsets, count, narrow.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, offsets, narrow.data, narrow.bytes);
    spl__queue_free(queue, &narrow);
    return status;
}

static spl_status export_arrays(spl_plan *plan, void *offsets, void *indices, void *values)
{
    spl__queue *queue = &plan->problem.queue;
    spl_sparse c;
    SPL__TRY(view_in_turn(plan, &c));
    if (offsets)
        SPL__TRY(export_offsets(plan, offsets, &c));
    if (indices)
        SPL__TRY(spl__queue_copy(queue, indices, c.indices,
                                 (size_t)c.nnz * spl__index_size(c.index_type)));
    if (values)
        SPL__TRY(spl__queue_copy(queue, values, c.values, (size_t)c.nnz * spl__type_size(c.type)));
    return plan->problem.staged ? spl__queue_wait(queue) : SPL_OK;
}

static spl_status export_pair(spl_plan *plan, void *offsets, void *indices, void *values,
                              const spl_stream *stream)
{
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status = export_arrays(plan, offsets, indices, values);
    spl__plan_mark(plan); /* a new execution must not overwrite values before they are copied */
    return status;
}

static spl_status view_pair(spl_plan *plan, spl_sparse *view)
{
    return view_in_turn(plan, view);
}

/* ---- for all plans ---- */

static void explain_pair(const spl_plan *plan, spl__text *text)
{
    const pair *t = pair_of(plan);
    spl__plan_explain(plan, text);
    spl__text_add(text, "on a device: A*P, which stays there with %s entries\n",
                  spl__thousands(t->middle.nnz));
    t->first->operation->explain(t->first, text);
    spl__text_add(text, "then P'*(A*P)\n");
    t->second->operation->explain(t->second, text);
}

static void count_pair(const spl_plan *plan, spl_counters *counters)
{
    const pair *t = pair_of(plan);
    spl__plan_count(plan, counters);
    t->first->operation->count(t->first, counters);
    t->second->operation->count(t->second, counters);
}

static const spl_plan *inner_of(const spl_plan *plan, int32_t k)
{
    const spl_plan *const inner[] = {pair_of(plan)->first, pair_of(plan)->second};
    return k < 2 ? inner[k] : NULL;
}

const spl__operation spl__triple_gpu = {.plan = plan_pair,
                                        .update = update_pair,
                                        .wait = spl__plan_wait,
                                        .explain = explain_pair,
                                        .count = count_pair,
                                        .inner = inner_of,
                                        .destroy = destroy_pair,
                                        .execute = execute_pair,
                                        .terms = terms_of,
                                        .state = state_of,
                                        .export = export_pair,
                                        .view = view_pair};
