/* SPDX-License-Identifier: Apache-2.0 */
/* resident_rows.c: rows of a matrix on a device, for several processors.
 *
 * Its offsets are copied to the host, where rows are divided. The device that holds the matrix
 * reads its rows in place; those of other processors are copied to the host, once and whenever
 * new values are announced, and kept there like rows of any matrix on the host. */
#include "partition/spread.h"

/* Copies `count` elements of an array on the device to the host; complete after a wait. */
static spl_status bring(spl_plan *plan, const void *from, int64_t first, int64_t count, size_t size,
                        void *to)
{
    const char *begin = from;
    return count > 0 ? spl__queue_bring(&plan->problem.queue, to, begin + (size_t)first * size,
                                        (size_t)count * size)
                     : SPL_OK;
}

spl_status spl__resident_look(spl_plan *plan, spl__spread *s)
{
    const spl__problem *p = &plan->problem;
    size_t size = spl__index_size(p->a.csr.offset_type);
    s->a = p->a.csr;
    if (!spl__spread_owner_of_a(plan))
        return SPL_OK;
    SPL__TRY(spl__alloc(&plan->account, p->rows + 1, size, &s->offsets));
    spl__index_set(s->offsets, s->a.offset_type, 0, 0);
    s->a.offsets = s->offsets;
    if (p->rows > 0)
        SPL__TRY(bring(plan, p->a.csr.offsets, 0, p->rows + 1, size, s->offsets));
    return spl__queue_wait(&plan->problem.queue);
}

static spl_status bring_values(spl_plan *plan, spl__spread_part *part)
{
    const spl_sparse *a = &plan->spread->a;
    spl__row_slice *host_rows = &part->host_rows;
    return bring(plan, a->values, host_rows->first, host_rows->csr.nnz, spl__type_size(a->type),
                 host_rows->values);
}

/* Copies the rows; the slice refers to the device's arrays until the copies are complete. */
static spl_status bring_rows(spl_plan *plan, spl__spread_part *part)
{
    const spl_sparse *a = &plan->spread->a;
    spl__row_slice *host_rows = &part->host_rows;
    size_t index = spl__index_size(a->index_type);
    SPL__TRY(spl__alloc(&plan->account, host_rows->csr.nnz, index, &host_rows->indices));
    SPL__TRY(spl__alloc(&plan->account, host_rows->csr.nnz, spl__type_size(a->type),
                        &host_rows->values));
    host_rows->csr.place = (spl_place){SPL_HOST, 0};
    host_rows->csr.indices = host_rows->indices;
    host_rows->csr.values = host_rows->values;
    SPL__TRY(
        bring(plan, a->indices, host_rows->first, host_rows->csr.nnz, index, host_rows->indices));
    SPL__TRY(bring_values(plan, part));
    return spl__queue_wait(&plan->problem.queue);
}

spl_status spl__resident_rows_make(spl_plan *plan, spl__spread_part *part)
{
    if (!spl__spread_owner_of_a(plan) || part->in_place)
        return SPL_OK;
    SPL__TRY(spl__row_slice_make(&plan->account, plan->problem.threads, &plan->spread->a, NULL,
                                 part->begin, part->begin + part->rows, &part->host_rows));
    return bring_rows(plan, part);
}

spl_status spl__resident_update(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    s->a = plan->problem.a.csr;
    if (!spl__spread_owner_of_a(plan))
        return SPL_OK;
    s->a.offsets = s->offsets;
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].host_rows.csr.format)
            SPL__TRY(bring_values(plan, &s->parts[k]));
    return spl__queue_wait(&plan->problem.queue);
}
