/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/parts.h"

#include <string.h>

spl__part *spl__parts_next(const spl__spread *s, const spl__part *part)
{
    int32_t k = part ? (int32_t)(part->share - s->division.shares) + 1 : 0;
    while (k < s->division.count && !s->parts[k])
        k++;
    return k < s->division.count ? s->parts[k] : NULL;
}

spl__part *spl__parts_cpu(const spl__spread *s)
{
    spl__part *first = spl__parts_next(s, NULL); /* the CPU is the first processor */
    return first && !first->device ? first : NULL;
}

void spl__parts_free(spl__spread *s)
{
    for (int32_t k = 0; s->parts && k < s->division.count; k++) {
        spl__part_free(s->parts[k]);
        s->parts[k] = NULL;
    }
}

spl__product_state spl__part_state(const spl__part *part)
{
    const spl_plan *plan = spl__part_plan(part);
    return part->kind->state ? part->kind->state(part) : plan->operation->state(plan);
}

void *spl__part_values(const spl__part *part, const spl__execution *e)
{
    const size_t size = spl__type_size(e->plan->problem.a.csr.type);
    if (!e->call->values || !spl__owner_of_a(e->plan) || part->share->in_place)
        return e->call->values ? (char *)e->call->values + (size_t)part->entries_before * size
                               : NULL;
    return part->image.data;
}

spl_status spl__part_run(spl__part *part, spl__stage stage, const spl__execution *e)
{
    return part->kind->run[stage] ? part->kind->run[stage](part, e) : SPL_OK;
}

spl_status spl__parts_run(spl__stage stage, const spl__execution *e)
{
    for (spl__part *p = spl__parts_next(e->spread, NULL); p; p = spl__parts_next(e->spread, p))
        SPL__TRY(spl__part_run(p, stage, e));
    return SPL_OK;
}

spl_status spl__parts_send(const spl__spread *s, const void *from, size_t offset, size_t bytes)
{
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (p->kind->send && !p->share->in_place)
            SPL__TRY(p->kind->send(p, from, offset, bytes));
    return SPL_OK;
}

static spl_status wait_for(spl__part *part)
{
    if (part->kind->wait)
        return part->kind->wait(part);
    spl_plan *plan = spl__part_plan(part);
    return plan ? spl__queue_settle(&plan->problem.queue) : SPL_OK;
}

spl_status spl__parts_wait(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    spl_status status = SPL_OK;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (p->kind->mark)
            p->kind->mark(p);
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p)) {
        spl_status waited = wait_for(p);
        status = waited == SPL_OK ? status : waited; /* the status that the detail describes */
    }
    s->in_flight = false;
    return status;
}

spl_status spl__parts_end(const spl__execution *e, spl_status status)
{
    spl__kept_failure kept;
    if (status == SPL_OK) {
        atomic_fetch_add(&e->plan->executions, 1);
    } else {
        spl__failure_keep(&kept);
        (void)spl__parts_wait(e->plan);
        (void)spl__queue_settle(&e->plan->problem.queue);
        (void)spl__failure_restore(status, &kept);
    }
    spl__plan_leave(e->plan);
    return status;
}

/* ---- dense operands ---- */

size_t spl__rows_bytes(const spl_dense *m, int64_t rows)
{
    return (size_t)rows * (size_t)m->cols * spl__type_size(m->type);
}

static spl_dense held(const spl_plan *plan, spl_place place, int64_t rows, spl_order order,
                      void *values)
{
    const spl__problem *p = &plan->problem;
    spl_dense like = {.size = sizeof like, .type = p->a.csr.type, .order = order, .cols = p->cols};
    return spl__image_header(&like, place, rows, values);
}

spl_dense spl__held_b(const spl__execution *e, spl_place place, void *values)
{
    return held(e->plan, place, e->plan->problem.inner, e->spread->order_x, values);
}

spl_dense spl__held_c(const spl__execution *e, const spl__part *part, spl_place place, void *values)
{
    return held(e->plan, place, part->share->rows, e->spread->order_y, values);
}

spl__dense_rows spl__rows_of_result(const spl__execution *e, const spl__part *part)
{
    return (spl__dense_rows){*e->c, part->division->order, part->share->begin, part->share->rows};
}

spl_dense spl__rows_within(const spl_dense *c, const spl__part *part)
{
    spl_dense rows = *c;
    const int64_t begin = part->share->begin;
    rows.rows = part->share->rows;
    rows.values = (char *)c->values + (size_t)(c->order == SPL_ROW_MAJOR ? begin * c->ld : begin) *
                                          spl__type_size(c->type);
    return rows;
}

/* ---- masks of rows ---- */

/* One byte a row, whatever the mask has: parts and blocks begin at any row, in any order. */
static void name_rows(const spl__part *part, const spl_row_mask *mask)
{
    const int64_t begin = part->share->begin, rows = part->share->rows, end = begin + rows;
    const int64_t *order = part->division->order;
    memset(part->named, 0, (size_t)rows);
    for (int64_t i = 0; order && i < rows; i++)
        part->named[i] = spl__row_mask_has(mask, order[begin + i]);
    for (int64_t row = begin; !order && (row = spl__row_mask_next(mask, row, end)) < end; row++)
        part->named[row - begin] = 1;
}

spl__call spl__part_call(spl__part *part, const spl__execution *e, spl_row_mask *rows)
{
    spl__call call = *e->call;
    if (!call.rows)
        return call;
    name_rows(part, call.rows);
    *rows = (spl_row_mask){.size = sizeof *rows, .clear = call.rows->clear, .bytes = part->named};
    call.rows = rows;
    return call;
}
