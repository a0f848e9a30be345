/* SPDX-License-Identifier: Apache-2.0 */
/* spread_dense.h: y = alpha*op(A)*x + beta*y, and C with B, by several processors.
 *
 * The calling thread enqueues the work of all devices, computes the CPU's part, then waits. No
 * copy to a device may block, or devices would start one after the other: arrays that are not
 * pinned pass through pinned images. x is copied once, in pieces, and all devices fetch each
 * piece while the next is copied.
 *
 * In one-shot calls methods of devices are chosen after A has been copied there; another thread
 * waits for that while the CPU computes. A plan may fail, so nothing is written to the caller's
 * array before all plans are made. */
#ifndef SPL_PARTITION_SPREAD_DENSE_H
#define SPL_PARTITION_SPREAD_DENSE_H

#include "plan/plan.h"

/* Makes the parts of plan->spread, and host images of x and y for them. */
spl_status spl__spread_dense_make(spl_plan *plan);
/* call->b, c NULL: the processors' distributed arrays. Operands on a device are ordered with
 * `stream`. */
spl_status spl__spread_run_dense(spl_plan *plan, spl__call *call, const spl_stream *stream);

#endif
