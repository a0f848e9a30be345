/* SPDX-License-Identifier: Apache-2.0 */
/* part_product.c: rows of a sparse product that an ordinary plan computes, for operands on the
 * host: on the CPU, or on a device to which the plan copies them. */
#include "core/threads/parallel.h"
#include "partition/parts.h"
#include "spgemm/gpu/device_product.h"

#include <omp.h>

enum { MANY_ROWS = 100000 }; /* from so many rows on several threads pay */

/* Writes the offsets of a part, which begin with 0, shifted by the entries of the parts before. */
static spl_status export_offsets(const spl__part *part, spl_index type, void *offsets)
{
    const int64_t rows = part->share->rows, first = part->entries_before;
    const int threads = rows > MANY_ROWS ? part->plan->problem.threads : 1;
    spl_plan *plan = spl__part_plan(part);
    SPL__TRY(plan->operation->export(plan, offsets, NULL, NULL, NULL));
    if (first == 0)
        return SPL_OK;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t i = 0; i <= rows; i++)
        spl__index_set(offsets, type, i, spl__index_at(offsets, type, i) + first);
    return SPL_OK;
}

static spl_status export_rows(spl__part *part, spl_index type, void *const to[3],
                              const spl_stream *stream)
{
    spl_plan *plan = spl__part_plan(part);
    (void)stream;
    plan->problem.queue.threads = part->plan->problem.threads; /* the CPU's are idle now */
    if (to[0])
        SPL__TRY(export_offsets(part, type, to[0]));
    return plan->operation->export(plan, NULL, to[1], to[2], NULL);
}

/* ---- the CPU ---- */

static spl_status compute(spl__part *part, const spl__execution *e)
{
    const double begin = omp_get_wtime();
    spl_plan *plan = spl__part_plan(part);
    spl__call call = *e->call;
    call.values = spl__part_values(part, e);
    SPL__TRY(plan->operation->execute(plan, &call, NULL));
    part->measured.execution = omp_get_wtime() - begin;
    return SPL_OK;
}

const spl__part_kind spl__part_product_cpu = {
    .size = sizeof(spl__part),
    .make = spl__part_make_plan,
    .update = spl__part_update_plan,
    .run = {[SPL__COMPUTE] = compute},
    .export = export_rows,
    .free = spl__part_drop,
};

/* ---- a device ---- */

enum moment { BEGUN, DONE, READY, RETURNED, MOMENTS };

typedef struct device_product {
    spl__part base;
    void *moments[MOMENTS]; /* events */
} device_product;

static spl__queue *queue_of(const spl__part *part)
{
    return &spl__part_plan(part)->problem.queue;
}

static void note(spl__part *part, enum moment moment)
{
    spl__queue_mark(queue_of(part), ((device_product *)part)->moments[moment]);
}

static double seconds_between(spl__part *part, enum moment from, enum moment to)
{
    void **moments = ((device_product *)part)->moments;
    return spl__queue_seconds(queue_of(part), moments[from], moments[to]);
}

static spl_status make_on_device(spl__part *part)
{
    SPL__TRY(spl__part_make_plan(part));
    for (int k = 0; k < MOMENTS; k++)
        SPL__TRY(spl__queue_timed_event(queue_of(part), &((device_product *)part)->moments[k]));
    return SPL_OK;
}

static void free_on_device(spl__part *part)
{
    for (int k = 0; k < MOMENTS; k++)
        if (((device_product *)part)->moments[k])
            spl__queue_event_free(queue_of(part), ((device_product *)part)->moments[k]);
    spl__part_drop(part);
}

/* Enqueues the copy of the values to the host. */
static spl_status bring(spl__part *part, void *values)
{
    const spl__device_array *from = &spl__device_product_of(spl__part_plan(part))->values;
    note(part, READY);
    SPL__TRY(spl__queue_bring(queue_of(part), values, from->data, from->bytes));
    note(part, RETURNED);
    return SPL_OK;
}

static spl_status start(spl__part *part, const spl__execution *e)
{
    spl_plan *plan = spl__part_plan(part);
    spl__call call = *e->call;
    call.values = spl__device_product_of(plan)->values.data;
    note(part, BEGUN);
    SPL__TRY(spl__plan_execute(plan, SPL__PHASE_numeric, &call, NULL));
    note(part, DONE);
    return SPL_OK;
}

static spl_status give(spl__part *part, const spl__execution *e)
{
    void *values = spl__part_values(part, e);
    return values && spl__queue_pins(queue_of(part), values) ? bring(part, values) : SPL_OK;
}

static spl_status finish(spl__part *part, const spl__execution *e)
{
    void *values = spl__part_values(part, e);
    if (values && !spl__queue_pins(queue_of(part), values))
        SPL__TRY(bring(part, values));
    SPL__TRY(spl__queue_wait(queue_of(part)));
    part->measured = (spl__seconds){values ? seconds_between(part, READY, RETURNED) : 0,
                                    seconds_between(part, BEGUN, DONE)};
    return SPL_OK;
}

const spl__part_kind spl__part_product_device = {
    .size = sizeof(device_product),
    .make = make_on_device,
    .update = spl__part_update_plan,
    .run = {[SPL__START] = start, [SPL__GIVE] = give, [SPL__FINISH] = finish},
    .export = export_rows,
    .free = free_on_device,
};
