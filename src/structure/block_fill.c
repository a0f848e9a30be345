/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/block_fill.h"

#include "core/checked.h"
#include "format/bsr.h"

#include <math.h>

/* Stretches are aligned to blocks of all sizes. */
enum { STRETCH = SPL__BLOCK_MULTIPLE, STRETCHES = 8, STRETCH_SHARE = 64, LITTLE = 20000 };

typedef struct counts {
    int64_t entries, blocks[SPL__BLOCK_MOST + 1];
} counts;

/* Skips stretches of more than `most` entries. False: columns of a row do not ascend. */
static bool count_stretch(const spl_sparse *csr, int64_t begin, int64_t end, int64_t most,
                          counts *c)
{
    int64_t entries = spl__index_at(csr->offsets, csr->offset_type, end) -
                      spl__index_at(csr->offsets, csr->offset_type, begin);
    if (entries > most)
        return true;
    c->entries += entries;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++) {
        int64_t blocks = spl__bsr_count(csr, size, begin / size, end / size);
        if (blocks < 0)
            return false;
        c->blocks[size] += blocks;
    }
    return true;
}

static spl__block_fill fill_of(const counts *c)
{
    spl__block_fill fill = {{0}};
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        if (c->blocks[size] > 0)
            fill.fill[size] = (double)c->entries / ((double)c->blocks[size] * size * size);
    return fill;
}

bool spl__block_fill_below(const spl__block_fill *fill, double least)
{
    double best = 0;
    for (int size = 2; size <= SPL__BLOCK_MOST; size++)
        best = fmax(best, fill->fill[size]);
    return best < least;
}

spl__block_fill spl__block_fill_sampled(const spl_sparse *csr, double least, bool asked)
{
    const spl__block_fill none = {{0}};
    spl__block_fill fill = none;
    counts c = {0};
    int64_t all = csr->rows / STRETCH, stretches = spl__min_i64(STRETCHES, all);
    int64_t most = asked ? INT64_MAX : spl__max_i64(LITTLE, csr->nnz / STRETCH_SHARE);
    if (all == 0)
        return count_stretch(csr, 0, csr->rows, most, &c) ? fill_of(&c) : none;
    for (int64_t k = 0; k < stretches && (k < 2 || c.entries < most); k++) {
        int64_t begin = (all * (2 * k + 1) / (2 * stretches)) * STRETCH;
        if (!count_stretch(csr, begin, begin + STRETCH, most, &c))
            return none;
        fill = fill_of(&c);
        if (k == 1 && spl__block_fill_below(&fill, least))
            return none;
    }
    return fill;
}
