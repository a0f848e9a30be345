/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_api.c: C = alpha*op(A)*op(B) + beta*D, all sparse. */
#include "api/call.h"
#include "core/sized.h"
#include "core/threads/parallel.h"
#include "matrix/matrix.h"
#include "spgemm/spgemm_once.h"

spl_status spl_spgemm_plan(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                           const spl_sparse *d, const spl_options *options, spl_plan **plan)
{
    spl__request request = {.kind = SPL__KIND_spgemm, .a = a, .b = b, .d = d, .options = options};
    return b ? spl__make_plan(context, &request, plan)
             : spl__fail(SPL_INVALID_ARGUMENT, "B is NULL");
}

static spl__product_state state_of(const spl_plan *plan)
{
    return plan->operation->state(plan);
}

spl_status spl_spgemm_result(const spl_plan *plan, spl_result *result)
{
    SPL__TRY(spl__check_product_plan(plan));
    spl__product_state c = state_of(plan);
    spl_result out = {.rows = plan->problem.rows,
                      .cols = plan->problem.cols,
                      .nnz = c.nnz,
                      .exact = c.known,
                      .type = plan->problem.a.csr.type,
                      .offset_type = c.offset_type,
                      .index_type = plan->problem.a.csr.index_type};
    return spl__sized_write(result, &out, sizeof out, "result");
}

/* ---- execute ---- */

static size_t value_bytes(const spl_plan *plan, int64_t count)
{
    return (size_t)count * spl__type_size(plan->problem.a.csr.type);
}

static spl_status check_values(const spl_plan *plan, const void *values)
{
    spl__product_terms c = plan->operation->terms(plan);
    int64_t nnz = c.capacity;
    if (values && c.bounded)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "this plan has a bound of nnz(C) only: pass values NULL, then export");
    if (!values && !c.keeps && nnz > 0)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "values is NULL, but the plan was made without keep_result");
    SPL__TRY(spl__check_aligned("C", "values", values, nnz, value_bytes(plan, 1)));
    const spl__lines output = spl__lines_of_array(values, nnz, value_bytes(plan, 1));
    return values ? spl__check_output(plan, &output, "the values of C") : SPL_OK;
}

spl_status spl_spgemm_execute(spl_plan *plan, const void *alpha, const void *beta, void *values,
                              const spl_stream *stream)
{
    spl__scalars s;
    SPL__TRY(spl__check_product_plan(plan));
    SPL__TRY(check_values(plan, values));
    SPL__TRY(spl__read_scalars(plan, alpha, beta, &s));
    SPL__TRY(spl__check_semiring_scalars(&plan->problem, s.call.alpha, s.call.beta));
    s.call.values = values;
    return plan->operation->execute(plan, &s.call, stream);
}

/* ---- export ---- */

/* Checks that the outputs (offsets, indices, values) overlap neither each other nor the
 * operands. */
static spl_status check_targets_apart(const spl_plan *plan, const spl__lines targets[3])
{
    static const char *const names[] = {"the offsets of C", "the indices of C", "the values of C"};
    for (int k = 0; k < 3; k++) {
        SPL__TRY(spl__check_output(plan, &targets[k], names[k]));
        for (int i = 0; i < k; i++)
            SPL__TRY(spl__check_apart(&targets[i], names[i], &targets[k], names[k]));
    }
    return SPL_OK;
}

static spl_status check_targets(const spl_plan *plan, const void *offsets, const void *indices,
                                const void *values)
{
    spl__product_state c = state_of(plan);
    size_t offset = spl__index_size(c.offset_type),
           index = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(spl__check_aligned("C", "offsets", offsets, 1, offset));
    SPL__TRY(spl__check_aligned("C", "indices", indices, c.nnz, index));
    SPL__TRY(spl__check_aligned("C", "values", values, c.nnz, value_bytes(plan, 1)));
    const spl__lines targets[] = {
        spl__lines_of_array(offsets, offsets ? plan->problem.rows + 1 : 0, offset),
        spl__lines_of_array(indices, indices ? c.nnz : 0, index),
        spl__lines_of_array(values, values ? c.nnz : 0, value_bytes(plan, 1))};
    return check_targets_apart(plan, targets);
}

/* `watch` is that of the call. */
static spl_status export_to(spl_plan *plan, void *offsets, void *indices, void *values,
                            const spl_stream *stream, spl__watch *watch)
{
    SPL__TRY(spl__watch_check(watch));
    plan->account.watch = watch;
    spl_status status = plan->operation->export(plan, offsets, indices, values, stream);
    plan->account.watch = NULL;
    return status == SPL_OK ? spl__watch_check(watch) : status;
}

spl_status spl_spgemm_export(spl_plan *plan, void *offsets, void *indices, void *values,
                             const spl_stream *stream)
{
    spl__watch watch;
    SPL__TRY(spl__check_product_plan(plan));
    spl__product_state c = state_of(plan);
    if (!c.known)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "only a bound of nnz(C) is known before the first execute");
    if (values && !c.computed)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the plan keeps no values: execute with values NULL first");
    SPL__TRY(check_targets(plan, offsets, indices, values));
    return export_to(plan, offsets, indices, values, stream,
                     spl__watch_begin(&watch, plan->problem.context, "export", 0));
}

