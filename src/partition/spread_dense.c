/* SPDX-License-Identifier: Apache-2.0 */
/* spread_dense.c: y = alpha*op(A)*x + beta*y, and C with B, by several processors.
 *
 * The calling thread enqueues the work of all devices, computes the CPU's part, then waits. No
 * copy to a device may block, or devices would start one after the other: arrays that are not
 * pinned pass through pinned images. x is copied once, in pieces, and all devices fetch each
 * piece while the next is copied. */
#include "partition/spread_run.h"

#include "core/checked.h"
#include "core/parallel.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 4 << 20 };

size_t spl__spread_image_bytes(const spl_dense *m, int64_t rows)
{
    return (size_t)rows * (size_t)m->cols * spl__type_size(m->type);
}

/* ---- one execution ---- */

static spl__dense_rows rows_of_result(const spl__execution *e, const spl__spread_part *part)
{
    return (spl__dense_rows){*e->c, e->spread->order, part->begin, part->rows};
}

static spl_dense held(const spl__execution *e, spl_place place, int64_t rows, spl_order order,
                      void *values)
{
    const spl__problem *p = &e->plan->problem;
    spl_dense like = {.size = sizeof like, .type = p->a.csr.type, .order = order, .cols = p->cols};
    return spl__image_header(&like, place, rows, values);
}

spl_dense spl__spread_held_b(const spl__execution *e, spl_place place, void *values)
{
    return held(e, place, e->plan->problem.inner, e->spread->order_x, values);
}

spl_dense spl__spread_held_c(const spl__execution *e, const spl__spread_part *part, spl_place place,
                             void *values)
{
    return held(e, place, part->rows, e->spread->order_y, values);
}

/* ---- broadcast of x ---- */

spl_status spl__spread_to_all(const spl__spread *s, const void *from, size_t offset, size_t bytes)
{
    for (int32_t k = 0; k < s->count; k++) {
        spl__spread_part *part = &s->parts[k];
        if (part->has_queue && !part->in_place)
            SPL__TRY(
                spl__queue_copy(&part->queue, (char *)part->device_x.data + offset, from, bytes));
    }
    return SPL_OK;
}

/* Whether all devices can copy from that memory without blocking. */
static bool pinned_for_all(const spl__spread *s, const void *memory)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].has_queue && !spl__queue_pins(&s->parts[k].queue, memory))
            return false;
    return true;
}

static spl_status send_right(const spl__execution *e)
{
    spl__spread *s = e->spread;
    const spl__dense_rows all = {.all = *e->b, .rows = e->b->rows};
    char *contiguous = spl__dense_rows_contiguous(&all);
    size_t bytes = spl__spread_image_bytes(e->b, e->b->rows),
           step = contiguous ? PIECE_BYTES : bytes;
    s->order_x = e->b->order;
    if (!s->x.data)
        return SPL_OK; /* only the CPU has rows */
    if (!e->plan->problem.options.distributed && contiguous &&
        (!s->x.device || pinned_for_all(s, contiguous)))
        return spl__spread_to_all(s, contiguous, 0, bytes);
    if (!contiguous)
        spl__dense_rows_take(&all, e->threads, s->x.data);
    for (size_t offset = 0; offset < bytes; offset += step) {
        size_t piece = bytes - offset < step ? bytes - offset : step;
        char *image = (char *)s->x.data + offset;
        if (contiguous)
            spl__copy_bytes(e->threads, image, contiguous + offset, piece);
        SPL__TRY(spl__spread_to_all(s, image, offset, piece));
    }
    return SPL_OK;
}

/* ---- a device's part ---- */

/* The host memory through which the part's rows of C are copied: the caller's array if it is
 * pinned or the image is not, else the image. */
static void *way_of_result(const spl__execution *e, const spl__spread_part *part)
{
    if (spl__spread_owner_of_a(
            e->plan)) /* the device holds C; the image is copied there: resident_dense.c */
        return part->y.data;
    const spl__dense_rows rows = rows_of_result(e, part);
    void *contiguous = spl__dense_rows_contiguous(&rows);
    return contiguous && (!part->y.device || spl__queue_pins(&part->queue, contiguous))
               ? contiguous
               : part->y.data;
}

/* Whether the image is filled from, and copied to, a caller's C on the host. */
static bool passes_image(const spl__execution *e, const spl__spread_part *part)
{
    return e->c && !spl__spread_owner_of_a(e->plan) && way_of_result(e, part) == part->y.data;
}

