/* SPDX-License-Identifier: Apache-2.0 */
/* branches.c: additional streams of a plan, for concurrent launches. Creating streams takes
 * longer than small products, so a device keeps a few sets that plans have used. */
#include "core/checked.h"
#include "device/device.h"

/* ---- sets of streams ---- */

static spl_status make_set(const spl__device *device, spl__branches *b)
{
    const spl__driver *d = device->driver;
    if (!b->begin)
        SPL__TRY(d->event_create(device->handle, 0, &b->begin));
    for (int i = 0; i < SPL__BRANCHES; i++) {
        if (!b->streams[i])
            SPL__TRY(d->stream_create(device->handle, &b->streams[i]));
        if (!b->ends[i])
            SPL__TRY(d->event_create(device->handle, 0, &b->ends[i]));
    }
    return SPL_OK;
}

void spl__branches_free(spl__device *device)
{
    const spl__driver *d = device->driver;
    for (int n = 0; n < SPL__BRANCH_SETS; n++) {
        spl__branches *b = &device->branches[n];
        for (int i = 0; i < SPL__BRANCHES; i++) {
            if (b->streams[i])
                d->stream_destroy(device->handle, b->streams[i]);
            if (b->ends[i])
                d->event_destroy(device->handle, b->ends[i]);
        }
        if (b->begin)
            d->event_destroy(device->handle, b->begin);
    }
}

/* If all sets are in use, the queue has no branches. */
static spl_status take_set(spl__queue *queue)
{
    for (int n = 0; n < SPL__BRANCH_SETS && !queue->branches; n++)
        if (!atomic_flag_test_and_set(&queue->device->branches[n].taken))
            queue->branches = &queue->device->branches[n];
    return queue->branches
               ? spl__device_check(queue->device, make_set(queue->device, queue->branches))
               : SPL_OK;
}

void spl__queue_release(spl__queue *queue)
{
    spl__zeros_return(queue);
    if (queue->branches)
        atomic_flag_clear(&queue->branches->taken);
    queue->branches = NULL;
}

/* ---- splitting and joining ---- */

spl_status spl__queue_split(spl__queue *queue)
{
    const spl__device *d = queue->device;
    queue->trunk = queue->stream;
    queue->branched = 0;
    if (!queue->branches)
        SPL__TRY(take_set(queue));
    return queue->branches
               ? spl__device_check(
                     d, d->driver->event_record(d->handle, queue->branches->begin, queue->trunk))
               : SPL_OK;
}

spl_status spl__queue_branch(spl__queue *queue, int number)
{
    const spl__device *d = queue->device;
    int branch = number % (SPL__BRANCHES + 1) - 1;
    queue->stream =
        queue->branches && branch >= 0 ? queue->branches->streams[branch] : queue->trunk;
    if (queue->stream == queue->trunk || queue->branched & 1u << branch)
        return SPL_OK;
    queue->branched |= 1u << branch;
    return spl__device_check(
        d, d->driver->event_wait(d->handle, queue->branches->begin, queue->stream));
}

spl_status spl__queue_join(spl__queue *queue)
{
    const spl__device *d = queue->device;
    const spl__branches *b = queue->branches;
    queue->stream = queue->trunk;
    for (int i = 0; i < SPL__BRANCHES; i++) {
        if (!(queue->branched & 1u << i))
            continue;
        SPL__TRY(
            spl__device_check(d, d->driver->event_record(d->handle, b->ends[i], b->streams[i])));
        SPL__TRY(spl__device_check(d, d->driver->event_wait(d->handle, b->ends[i], queue->trunk)));
    }
    return SPL_OK;
}
