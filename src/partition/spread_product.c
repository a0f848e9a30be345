/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/spread_product.h"

#include "core/checked.h"
#include "partition/parts.h"
#include "partition/side_thread.h"
#include "spgemm/product.h"

/* ---- making ---- */

/* The device that holds the operands reads them there. */
static void use_operands_in_place(const spl__resident_operand operands[3], spl__part *part)
{
    part->a = &operands[0].cut;
    part->b = &operands[1].device_view;
    part->d = &operands[2].cut;
}

static spl_status make_kind(spl_plan *plan, int32_t k, const spl__part_kind *kind)
{
    spl__spread *s = plan->spread;
    SPL__TRY(spl__part_new(plan, &s->division, &s->division.shares[k], kind, &s->parts[k]));
    if (s->division.shares[k].in_place)
        use_operands_in_place(s->operands, s->parts[k]);
    s->parts[k]->keeps = s->keeps;
    return kind->make(s->parts[k]);
}

static spl_status make_part(spl_plan *plan, int32_t k)
{
    spl__spread *s = plan->spread;
    const spl__share *share = &s->division.shares[k];
    if (share->in_place)
        return make_kind(plan, k, &spl__part_product_in_place);
    spl_status status =
        make_kind(plan, k, share->device ? &spl__part_product_device : &spl__part_product_cpu);
    if (!share->device || !spl__lacks_memory(status))
        return status;
    spl__part_free(s->parts[k]);
    s->parts[k] = NULL;
    return make_kind(plan, k, &spl__part_product_blocks);
}

/* Selects the parts of devices, or those of the CPU. */
typedef struct some_parts {
    spl_plan *plan;
    bool devices;
} some_parts;

static spl_status make_some(void *work)
{
    const some_parts *some = work;
    const spl__division *d = &some->plan->spread->division;
    for (int32_t k = 0; k < d->count; k++)
        if (d->shares[k].rows > 0 && (d->shares[k].device != NULL) == some->devices)
            SPL__TRY(make_part(some->plan, k));
    return SPL_OK;
}

static bool has_device_share(const spl__division *d)
{
    bool any = false;
    for (int32_t k = 0; k < d->count; k++)
        any = any || (d->shares[k].device && d->shares[k].rows > 0);
    return any;
}

/* Unless methods are measured, devices find their rows of C concurrently with the CPU. */
static spl_status make_parts(spl_plan *plan)
{
    some_parts device_parts = {plan, true}, cpu_parts = {plan, false};
    spl__side_thread devices;
    spl__kept_failure kept;
    if (!plan->problem.once || !has_device_share(&plan->spread->division)) {
        SPL__TRY(make_some(&cpu_parts));
        return make_some(&device_parts);
    }
    spl__side_thread_begin(&devices, make_some, &device_parts);
    spl_status status = make_some(&cpu_parts);
    spl__failure_keep(&kept);
    spl_status other = spl__side_thread_end(&devices);
    return status == SPL_OK ? other : spl__failure_restore(status, &kept);
}

static bool any_bound(const spl__spread *s)
{
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (spl__part_state(p).bounded)
            return true;
    return false;
}

/* Computes the first entry of each part, as far as known, and the common width of offsets. */
static spl_status note_entries(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    int64_t nnz = 0;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p)) {
        p->entries_before = nnz;
        if (!spl__add_i64(nnz, spl__part_state(p).nnz, &nnz))
            return spl__fail(SPL_INDEX_OVERFLOW, "C has more than 2^63 entries");
    }
    s->nnz = nnz;
    SPL__TRY(spl__check_result_width(plan, nnz));
    const spl_index type = spl__spread_product_state(plan).offset_type;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (spl__part_plan(p))
            spl__part_plan(p)->problem.options.result_offset_type = type;
    return SPL_OK;
}

/* Sets the features of a sparse product, as far as parts know them. */
static void note_features(spl_plan *plan)
{
    const spl__division *d = &plan->spread->division;
    spl__features *f = &plan->features;
    f->products = -f->nnz_d;
    for (int32_t k = 0; k < d->count; k++)
        f->products += (double)d->shares[k].work;
    f->nnz_c = (double)plan->spread->nnz;
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
}

/* For operands on a device: memory for values that are copied there in every execution, unless a
 * bound makes the plan keep all values, and a stream for that. */
static spl_status make_way(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    const size_t size = spl__type_size(plan->problem.a.csr.type);
    SPL__TRY(spl__queue_stream(&plan->problem.queue, &s->carry));
    SPL__TRY(spl__queue_event(&plan->problem.queue, &s->begun));
    if (plan->problem.once || s->bounded)
        return SPL_OK;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        if (!p->share->in_place)
            SPL__TRY(spl__image_make(&plan->account, spl__owner_of_a(plan), spl__part_state(p).nnz,
                                     size, &p->image));
    return SPL_OK;
}

