/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/block_fill.h"

#include "core/checked.h"
#include "format/bsr.h"

#include <math.h>

/* Stretches are aligned to blocks of all sizes. */
enum { STRETCH = SPL__BLOCK_MULTIPLE, STRETCHES = 8, STRETCH_SHARE = 64, LITTLE = 8000 };

typedef struct counts {
    unsigned sizes; /* those that are counted on, a bit each */
    int64_t entries[SPL__BLOCK_MOST + 1], blocks[SPL__BLOCK_MOST + 1];
} counts;

static unsigned sizes_that_divide(const spl__block_wish *wish)
{
    unsigned sizes = 0;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        sizes |= (unsigned)(!wish->divides || wish->divides(wish->context, size)) << size;
    return sizes;
}

/* Skips stretches of more than `most` entries. False: columns of a row do not ascend. */
static bool count_stretch(const spl_sparse *csr, int64_t begin, int64_t end, int64_t most,
                          counts *c)
{
    int64_t entries = spl__index_at(csr->offsets, csr->offset_type, end) -
                      spl__index_at(csr->offsets, csr->offset_type, begin);
    if (entries > most)
        return true;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        if (!(c->sizes >> size & 1))
            continue;
        int64_t blocks = spl__bsr_count(csr, size, begin / size, end / size);
        if (blocks < 0)
            return false;
        c->entries[size] += entries;
        c->blocks[size] += blocks;
    }
    return true;
}

static spl__block_fill fill_of(const counts *c)
{
    spl__block_fill fill = {{0}};
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        if (c->blocks[size] > 0)
            fill.fill[size] = (double)c->entries[size] / ((double)c->blocks[size] * size * size);
    return fill;
}

bool spl__block_fill_below(const spl__block_fill *fill, double least)
{
    double best = 0;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        best = fmax(best, fill->fill[size]);
    return best < least;
}

/* Stops counting blocks of sizes that do not serve. */
static void leave_out(counts *c, const spl__block_wish *wish)
{
    const spl__block_fill fill = fill_of(c);
    double least = wish->least;
    for (int size = SPL__BLOCK_MOST; size >= 2; size--) {
        if (fill.fill[size] < least) {
            c->sizes &= ~(1U << size);
            c->blocks[size] = 0;
        }
        if (wish->best)
            least = fmax(least, fill.fill[size]);
    }
}

/* As many stretches as have `most` entries, two at least. */
static int64_t stretches_of(const spl_sparse *csr, int64_t most)
{
    const int64_t mean = csr->nnz / csr->rows + 1, few = spl__max_i64(2, most / (mean * STRETCH));
    return spl__min_i64(spl__min_i64(STRETCHES, few), csr->rows / STRETCH);
}

spl__block_fill spl__block_fill_sampled(const spl_sparse *csr, const spl__block_wish *wish)
{
    const spl__block_fill none = {{0}};
    counts c = {.sizes = sizes_that_divide(wish)};
    const int64_t all = csr->rows / STRETCH, most = spl__max_i64(LITTLE, csr->nnz / STRETCH_SHARE),
                  longest = wish->asked ? INT64_MAX : most; /* stretch */
    if (all == 0)
        return count_stretch(csr, 0, csr->rows, longest, &c) ? fill_of(&c) : none;
    const int64_t stretches = stretches_of(csr, most);
    for (int64_t k = 0; k < stretches && c.sizes != 0; k++) {
        int64_t begin = (all * (2 * k + 1) / (2 * stretches)) * STRETCH;
        if (!count_stretch(csr, begin, begin + STRETCH, longest, &c))
            return none;
        if (k == 1)
            leave_out(&c, wish);
    }
    return fill_of(&c);
}
