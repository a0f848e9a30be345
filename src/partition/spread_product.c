/* SPDX-License-Identifier: Apache-2.0 */
/* spread_product.c: sparse products by several processors. Each has its rows of A and D and all
 * of B, and computes its rows of C, which are consecutive in the caller's arrays. */
#include "partition/spread_product.h"

#include "core/checked.h"
#include "partition/product_blocks.h"
#include "partition/side_thread.h"
#include "spgemm/gpu/device_product.h"

#include <omp.h>
#include <stdio.h>

enum { MANY_ROWS = 100000 }; /* from so many rows on several threads pay */

int64_t spl__spread_part_nnz(const spl__spread_part *part)
{
    if (part->passing)
        return part->passing->nnz;
    const spl_plan *plan = spl__spread_plan_of(part);
    return plan ? plan->operation->state(plan).nnz : 0;
}

/* ---- making ---- */

/* Creates the events that are recorded in executions on a device. */
static spl_status make_moments(spl__spread_part *part)
{
    for (int k = 0; k < SPL__MOMENTS; k++)
        SPL__TRY(
            spl__queue_timed_event(&spl__spread_plan_of(part)->problem.queue, &part->moments[k]));
    return SPL_OK;
}

/* Allocates memory for values that are copied to a device in every execution, unless a bound
 * makes the plan keep all values. */
static spl_status make_way(spl_plan *plan, spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    spl__device *owner = spl__spread_owner_of_a(plan);
    if (!owner || p->once || part->rows == 0 || part->in_place)
        return SPL_OK;
    return spl__image_make(&plan->account, owner, spl__spread_part_nnz(part),
                           spl__type_size(p->a.csr.type), &part->y);
}

static spl_status make_part(spl_plan *plan, spl__spread_part *part)
{
    if (part->in_place) {
        SPL__TRY(spl__resident_product_part(plan, part));
        return make_moments(part);
    }
    spl_status status = spl__spread_part_plan(plan, part);
    bool memory = status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
    if (memory && part->device) {
        spl__spread_blocks_free(part);
        return spl__product_blocks_make(plan, part);
    }
    return status == SPL_OK && part->device ? make_moments(part) : status;
}

void spl__product_part_free(spl__spread_part *part)
{
    for (int k = 0; k < SPL__MOMENTS && spl__spread_plan_of(part); k++) {
        if (part->moments[k])
            spl__queue_event_free(&spl__spread_plan_of(part)->problem.queue, part->moments[k]);
        part->moments[k] = NULL;
    }
    if (part->carry)
        spl__queue_stream_free(&spl__spread_plan_of(part)->problem.queue, part->carry);
    part->carry = NULL;
    spl__product_blocks_free(part);
    spl__spread_blocks_free(part);
}

/* Selects the parts of devices, or those of the CPU. */
typedef struct some_parts {
    spl_plan *plan;
    bool devices;
} some_parts;

static spl_status make_some(void *work)
{
    const some_parts *some = work;
    spl__spread *s = some->plan->spread;
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].rows > 0 && (s->parts[k].device != NULL) == some->devices)
            SPL__TRY(make_part(some->plan, &s->parts[k]));
    return SPL_OK;
}

static bool has_device_part(const spl__spread *s)
{
    bool any = false;
    for (int32_t k = 0; k < s->count; k++)
        any = any || (s->parts[k].device && s->parts[k].rows > 0);
    return any;
}

/* Unless methods are measured, devices find their rows of C concurrently with the CPU. */
static spl_status make_parts(spl_plan *plan)
{
    some_parts device_parts = {plan, true}, cpu_parts = {plan, false};
    spl__side_thread devices;
    spl__kept_failure kept;
    if (!plan->problem.once || !has_device_part(plan->spread)) {
        SPL__TRY(make_some(&cpu_parts));
        return make_some(&device_parts);
    }
    spl__side_thread_begin(&devices, make_some, &device_parts);
    spl_status status = make_some(&cpu_parts);
    spl__failure_keep(&kept);
    spl_status other = spl__side_thread_end(&devices);
    return status == SPL_OK ? other : spl__failure_restore(status, &kept);
}

