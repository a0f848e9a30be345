/* SPDX-License-Identifier: Apache-2.0 */
/* features_blocks.c: whether A consists of holed blocks with few holes, for products with dense
 * operands. */
#include "format/bsr.h"
#include "plan/forced.h"
#include "structure/block_fill.h"

#include <math.h>

static void no_blocks(spl__features *f)
{
    f->holed_block_size = f->block_fill_a = 1;
}

/* Chooses the size with the least time among those that are full enough. */
static void choose_size(spl_plan *plan, const spl__block_fill *a, double least_fill,
                        spl__block_seconds seconds)
{
    spl__features *f = &plan->features;
    double least = INFINITY;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        if (!(a->fill[size] > 0) || a->fill[size] < least_fill ||
            seconds(plan, size, a->fill[size]) >= least)
            continue;
        least = seconds(plan, size, a->fill[size]);
        f->holed_block_size = size;
        f->block_fill_a = a->fill[size];
    }
}

void spl__features_of_blocks(spl_plan *plan, spl__block_seconds seconds)
{
    const spl__problem *p = &plan->problem;
    const spl__machine *m = plan->machine;
    spl__features *f = &plan->features;
    bool asked = spl__attribute_is_forced(plan, SPL__PROCESSOR_cpu, SPL__OF_BLOCKS);
    bool gains = !spl__problem_is_single(p) && f->nnz_a >= m->holed_row * f->rows;
    no_blocks(f);
    if (p->queue.device || p->by_columns || p->a.csr.nnz == 0 || !(gains || asked))
        return;
    double least_fill = asked ? 0 : m->holed_fill;
    const spl__block_wish wish = {.least = least_fill, .asked = asked, .best = true};
    spl__block_fill a = spl__block_fill_sampled(&p->a.csr, &wish);
    choose_size(plan, &a, least_fill, seconds);
    /* A sample proves nothing: check all of A. */
    if (f->holed_block_size > 1 &&
        !spl__bsr_serves(spl__account_watch(&plan->account), &p->a.csr, p->threads))
        no_blocks(f);
}