/* Copies to the host that block are deferred until the CPU's part is done. */
static spl_status bring(const spl__execution *e, spl__spread_part *part, bool pinned)
{
    void *to = way_of_result(e, part);
    if (spl__queue_pins(&part->queue, to) != pinned)
        return SPL_OK;
    return spl__queue_bring(&part->queue, to, part->device_y.data, part->device_y.bytes);
}

static spl_status send_result(const spl__execution *e, spl__spread_part *part)
{
    const spl__dense_rows rows = rows_of_result(e, part);
    void *from = way_of_result(e, part);
    if (passes_image(e, part))
        spl__dense_rows_take(&rows, e->threads, from);
    return spl__queue_copy(&part->queue, part->device_y.data, from, part->device_y.bytes);
}

spl_status spl__spread_compute_part(const spl__execution *e, spl__spread_part *part)
{
    spl_place place = part->device->place;
    spl_dense b = spl__spread_held_b(e, place, part->device_x.data),
              c = spl__spread_held_c(e, part, place, part->device_y.data);
    spl__queue *queue = &part->queue;
    if (!e->b && !e->c) {
        if (e->spread->held_runs == 0)
            spl__queue_mark(queue, part->moments[SPL__READY]);
        return spl__device_part_run(e->plan, part, e->call, &b, &c);
    }
    if (e->c && e->reads_c)
        SPL__TRY(send_result(e, part));
    spl__queue_mark(queue, part->moments[SPL__READY]);
    SPL__TRY(spl__device_part_run(e->plan, part, e->call, &b, &c));
    spl__queue_mark(queue, part->moments[SPL__DONE]);
    return SPL_OK;
}

spl_status spl__spread_return_part(const spl__execution *e, spl__spread_part *part)
{
    if (!e->b && !e->c)
        return SPL_OK;
    if (e->c)
        SPL__TRY(bring(e, part, true));
    spl__queue_mark(&part->queue, part->moments[SPL__RETURNED]);
    return SPL_OK;
}

spl_status spl__spread_start_part(const spl__execution *e, spl__spread_part *part)
{
    SPL__TRY(spl__spread_compute_part(e, part));
    return spl__spread_return_part(e, part);
}

spl_status spl__spread_finish_part(const spl__execution *e, spl__spread_part *part)
{
    SPL__TRY(bring(e, part, false));
    SPL__TRY(spl__queue_wait(&part->queue));
    const spl__dense_rows rows = rows_of_result(e, part);
    if (passes_image(e, part))
        spl__dense_rows_give(&rows, e->threads, part->y.data);
    return SPL_OK;
}

/* ---- the CPU's part ---- */

spl_dense spl__spread_rows_within(const spl_dense *c, const spl__spread_part *part)
{
    spl_dense rows = *c;
    int64_t first = c->order == SPL_ROW_MAJOR ? part->begin * c->ld : part->begin;
    rows.rows = part->rows;
    rows.values = (char *)c->values + (size_t)first * spl__type_size(c->type);
    return rows;
}

bool spl__spread_goes_through(const spl__execution *e, const spl__spread_part *part)
{
    return spl__spread_has_image(e->plan, part) || part->y.data;
}

spl_status spl__spread_compute_cpu(const spl__execution *e, spl__spread_part *part)
{
    const spl_place host = {SPL_HOST, 0};
    bool through = spl__spread_goes_through(e, part), on_host = !spl__spread_owner_of_a(e->plan);
    spl__call call = *e->call;
    spl_dense b = e->b && on_host ? *e->b : spl__spread_held_b(e, host, e->spread->x.data);
    spl_dense c = through ? spl__spread_held_c(e, part, host, part->y.data)
                          : spl__spread_rows_within(e->c, part);
    if (through && on_host && e->c && e->reads_c) {
        const spl__dense_rows rows = rows_of_result(e, part);
        spl__dense_rows_take(&rows, e->threads, part->y.data);
    }
    spl__call_dense(&call, &b, &c);
    return spl__plan_execute(part->blocks[0].plan, SPL__PHASE_compute, &call, NULL);
}

void spl__spread_give_cpu(const spl__execution *e, const spl__spread_part *part)
{
    const bool on_host = !spl__spread_owner_of_a(e->plan);
    if (!on_host || !e->c || !spl__spread_goes_through(e, part))
        return;
    const spl__dense_rows rows = rows_of_result(e, part);
    spl__dense_rows_give(&rows, e->threads, part->y.data);
}

static spl_status run_on_cpu(const spl__execution *e, spl__spread_part *part)
{
    double begin = omp_get_wtime();
    SPL__TRY(spl__spread_compute_cpu(e, part));
    spl__spread_give_cpu(e, part);
    part->measured = (spl__spread_seconds){.execution = omp_get_wtime() - begin};
    return SPL_OK;
}

