/* SPDX-License-Identifier: Apache-2.0 */
/* resident_dense.c: SpMV and SpMM by several processors where a device holds A, x and y (B and C).
 *
 * That device computes its rows in place, ordered with the caller's stream; if it has all rows
 * it uses that stream itself, like any call on a device. For the other processors x is copied to
 * the host in pieces, from where other devices fetch each piece while the next one is copied;
 * their rows of y return the same way. These calls block, since the host does part of the work. */
#include "core/checked.h"
#include "partition/spread_run.h"

#include <omp.h>

enum { PIECE_BYTES = 4 << 20 };

/* The queue of the device that holds A, on the caller's stream. */
static spl__queue *owner_queue(const spl__execution *e)
{
    return &e->plan->problem.queue;
}

static bool stays(const spl__execution *e)
{
    return e->plan->problem.options.distributed;
}

/* ---- copies of dense matrices, one side of which has gaps between lines: rows, or columns ---- */

static spl_status copy(spl__queue *queue, const spl_dense *to, const spl_dense *from)
{
    spl__lines t = spl__lines_of(to), f = spl__lines_of(from);
    bool to_host = to->place.kind == SPL_HOST, contiguous = t.line == t.step && f.line == f.step;
    size_t bytes = contiguous ? t.line * (size_t)t.count : t.line;
    for (int64_t k = 0; k < (contiguous ? spl__min_i64(1, t.count) : t.count); k++)
        SPL__TRY((to_host ? spl__queue_bring : spl__queue_copy)(
            queue, t.data + (size_t)k * t.step, f.data + (size_t)k * f.step, bytes));
    return SPL_OK;
}

/* ---- the part of the device that holds A ---- */

static spl_status run_in_place(const spl__execution *e, spl__spread_part *part, bool marked)
{
    spl__queue *queue = &part->queue;
    spl_place place = part->device->place;
    spl_dense b = stays(e) ? spl__spread_held_b(e, place, part->device_x.data) : *e->b;
    spl_dense rows = e->c ? spl__spread_rows_within(e->c, part) : (spl_dense){.rows = 0};
    spl_dense c = stays(e) ? spl__spread_held_c(e, part, place, part->device_y.data) : rows;
    if (stays(e) && e->b && e->reads_b)
        SPL__TRY(copy(queue, &b, e->b));
    if (stays(e) && e->c && e->reads_c)
        SPL__TRY(copy(queue, &c, &rows));
    if (marked)
        spl__queue_mark(queue, part->moments[SPL__READY]);
    SPL__TRY(spl__device_part_run(e->plan, part, e->call, &b, &c));
    if (marked)
        spl__queue_mark(queue, part->moments[SPL__DONE]);
    return stays(e) && e->c ? copy(queue, &rows, &c) : SPL_OK;
}

/* Starts the part after the pending work of the caller's stream. */
static spl_status start_in_place(const spl__execution *e, spl__spread_part *part)
{
    spl__queue_mark(owner_queue(e), part->moments[SPL__BEGUN]);
    SPL__TRY(spl__queue_after(&part->queue, part->moments[SPL__BEGUN]));
    SPL__TRY(run_in_place(e, part, true));
    spl__queue_mark(&part->queue, part->moments[SPL__RETURNED]);
    return SPL_OK;
}

/* The part has all rows: uses the caller's stream, like any call on a device. A record of an
 * event takes a GPU two microseconds, so events are recorded less and less often. */
static spl_status run_alone(const spl__execution *e, spl__spread_part *part)
{
    spl__queue *queue = &part->queue;
    const int64_t before = atomic_load(&e->plan->executions);
    const bool marked = (before & (before - 1)) == 0;
    queue->stream = owner_queue(e)->stream;
    if (marked)
        spl__queue_mark(queue, part->moments[SPL__BEGUN]);
    spl_status status = run_in_place(e, part, marked);
    if (marked)
        spl__queue_mark(queue, part->moments[SPL__RETURNED]);
    spl__queue_mark(queue, part->moments[SPL__LAST]);
    queue->stream = part->compute;
    part->on_caller_stream = true;
    return status;
}

/* The part of that device; NULL: it has no rows. */
static spl__spread_part *part_in_place(const spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].in_place && s->parts[k].rows > 0)
            return &s->parts[k];
    return NULL;
}

/* ---- transfers for the other parts ---- */

/* Copies x to the host, and from there to the other devices. */
static spl_status bring_right(const spl__execution *e)
{
    spl__spread *s = e->spread;
    spl__queue *owner = owner_queue(e);
    const spl__dense_rows all = {.all = *e->b, .rows = e->b->rows};
    const char *contiguous = spl__dense_rows_contiguous(&all);
    size_t bytes = spl__spread_image_bytes(e->b, e->b->rows);
    size_t step = contiguous && s->x.device && spl__spread_any_device(s) ? PIECE_BYTES : bytes;
    const spl_dense image = spl__spread_held_b(e, (spl_place){SPL_HOST, 0}, s->x.data);
    for (size_t offset = 0; offset < bytes; offset += step) {
        size_t piece = bytes - offset < step ? bytes - offset : step;
        char *image_piece = (char *)s->x.data + offset;
        SPL__TRY(contiguous ? spl__queue_bring(owner, image_piece, contiguous + offset, piece)
                            : copy(owner, &image, e->b));
        SPL__TRY(spl__queue_wait(owner));
        SPL__TRY(spl__spread_to_all(s, image_piece, offset, piece));
    }
    return SPL_OK;
}

