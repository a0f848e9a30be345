/* SPDX-License-Identifier: Apache-2.0 */
/* block_sample.c: whether A and B consist of holed blocks with few holes, from a few stretches of
 * their rows. Structure only, the same for any number of threads.
 *
 * Cost: a sample of each operand; if blocks are found, one pass over all columns. */
#include "format/bsr.h"
#include "matrix/view.h"
#include "plan/forced.h"
#include "spgemm/product.h"
#include "structure/block_fill.h"

#include <math.h>

enum { LEAST_PRODUCTS = 32768 }; /* of a single product */

/* Checks all of A and B, since a sample proves nothing. */
static bool can_be_blocks(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__watch *watch = spl__account_watch(&plan->account);
    bool same = spl__view_same_structure(&p->a.csr, &p->b.csr);
    return spl__bsr_serves(watch, &p->a.csr, p->threads) &&
           (same || spl__bsr_serves(watch, &p->b.csr, p->threads));
}

static bool divides(const void *problem, int size)
{
    const spl__problem *p = problem;
    return p->rows % size == 0 && p->inner % size == 0 && p->cols % size == 0;
}

void spl__sample_blocks(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__machine *m = plan->machine;
    spl__features *f = &plan->features;
    bool asked = spl__attribute_is_forced(plan, SPL__PROCESSOR_cpu, SPL__OF_BLOCKS);
    double least_fill = asked ? 0 : m->holed_fill;
    f->holed_block_size = f->block_fill_a = f->block_fill_b = 1;
    /* A sample takes as long as some ten thousand products. */
    if (spl__problem_is_single(p) && f->products < LEAST_PRODUCTS && !asked)
        return;
    /* Each thread has an array as wide as C. */
    if ((f->nnz_a < m->holed_row * f->rows || f->nnz_b < f->cols) && !asked)
        return;
    /* Blocks of B have two entries in a row at least, or holes. */
    if (f->nnz_b < 2 * f->inner && !asked)
        return;
    const bool same = spl__view_same_structure(&p->a.csr, &p->b.csr);
    const spl__block_wish wish = {least_fill, asked, same, divides, p};
    spl__block_fill a = spl__block_fill_sampled(&p->a.csr, &wish), b = a;
    if (!same && !spl__block_fill_below(&a, least_fill))
        b = spl__block_fill_sampled(&p->b.csr, &wish);
    double least = INFINITY;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        double of_a = a.fill[size], of_b = b.fill[size],
               steps = spl__block_steps(size, of_a * of_b);
        const double fill = asked ? 0 : fmax(least_fill, m->holed_beside / size);
        if (of_a < fill || of_b < fill || steps >= least) /* of blocks that are not counted, too */
            continue;
        least = steps;
        f->holed_block_size = size;
        f->block_fill_a = of_a;
        f->block_fill_b = of_b;
    }
    if (f->holed_block_size > 1 && !can_be_blocks(plan))
        f->holed_block_size = f->block_fill_a = f->block_fill_b = 1;
}
