/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_api.c: C = alpha*op(A)*B + beta*C, B and C dense. */
#include "api/call.h"

spl_status spl_spmm_plan(spl_context *context, const spl_sparse *a, int64_t columns, const spl_options *options,
                         spl_plan **plan)
{
    spl__request request = {.kind = SPL__KIND_spmm, .a = a, .cols = columns, .options = options};
    if (columns < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%lld dense columns", (long long)columns);
    return spl__plan_make(context, &request, plan);
}

/* Bytes from the first to behind the last element. */
static size_t extent(const spl_dense *m)
{
    int64_t lines = m->order == SPL_ROW_MAJOR ? m->rows : m->cols, line = m->order == SPL_ROW_MAJOR ? m->cols : m->rows;
    return lines > 0 && line > 0 ? ((size_t)(lines - 1) * (size_t)m->ld + (size_t)line) * spl__type_size(m->type) : 0;
}

static spl_status check_dense(const spl_plan *plan, const spl_dense *m, int64_t rows, const char *name)
{
    const spl__problem *p = &plan->problem;
    spl_place place = p->a.source.place;
    if (m->place.kind != place.kind || m->place.ordinal != place.ordinal)
        return spl__fail(SPL_UNSUPPORTED, "%s is at place kind %d, ordinal %d, A at kind %d, ordinal %d", name,
                         m->place.kind, m->place.ordinal, place.kind, place.ordinal);
    if (m->type != p->a.csr.type)
        return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, %s holds %s", spl__type_name(p->a.csr.type), name,
                         spl__type_name(m->type));
    if (m->rows != rows || m->cols != p->cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "%s is %lld x %lld, the plan needs %lld x %lld", name, (long long)m->rows,
                         (long long)m->cols, (long long)rows, (long long)p->cols);
    return SPL_OK;
}

spl_status spl_spmm_execute(spl_plan *plan, const void *alpha, const spl_dense *b, const void *beta, const spl_dense *c,
                            const spl_stream *stream)
{
    spl__scalars s;
    spl_dense vb, vc;
    SPL__TRY(spl__check_plan(plan, SPL__KIND_spmm));
    SPL__TRY(spl__dense_read_anywhere(&vb, b, "B"));
    SPL__TRY(spl__dense_read_anywhere(&vc, c, "C"));
    SPL__TRY(check_dense(plan, &vb, plan->problem.inner, "B"));
    SPL__TRY(check_dense(plan, &vc, plan->problem.rows, "C"));
    SPL__TRY(spl__check_apart(vb.values, extent(&vb), "B", vc.values, extent(&vc), "C"));
    SPL__TRY(spl__read_scalars(plan, alpha, beta, &s));
    return spl__run_dense(plan, &s.call, &vb, &vc, stream);
}

spl_status spl_spmm(spl_context *context, const void *alpha, const spl_sparse *a, const spl_dense *b, const void *beta,
                    const spl_dense *c, const spl_options *options)
{
    spl_plan *plan;
    spl_dense vb;
    SPL__TRY(spl__dense_read_anywhere(&vb, b, "B"));
    SPL__TRY(spl_spmm_plan(context, a, vb.cols, options, &plan));
    spl_status status = spl_spmm_execute(plan, alpha, b, beta, c, NULL);
    spl_plan_destroy(plan);
    return status;
}