static void free_parts(spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        spl__product_part_free(&s->parts[k]);
}

static bool any_bound(const spl__spread *s)
{
    bool any = false;
    for (int32_t k = 0; k < s->count; k++) {
        const spl_plan *plan = spl__spread_plan_of(&s->parts[k]);
        any = any || (plan && plan->operation->terms(plan).bounded);
    }
    return any;
}

/* Computes the first entry of each part, as far as known, and the common width of offsets. */
static spl_status note_entries(spl_plan *plan, spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++) {
        if (!spl__add_i64(s->first[k], spl__spread_part_nnz(&s->parts[k]), &s->first[k + 1]))
            return spl__fail(SPL_INDEX_OVERFLOW, "C has more than 2^63 entries");
    }
    SPL__TRY(spl__check_result_width(plan, s->first[s->count]));
    for (int32_t k = 0; k < s->count; k++)
        if (spl__spread_plan_of(&s->parts[k]))
            spl__spread_plan_of(&s->parts[k])->problem.options.result_offset_type =
                spl__spread_product_state(plan).offset_type;
    return SPL_OK;
}

/* Sets the features of a sparse product, as far as parts know them. */
static void note_features(spl_plan *plan, const spl__spread *s)
{
    spl__features *f = &plan->features;
    f->products = -f->nnz_d;
    for (int32_t k = 0; k < s->count; k++)
        f->products += (double)s->parts[k].work;
    f->nnz_c = (double)s->first[s->count];
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
}

spl_status spl__spread_product_make(spl_plan *plan, spl__spread *s)
{
    s->keeps = plan->problem.options.keep_result;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->first, (int64_t)s->count + 1));
    SPL__TRY(spl__resident_product_values(plan));
    SPL__TRY(make_parts(plan));
    if (!s->keeps && any_bound(s)) { /* then the plan keeps all values until they are exported */
        free_parts(s);
        s->keeps = true;
        SPL__TRY(make_parts(plan));
    }
    SPL__TRY(note_entries(plan, s));
    note_features(plan, s);
    for (int32_t k = 0; k < s->count && !any_bound(s); k++)
        SPL__TRY(make_way(plan, &s->parts[k]));
    return SPL_OK;
}

/* ---- C for callers ---- */

spl__product_terms spl__spread_product_terms(const spl_plan *plan)
{
    const spl__spread *s = plan->spread;
    return (spl__product_terms){s->first[s->count], any_bound(s), s->keeps};
}

spl__product_state spl__spread_product_state(const spl_plan *plan)
{
    const spl__spread *s = plan->spread;
    spl__product_state all = {
        .nnz = s->first[s->count], .known = true, .keeps = s->keeps, .computed = s->keeps};
    for (int32_t k = 0; k < s->count; k++) {
        if (s->parts[k].passing)
            all.computed = all.computed && s->parts[k].passing->computed;
        if (!spl__spread_plan_of(&s->parts[k]))
            continue;
        const spl_plan *part_plan = spl__spread_plan_of(&s->parts[k]);
        spl__product_state part_state = part_plan->operation->state(part_plan);
        all.known = all.known && part_state.known;
        all.bounded = all.bounded || part_state.bounded;
        all.computed = all.computed && part_state.computed;
    }
    all.offset_type = plan->problem.options.result_offset_type;
    if (!all.offset_type)
        all.offset_type = all.nnz > INT32_MAX ? SPL_I64 : plan->problem.a.csr.offset_type;
    return all;
}

/* ---- execute ---- */

/* The destination of a part's values: the caller's array, or an array of the part if the
 * caller's is on another processor. */
static void *values_at(const spl_plan *plan, int32_t k, void *values)
{
    const spl__spread_part *part = &plan->spread->parts[k];
    size_t size = spl__type_size(plan->problem.a.csr.type);
    if (!values)
        return NULL;
    if (spl__spread_owner_of_a(plan) && !part->in_place)
        return part->y.data;
    return (char *)values + (size_t)plan->spread->first[k] * size;
}

