/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/ell: y = alpha*A*x + beta*y on a copy of A in ELL, see format/device_ell.h:
 * every row padded to the longest, a thread for each.
 *
 * For matrices whose rows are equally long; one long row costs its length times the rows. Padding
 * is read but never multiplied. A copy is made on the device in the plan and refreshed when values
 * are announced.
 *
 * Cost: rows*longest*(value+column) + rows*y streamed, x gathered. Memory: the same without y.
 * Source: R. Grimes, D. Kincaid, D. Young, ITPACK 2.0 User's Guide, 1979; N. Bell, M. Garland,
 * SC'09; [S2]. Differs: the column of padding is -1 and guards x. */
#include "spmv/gpu/device_work.h"
#include "spmv/gpu/ell_steps.h"
#include "spmv/row_steps.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double stored = f->rows * f->longest_row_a, padded = f->nnz_a > 0 ? stored / f->nnz_a : 1;
    double bytes = spl__spmv_device_entries(task, sizeof(int32_t)) * padded;
    spl__device_work work = spl__spmv_device_work(task, bytes);
    work.longest = task->plan->gpu_machine->spmv_ell_chain * f->longest_row_a;
    spl__spmv_device_predict(task, &work, bytes, 2 + 4 * padded, e);
    /* one kernel */
    e->setup += task->plan->gpu_machine->ell_setup - task->plan->gpu_machine->copy_setup;
}

static spl_status prepare(spl__step *step)
{
    spl__ell_state *s;
    spl__problem *p = &step->task.plan->problem;
    SPL__TRY(spl__ell_steps_prepare(step, &s));
    return spl__device_ell_make(&p->queue, &p->a.csr,
                                (int64_t)step->task.plan->features.longest_row_a, &s->ell);
}

const spl__method spl__spmv_compute_gpu_ell = {
    .summary = "ELL: a copy with every row padded to the longest, a thread per row",
    .source = "N. Bell, M. Garland, SC'09; S2",
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
