/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/resident_part.h"

#include "partition/device_part.h"

/* The queue of the device that holds A, on the caller's stream. */
static spl__queue *owner_queue(const spl__execution *e)
{
    return &e->plan->problem.queue;
}

/* Whether x and y stay with the part. */
static bool stays(const spl__execution *e)
{
    return e->plan->problem.options.distributed;
}

spl__part *spl__parts_in_place(const spl__spread *s)
{
    spl__part *p = spl__parts_next(s, NULL);
    while (p && !p->share->in_place)
        p = spl__parts_next(s, p);
    return p;
}

/* `alone`: all rows, so that the call's mask of rows, on the device, is theirs. */
static spl_status run_in_place(const spl__execution *e, spl__device_part *d, bool marked,
                               bool alone)
{
    spl__queue *queue = &d->queue;
    const spl_place place = d->part.device->place;
    spl_dense b = stays(e) ? spl__held_b(e, place, d->x.data) : *e->b;
    spl_dense rows = e->c ? spl__rows_within(e->c, &d->part) : (spl_dense){.rows = 0};
    spl_dense c = stays(e) ? spl__held_c(e, &d->part, place, d->y.data) : rows;
    if (stays(e) && e->b && e->reads_b)
        SPL__TRY(spl__dense_copy(queue, &b, e->b));
    if (stays(e) && e->c && e->reads_c)
        SPL__TRY(spl__dense_copy(queue, &c, &rows));
    if (marked)
        spl__device_part_note(d, SPL__READY);
    SPL__TRY(alone ? d->part.kind->enqueue(&d->part, e->call, &b, &c)
                   : spl__device_part_enqueue(d, e, &b, &c));
    if (marked)
        spl__device_part_note(d, SPL__DONE);
    return stays(e) && e->c ? spl__dense_copy(queue, &rows, &c) : SPL_OK;
}

spl_status spl__resident_part_start(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    d->averaged = 0;
    spl__queue_mark(owner_queue(e), d->moments[SPL__BEGUN]);
    SPL__TRY(spl__queue_after(&d->queue, d->moments[SPL__BEGUN]));
    SPL__TRY(run_in_place(e, d, true, false));
    spl__device_part_note(d, SPL__RETURNED);
    return SPL_OK;
}

spl_status spl__resident_part_join(spl__part *part, const spl__execution *e)
{
    return spl__queue_after(owner_queue(e), spl__device_part_of(part)->moments[SPL__RETURNED]);
}

/* A record of an event takes a GPU two microseconds, so events are recorded less and less often. */
spl_status spl__resident_part_alone(spl__part *part, const spl__execution *e)
{
    spl__device_part *d = spl__device_part_of(part);
    const int64_t before = atomic_load(&e->plan->executions);
    const bool marked = (before & (before - 1)) == 0;
    d->averaged = 0;
    d->queue.stream = owner_queue(e)->stream;
    if (marked)
        spl__device_part_note(d, SPL__BEGUN);
    spl_status status = run_in_place(e, d, marked, true);
    if (marked)
        spl__device_part_note(d, SPL__RETURNED);
    spl__device_part_note(d, SPL__LAST);
    d->queue.stream = d->compute;
    d->on_caller_stream = true;
    return status;
}
