/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <math.h>

double spl__device_seconds(const spl__task *task, const spl__device_work *w)
{
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double cached = fmin(1, (double)p->cache_bytes / fmax(1, w->reach));
    double gather = w->gathered * (cached / m->cache_bandwidth + (1 - cached) / m->bandwidth);
    double traffic = (w->streamed / m->bandwidth + gather) / p->units;
    double steps = fmax(w->steps / m->warp_rate / p->units, w->longest * m->step_latency);
    return fmax(traffic, steps) + w->launches * m->launch;
}