/* Copies values from a device to the host. */
static spl_status bring(spl__spread_part *part, void *values)
{
    spl_plan *part_plan = spl__spread_plan_of(part);
    spl__queue *queue = &part_plan->problem.queue;
    const spl__device_array *device_array = &spl__product_of(part_plan)->device_c->values;
    spl__queue_mark(queue, part->moments[SPL__READY]);
    SPL__TRY(spl__queue_bring(queue, values, device_array->data, device_array->bytes));
    spl__queue_mark(queue, part->moments[SPL__RETURNED]);
    return SPL_OK;
}

/* Enqueues a device's part, and the copy of its values to the host if that does not block. */
static spl_status start_part(spl__spread_part *part, const spl__call *call, void *values)
{
    spl_plan *part_plan = spl__spread_plan_of(part);
    spl__queue *queue = &part_plan->problem.queue;
    spl__call with = *call;
    with.values = spl__product_of(part_plan)->device_c->values.data;
    spl__queue_mark(queue, part->moments[SPL__BEGUN]);
    SPL__TRY(spl__plan_execute(part_plan, SPL__PHASE_numeric, &with, NULL));
    spl__queue_mark(queue, part->moments[SPL__DONE]);
    return values && spl__queue_pins(queue, values) ? bring(part, values) : SPL_OK;
}

static spl_status finish_part(spl__spread_part *part, void *values)
{
    spl__queue *queue = &spl__spread_plan_of(part)->problem.queue;
    if (values && !spl__queue_pins(queue, values))
        SPL__TRY(bring(part, values));
    SPL__TRY(spl__queue_wait(queue));
    part->measured.execution =
        spl__queue_seconds(queue, part->moments[SPL__BEGUN], part->moments[SPL__DONE]);
    part->measured.transfer =
        values ? spl__queue_seconds(queue, part->moments[SPL__READY], part->moments[SPL__RETURNED])
               : 0;
    return SPL_OK;
}

/* Whether the part's results must be copied to the host. */
static bool on_device(const spl__spread_part *part)
{
    return part->device && !part->in_place && spl__spread_plan_of(part);
}

static spl_status execute_on_cpu(spl_plan *part_plan, spl__call call, void *values)
{
    call.values = values;
    return part_plan->operation->execute(part_plan, &call, NULL);
}

/* Runs the parts for which the calling thread is busy: the CPU's, and those that are processed
 * in blocks on devices. */
static spl_status run_on_cpu(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                             void *values)
{
    double begin = omp_get_wtime();
    if (part->passing)
        SPL__TRY(spl__product_blocks_run(plan, part, call, values));
    else if (spl__spread_plan_of(part) && !part->device)
        SPL__TRY(execute_on_cpu(spl__spread_plan_of(part), *call, values));
    part->measured.execution = omp_get_wtime() - begin;
    return SPL_OK;
}

static spl_status run(spl_plan *plan, const spl__call *call, void *values, const spl_stream *stream)
{
    spl__spread *s = plan->spread;
    SPL__TRY(spl__resident_product_check(plan, values));
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].in_place && s->parts[k].rows > 0)
            SPL__TRY(spl__resident_product_start(&s->parts[k], call, values_at(plan, k, values),
                                                 stream));
    for (int32_t k = 0; k < s->count; k++)
        if (on_device(&s->parts[k]))
            SPL__TRY(start_part(&s->parts[k], call, values_at(plan, k, values)));
    for (int32_t k = 0; k < s->count; k++)
        SPL__TRY(run_on_cpu(plan, &s->parts[k], call, values_at(plan, k, values)));
    for (int32_t k = 0; k < s->count; k++)
        if (on_device(&s->parts[k]))
            SPL__TRY(finish_part(&s->parts[k], values_at(plan, k, values)));
    SPL__TRY(spl__resident_product_carry(plan, values));
    return note_entries(plan, s); /* known now, after a bound */
}

