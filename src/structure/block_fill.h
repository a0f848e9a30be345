/* SPDX-License-Identifier: Apache-2.0 */
/* block_fill.h: how full the blocks of a CSR matrix on the host are, for blocks of several sizes,
 * from a few stretches of its rows. */
#ifndef SPL_STRUCTURE_BLOCK_FILL_H
#define SPL_STRUCTURE_BLOCK_FILL_H

#include "structure/block_size.h"

/* of[size]: entries per place of blocks of so many rows and columns, sizes 2 to SPL__BLOCK_MOST; 0:
 * nothing was counted. */
typedef struct spl__block_fill {
    double fill[SPL__BLOCK_MOST + 1];
} spl__block_fill;

/* All 0 if columns do not ascend, or if the first stretches promise less than `least` for each
 * size. Of long rows fewer stretches are counted, or none unless `asked`. Structure only, the same
 * for any number of threads. Cost: blocks of five sizes counted in at most 480 rows, and, but in
 * small matrices, in at most an eighth of the entries. */
spl__block_fill spl__block_fill_sampled(const spl_sparse *csr, double least, bool asked);
/* Whether no size is as full as that. */
bool spl__block_fill_below(const spl__block_fill *fill, double least);

#endif
