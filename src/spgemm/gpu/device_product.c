/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_product.h"

#include "device/device.h"

spl__device_product *spl__device_product_of(const spl_plan *plan)
{
    return plan->state;
}

spl_status spl__product_kernel(const spl_plan *plan, const char *name, const spl__kernel **kernel)
{
    const spl_sparse *a = &plan->problem.a.csr; /* of integers the structure alone is looked at */
    const spl_type type = spl__type_is_integer(a->type) ? SPL_F64 : a->type;
    return spl__queue_kernel(&plan->problem.queue, name, type, a->offset_type, kernel);
}

spl_status spl__product_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                               size_t bytes)
{
    spl__queue *queue = &plan->problem.queue;
    spl__launch launch = {.blocks = spl__blocks_at_once(queue, items, SPGEMM_ROWS_THREADS),
                          .threads = SPGEMM_ROWS_THREADS,
                          .args = args};
    SPL__TRY(spl__product_kernel(plan, name, &launch.kernel));
    return spl__queue_launch(queue, &launch, bytes);
}

spl_status spl__device_kept_begin(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    const spl__form *form = &device_c->form;
    if (device_c->kept_starts.data || form->kind->refuses[SPL__BY_ENTRIES] ||
        form->b.cols >= SPGEMM_MOST_KEYED_COLUMNS || spl__queue_has_budget(queue))
        return SPL_OK;
    spl_status status =
        spl__queue_alloc(queue, form->a.rows, sizeof(int64_t), &device_c->kept_starts);
    return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

void spl__device_kept_free(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__queue_free(&plan->problem.queue, &device_c->kept_positions);
    spl__queue_free(&plan->problem.queue, &device_c->kept_starts);
}
