/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/device_part.h"

#include "core/checked.h"

/* ---- making ---- */

/* Allocates x and y. They are read in place like A, unless the results are to stay distributed. */
static spl_status make_memory(spl__device_part *d)
{
    const spl__problem *p = &d->part.plan->problem;
    const size_t size = spl__type_size(p->a.csr.type);
    int64_t right, result;
    SPL__TRY(spl__queue_alloc(&d->queue, d->part.share->rows, 1, &d->named));
    if (d->part.share->in_place && !p->options.distributed)
        return SPL_OK;
    if (!spl__mul_i64(p->inner, p->cols, &right) ||
        !spl__mul_i64(d->part.share->rows, p->cols, &result))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(spl__queue_alloc(&d->queue, right, size, &d->x));
    SPL__TRY(spl__queue_alloc(&d->queue, result, size, &d->y));
    SPL__TRY(spl__queue_fill(&d->queue, d->x.data, 0, d->x.bytes));
    return spl__queue_fill(&d->queue, d->y.data, 0, d->y.bytes);
}

spl_status spl__device_part_make(spl__device_part *d)
{
    spl__problem *p = &d->part.plan->problem;
    spl__queue *queue = &d->queue;
    spl__queue_init(queue, d->part.device, p->options.memory_budget, p->threads);
    if (d->part.share->in_place) /* the plan's memory on that device has one budget */
        queue->account.parent = &p->queue.account;
    d->part.queue = queue;
    d->lent = p->once; /* allocations in the order of the context's stream need no wait */
    if (d->lent)
        d->compute = d->part.device->stream;
    else
        SPL__TRY(spl__queue_stream(queue, &d->compute));
    queue->stream = d->compute;
    for (int k = 0; k < SPL__MOMENTS; k++)
        SPL__TRY(spl__queue_timed_event(queue, &d->moments[k]));
    return make_memory(d);
}

bool spl__device_part_settle(spl__device_part *d)
{
    spl__device *device = d->part.device;
    if (!d->part.queue)
        return false;
    (void)spl__device_part_rejoin(d);
    if (d->compute)
        (void)device->driver->stream_wait(device->handle, d->compute);
    d->queue.stream = device->stream;
    return true;
}

/* Memory is freed in the order of the context's stream, which outlives the part. */
void spl__device_part_free(spl__device_part *d)
{
    spl__queue_free(&d->queue, &d->x);
    spl__queue_free(&d->queue, &d->y);
    spl__queue_free(&d->queue, &d->named);
    for (int k = 0; k < SPL__MOMENTS; k++)
        if (d->moments[k])
            spl__queue_event_free(&d->queue, d->moments[k]);
    if (d->compute && !d->lent)
        spl__queue_stream_free(&d->queue, d->compute);
}

spl_status spl__device_part_rejoin(spl__device_part *d)
{
    const bool on_caller_stream = d->on_caller_stream;
    d->on_caller_stream = false;
    return on_caller_stream ? spl__queue_after(&d->queue, d->moments[SPL__LAST]) : SPL_OK;
}

/* ---- time ---- */

void spl__device_part_note(spl__device_part *d, spl__moment moment)
{
    spl__queue_mark(&d->queue, d->moments[moment]);
}

void spl__device_part_mark(spl__part *part)
{
    spl__device_part *d = spl__device_part_of(part);
    if (d->held_runs == 0)
        return;
    spl__device_part_note(d, SPL__DONE);
    d->averaged = d->held_runs;
    d->held_runs = 0;
}

spl_status spl__device_part_wait(spl__part *part)
{
    spl__device_part *d = spl__device_part_of(part);
    spl_status rejoined = spl__device_part_rejoin(d), waited = spl__queue_wait(&d->queue);
    return waited == SPL_OK ? rejoined : waited;
}

static double seconds_between(spl__device_part *d, spl__moment from, spl__moment to)
{
    return spl__queue_seconds(&d->queue, d->moments[from], d->moments[to]);
}

spl__seconds spl__device_part_seconds(spl__part *part)
{
    spl__device_part *d = spl__device_part_of(part);
    const double execution = seconds_between(d, SPL__READY, SPL__DONE);
    if (d->averaged > 0)
        return (spl__seconds){.execution = execution / (double)d->averaged};
    return (spl__seconds){seconds_between(d, SPL__BEGUN, SPL__READY) +
                              seconds_between(d, SPL__DONE, SPL__RETURNED),
                          execution};
}

