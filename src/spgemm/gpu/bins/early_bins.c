/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/bins/early_bins.h"

#include "device/device.h"

static bool same_shape(const spl__row_shape *a, const spl__row_shape *b)
{
    return a->kind == b->kind && a->team == b->team && a->threads == b->threads &&
           a->most == b->most && a->most_work == b->most_work && a->sparsest == b->sparsest &&
           a->rows == b->rows;
}

bool spl__early_bins_are(const spl__early_bins *early, const spl__row_shapes *shapes,
                         spl__window_bytes bytes, bool known)
{
    bool same = early->shapes.count == shapes->count && early->known == known &&
                early->bytes.word == bytes.word && early->bytes.entry == bytes.entry;
    for (int g = 0; g < shapes->count && same; g++)
        same = same_shape(&early->shapes.shape[g], &shapes->shape[g]);
    return same;
}

size_t spl__early_bins_notes(const spl__early_bins *early)
{
    return (size_t)((const char *)early->sums - (const char *)early->notes);
}

spl_status spl__early_bins_begin(spl_plan *plan, spl__early_bins *early, spl__phase phase,
                                 const void *notes, struct spgemm_bin_sums *sums,
                                 const spl__bins_along *along)
{
    spl__row_set all = spl__all_rows(plan);
    spl__early_bins_free(plan, early);
    early->notes = notes;
    early->sums = sums;
    early->along = along;
    return spl__plan_enqueue_early(plan, phase, &all);
}

void spl__early_bins_free(spl_plan *plan, spl__early_bins *early)
{
    (void)spl__queue_collect(&plan->problem.queue, &early->report, NULL);
    spl__queue_free(&plan->problem.queue, &early->bin_of);
    spl__queue_free(&plan->problem.queue, &early->rows);
    early->shapes.count = 0;
}