/* Copies the part's rows of y between the caller's array and the host. */
static spl_status carry_rows(const spl__execution *e, spl__spread_part *part, bool back)
{
    spl_dense device_view = spl__spread_rows_within(e->c, part);
    spl_dense host_view = spl__spread_held_c(e, part, (spl_place){SPL_HOST, 0}, part->y.data);
    return back ? copy(owner_queue(e), &device_view, &host_view)
                : copy(owner_queue(e), &host_view, &device_view);
}

static bool is_other(const spl__spread_part *part)
{
    return part->rows > 0 && !part->in_place;
}

static spl_status bring_rows(const spl__execution *e)
{
    spl__spread *s = e->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (is_other(&s->parts[k]))
            SPL__TRY(carry_rows(e, &s->parts[k], false));
    return spl__queue_wait(owner_queue(e));
}

static spl_status start_others(const spl__execution *e)
{
    spl__spread *s = e->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (is_other(&s->parts[k]) && s->parts[k].has_queue)
            spl__queue_mark(&s->parts[k].queue, s->parts[k].moments[SPL__BEGUN]);
    if (e->b && e->reads_b)
        SPL__TRY(bring_right(e));
    if (e->c && e->reads_c)
        SPL__TRY(bring_rows(e));
    for (int32_t k = 0; k < s->count; k++)
        if (is_other(&s->parts[k]) && s->parts[k].has_queue)
            SPL__TRY(spl__spread_start_part(e, &s->parts[k]));
    return SPL_OK;
}

static spl_status finish_devices(const spl__execution *e)
{
    spl__spread *s = e->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (is_other(&s->parts[k]) && s->parts[k].has_queue) {
            SPL__TRY(spl__spread_finish_part(e, &s->parts[k]));
            SPL__TRY(carry_rows(e, &s->parts[k], true));
        }
    return SPL_OK;
}

/* `came`: seconds until x was on the host. */
static spl_status finish_cpu(const spl__execution *e, spl__spread_part *part, double came)
{
    double begin = omp_get_wtime();
    if (e->c) {
        SPL__TRY(carry_rows(e, part, true));
        SPL__TRY(spl__queue_wait(owner_queue(e)));
    }
    part->measured.transfer = came + omp_get_wtime() - begin;
    return SPL_OK;
}

static spl_status run_others(const spl__execution *e)
{
    spl__spread_part *cpu_part = spl__spread_cpu_part(e->spread);
    double begin = omp_get_wtime();
    SPL__TRY(start_others(e));
    double came = omp_get_wtime() - begin;
    SPL__TRY(spl__spread_run_all_on_cpu(e));
    if (cpu_part)
        SPL__TRY(finish_cpu(e, cpu_part, came));
    return e->c ? finish_devices(e) : SPL_OK;
}

/* ---- one execution ---- */

static spl_status check_on_device(const spl__execution *e, const spl_dense *m, const char *name)
{
    const spl__device *owner = owner_queue(e)->device;
    if (m && m->rows > 0 && m->cols > 0 && !spl__device_holds(owner, m->values))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is not in the memory of %s, where A lives", name,
                         owner->properties.name);
    return SPL_OK;
}

static spl_status check(const spl__execution *e)
{
    bool vector = e->plan->problem.kind == SPL__KIND_spmv;
    if (spl__queue_captures(owner_queue(e)))
        return spl__fail(SPL_UNSUPPORTED,
                         "calls of several processors cannot be recorded into a graph");
    SPL__TRY(check_on_device(e, e->b, vector ? "x" : "B"));
    return check_on_device(e, e->c, vector ? "y" : "C");
}

spl_status spl__resident_run(const spl__execution *e)
{
    spl__spread *s = e->spread;
    spl__spread_part *resident_part = part_in_place(s);
    bool has_others = spl__spread_has_others(s);
    SPL__TRY(check(e));
    s->averaged = 0;
    if (e->b && e->reads_b)
        s->order_x = e->b->order;
    if (e->c)
        s->order_y = e->c->order;
    if (resident_part && !has_others && !stays(e)) {
        s->in_flight = false;
        return run_alone(e, resident_part);
    }
    if (resident_part)
        SPL__TRY(start_in_place(e, resident_part));
    if (has_others)
        SPL__TRY(run_others(e));
    if (resident_part)
        SPL__TRY(spl__queue_after(owner_queue(e), resident_part->moments[SPL__RETURNED]));
    s->in_flight = !e->c;
    return has_others && e->c ? spl__queue_wait(owner_queue(e)) : SPL_OK;
}
