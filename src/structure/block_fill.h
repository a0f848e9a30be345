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

/* All 0 if columns do not ascend, or if the first stretches yield less than `least` for each
 * size. Fewer stretches are counted where rows are long, or none unless `asked`. Depends on
 * structure only, not on the number of threads. Cost: blocks of five sizes counted in at most
 * 480 rows, and, except in small matrices, in at most an eighth of the entries. */
spl__block_fill spl__block_fill_sampled(const spl_sparse *csr, double least, bool asked);
/* Whether the fill of all sizes is below `least`. */
bool spl__block_fill_below(const spl__block_fill *fill, double least);

#endif