/* Waits until no processor writes to the caller's array. */
static void quiet(spl_plan *plan)
{
    const spl__spread *s = plan->spread;
    (void)spl__queue_settle(&plan->problem.queue);
    for (int32_t k = 0; k < s->count; k++)
        if (on_device(&s->parts[k])) {
            const spl__device *d = s->parts[k].device;
            (void)d->driver->stream_wait(d->handle,
                                         spl__spread_plan_of(&s->parts[k])->problem.queue.stream);
        }
}

spl_status spl__spread_product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = run(plan, call, call->values, stream);
    if (status == SPL_OK)
        atomic_fetch_add(&plan->executions, 1);
    else
        quiet(plan);
    spl__plan_leave(plan);
    return status;
}

/* ---- export ---- */

/* Writes the offsets of a part, which begin with 0, shifted by the entries of the parts before. */
static spl_status export_offsets(spl_plan *part_plan, void *offsets, spl_index type, int64_t rows,
                                 int64_t first)
{
    SPL__TRY(part_plan->operation->export(part_plan, offsets, NULL, NULL, NULL));
    if (first == 0)
        return SPL_OK;
#pragma omp parallel for num_threads(spl__team(part_plan->problem.threads))                        \
    schedule(static) if (rows > MANY_ROWS)
    for (int64_t i = 0; i <= rows; i++)
        spl__index_set(offsets, type, i, spl__index_at(offsets, type, i) + first);
    return SPL_OK;
}

static void *element(void *array, int64_t i, size_t size)
{
    return array ? (char *)array + (size_t)i * size : NULL;
}

spl_status spl__product_part_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                    spl__product_arrays to)
{
    spl_index type = spl__spread_product_state(plan).offset_type;
    if (part->passing)
        spl__product_blocks_export(plan, part, to.offsets, type, first, to.indices, to.values);
    spl_plan *part_plan = spl__spread_plan_of(part);
    if (!part_plan)
        return SPL_OK;
    part_plan->problem.queue.threads = plan->problem.threads; /* the CPU's threads are idle now */
    if (to.offsets)
        SPL__TRY(export_offsets(part_plan, to.offsets, type, part->rows, first));
    return part_plan->operation->export(part_plan, NULL, to.indices, to.values, NULL);
}

static spl_status export_part(spl_plan *plan, int32_t k, spl__product_arrays all,
                              const spl__product_arrays *room, const spl_stream *stream)
{
    spl__spread_part *part = &plan->spread->parts[k];
    const spl_sparse *a = &plan->problem.a.csr;
    int64_t first = plan->spread->first[k];
    size_t offset = spl__index_size(spl__spread_product_state(plan).offset_type);
    spl__product_arrays part_arrays = {element(all.offsets, part->begin, offset),
                                       element(all.indices, first, spl__index_size(a->index_type)),
                                       element(all.values, first, spl__type_size(a->type))};
    if (part->rows == 0)
        return SPL_OK;
    return spl__spread_owner_of_a(plan)
               ? spl__resident_product_export(plan, part, first, part_arrays, room, stream)
               : spl__product_part_export(plan, part, first, part_arrays);
}

/* Rows without a part exist only if C has no rows. */
static spl_status export_first_offset(spl_plan *plan, void *offsets)
{
    spl_index type = spl__spread_product_state(plan).offset_type;
    if (spl__spread_owner_of_a(plan))
        return spl__queue_fill(&plan->problem.queue, offsets, 0, spl__index_size(type));
    spl__index_set(offsets, type, 0, 0);
    return SPL_OK;
}

spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                      const spl_stream *stream)
{
    const spl__product_arrays all = {offsets, indices, values};
    spl__product_arrays room = {0};
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status =
        spl__spread_owner_of_a(plan) ? spl__resident_product_room(plan, all, &room) : SPL_OK;
    if (status == SPL_OK && offsets)
        status = export_first_offset(plan, offsets);
    for (int32_t k = 0; k < plan->spread->count && status == SPL_OK; k++)
        status = export_part(plan, k, all, &room, stream);
    spl__plan_mark(plan);
    spl__free(room.offsets);
    spl__free(room.indices);
    spl__free(room.values);
    return status;
}
