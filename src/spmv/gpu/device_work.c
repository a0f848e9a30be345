/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/device_work.h"

#include "core/types.h"

static double value_bytes(const spl__task *task)
{
    return (double)spl__type_size(task->plan->problem.a.csr.type);
}

spl__device_work spl__spmv_device_work(const spl__task *task, double matrix_bytes)
{
    const spl__features *f = &task->plan->features;
    double value = value_bytes(task);
    return (spl__device_work){.streamed = matrix_bytes + f->rows * value,
                              .reused = true,
                              .gathered = f->nnz_a * value,
                              .reach = f->inner * value,
                              .launches = 1};
}

double spl__spmv_device_entries(const spl__task *task, double column)
{
    return task->plan->features.nnz_a * (value_bytes(task) + column);
}

bool spl__spmv_values_are(const spl_plan *plan, unsigned forms)
{
    return forms >> plan->problem.a.value_form.form & 1;
}

static bool predicts_narrow(const spl_plan *plan, unsigned forms)
{
    return !plan->problem.options.deterministic && spl__spmv_values_are(plan, forms);
}

double spl__spmv_device_narrow_entries(const spl__task *task, double column, unsigned forms)
{
    const spl_plan *plan = task->plan;
    if (!predicts_narrow(plan, forms))
        return spl__spmv_device_entries(task, column);
    return plan->features.nnz_a * (plan->features.value_bytes + column);
}

double spl__spmv_device_look(const spl__task *task, unsigned forms)
{
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double units = task->plan->problem.queue.device->properties.units;
    return predicts_narrow(task->plan, forms)
               ? 2 * m->launch_host + spl__spmv_device_entries(task, 0) / m->bandwidth / units
               : 0;
}

spl_status spl__spmv_launch(spl__queue *queue, const char *name, const spl_sparse *csr,
                            int64_t items, int threads, const void *args, size_t bytes)
{
    spl__launch l = {
        .blocks = spl__blocks_for(queue, items, threads), .threads = threads, .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, csr->type, csr->offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

double spl__spmv_device_offsets(const spl__task *task)
{
    return task->plan->features.rows *
           (double)spl__index_size(task->plan->problem.a.csr.offset_type);
}

void spl__spmv_device_predict(const spl__task *task, const spl__device_work *work, double bytes,
                              double passes, spl__estimate *e)
{
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double units = task->plan->problem.queue.device->properties.units;
    double entries = spl__spmv_device_entries(task, sizeof(int32_t));
    e->seconds = spl__device_seconds(task, work) + (bytes > 0 ? m->event : 0);
    e->bytes = bytes;
    e->setup = passes > 0 ? m->copy_setup + passes * entries / m->bandwidth / units : 0;
}
