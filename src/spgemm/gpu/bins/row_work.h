/* SPDX-License-Identifier: Apache-2.0 */
/* row_work.h: counts the work of C's rows before they are found, and compresses B. */
#ifndef SPL_SPGEMM_GPU_BINS_ROW_WORK_H
#define SPL_SPGEMM_GPU_BINS_ROW_WORK_H

#include "plan/plan.h"

struct spgemm_work;
struct csr_survey;

/* Counts work and windows of rows, unless that is done; fills features of products. */
spl_status spl__count_device_work(spl_plan *plan);
/* The same, unless rows have so few products that one symbolic method suits all: then rows are not
 * inspected, their work is bounded first, and known exactly once C is. */
spl_status spl__bound_or_count_device_work(spl_plan *plan);
/* Whether work may be counted, and rows binned, while the surveys of A and B are still under way,
 * which saves a wait; and what enqueues that: their surveys on the device, the form and features of
 * the operands are given. The functions above fetch it, unless the surveys tell that it is not
 * needed. */
bool spl__may_count_ahead(const spl_plan *plan);
spl_status spl__count_device_work_ahead(spl_plan *plan, const struct csr_survey *a,
                                        const struct csr_survey *b);
/* Whether rows of full blocks are found before their work is counted, which the numeric phase
 * needs. Then it is enqueued along with the symbolic phase, and noted once its sums have arrived.
 */
bool spl__device_work_is_late(const spl_plan *plan);
spl_status spl__enqueue_device_work(spl_plan *plan, struct spgemm_work *sums);
void spl__note_device_work(spl_plan *plan, const struct spgemm_work *sums);
/* Forgets work: whoever needs it counts again. */
void spl__drop_device_work(spl_plan *plan);
/* Compresses B to words of 32 columns with their bits (the pairs of [S1]), unless that is done. */
spl_status spl__compress_b(spl_plan *plan);
/* Frees what is only of use while a plan is made. */
void spl__row_work_free(spl_plan *plan);

#endif
