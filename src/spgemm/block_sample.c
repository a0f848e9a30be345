/* SPDX-License-Identifier: Apache-2.0 */
/* block_sample.c: whether A and B are made of dense blocks with few holes, from a few stretches of their rows. Structure only, the same for any number of threads.
 *
 * Cost: blocks of five sizes counted in at most 480 rows of each operand, and, but in small ones, in at most an eighth of its entries; where they are found, one
 * look at all columns. */
#include "core/checked.h"
#include "matrix/block_size.h"
#include "matrix/bsr.h"
#include "matrix/view.h"
#include "plan/forced.h"
#include "spgemm/product.h"

#include <math.h>

/* A stretch begins where blocks of all sizes do. */
enum { STRETCH = SPL__BLOCK_MULTIPLE, STRETCHES = 8, STRETCH_SHARE = 64, LITTLE = 20000 };

typedef struct fills {
    int64_t entries, blocks[SPL__BLOCK_MOST + 1];
} fills;

/* Leaves stretches out that have more than `most` entries. False: columns of a row do not ascend. */
static bool count_stretch(const spl_sparse *csr, int64_t begin, int64_t end, int64_t most, fills *f)
{
    int64_t entries =
        spl__index_at(csr->offsets, csr->offset_type, end) - spl__index_at(csr->offsets, csr->offset_type, begin);
    if (entries > most)
        return true;
    f->entries += entries;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        int64_t blocks = spl__bsr_count(csr, size, begin / size, end / size);
        if (blocks < 0)
            return false;
        f->blocks[size] += blocks;
    }
    return true;
}

/* The share of places that are entries. */
static double fill_of(const fills *f, int size)
{
    return f->blocks[size] > 0 ? (double)f->entries / ((double)f->blocks[size] * size * size) : 0;
}

static bool hopeless(const fills *f, double least)
{
    double best = 0;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        best = fmax(best, fill_of(f, size));
    return best < least;
}

/* Zeros if columns do not ascend, or if the first stretches look hopeless. Of long rows fewer stretches are counted, or none unless `asked`. */
static fills sample(const spl_sparse *csr, double least, bool asked)
{
    fills f = {0};
    int64_t all = csr->rows / STRETCH, stretches = spl__min_i64(STRETCHES, all);
    int64_t most = asked ? INT64_MAX : spl__max_i64(LITTLE, csr->nnz / STRETCH_SHARE);
    if (all == 0)
        return count_stretch(csr, 0, csr->rows, most, &f) ? f : (fills){0};
    for (int64_t k = 0; k < stretches && (k < 2 || f.entries < most); k++) {
        int64_t begin = (all * (2 * k + 1) / (2 * stretches)) * STRETCH;
        if (!count_stretch(csr, begin, begin + STRETCH, most, &f) || (k == 1 && hopeless(&f, least)))
            return (fills){0};
    }
    return f;
}

/* All of A and B, where it matters: what a sample has seen is no promise. */
static bool can_be_blocks(const spl__problem *p)
{
    bool same = spl__view_same_structure(&p->a.csr, &p->b.csr);
    return spl__bsr_serves(&p->a.csr, p->threads) && (same || spl__bsr_serves(&p->b.csr, p->threads));
}

static bool divides(const spl__problem *p, int size)
{
    return p->rows % size == 0 && p->inner % size == 0 && p->cols % size == 0;
}

static bool is_asked_for(const char *methods)
{
    return methods && (spl__method_listed(methods, "spgemm/symbolic/cpu/masked_blocks") ||
                       spl__method_listed(methods, "spgemm/numeric/cpu/masked_blocks"));
}

void spl__sample_blocks(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__machine *m = plan->machine;
    spl__features *f = &plan->features;
    bool asked = is_asked_for(p->options.method);
    double least_fill = asked ? 0 : m->masked_fill;
    f->holed_block_size = f->block_fill_a = f->block_fill_b = 1;
    /* Threads have an array as wide as C. */
    if ((f->nnz_a < m->masked_row * f->rows || f->nnz_b < f->cols) && !asked)
        return;
    fills a = sample(&p->a.csr, least_fill, asked);
    fills b = spl__view_same_structure(&p->a.csr, &p->b.csr) || hopeless(&a, least_fill)
                  ? a
                  : sample(&p->b.csr, least_fill, asked);
    double least = INFINITY;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        double of_a = fill_of(&a, size), of_b = fill_of(&b, size), steps = spl__block_steps(size, of_a * of_b);
        if (!divides(p, size) || of_a < least_fill || of_b < least_fill || steps >= least)
            continue;
        least = steps;
        f->holed_block_size = size;
        f->block_fill_a = of_a;
        f->block_fill_b = of_b;
    }
    if (f->holed_block_size > 1 && !can_be_blocks(p))
        f->holed_block_size = f->block_fill_a = f->block_fill_b = 1;
}