static spl_sparse result_header(const spl_plan *plan)
{
    spl_sparse header = plan->problem.a.csr;
    header.rows = plan->problem.rows;
    header.cols = plan->problem.cols;
    header.place = plan->problem.a.source.place;
    spl__product_state c = state_of(plan);
    header.nnz = c.nnz;
    header.offset_type = c.offset_type;
    header.offsets = header.indices = header.values = NULL;
    return header;
}

/* Whether the caller's matrices are on a device; then C is, too. */
static bool is_resident(const spl_plan *plan)
{
    return plan->problem.a.source.place.kind != SPL_HOST;
}

static spl_status new_result(spl_plan *plan, spl__account *account, spl_matrix **c)
{
    spl_sparse header = result_header(plan);
    if (!is_resident(plan))
        return spl__matrix_new(account, &header, c);
    SPL__TRY(spl__plan_turn(plan, NULL)); /* the stream of the export */
    return spl__device_matrix_new(account, &plan->problem.queue, &header, c);
}

static void expect_copy(const spl_plan *plan, spl__account *account)
{
    const spl_convert_options same = SPL_CONVERT_OPTIONS_INIT;
    spl_sparse header = result_header(plan);
    spl__account_expect(account, spl__convert_bytes(&header, &same));
}

/* Makes a copy of C in `account`. */
static spl_status copy_result(spl_plan *plan, spl__account *account, spl_matrix **c)
{
    spl_matrix *m;
    spl__watch *watch = spl__account_watch(account);
    expect_copy(plan, account);
    SPL__TRY(new_result(plan, account, &m));
    if (!is_resident(plan)) {
        spl__touch_pages(watch, plan->problem.threads, m->indices,
                         (size_t)m->view.nnz * spl__index_size(plan->problem.a.csr.index_type));
        spl__touch_pages(watch, plan->problem.threads, m->values, value_bytes(plan, m->view.nnz));
    }
    spl_status status = spl__watch_check(watch);
    if (status == SPL_OK)
        status = export_to(plan, m->offsets, m->indices, m->values, NULL, watch);
    if (status == SPL_OK && is_resident(plan))
        status = spl__device_matrix_settle(m, &plan->problem.queue);
    if (status != SPL_OK) {
        spl_matrix_destroy(m);
        return status;
    }
    *c = m;
    return SPL_OK;
}

spl_status spl_spgemm_take(spl_plan *plan, spl_matrix **c)
{
    spl__watched call;
    SPL__TRY(spl__check_product_plan(plan));
    if (!c)
        return spl__fail(SPL_INVALID_ARGUMENT, "c is NULL");
    if (!state_of(plan).computed)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the plan keeps no values: execute with values NULL first");
    spl_context *context = plan->problem.context;
    SPL__TRY(copy_result(plan, spl__watched_begin(&call, context, "take", 0), c));
    spl__matrix_move(*c, &context->account);
    return SPL_OK;
}

/* ---- one-shot ---- */

/* Multiplies without a plan, if *done. */
static spl_status multiply_once(spl_context *context, const void *alpha, const spl_sparse *a,
                                const spl_sparse *b, const void *beta, const spl_options *options,
                                bool *done, spl_matrix **c)
{
    spl__once once;
    spl__once_masked masked;
    *done = spl__once_read(&once, context, options, a, alpha, beta) && spl__once_sparse(&once, b);
    if (*done)
        return spl__spgemm_once(&once, done, c);
    *done = spl__once_masked_read(&masked, context, options, a, b, alpha, beta);
    return *done ? spl__spgemm_once_masked(&masked, done, c) : SPL_OK;
}

/* Makes C within the plan's budget, then removes it from the plan. */
static spl_status give_away(spl_plan *plan, spl_matrix **c)
{
    spl_sparse header = result_header(plan);
    spl_matrix *m;
    if (plan->problem.staged || !plan->operation->give) {
        SPL__TRY(copy_result(plan, &plan->account, &m));
    } else {
        spl__plan_forget(plan, 0); /* frees workspaces first */
        SPL__TRY(plan->operation->give(plan, &header, &m));
    }
    spl__matrix_move(m, &plan->problem.context->account);
    *c = m;
    return SPL_OK;
}

spl_status spl_spgemm(spl_context *context, const void *alpha, const spl_sparse *a,
                      const spl_sparse *b, const void *beta, const spl_sparse *d,
                      const spl_options *options, spl_matrix **c)
{
    spl_options keeping;
    spl_plan *plan;
    bool done = false;
    if (!c)
        return spl__fail(SPL_INVALID_ARGUMENT, "c is NULL");
    if (!d)
        SPL__TRY(multiply_once(context, alpha, a, b, beta, options, &done, c));
    if (done)
        return SPL_OK;
    SPL__TRY(spl__sized_read(&keeping, sizeof keeping, options, "spl_options"));
    keeping.keep_result = 1;
    spl__request request = {.kind = SPL__KIND_spgemm,
                            .a = a,
                            .b = b,
                            .d = d,
                            .options = &keeping,
                            .once = true,
                            .alone = true,
                            .factor_known = true,
                            .factor = alpha};
    if (!b)
        return spl__fail(SPL_INVALID_ARGUMENT, "B is NULL");
    SPL__TRY(spl__make_plan(context, &request, &plan));
    spl_status status = spl_spgemm_execute(plan, alpha, beta, NULL, NULL);
    if (status == SPL_OK)
        status = give_away(plan, c);
    spl_plan_destroy(plan);
    return status;
}
