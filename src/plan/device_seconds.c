/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <math.h>

/* Seconds of one multiprocessor to transfer `bytes`, the share `cached` of them from the cache. */
static double carry(const spl__gpu_machine *m, double bytes, double cached)
{
    return bytes * (cached / m->cache_bandwidth + (1 - cached) / m->bandwidth);
}

/* The share of data that an execution finds in the cache from the previous one: all of half a
 * cache size, nothing of a full cache size, since the last data evict the first. */
static double still_there(const spl__task *task, const spl__device_work *w)
{
    double caches = w->streamed / (double)task->plan->problem.queue.device->properties.cache_bytes;
    return w->reused && !spl__problem_is_single(&task->plan->problem)
               ? fmin(1, fmax(0, 2 - 2 * caches))
               : 0;
}

double spl__device_seconds(const spl__task *task, const spl__device_work *w)
{
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double cached = fmin(1, (double)p->cache_bytes / fmax(1, w->reach));
    double streams = carry(m, w->streamed, still_there(task, w));
    double traffic = (streams + carry(m, w->gathered, cached) + w->busy) / p->units;
    double steps = fmax(w->steps / m->warp_rate / p->units, w->longest * m->step_latency);
    return fmax(traffic, steps) + w->launches * m->launch;
}