/* ---- all parts ---- */

/* Executions without transfers record no events, which cost two microseconds each on a GPU; this
 * records their end. */
static void mark_held(spl__spread *s)
{
    for (int32_t k = 0; s->held_runs > 0 && k < s->count; k++)
        if (s->parts[k].has_queue)
            spl__queue_mark(&s->parts[k].queue, s->parts[k].moments[SPL__DONE]);
    if (s->held_runs > 0)
        s->averaged = s->held_runs;
    s->held_runs = 0;
}

spl_status spl__spread_wait(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    spl_status status = SPL_OK;
    mark_held(s);
    for (int32_t k = 0; k < s->count; k++) {
        spl__queue *queue = s->parts[k].has_queue ? &s->parts[k].queue : NULL;
        spl_status rejoined = spl__device_part_rejoin(&s->parts[k]);
        status = rejoined == SPL_OK ? status : rejoined;
        if (s->parts[k].in_place && !queue &&
            spl__spread_plan_of(&s->parts[k])) /* for a sparse product */
            queue = &spl__spread_plan_of(&s->parts[k])->problem.queue;
        spl_status waited = queue ? spl__queue_wait(queue) : SPL_OK;
        status = waited == SPL_OK ? status : waited; /* the status that the detail describes */
    }
    s->in_flight = false;
    return status;
}

static spl_status start(const spl__execution *e)
{
    spl__spread *s = e->spread;
    if (e->b || e->c)
        s->averaged = 0;
    for (int32_t k = 0; k < s->count && (e->b || e->c); k++)
        if (s->parts[k].has_queue)
            spl__queue_mark(&s->parts[k].queue, s->parts[k].moments[SPL__BEGUN]);
    if (e->b && e->reads_b)
        SPL__TRY(send_right(e));
    if (e->c)
        s->order_y = e->c->order;
    return SPL_OK;
}

static spl_status start_parts(const spl__execution *e)
{
    spl__spread *s = e->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].has_queue)
            SPL__TRY(spl__spread_start_part(e, &s->parts[k]));
    return SPL_OK;
}

spl_status spl__spread_run_all_on_cpu(const spl__execution *e)
{
    spl__spread *s = e->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].rows > 0 && !s->parts[k].has_queue)
            SPL__TRY(run_on_cpu(e, &s->parts[k]));
    return SPL_OK;
}

spl_status spl__spread_finish_parts(const spl__execution *e)
{
    for (int32_t k = 0; k < e->spread->count; k++)
        if (e->spread->parts[k].has_queue)
            SPL__TRY(spl__spread_finish_part(e, &e->spread->parts[k]));
    return SPL_OK;
}

static spl_status run_again(const spl__execution *e)
{
    SPL__TRY(start_parts(e));
    SPL__TRY(spl__spread_run_all_on_cpu(e));
    e->spread->held_runs += !e->b && !e->c;
    return e->c ? spl__spread_finish_parts(e) : SPL_OK;
}

static spl_status run(const spl__execution *e)
{
    spl__spread *s = e->spread;
    if ((e->b || e->c) && s->in_flight)
        SPL__TRY(spl__spread_wait(e->plan));
    s->in_flight = true;
    if (spl__spread_owner_of_a(e->plan) && (e->b || e->c))
        return spl__resident_run(e);
    SPL__TRY(start(e));
    SPL__TRY(spl__spread_defers_plans(e->plan) ? spl__spread_run_once(e) : run_again(e));
    s->in_flight = !e->c;
    return SPL_OK;
}

/* After a failure: waits until no device accesses the caller's arrays. */
static spl_status quiet(spl_plan *plan, spl_status status)
{
    spl__kept_failure kept;
    spl__failure_keep(&kept);
    (void)spl__spread_wait(plan);
    (void)spl__queue_settle(&plan->problem.queue);
    return spl__failure_restore(status, &kept);
}

spl_status spl__spread_run_dense(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    spl_type type = plan->problem.a.csr.type;
    spl__execution e = {.plan = plan,
                        .spread = plan->spread,
                        .call = call,
                        .b = call->b,
                        .c = call->c,
                        .reads_b = spl__scalar(call->alpha, type, 1) != 0,
                        .reads_c = spl__scalar(call->beta, type, 0) != 0,
                        .threads = plan->problem.threads};
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = run(&e);
    if (status == SPL_OK)
        atomic_fetch_add(&plan->executions, 1);
    else
        status = quiet(plan, status);
    spl__plan_leave(plan);
    return status;
}
