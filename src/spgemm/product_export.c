/* SPDX-License-Identifier: Apache-2.0 */
/* product_export.c: C on the host, for callers. */
#include "matrix/matrix.h"

#include "core/threads/team_seconds.h"
#include "spgemm/product.h"

#include <string.h>

spl__product_terms spl__product_terms_of(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    return (spl__product_terms){c->capacity, c->bounded, c->values != NULL};
}

spl__product_state spl__product_state_of(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    return (spl__product_state){.nnz = spl__product_nnz(plan),
                                .known = c->known,
                                .bounded = c->bounded,
                                .keeps = c->values != NULL,
                                .computed = c->computed,
                                .offset_type = spl__offset_type_for(plan, c->capacity)};
}

spl_status spl__product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    if (!call->values)
        call->values = spl__product_of(plan)->values;
    return spl__plan_execute(plan, SPL__PHASE_numeric, call, stream);
}

/* ---- export ---- */

static void export_offsets(const spl_plan *plan, void *offsets)
{
    spl__watch *watch = spl__account_watch(&plan->account);
    const spl__product *c = spl__product_of(plan);
    spl_index type = spl__offset_type_for(plan, c->capacity);
    int64_t rows = plan->problem.rows, sum = 0;
    if (!c->lengths) {
#pragma omp parallel for num_threads(spl__team(spl__threads_for(rows, plan->problem.threads)))     \
    schedule(static)
        for (int64_t i = 0; i <= rows; i++)
            if (spl__watch_goes_on_at(watch, i))
                spl__index_set(offsets, type, i, c->offsets[i]);
        return;
    }
    spl__index_set(offsets, type, 0, 0);
    for (int64_t i = 0; i < rows && spl__watch_goes_on_at(watch, i); i++) {
        sum += c->lengths[i];
        spl__index_set(offsets, type, i + 1, sum);
    }
}

/* Copies elements of `size` bytes; where a bound has left gaps, row by row without them. */
static void export_array(const spl_plan *plan, void *to, const void *from, size_t size)
{
    spl__watch *watch = spl__account_watch(&plan->account);
    const spl__product *c = spl__product_of(plan);
    char *out = to;
    if (!c->lengths) {
        spl__copy_watched(watch, plan->problem.threads, to, from,
                          (size_t)c->offsets[plan->problem.rows] * size);
        return;
    }
    for (int64_t i = 0; i < plan->problem.rows && spl__watch_goes_on_at(watch, i); i++) {
        size_t bytes = (size_t)c->lengths[i] * size;
        if (bytes > 0)
            memcpy(out, (const char *)from + (size_t)c->offsets[i] * size, bytes);
        out += bytes;
    }
}

spl_status spl__product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                               const spl_stream *stream)
{
    const spl__product *c = spl__product_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    (void)stream;
    if (offsets)
        export_offsets(plan, offsets);
    if (indices)
        export_array(plan, indices, c->columns, spl__index_size(a->index_type));
    if (values)
        export_array(plan, values, c->values, spl__type_size(a->type));
    return spl__watch_check(spl__account_watch(&plan->account));
}

spl_status spl__product_view(spl_plan *plan, spl_sparse *view)
{
    const spl__product *c = spl__product_of(plan);
    if (c->lengths)
        return spl__fail(SPL_UNSUPPORTED,
                         "rows of C had a bound, which has left gaps between them: "
                         "export C, or plan with options.exact");
    view->offset_type = SPL_I64;
    view->offsets = c->offsets;
    view->indices = c->columns;
    view->values = c->values;
    return SPL_OK;
}

/* ---- a matrix of the plan's arrays ---- */

/* After a bound the arrays of C are longer than C. */
static spl_status shrink_arrays(const spl_plan *plan, spl__product *c)
{
    const spl_sparse *a = &plan->problem.a.csr;
    size_t nnz = (size_t)spl__product_nnz(plan);
    SPL__TRY(spl__shrink(&c->columns, nnz * spl__index_size(a->index_type)));
    return spl__shrink(&c->values, nnz * spl__type_size(a->type));
}

spl_status spl__product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **matrix)
{
    spl__product *c = spl__product_of(plan);
    spl_sparse offsets_only = *header;
    spl_matrix *m;
    spl__product_close_gaps(plan);
    SPL__TRY(shrink_arrays(plan, c));
    offsets_only.nnz = 0;
    SPL__TRY(spl__matrix_new(&plan->account, &offsets_only, &m));
    export_offsets(plan, m->offsets);
    m->view.nnz = spl__product_nnz(plan);
    m->view.indices = m->indices = c->columns;
    m->view.values = m->values = c->values;
    c->columns = c->values = NULL;
    *matrix = m;
    return SPL_OK;
}
