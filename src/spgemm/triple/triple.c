/* SPDX-License-Identifier: Apache-2.0 */
/* triple.c: the operation C = alpha*op(P)'*op(A)*op(P) on the CPU: see triple_state.h. There is one
 * way to compute it, so that nothing is chosen and no step is planned. */
#include "spgemm/triple/triple_state.h"

#include "core/checked.h"
#include "core/environment.h"

spl_status spl__triple_check(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    if (p->rows != p->inner)
        return spl__fail(SPL_SHAPE_MISMATCH, "op(A) is %lld x %lld: P'*A*P is of square matrices",
                         (long long)p->rows, (long long)p->inner);
    if (p->options.mask || p->options.semiring)
        return spl__fail(SPL_UNSUPPORTED, "masks and semirings are not built for triple products");
    if (p->a.csr.type != SPL_F32 && p->a.csr.type != SPL_F64)
        return spl__fail(SPL_UNSUPPORTED, "triple products are built for f32 and f64, not for %s",
                         spl__type_name(p->a.csr.type));
    return SPL_OK;
}

static spl_status make_workspaces(spl_plan *plan, spl__triple *t)
{
    const spl__problem *p = &plan->problem;
    const int64_t blocks = t->spread.blocks > 0   ? spl__max_i64(t->spread.blocks, t->rows.count)
                           : t->bundles.count > 0 ? t->bundles.blocks.count
                                                  : t->rows.count;
    t->threads = spl__team_for_parts(p->threads, blocks);
    SPL__TRY(
        spl__workspaces_make(plan, &t->threads, spl__triple_workspace(plan), true, &t->workspaces));
    return p->options.keep_result ? spl__alloc(&plan->account, spl__triple_nnz(t),
                                               spl__type_size(p->a.csr.type), &t->values)
                                  : SPL_OK;
}

static spl_status plan_triple(spl_plan *plan)
{
    spl__triple *t;
    SPL__TRY(spl__triple_check(plan));
    plan->problem.rows = plan->problem.cols; /* of C; so far they were A's */
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &t, 1));
    plan->state = t;
    SPL__TRY(spl__triple_find(plan));
    SPL__TRY(spl__check_result_width(plan, spl__triple_nnz(t)));
    plan->features.nnz_c = (double)spl__triple_nnz(t);
    return make_workspaces(plan, t);
}

static void destroy_triple(spl_plan *plan)
{
    spl__triple *t = spl__triple_of(plan);
    if (!t)
        return;
    spl__workspaces_free(plan, t->workspaces);
    for (int64_t b = 0; t->lists && b < t->rows.count; b++)
        spl__free(t->lists[b]);
    spl__free(t->lists);
    spl__triple_bundles_free(&t->bundles);
    spl__triple_spread_free(t, &t->spread);
    spl__blocks_free(&t->rows);
    spl__free(t->starts);
    spl__free(t->blocks_node);
    spl__free(t->blocks_first);
    spl__free(t->offsets);
    spl__free(t->columns);
    spl__free(t->values);
    spl__free(t);
    plan->state = NULL;
}

/* ---- execute ---- */

static spl_status compute(spl_plan *plan, spl__call *call)
{
    spl__triple *t = spl__triple_of(plan);
    spl__watch watch;
    call->watch = spl__watch_begin(&watch, plan->problem.context, "numeric", 0);
    spl__triple_compute(plan, call);
    spl__environment_check_refusals(plan->problem.context);
    SPL__TRY(spl__watch_check(call->watch));
    t->computed = t->computed || (t->values && call->values == t->values);
    atomic_fetch_add(&plan->executions, 1);
    return SPL_OK;
}

static spl_status execute_triple(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    if (!call->values)
        call->values = spl__triple_of(plan)->values;
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = compute(plan, call);
    spl__plan_leave(plan);
    return status;
}

/* ---- C for callers ---- */

static spl__product_terms terms_of(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    return (spl__product_terms){.capacity = spl__triple_nnz(t), .keeps = t->values != NULL};
}

