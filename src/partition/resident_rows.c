/* SPDX-License-Identifier: Apache-2.0 */
/* resident_rows.c: rows of a matrix that lives on a device, for several processors.
 *
 * Its offsets come to the host, where rows are shared out. The device that holds it reads its rows
 * in place; the others' come to the host, once and whenever values are announced, stay there, and
 * go on as rows of any matrix on the host. */
#include "partition/spread.h"

/* `count` elements of an array there; has arrived after a wait. */
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
    spl__row_slice *home = &part->home;
    return bring(plan, a->values, home->first, home->csr.nnz, spl__type_size(a->type),
                 home->values);
}

/* The slice's arrays are on the device until copies of them are here. */
static spl_status bring_rows(spl_plan *plan, spl__spread_part *part)
{
    const spl_sparse *a = &plan->spread->a;
    spl__row_slice *home = &part->home;
    size_t index = spl__index_size(a->index_type);
    SPL__TRY(spl__alloc(&plan->account, home->csr.nnz, index, &home->indices));
    SPL__TRY(spl__alloc(&plan->account, home->csr.nnz, spl__type_size(a->type), &home->values));
    home->csr.place = (spl_place){SPL_HOST, 0};
    home->csr.indices = home->indices;
    home->csr.values = home->values;
    SPL__TRY(bring(plan, a->indices, home->first, home->csr.nnz, index, home->indices));
    SPL__TRY(bring_values(plan, part));
    return spl__queue_wait(&plan->problem.queue);
}

spl_status spl__resident_rows_make(spl_plan *plan, spl__spread_part *part)
{
    if (!spl__spread_owner_of_a(plan) || part->in_place)
        return SPL_OK;
    SPL__TRY(spl__row_slice_make(&plan->account, plan->problem.threads, &plan->spread->a, NULL,
                                 part->begin, part->begin + part->rows, &part->home));
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
        if (s->parts[k].home.csr.format)
            SPL__TRY(bring_values(plan, &s->parts[k]));
    return spl__queue_wait(&plan->problem.queue);
}
