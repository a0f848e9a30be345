/* SPDX-License-Identifier: Apache-2.0 */
/* block_fill.h: the fill of blocks of several sizes in a CSR matrix on the host, from a few
 * stretches of its rows. */
#ifndef SPL_STRUCTURE_BLOCK_FILL_H
#define SPL_STRUCTURE_BLOCK_FILL_H

#include "structure/block_size.h"

/* fill[size]: entries per slot of blocks of `size` rows and columns, sizes 2 to SPL__BLOCK_MOST;
 * 0: not counted. */
typedef struct spl__block_fill {
    double fill[SPL__BLOCK_MOST + 1];
} spl__block_fill;

/* What blocks are wanted for. */
typedef struct spl__block_wish {
    double least; /* fill of blocks that serve */
    bool asked;   /* the caller wants blocks, however long it takes to look */
    bool best;    /* sizes that hold no more than a larger one do not serve */
    /* whether blocks of a size can be used; NULL: all can */
    bool (*divides)(const void *context, int size);
    const void *context;
} spl__block_wish;

/* All 0 if columns do not ascend. Sizes that do not divide are not counted; nor, after two
 * stretches, those that do not serve. Fewer stretches are counted where rows are long, or none
 * unless asked. Depends on structure only, not on the number of threads. Cost: blocks of up to five
 * sizes counted in 120 rows, and of those that are left in 480 at most, of some 8,000 entries or a
 * 64th of all. */
spl__block_fill spl__block_fill_sampled(const spl_sparse *csr, const spl__block_wish *wish);
/* Whether the fill of all sizes is below `least`. */
bool spl__block_fill_below(const spl__block_fill *fill, double least);

#endif
