/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.c: the cost of threads' workspaces, independent of the method. New memory is slow at
 * the first touch of each page; memory that is never touched costs nothing, if the machine can
 * provide it at all. */
#include "plan/scratch.h"
#include "core/processor.h"

#include <math.h>

/* Bytes that every machine has: not checked. */
static const double little = 1 << 28;

void spl__estimate_scratch(double bytes, double slots, spl__estimate *e)
{
    double page = bytes < SPL__LARGE ? SPL__PAGE : SPL__HUGE_PAGE;
    e->scratch += bytes;
    e->touched += fmin(bytes, slots * page);
}

/* The symbolic phase runs once per plan; the work of other phases is shared by all executions. */
void spl__scratch_charge(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    double shares = task->phase == SPL__PHASE_symbolic ? 1 : spl__executions(plan);
    e->bytes += spl__assumed_threads(&plan->problem) * e->scratch;
    e->seconds += fmax(0, e->touched - m->kept_bytes) * m->workspace_byte / shares;
}

const char *spl__scratch_refusal(const spl__estimate *e)
{
    return e->scratch > little && e->scratch > spl__machine_memory()
               ? "a thread's workspace is larger than this machine's memory"
               : NULL;
}
