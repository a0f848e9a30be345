/* SPDX-License-Identifier: Apache-2.0 */
/* device_blocks.h: dense square blocks that a matrix on a device is made of, as finite elements
 * with several unknowns per node leave them.
 *
 * If `size` divides rows, columns, the number of every row whose columns differ from those of the
 * row before, and every column where a run of neighbouring columns begins or ends, then each `size`
 * rows have the same columns, which come in runs of `size`: entries are the entries of dense
 * blocks, and a row of blocks has its values in `size` stretches, one for each of its rows. The
 * structure of blocks is CSR again. */
#ifndef SPL_STRUCTURE_DEVICE_BLOCKS_H
#define SPL_STRUCTURE_DEVICE_BLOCKS_H

#include "device/device.h"

/* Enqueues a gcd: *common, initially 0, becomes the greatest common divisor of 60 and of every
 * row or column number where a block boundary must lie (60 has the sizes from 2 to 6 as
 * divisors). If the dimensions alone leave no size but 1, nothing is enqueued and *common stays
 * 0. */
spl_status spl__device_blocks_look(spl__queue *queue, const spl_sparse *csr, uint32_t *common);
/* The largest block size, at most `most` (6 or less), of `count` matrices, from what was found for
 * each: 1 if there is no other. */
int32_t spl__device_block_size(const spl_sparse *const *matrices, const int64_t *found, int count,
                               int32_t most);

/* A matrix in blocks: csr has their structure and the matrix' own values. */
typedef struct spl__device_blocks {
    spl_sparse csr;
    spl__device_array offsets, columns;
} spl__device_blocks;

/* The structure of blocks of `size`, which must be one of the matrix'. On failure
 * spl__device_blocks_free cleans up. */
spl_status spl__device_blocks_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                   spl__device_blocks *blocks);
void spl__device_blocks_free(spl__queue *queue, spl__device_blocks *blocks);

#endif