static spl__product_state state_of(const spl_plan *plan)
{
    const spl__triple *t = spl__triple_of(plan);
    const bool empty = spl__triple_nnz(t) == 0; /* values of none are NULL */
    return (spl__product_state){.nnz = spl__triple_nnz(t),
                                .known = true,
                                .keeps = t->values != NULL,
                                .computed = t->computed || empty,
                                .offset_type = spl__offset_type_for(plan, spl__triple_nnz(t))};
}

static spl_status export_triple(spl_plan *plan, void *offsets, void *indices, void *values,
                                const spl_stream *stream)
{
    const spl__triple *t = spl__triple_of(plan);
    spl__watch *watch = spl__account_watch(&plan->account);
    (void)stream;
    if (offsets)
        spl__triple_offsets(plan, offsets, spl__offset_type_for(plan, spl__triple_nnz(t)));
    if (indices)
        spl__triple_columns(plan, indices);
    if (values)
        spl__copy_watched(watch, plan->problem.threads, values, t->values,
                          (size_t)spl__triple_nnz(t) * spl__type_size(plan->problem.a.csr.type));
    return spl__watch_check(watch);
}

static spl_status view_triple(spl_plan *plan, spl_sparse *view)
{
    const spl__triple *t = spl__triple_of(plan);
    if (t->coarse > 1)
        return spl__fail(SPL_UNSUPPORTED,
                         "the plan has C in nodes of %d unknowns, not in entries: export C",
                         (int)t->coarse);
    view->offset_type = SPL_I64;
    view->offsets = t->offsets;
    view->indices = t->columns;
    view->values = t->values;
    return SPL_OK;
}

static void explain_triple(const spl_plan *plan, spl__text *text)
{
    const spl__triple *t = spl__triple_of(plan);
    spl__plan_explain(plan, text);
    if (t->coarse > 1)
        spl__text_add(text, "rows of C by nodes: %d unknowns in A, %d in C\n", (int)t->fine,
                      (int)t->coarse);
    else if (t->spread.blocks > 0)
        spl__text_add(text, "rows of C by entries, of rows of A*P: %s of these\n",
                      spl__thousands(t->spread.entries));
    else if (t->bundles.count > 0)
        spl__text_add(text,
                      "rows of C by entries, in %lld bundles: neighbours meet the same rows\n",
                      (long long)t->bundles.count);
    else
        spl__text_add(text,
                      "rows of C by entries: columns of P are not equal in groups\n"
                      "  columns of P'*A: %s\n",
                      t->lists ? "kept" : "searched in each execution");
    spl__text_add(text, "  longest row of P'*A: at most %s",
                  spl__thousands(t->longest_middle * t->fine));
    spl__text_add(text, "; of C: %s\n", spl__thousands(t->longest_row * t->coarse));
}

/* Notes of the search, P' and the begins of rows. */
static double least_bytes(const spl__problem *p, double *device)
{
    *device = 0;
    return sizeof(spl__triple) + 3.0 * (double)p->inner / SPL__NODE_MOST * sizeof(int32_t);
}

const spl__traits spl__triple_traits = {.name = "triple",
                                        .formula = "C = alpha*op(P)'*op(A)*op(P)",
                                        .sparse = true,
                                        .triple = true,
                                        .look_at_a = SPL__LOOK_NO_FURTHER,
                                        .look_at_others = SPL__LOOK_NO_FURTHER,
                                        .least_bytes = least_bytes};

const spl__operation spl__triple_cpu = {.plan = plan_triple,
                                        .update = spl__plan_update,
                                        .wait = spl__plan_wait,
                                        .explain = explain_triple,
                                        .count = spl__plan_count,
                                        .inner = spl__plan_itself,
                                        .destroy = destroy_triple,
                                        .execute = execute_triple,
                                        .terms = terms_of,
                                        .state = state_of,
                                        .export = export_triple,
                                        .view = view_triple};
