/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/resident_rows.h"

/* Copies `count` elements of an array on the device to the host; complete after a wait. */
static spl_status bring(spl_plan *plan, const void *from, int64_t first, int64_t count, size_t size,
                        void *to)
{
    const char *begin = from;
    return count > 0 ? spl__queue_bring(&plan->problem.queue, to, begin + (size_t)first * size,
                                        (size_t)count * size)
                     : SPL_OK;
}

spl_status spl__resident_rows_look(spl_plan *plan, spl__division *d)
{
    const spl_sparse *a = &plan->problem.a.csr;
    const size_t size = spl__index_size(a->offset_type);
    d->a = *a;
    if (!spl__owner_of_a(plan))
        return SPL_OK;
    SPL__TRY(spl__alloc(&plan->account, a->rows + 1, size, &d->offsets));
    spl__index_set(d->offsets, a->offset_type, 0, 0);
    d->a.offsets = d->offsets;
    if (a->rows > 0)
        SPL__TRY(bring(plan, a->offsets, 0, a->rows + 1, size, d->offsets));
    return spl__queue_wait(&plan->problem.queue);
}

static spl_status bring_values(spl__part *part)
{
    const spl_sparse *a = &part->division->a;
    const spl__row_slice *rows = &part->host_rows;
    return a->values ? bring(part->plan, a->values, rows->first, rows->csr.nnz,
                             spl__type_size(a->type), rows->values)
                     : SPL_OK;
}

/* The slice refers to the device's arrays until the copies are complete. */
spl_status spl__resident_rows_make(spl__part *part)
{
    spl_plan *plan = part->plan;
    const spl_sparse *a = &part->division->a;
    const size_t index = spl__index_size(a->index_type);
    const int64_t begin = part->share->begin, end = begin + part->share->rows;
    spl__row_slice *rows = &part->host_rows;
    SPL__TRY(spl__row_slice_make(&plan->account, plan->problem.threads, a, NULL, begin, end, rows));
    SPL__TRY(spl__alloc(&plan->account, rows->csr.nnz, index, &rows->indices));
    if (a->values)
        SPL__TRY(spl__alloc(&plan->account, rows->csr.nnz, spl__type_size(a->type), &rows->values));
    rows->csr.place = (spl_place){SPL_HOST, 0};
    rows->csr.indices = rows->indices;
    rows->csr.values = rows->values;
    part->a = &rows->csr;
    part->first = begin;
    SPL__TRY(bring(plan, a->indices, rows->first, rows->csr.nnz, index, rows->indices));
    SPL__TRY(bring_values(part));
    return spl__queue_wait(&plan->problem.queue);
}

spl_status spl__resident_rows_update(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    s->division.a = plan->problem.a.csr;
    if (!spl__owner_of_a(plan))
        return SPL_OK;
    s->division.a.offsets = s->division.offsets;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (p->host_rows.csr.format)
            SPL__TRY(bring_values(p));
    return spl__queue_wait(&plan->problem.queue);
}
