/* SPDX-License-Identifier: Apache-2.0 */
/* structure_api.c: C as a plan has it. */
#include "sparloom/structure.h"

#include "api/call.h"
#include "core/sized.h"

/* Offsets of C before they become lengths. */
typedef struct offsets {
    spl_sparse c; /* their type, and the plan's own ones if it has any */
    void *copy;
} offsets;

static spl_status check_known(const spl_plan *plan)
{
    SPL__TRY(spl__check_product_plan(plan));
    return plan->operation->state(plan).known
               ? SPL_OK
               : spl__fail(SPL_INVALID_ARGUMENT,
                           "only a bound of nnz(C) is known before the first execute");
}

static spl_status view_of(spl_plan *plan, spl_sparse *c)
{
    const spl__problem *p = &plan->problem;
    *c = (spl_sparse)SPL_SPARSE_INIT;
    c->format = SPL_CSR;
    c->type = p->a.csr.type;
    c->index_type = p->a.csr.index_type;
    c->place = p->a.source.place;
    c->rows = p->rows;
    c->cols = p->cols;
    c->nnz = plan->operation->state(plan).nnz;
    if (!plan->operation->view)
        return spl__fail(SPL_UNSUPPORTED, "each of several processors has its rows of C: export C");
    if (p->staged)
        return spl__fail(SPL_UNSUPPORTED,
                         "C is on a device, the operands are on the host: export C");
    return plan->operation->view(plan, c);
}

spl_status spl_spgemm_view(spl_plan *plan, spl_sparse *view)
{
    spl_sparse c;
    SPL__TRY(check_known(plan));
    SPL__TRY(view_of(plan, &c));
    return spl__sized_write(view, &c, sizeof c, "view");
}

/* ---- lengths of rows ---- */

/* Those of the plan, or a copy. */
static spl_status find_offsets(spl_plan *plan, offsets *o)
{
    const int64_t count = plan->problem.rows + 1;
    if (view_of(plan, &o->c) == SPL_OK)
        return SPL_OK;
    o->c.offset_type = plan->operation->state(plan).offset_type;
    SPL__TRY(spl__alloc(&plan->account, count, spl__index_size(o->c.offset_type), &o->copy));
    o->c.offsets = o->copy;
    return spl_spgemm_export(plan, o->copy, NULL, NULL, NULL);
}

static spl_status check_longest(const spl_plan *plan, spl_index type)
{
    if (type != SPL_I32 && type != SPL_I64)
        return spl__fail(SPL_INVALID_ARGUMENT, "lengths of type %d: SPL_I32 and SPL_I64 are",
                         (int)type);
    if (type == SPL_I32 && plan->problem.cols > INT32_MAX)
        return spl__fail(SPL_INDEX_OVERFLOW, "C has %s columns: lengths of rows need 64 bits",
                         spl__thousands(plan->problem.cols));
    return SPL_OK;
}

spl_status spl_spgemm_row_lengths(spl_plan *plan, spl_index type, void *lengths)
{
    offsets o = {.copy = NULL};
    SPL__TRY(check_known(plan));
    SPL__TRY(check_longest(plan, type));
    const int64_t rows = plan->problem.rows;
    if (plan->problem.a.source.place.kind != SPL_HOST)
        return spl__fail(SPL_UNSUPPORTED, "C is on a device: export its offsets");
    SPL__TRY(spl__check_aligned("C", "lengths", lengths, rows, spl__index_size(type)));
    spl_status status = find_offsets(plan, &o);
    for (int64_t i = 0; i < rows && status == SPL_OK; i++)
        spl__index_set(lengths, type, i,
                       spl__index_at(o.c.offsets, o.c.offset_type, i + 1) -
                           spl__index_at(o.c.offsets, o.c.offset_type, i));
    spl__free(o.copy);
    return status;
}
