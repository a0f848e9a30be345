/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/rvs: y = alpha*A*x + beta*y on a copy of A in row vector sets, see
 * format/device_ell.h: rows of equal length together.
 *
 * Each set is ELL without padding; one thread computes a row, and the rows of a warp have equal
 * length except at the boundary of two sets. The price: x is read and y written in the order of
 * lengths instead of rows. A thread finds its set by binary search. A copy is made on the device in
 * the plan and refreshed when values are announced.
 *
 * Cost: nnz*(value+column) + rows*(row number + y) streamed, x gathered, y scattered. Memory:
 * the same without y; rows*20 while the plan is made. Source: [S2]. Differs: sets are stored
 * column by column; one launch for all of them, empty rows included. */
#include "spmv/gpu/device_work.h"
#include "spmv/gpu/ell_steps.h"
#include "spmv/row_steps.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double bytes = spl__spmv_device_entries(task, sizeof(int32_t)) + f->rows * sizeof(int32_t);
    spl__device_work work = spl__spmv_device_work(task, bytes);
    work.longest = task->plan->gpu_machine->spmv_ell_chain * f->longest_row_a;
    /* Rows of equal length are scattered: their elements of x share no sectors, nor do those of
     * y. */
    double scatter = 4 * f->variation_row_a < 1 ? 4 * f->variation_row_a : 1;
    work.gathered +=
        (f->nnz_a + 2 * f->rows) * (task->plan->gpu_machine->gather_bytes - 8) * scatter;
    spl__spmv_device_predict(task, &work, bytes, 10, e);
}

static spl_status prepare(spl__step *step)
{
    spl__ell_state *s;
    spl_plan *plan = step->task.plan;
    spl__problem *p = &plan->problem;
    SPL__TRY(spl__ell_steps_prepare(step, &s));
    return spl__device_rvs_make(&p->queue, &plan->account, &p->a.csr,
                                (int64_t)plan->features.longest_row_a, &s->ell);
}

const spl__method spl__spmv_compute_gpu_rvs = {
    .summary = "row vector sets: a copy with rows of equal length together, a thread per row",
    .source = "S2 (row vector sets)",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .update = spl__ell_steps_update,
    .execute = spl__ell_steps_execute,
    .explain = spl__ell_steps_explain,
    .destroy = spl__ell_steps_destroy,
};
