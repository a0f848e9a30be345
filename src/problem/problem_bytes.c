/* SPDX-License-Identifier: Apache-2.0 */
/* problem_bytes.c: what preparing the operands will take, before it is done. */
#include "problem/problem_operands.h"

#include "core/checked.h"

/* Copies in CSR, as spl__operand_prepare makes them. */
static double host_bytes(const spl_sparse *view, bool transpose, spl__widths w)
{
    double nnz = (double)view->nnz,
           structure = spl__arrange_bytes(view, transpose, w.offset_type, w.index_type, false),
           values = spl__counted_bytes(nnz, spl__type_size(view->type));
    return structure + (structure > nnz * (double)sizeof(int64_t) ? values : 0);
}

/* What sorting takes on top of a copy. */
static double device_bytes(const spl_sparse *view, bool transpose, spl__widths w, bool staged)
{
    double entry = (double)spl__index_size(w.index_type) + (double)spl__type_size(view->type),
           line = (double)spl__index_size(w.offset_type), nnz = (double)view->nnz,
           lines = (double)(transpose ? view->cols : view->rows) + 1;
    bool kept = view->format == (transpose ? SPL_CSC : SPL_CSR);
    double sorting = (entry + 3.0 * sizeof(int64_t)) * nnz;
    if (staged)
        return entry * nnz + line * lines;
    return kept ? (view->index_type == w.index_type ? 0 : (double)sizeof(int32_t) * nnz) +
                      (view->offset_type == w.offset_type ? 0 : line * lines)
                : sorting + line * lines;
}

/* Renumbering leaves no more than one inner index if all entries have the same. */
static double renumber(spl__problem *p, spl_sparse *a, spl_sparse *b)
{
    spl__factor of_a = {*a, spl__transposes(p->options.op_a)},
                of_b = {*b, spl__transposes(p->options.op_b)};
    if (!spl__problem_inner_is_far(p, &of_a, &of_b))
        return 0;
    p->inner = *spl__inner_of_a(&of_a) = *spl__inner_of_b(&of_b) = 1;
    *a = of_a.view;
    *b = of_b.view;
    return spl__counted_bytes((double)a->nnz, spl__index_size(a->index_type));
}

/* SpMV takes columns as they are where rows do not fit (plan_make.c). */
double spl__problem_bytes(spl__problem *p, spl_sparse *const given[3], double *device)
{
    const spl_sparse *const views[3] = {given[0], given[1], given[2]};
    const spl_operator ops[3] = {p->options.op_a, p->options.op_b, SPL_NONE};
    bool goes = p->queue.device, host = !goes || p->staged;
    *device = 0;
    double bytes = given[1] ? renumber(p, given[0], given[1]) : 0;
    spl__widths w = spl__widths_for(views, 0);
    if (goes)
        w.index_type = SPL_I32;
    for (int k = 0; k < 3; k++) {
        const spl_sparse *v = views[k];
        if (!v)
            continue;
        bool transposed = spl__transposes(ops[k]) != p->traits->frontier;
        bool as_stored = p->traits->vectors && !goes && spl__is_by_columns(v, ops[k]);
        if (host && !as_stored)
            bytes += host_bytes(v, transposed, w);
        if (goes)
            *device += device_bytes(v, transposed, w, p->staged);
    }
    return bytes;
}
