/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_api.c: y = alpha*op(A)*x + beta*y. */
#include "api/call.h"
#include "spmv/spmv_once.h"

spl_status spl_spmv_plan(spl_context *context, const spl_sparse *a, const spl_options *options,
                         spl_plan **plan)
{
    spl__request request = {.kind = SPL__KIND_spmv, .a = a, .cols = 1, .options = options};
    return spl__make_plan(context, &request, plan);
}

/* A vector as a matrix of one column. */
static spl_dense column(const spl_plan *plan, int64_t rows, void *values)
{
    return (spl_dense){.type = plan->problem.a.csr.type,
                       .order = SPL_COLUMN_MAJOR,
                       .place = plan->problem.a.source.place,
                       .rows = rows,
                       .cols = 1,
                       .ld = rows,
                       .values = values};
}

spl_status spl_spmv_execute_masked(spl_plan *plan, const void *alpha, const void *x,
                                   const void *beta, void *y, const spl_row_mask *mask,
                                   const spl_stream *stream)
{
    spl__scalars s;
    spl_row_mask rows;
    SPL__TRY(spl__check_plan(plan, SPL__KIND_spmv));
    const spl__problem *p = &plan->problem;
    const size_t size = spl__type_size(p->a.csr.type);
    const bool held_x = spl__may_be_held(plan, x), held_y = spl__may_be_held(plan, y);
    const int64_t x_count = held_x ? 0 : p->inner, y_count = held_y ? 0 : p->rows;
    SPL__TRY(spl__check_array(NULL, "x", x, x_count, size));
    SPL__TRY(spl__check_array(NULL, "y", y, y_count, size));
    const spl__lines input = spl__lines_of_array(x, x_count, size),
                     output = spl__lines_of_array(y, y_count, size);
    SPL__TRY(spl__check_apart(&input, "x", &output, "y"));
    SPL__TRY(spl__check_output(plan, &output, "y"));
    SPL__TRY(spl__read_scalars(plan, alpha, beta, &s));
    SPL__TRY(spl__check_semiring_scalars(p, s.call.alpha, s.call.beta));
    if (mask)
        SPL__TRY(spl__read_row_mask(plan, mask, 1, &output, &rows, &s.call));
    spl_dense from = column(plan, p->inner, (void *)x), to = column(plan, p->rows, y);
    s.call.b = held_x ? NULL : &from;
    s.call.c = held_y ? NULL : &to;
    return plan->operation->execute(plan, &s.call, stream);
}

spl_status spl_spmv_execute(spl_plan *plan, const void *alpha, const void *x, const void *beta,
                            void *y, const spl_stream *stream)
{
    return spl_spmv_execute_masked(plan, alpha, x, beta, y, NULL, stream);
}

spl_status spl_spmv(spl_context *context, const void *alpha, const spl_sparse *a, const void *x,
                    const void *beta, void *y, const spl_options *options)
{
    spl__once once;
    if (spl__once_read(&once, context, options, a, alpha, beta) && spl__once_vectors(&once, x, y) &&
        spl__spmv_once_serves(&once))
        return spl__spmv_once(&once);
    spl_plan *plan;
    spl__request request = {
        .kind = SPL__KIND_spmv, .a = a, .cols = 1, .options = options, .once = true};
    SPL__TRY(spl__make_plan(context, &request, &plan));
    spl_status status = spl_spmv_execute(plan, alpha, x, beta, y, NULL);
    spl_plan_destroy(plan);
    return status;
}
