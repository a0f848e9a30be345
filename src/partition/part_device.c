/* SPDX-License-Identifier: Apache-2.0 */
/* part_device.c: a device's part of a dense product whose rows of A stay there, if necessary
 * without copies in other formats. If the device holds A, they are read in place, with separate
 * offsets. */
#include "partition/device_part.h"

#include <math.h>

typedef struct staying {
    spl__device_part base;
    spl__device_slot slot; /* of all rows */
} staying;

static staying *staying_of(spl__part *part)
{
    return (staying *)part;
}

static spl_status make_rows(staying *s)
{
    spl__part *part = &s->base.part;
    SPL__TRY(spl__part_cut(part, INFINITY));
    SPL__TRY(spl__device_part_slot(&s->base, &s->slot));
    SPL__TRY(spl__slot_fill(part->queue, &part->blocks->slices[0].csr, &s->slot));
    return spl__device_part_plans_late(&s->base)
               ? SPL_OK
               : spl__device_part_plan(&s->base, part->blocks, &s->slot);
}

/* Work of a plan that failed may still read the slot. */
static void free_rows(staying *s)
{
    spl__part *part = &s->base.part;
    spl__part_drop(part);
    (void)spl__device_wait(part->device, part->device->stream);
    spl__slot_free(part->queue, &s->slot);
}

static spl_status make(spl__part *part)
{
    staying *s = staying_of(part);
    SPL__TRY(spl__device_part_make(&s->base));
    spl_status status = make_rows(s);
    if (!spl__lacks_memory(status))
        return status;
    free_rows(s);
    s->base.lean = true;
    return make_rows(s);
}

static void free_part(spl__part *part)
{
    staying *s = staying_of(part);
    if (!spl__device_part_settle(&s->base))
        return;
    free_rows(s);
    spl__device_part_free(&s->base);
}

static spl_status enqueue(spl__part *part, const spl__call *call, const spl_dense *b,
                          const spl_dense *c)
{
    staying *s = staying_of(part);
    if (!part->blocks->plan)
        SPL__TRY(spl__device_part_plan(&s->base, part->blocks, &s->slot));
    return spl__device_part_multiply(&s->base, part->blocks, call, b, c);
}

static spl_status update(spl__part *part, const spl_sparse *const changed[3])
{
    staying *s = staying_of(part);
    if (!changed[0])
        return SPL_OK;
    spl__part_update_slices(part, changed);
    SPL__TRY(spl__device_part_rejoin(&s->base));
    SPL__TRY(spl__slot_fill_values(part->queue, &part->blocks->slices[0].csr, &s->slot));
    SPL__TRY(spl__device_part_renew(&s->base, part->blocks, &s->slot));
    return spl__queue_wait(part->queue);
}

const spl__part_kind spl__part_device = {SPL__ON_DEVICE,     .size = sizeof(staying),
                                         .make = make,       .update = update,
                                         .enqueue = enqueue, .free = free_part};
