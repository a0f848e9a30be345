/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/device_holed_blocks.h"

#include "core/types.h"
#include "format/device_holed.h"
#include "plan/forced.h"

#include <math.h>

/* Identical rows are used without a copy. */
static bool may_gain(const spl_plan *plan)
{
    const double weight = 0.33;
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__features *f = &plan->features;
    return !spl__problem_is_single(&plan->problem) && f->nnz_a >= m->spmv_holed_entries &&
           f->nnz_a >= m->spmv_holed_row * f->rows && !(f->block_size > 1) &&
           !(f->repeated_sampled > weight);
}

static spl_status take_sample(spl__queue *queue, const spl_sparse *a,
                              struct device_block_fills *fills)
{
    spl__device_array device_array;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *fills, &device_array));
    spl_status status = spl__queue_fill(queue, device_array.data, 0, sizeof *fills);
    if (status == SPL_OK)
        status = spl__device_block_fills(queue, a, device_array.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, fills, device_array.data, sizeof *fills);
    spl__queue_free(queue, &device_array);
    return status;
}

/* Bytes per entry if the share `fill` of slots are entries: read, and of x through L2. */
static double entry_bytes(const spl_sparse *a, int size, double fill)
{
    double value = (double)spl__type_size(a->type);
    return (value + sizeof(int32_t) / (double)(size * size) + value / size) / fill;
}

spl_status spl__spmv_find_device_blocks(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    const spl_sparse *a = &p->a.csr;
    spl__features *f = &plan->features;
    bool asked = spl__attribute_is_forced(plan, SPL__PROCESSOR_gpu, SPL__OF_BLOCKS);
    double least_fill = asked ? 0 : plan->gpu_machine->spmv_holed_fill, least = INFINITY;
    struct device_block_fills fills;
    if (!p->queue.device || p->by_columns || a->nnz == 0 || !(asked || may_gain(plan)))
        return SPL_OK;
    SPL__TRY(spl__features_of_order(p));
    if (!p->a.survey.ascends)
        return SPL_OK;
    SPL__TRY(take_sample(&p->queue, a, &fills));
    for (int size = 2; size <= DEVICE_MOST_HOLED; size++) {
        double fill = spl__device_block_fill(&fills, size);
        if (!(fill > 0) || fill < least_fill || entry_bytes(a, size, fill) >= least)
            continue;
        least = entry_bytes(a, size, fill);
        f->holed_block_size = size;
        f->block_fill_a = fill;
    }
    return SPL_OK;
}
