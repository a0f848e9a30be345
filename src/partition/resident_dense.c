/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/resident_dense.h"

#include "partition/resident_part.h"

#include <omp.h>

enum { PIECE_BYTES = 4 << 20 };

/* The queue of the device that holds A, on the caller's stream. */
static spl__queue *owner_queue(const spl__execution *e)
{
    return &e->plan->problem.queue;
}

/* ---- transfers for the other parts ---- */

/* The next of these. */
static spl__part *next_other(const spl__execution *e, const spl__part *part)
{
    spl__part *next = spl__parts_next(e->spread, part);
    return next && next->share->in_place ? spl__parts_next(e->spread, next) : next;
}

static spl_status run_devices(spl__stage stage, const spl__execution *e)
{
    for (spl__part *p = next_other(e, NULL); p; p = next_other(e, p))
        if (p->device)
            SPL__TRY(spl__part_run(p, stage, e));
    return SPL_OK;
}

/* Copies x to the host, and from there to the other devices. */
static spl_status bring_right(const spl__execution *e)
{
    spl__spread *s = e->spread;
    spl__queue *owner = owner_queue(e);
    const spl__dense_rows all = {.all = *e->b, .rows = e->b->rows};
    const char *contiguous = spl__dense_rows_contiguous(&all);
    const bool in_pieces = contiguous && s->x.device && spl__division_receiver(&s->division);
    size_t bytes = spl__rows_bytes(e->b, e->b->rows), step = in_pieces ? PIECE_BYTES : bytes;
    const spl_dense image = spl__held_b(e, (spl_place){SPL_HOST, 0}, s->x.data);
    for (size_t offset = 0; offset < bytes; offset += step) {
        size_t piece = bytes - offset < step ? bytes - offset : step;
        char *image_piece = (char *)s->x.data + offset;
        SPL__TRY(contiguous ? spl__queue_bring(owner, image_piece, contiguous + offset, piece)
                            : spl__dense_copy(owner, &image, e->b));
        SPL__TRY(spl__queue_wait(owner));
        SPL__TRY(spl__parts_send(s, image_piece, offset, piece));
    }
    return SPL_OK;
}

/* Copies the part's rows of y between the caller's array and the host. */
static spl_status carry_rows(const spl__execution *e, const spl__part *part, bool back)
{
    const spl_dense device_view = spl__rows_within(e->c, part);
    const spl_dense host_view = spl__held_c(e, part, (spl_place){SPL_HOST, 0}, part->image.data);
    return back ? spl__dense_copy(owner_queue(e), &device_view, &host_view)
                : spl__dense_copy(owner_queue(e), &host_view, &device_view);
}

static spl_status bring_rows(const spl__execution *e)
{
    for (spl__part *p = next_other(e, NULL); p; p = next_other(e, p))
        SPL__TRY(carry_rows(e, p, false));
    return spl__queue_wait(owner_queue(e));
}

static spl_status start_others(const spl__execution *e)
{
    SPL__TRY(run_devices(SPL__BEGIN, e));
    if (e->b && e->reads_b)
        SPL__TRY(bring_right(e));
    if (e->c && e->reads_c)
        SPL__TRY(bring_rows(e));
    SPL__TRY(run_devices(SPL__START, e));
    return run_devices(SPL__GIVE, e);
}

static spl_status finish_devices(const spl__execution *e)
{
    for (spl__part *p = next_other(e, NULL); p; p = next_other(e, p))
        if (p->device) {
            SPL__TRY(spl__part_run(p, SPL__FINISH, e));
            SPL__TRY(carry_rows(e, p, true));
        }
    return SPL_OK;
}

/* `came`: seconds until x was on the host. */
static spl_status finish_cpu(const spl__execution *e, spl__part *part, double came)
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
    spl__part *cpu_part = spl__parts_cpu(e->spread);
    double begin = omp_get_wtime();
    SPL__TRY(start_others(e));
    double came = omp_get_wtime() - begin;
    if (cpu_part) {
        SPL__TRY(spl__part_run(cpu_part, SPL__COMPUTE, e));
        SPL__TRY(finish_cpu(e, cpu_part, came));
    }
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

spl_status spl__resident_check(const spl__execution *e)
{
    bool vector = e->plan->problem.kind == SPL__KIND_spmv;
    if (spl__queue_captures(owner_queue(e)))
        return spl__fail(SPL_UNSUPPORTED,
                         "calls of several processors cannot be recorded into a graph");
    SPL__TRY(check_on_device(e, e->b, vector ? "x" : "B"));
    return check_on_device(e, e->c, vector ? "y" : "C");
}

/* Whether the device that holds A computes all rows there, with nothing to carry. */
static bool runs_alone(const spl__execution *e, const spl__part *in_place)
{
    return in_place && !spl__division_has_others(&e->spread->division) &&
           !e->plan->problem.options.distributed && (!e->call->rows || in_place->block_count == 1);
}

/* The mask of rows on the host, for parts to take theirs. Waits. */
static spl_status bring_mask(const spl__execution *e, spl_row_mask *rows)
{
    void *to = e->spread->mask;
    const int64_t count = e->plan->problem.rows;
    *rows = *e->call->rows;
    const void *from = rows->bits ? (const void *)rows->bits : rows->bytes;
    const size_t bytes =
        rows->bits ? (size_t)(count / 64 + (count % 64 > 0)) * sizeof *rows->bits : (size_t)count;
    if (rows->bits)
        rows->bits = to;
    else
        rows->bytes = to;
    return count > 0 ? spl__queue_fetch(owner_queue(e), to, from, bytes) : SPL_OK;
}

static spl_status run_parts(const spl__execution *e, spl__part *in_place)
{
    spl__spread *s = e->spread;
    const bool has_others = spl__division_has_others(&s->division);
    s->in_flight = true;
    if (in_place)
        SPL__TRY(spl__resident_part_start(in_place, e));
    if (has_others)
        SPL__TRY(run_others(e));
    if (in_place)
        SPL__TRY(spl__resident_part_join(in_place, e));
    s->in_flight = !e->c;
    return has_others && e->c ? spl__queue_wait(owner_queue(e)) : SPL_OK;
}

spl_status spl__resident_run(const spl__execution *e)
{
    spl__part *in_place = spl__parts_in_place(e->spread);
    spl__execution masked = *e;
    spl__call call = *e->call;
    spl_row_mask rows;
    if (runs_alone(e, in_place))
        return spl__resident_part_alone(in_place, e);
    if (call.rows) {
        SPL__TRY(bring_mask(e, &rows));
        call.rows = &rows;
        masked.call = &call;
    }
    return run_parts(&masked, in_place);
}
