/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_api.c: C = alpha*op(A)*B + beta*C, B and C dense. */
#include "api/call.h"
#include "core/checked.h"
#include "spmm/spmm_once.h"

static spl_status make_plan(spl_context *context, const spl_sparse *a, int64_t columns,
                            const spl_options *options, bool once, spl_plan **plan)
{
    spl__request request = {
        .kind = SPL__KIND_spmm, .a = a, .cols = columns, .options = options, .once = once};
    if (columns < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "columns is %lld, less than 0", (long long)columns);
    return spl__make_plan(context, &request, plan);
}

spl_status spl_spmm_plan(spl_context *context, const spl_sparse *a, int64_t columns,
                         const spl_options *options, spl_plan **plan)
{
    return make_plan(context, a, columns, options, false, plan);
}

static spl_status check_dense(const spl_plan *plan, const spl_dense *m, int64_t rows,
                              const char *name)
{
    const spl__problem *p = &plan->problem;
    spl_place place = p->a.source.place;
    if (m->place.kind != place.kind || m->place.ordinal != place.ordinal)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s is at place kind %d, ordinal %d, A at kind %d, ordinal %d", name,
                         m->place.kind, m->place.ordinal, place.kind, place.ordinal);
    if (m->type != p->a.csr.type)
        return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, %s holds %s",
                         spl__type_name(p->a.csr.type), name, spl__type_name(m->type));
    if (m->rows != rows || m->cols != p->cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "%s is %lld x %lld, the plan needs %lld x %lld", name,
                         (long long)m->rows, (long long)m->cols, (long long)rows,
                         (long long)p->cols);
    return SPL_OK;
}

/* Reads an operand into `view`, unless it is distributed. */
static spl_status read_operand(const spl_plan *plan, const spl_dense *operand, int64_t rows,
                               const char *name, spl_dense *view)
{
    *view = (spl_dense){.values = NULL};
    if (spl__may_be_held(plan, operand))
        return SPL_OK;
    SPL__TRY(spl__dense_read_anywhere(view, operand, name));
    return check_dense(plan, view, rows, name);
}

/* The arguments of an execution. */
typedef struct execution {
    spl__scalars scalars;
    spl_row_mask rows;
    spl_dense b, c;
} execution;

static spl_status read_call(const spl_plan *plan, const spl_dense *b, const spl_dense *c,
                            const spl_row_mask *mask, execution *e)
{
    SPL__TRY(spl__check_plan(plan, SPL__KIND_spmm));
    SPL__TRY(read_operand(plan, b, plan->problem.inner, "B", &e->b));
    SPL__TRY(read_operand(plan, c, plan->problem.rows, "C", &e->c));
    const spl__lines input = spl__lines_of(&e->b), output = spl__lines_of(&e->c);
    SPL__TRY(spl__check_apart(&input, "B", &output, "C"));
    SPL__TRY(spl__check_output(plan, &output, "C"));
    SPL__TRY(
        spl__check_semiring_scalars(&plan->problem, e->scalars.call.alpha, e->scalars.call.beta));
    SPL__TRY(spl__read_row_mask(plan, mask, 1, &output, &e->rows, &e->scalars.call));
    e->scalars.call.b = spl__may_be_held(plan, b) ? NULL : &e->b;
    e->scalars.call.c = spl__may_be_held(plan, c) ? NULL : &e->c;
    return SPL_OK;
}

spl_status spl_spmm_execute_masked(spl_plan *plan, const void *alpha, const spl_dense *b,
                                   const void *beta, const spl_dense *c, const spl_row_mask *mask,
                                   const spl_stream *stream)
{
    execution e;
    SPL__TRY(spl__check_plan(plan, SPL__KIND_spmm));
    SPL__TRY(spl__read_scalars(plan, alpha, beta, &e.scalars));
    SPL__TRY(read_call(plan, b, c, mask, &e));
    return plan->operation->execute(plan, &e.scalars.call, stream);
}

static spl_status check_winners(const spl_plan *plan, const spl_dense *winners, const execution *e)
{
    const spl__problem *p = &plan->problem;
    const int32_t semiring = p->options.semiring;
    const spl__lines lines = spl__lines_of(winners), b = spl__lines_of(&e->b),
                     c = spl__lines_of(&e->c);
    if (!spl__semiring_is_min(semiring) && !spl__semiring_is_max(semiring))
        return spl__fail(SPL_INVALID_ARGUMENT, "only products of min_ and max_ semirings win");
    if (winners->ld < p->cols)
        return spl__fail(SPL_INVALID_ARGUMENT, "winners: ld is %lld, a line has %lld elements",
                         (long long)winners->ld, (long long)p->cols);
    SPL__TRY(spl__check_array(NULL, "winners", winners->values, spl__min_i64(p->rows, p->cols),
                              sizeof(int64_t)));
    if (p->queue.device && !p->staged && p->rows > 0 && p->cols > 0 &&
        !spl__device_holds(p->queue.device, winners->values))
        return spl__fail(SPL_INVALID_ARGUMENT, "winners are not in the memory of %s",
                         p->queue.device->properties.name);
    SPL__TRY(spl__check_apart(&b, "B", &lines, "winners"));
    SPL__TRY(spl__check_apart(&c, "C", &lines, "winners"));
    return spl__check_output(plan, &lines, "winners");
}

spl_status spl_spmm_execute_winners(spl_plan *plan, const spl_dense *b, const spl_dense *c,
                                    int64_t *winners, int64_t ld, const spl_row_mask *mask,
                                    const spl_stream *stream)
{
    execution e;
    SPL__TRY(spl__check_plan(plan, SPL__KIND_spmm));
    if (!plan->operation->execute_rows)
        return spl__fail(SPL_UNSUPPORTED, "winners are found by one processor, not by several");
    SPL__TRY(spl__read_scalars(plan, NULL, NULL, &e.scalars));
    SPL__TRY(read_call(plan, b, c, mask, &e));
    const spl_dense array = {.type = SPL_INT64,
                             .order = SPL_ROW_MAJOR,
                             .rows = plan->problem.rows,
                             .cols = plan->problem.cols,
                             .ld = ld,
                             .values = winners};
    SPL__TRY(check_winners(plan, &array, &e));
    e.scalars.call.winners = winners;
    e.scalars.call.winners_ld = ld;
    return plan->operation->execute(plan, &e.scalars.call, stream);
}

spl_status spl_spmm_execute(spl_plan *plan, const void *alpha, const spl_dense *b, const void *beta,
                            const spl_dense *c, const spl_stream *stream)
{
    return spl_spmm_execute_masked(plan, alpha, b, beta, c, NULL, stream);
}

spl_status spl_spmm(spl_context *context, const void *alpha, const spl_sparse *a,
                    const spl_dense *b, const void *beta, const spl_dense *c,
                    const spl_options *options)
{
    spl__once once;
    if (spl__once_read(&once, context, options, a, alpha, beta) && spl__once_dense(&once, b, c) &&
        spl__spmm_once_serves(&once))
        return spl__spmm_once(&once);
    spl_plan *plan;
    spl_dense vb;
    SPL__TRY(spl__dense_read_anywhere(&vb, b, "B"));
    SPL__TRY(make_plan(context, a, vb.cols, options, true, &plan));
    spl_status status = spl_spmm_execute(plan, alpha, b, beta, c, NULL);
    spl_plan_destroy(plan);
    return status;
}