spl_status spl__spread_product_make(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    const bool carries = spl__owner_of_a(plan) && spl__division_has_others(&s->division);
    s->keeps = plan->problem.options.keep_result;
    if (carries)
        SPL__TRY(spl__resident_operands_values(plan, s->operands));
    s->division.a.values = plan->problem.a.csr.values;
    SPL__TRY(make_parts(plan));
    s->bounded = any_bound(s);
    if (!s->keeps && s->bounded) { /* then the plan keeps all values until they are exported */
        spl__parts_free(s);
        s->keeps = true;
        SPL__TRY(make_parts(plan));
    }
    SPL__TRY(note_entries(plan));
    note_features(plan);
    return carries ? make_way(plan) : SPL_OK;
}

void spl__spread_product_free(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    spl__resident_operands_free(s->operands);
    if (s->carry)
        spl__queue_stream_free(&plan->problem.queue, s->carry);
    if (s->begun)
        spl__queue_event_free(&plan->problem.queue, s->begun);
}

/* ---- C for callers ---- */

spl__product_terms spl__spread_product_terms(const spl_plan *plan)
{
    const spl__spread *s = plan->spread;
    return (spl__product_terms){s->nnz, s->bounded, s->keeps};
}

spl__product_state spl__spread_product_state(const spl_plan *plan)
{
    const spl__spread *s = plan->spread;
    spl__product_state all = {.nnz = s->nnz,
                              .known = true,
                              .bounded = s->bounded,
                              .keeps = s->keeps,
                              .computed = s->keeps};
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p)) {
        const spl__product_state state = spl__part_state(p);
        all.known = all.known && state.known;
        all.computed = all.computed && state.computed;
    }
    all.offset_type = plan->problem.options.result_offset_type;
    if (!all.offset_type)
        all.offset_type = all.nnz > INT32_MAX ? SPL_I64 : plan->problem.a.csr.offset_type;
    return all;
}

/* ---- execute ---- */

/* Checks that the caller's array is in the memory of the device that holds the operands, and that
 * calls that wait are not being captured into a graph. */
static spl_status check_place(const spl_plan *plan, const void *values)
{
    const spl__queue *owner = &plan->problem.queue;
    if (!owner->device)
        return SPL_OK;
    if (spl__queue_captures(owner))
        return spl__fail(SPL_UNSUPPORTED,
                         "calls of several processors cannot be recorded into a graph");
    if (values && !spl__device_holds(owner->device, values))
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the values of C are not in the memory of %s, where A lives",
                         owner->device->properties.name);
    return SPL_OK;
}

static spl_status copy_images(const spl__execution *e)
{
    spl__spread *s = e->spread;
    const size_t size = spl__type_size(e->plan->problem.a.csr.type);
    for (spl__part *p = spl__parts_next(s, NULL); p && e->call->values; p = spl__parts_next(s, p))
        if (!p->share->in_place && p->image.bytes > 0)
            SPL__TRY(spl__queue_copy(&e->plan->problem.queue,
                                     (char *)e->call->values + (size_t)p->entries_before * size,
                                     p->image.data, p->image.bytes));
    return SPL_OK;
}

/* Copies the values of other parts from their images to the caller's array, concurrently with the
 * device's own part, after the pending work of the caller's stream. */
static spl_status carry_values(const spl__execution *e)
{
    spl__queue *queue = &e->plan->problem.queue;
    void *stream = queue->stream;
    queue->stream = e->spread->carry;
    spl_status status = spl__queue_after(queue, e->spread->begun);
    if (status == SPL_OK)
        status = copy_images(e);
    spl_status waited = spl__queue_wait(queue);
    queue->stream = stream;
    SPL__TRY(status);
    return waited == SPL_OK ? spl__queue_wait(queue) : waited;
}

static spl_status run(const spl__execution *e)
{
    void *begun = e->spread->begun;
    SPL__TRY(check_place(e->plan, e->call->values));
    if (begun)
        spl__queue_mark(&e->plan->problem.queue, begun);
    SPL__TRY(spl__parts_run(SPL__START, e));
    SPL__TRY(spl__parts_run(SPL__GIVE, e));
    SPL__TRY(spl__parts_run(SPL__COMPUTE, e));
    SPL__TRY(spl__parts_run(SPL__FINISH, e));
    if (begun)
        SPL__TRY(carry_values(e));
    return note_entries(e->plan); /* known now, after a bound */
}

spl_status spl__spread_product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    const spl__execution e = {.plan = plan, .spread = plan->spread, .call = call, .stream = stream};
    SPL__TRY(spl__plan_enter(plan, stream));
    return spl__parts_end(&e, run(&e));
}

