/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/holed_blocks.h"

#include "matrix/block_fill.h"
#include "matrix/bsr.h"
#include "plan/forced.h"

#include <math.h>

double spl__spmv_place_seconds(const spl__machine *m, double size)
{
    return m->spmv_masked_place + m->spmv_masked_block / (size * size);
}

/* The same for an entry where so many places are entries, with the time to read it. */
static double entry_seconds(const spl_plan *plan, double size, double fill)
{
    const spl_sparse *a = &plan->problem.a.csr;
    double bytes = (double)spl__type_size(a->type) + (double)spl__index_size(a->index_type) / (size * size);
    double rate = plan->machine->cache_bandwidth * plan->machine->spmv_one_stream;
    return (spl__spmv_place_seconds(plan->machine, size) + bytes / rate) / fill;
}

void spl__spmv_find_blocks(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__machine *m = plan->machine;
    spl__features *f = &plan->features;
    bool asked = spl__method_listed(p->options.method, "spmv/compute/cpu/masked_blocks");
    bool gains = !spl__problem_is_single(p) && f->nnz_a >= m->masked_row * f->rows;
    f->holed_block_size = f->block_fill_a = 1;
    if (p->queue.device || p->by_columns || p->a.csr.nnz == 0 || !(gains || asked))
        return;
    double least_fill = asked ? 0 : m->masked_fill, least = INFINITY;
    spl__block_fill a = spl__block_fill_sampled(&p->a.csr, least_fill, asked);
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        if (!(a.of[size] > 0) || a.of[size] < least_fill || entry_seconds(plan, size, a.of[size]) >= least)
            continue;
        least = entry_seconds(plan, size, a.of[size]);
        f->holed_block_size = size;
        f->block_fill_a = a.of[size];
    }
    /* What a sample has seen is no promise. */
    if (f->holed_block_size > 1 && !spl__bsr_serves(&p->a.csr, p->threads))
        f->holed_block_size = f->block_fill_a = 1;
}