/* ---- one execution ---- */

/* Whether operands stay on the device, and no times are recorded. */
static bool is_held(const spl__execution *e)
{
    return !e->b && !e->c;
}

/* The host memory through which the part's rows of C are copied: the caller's array if it is
 * pinned or the image is not, else the image; the image also if a device holds C
 * (resident_dense.c). */
static void *way_of_result(const spl__execution *e, const spl__device_part *d)
{
    const spl__image *image = &d->part.image;
    if (spl__owner_of_a(e->plan))
        return image->data;
    const spl__dense_rows rows = spl__rows_of_result(e, &d->part);
    void *contiguous = spl__dense_rows_contiguous(&rows);
    return contiguous && (!image->device || spl__queue_pins(&d->queue, contiguous)) ? contiguous
                                                                                    : image->data;
}

/* Whether the image is filled from, and copied to, a caller's C on the host. */
static bool passes_image(const spl__execution *e, const spl__device_part *d)
{
    return e->c && !spl__owner_of_a(e->plan) && way_of_result(e, d) == d->part.image.data;
}

/* Copies to the host that block are deferred until the CPU's part is done. */
static spl_status bring(const spl__execution *e, spl__device_part *d, bool pinned)
{
    void *to = way_of_result(e, d);
    if (spl__queue_pins(&d->queue, to) != pinned)
        return SPL_OK;
    return spl__queue_bring(&d->queue, to, d->y.data, d->y.bytes);
}

static spl_status send_result(const spl__execution *e, spl__device_part *d)
{
    const spl__dense_rows rows = spl__rows_of_result(e, &d->part);
    void *from = way_of_result(e, d);
    if (passes_image(e, d))
        spl__dense_rows_take(&rows, e->threads, from);
    return spl__queue_copy(&d->queue, d->y.data, from, d->y.bytes);
}

spl_status spl__device_part_send(spl__part *part, const void *from, size_t offset, size_t bytes)
{
    spl__device_part *d = spl__device_part_of(part);
    return spl__queue_copy(&d->queue, (char *)d->x.data + offset, from, bytes);
}

void spl__device_part_held(const spl__part *part, void **x, void **y)
{
    const spl__device_part *d = spl__device_part_of(part);
    *x = d->x.data;
    *y = d->y.data;
}

spl_status spl__device_part_begin(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    if (is_held(e))
        return SPL_OK;
    d->averaged = 0;
    spl__device_part_note(d, SPL__BEGUN);
    return SPL_OK;
}

spl_status spl__device_part_enqueue(spl__device_part *d, const spl__execution *e,
                                    const spl_dense *b, const spl_dense *c)
{
    spl_row_mask rows;
    const spl__call call = spl__part_call(&d->part, e, &rows);
    if (call.rows) {
        SPL__TRY(spl__queue_copy(&d->queue, d->named.data, rows.bytes, d->named.bytes));
        rows.bytes = d->named.data;
    }
    return d->part.kind->enqueue(&d->part, &call, b, c);
}

spl_status spl__device_part_start(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    const spl_place place = part->device->place;
    const spl_dense b = spl__held_b(e, place, d->x.data),
                    c = spl__held_c(e, part, place, d->y.data);
    if (e->c && e->reads_c)
        SPL__TRY(send_result(e, d));
    if (!is_held(e) || d->held_runs == 0)
        spl__device_part_note(d, SPL__READY);
    SPL__TRY(spl__device_part_enqueue(d, e, &b, &c));
    if (is_held(e))
        d->held_runs++;
    else
        spl__device_part_note(d, SPL__DONE);
    return SPL_OK;
}

spl_status spl__device_part_give(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    if (is_held(e))
        return SPL_OK;
    if (e->c)
        SPL__TRY(bring(e, d, true));
    spl__device_part_note(d, SPL__RETURNED);
    return SPL_OK;
}

spl_status spl__device_part_finish(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    SPL__TRY(bring(e, d, false));
    SPL__TRY(spl__queue_wait(&d->queue));
    if (!passes_image(e, d))
        return SPL_OK;
    const spl__dense_rows rows = spl__rows_of_result(e, part);
    spl__dense_rows_give(&rows, e->threads, part->image.data);
    return SPL_OK;
}