/* ---- export ---- */

/* The bytes of an offset, a column and a value of C. */
typedef struct sizes {
    size_t bytes[3];
} sizes;

static sizes sizes_of(const spl_plan *plan, spl_index offset_type)
{
    const spl_sparse *a = &plan->problem.a.csr;
    return (sizes){
        {spl__index_size(offset_type), spl__index_size(a->index_type), spl__type_size(a->type)}};
}

/* Allocates arrays on the host for copies to arrays on a device, for the largest part: before
 * anything is written. */
static spl_status make_room(spl_plan *plan, sizes size, void *const all[3], void *room[3])
{
    const spl__spread *s = plan->spread;
    int64_t counts[3] = {0};
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p)) {
        if (p->share->in_place && p->entries_before == 0)
            continue;
        counts[0] = spl__max_i64(counts[0], p->share->rows + 1);
        counts[1] = spl__max_i64(counts[1], p->share->in_place ? 0 : spl__part_state(p).nnz);
    }
    counts[2] = counts[1];
    for (int k = 0; k < 3; k++)
        if (all[k] && counts[k] > 0)
            SPL__TRY(spl__alloc(&plan->account, counts[k], size.bytes[k], &room[k]));
    return SPL_OK;
}

/* Shifts the part's offsets on the device, which begin with 0, through host memory. */
static spl_status move_offsets(const spl__part *part, spl_index type, void *device_data, void *room)
{
    spl__queue *queue = &part->plan->problem.queue;
    const size_t bytes = (size_t)(part->share->rows + 1) * spl__index_size(type);
    SPL__TRY(spl__queue_fetch(queue, room, device_data, bytes));
    for (int64_t i = 0; i <= part->share->rows; i++)
        spl__index_set(room, type, i, spl__index_at(room, type, i) + part->entries_before);
    SPL__TRY(spl__queue_copy(queue, device_data, room, bytes));
    return spl__queue_wait(queue);
}

/* To arrays on the device that holds the operands. Waits unless the part is on it. */
static spl_status export_to_device(spl__part *part, spl_index type, void *const to[3],
                                   void *const room[3], const spl_stream *stream)
{
    spl__queue *queue = &part->plan->problem.queue;
    const bool in_place = part->share->in_place;
    const int64_t nnz = spl__part_state(part).nnz, counts[3] = {part->share->rows + 1, nnz, nnz};
    SPL__TRY(part->kind->export(part, type, in_place ? to : room, stream));
    if (in_place)
        return to[0] && part->entries_before > 0 ? move_offsets(part, type, to[0], room[0])
                                                 : SPL_OK;
    for (int k = 0; k < 3; k++)
        if (to[k] && counts[k] > 0)
            SPL__TRY(spl__queue_copy(queue, to[k], room[k],
                                     (size_t)counts[k] * sizes_of(part->plan, type).bytes[k]));
    return spl__queue_wait(queue);
}

static spl_status export_part(spl__part *part, spl_index type, void *const all[3],
                              void *const room[3], const spl_stream *stream)
{
    const sizes size = sizes_of(part->plan, type);
    const int64_t entry = part->entries_before, first[3] = {part->share->begin, entry, entry};
    void *to[3];
    for (int k = 0; k < 3; k++)
        to[k] = all[k] ? (char *)all[k] + (size_t)first[k] * size.bytes[k] : NULL;
    return spl__owner_of_a(part->plan) ? export_to_device(part, type, to, room, stream)
                                       : part->kind->export(part, type, to, stream);
}

/* Rows without a part exist only if C has no rows. */
static spl_status export_first_offset(spl_plan *plan, void *offsets, spl_index type)
{
    if (spl__owner_of_a(plan))
        return spl__queue_fill(&plan->problem.queue, offsets, 0, spl__index_size(type));
    spl__index_set(offsets, type, 0, 0);
    return SPL_OK;
}

spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                      const spl_stream *stream)
{
    spl__spread *s = plan->spread;
    const spl_index type = spl__spread_product_state(plan).offset_type;
    void *const all[3] = {offsets, indices, values};
    void *room[3] = {0};
    spl_status status = SPL_OK;
    SPL__TRY(spl__plan_turn(plan, stream));
    if (spl__owner_of_a(plan))
        status = make_room(plan, sizes_of(plan, type), all, room);
    if (status == SPL_OK && offsets)
        status = export_first_offset(plan, offsets, type);
    for (spl__part *p = spl__parts_next(s, NULL); p && status == SPL_OK; p = spl__parts_next(s, p))
        status = export_part(p, type, all, room, stream);
    spl__plan_mark(plan);
    for (int k = 0; k < 3; k++)
        spl__free(room[k]);
    return status;
}
