/* SPDX-License-Identifier: Apache-2.0 */
/* device_blocks.h: node blocks: full dense square blocks that a matrix on a device consists of, as
 * in finite elements with several unknowns per node.
 *
 * If `size` divides rows, columns, the number of every row whose columns differ from those of
 * the previous row, and every column where a run of neighbouring columns begins or ends, then
 * groups of `size` rows have the same columns, in runs of a multiple of `size`: the entries form
 * dense blocks. The values of a row of blocks are in `size` stretches, one per row. The
 * structure of blocks is CSR again. */
#ifndef SPL_STRUCTURE_DEVICE_BLOCKS_H
#define SPL_STRUCTURE_DEVICE_BLOCKS_H

#include "device/device.h"

/* The greatest common divisor of 60 and both dimensions: block sizes divide it (60 has the sizes
 * from 2 to 6 as divisors). 1: there are none. csr_survey.h searches further. */
uint32_t spl__device_blocks_multiple(const spl_sparse *csr);
/* The largest common block size of `count` matrices, at most `most` (6 or less), from the result
 * for each; 1: none. */
int32_t spl__device_block_size(const spl_sparse *const *matrices, const int64_t *found, int count,
                               int32_t most);

/* A matrix in blocks: csr has the block structure and the matrix' own values. */
typedef struct spl__device_blocks {
    spl_sparse csr;
    spl__device_array offsets, columns;
} spl__device_blocks;

/* Makes the block structure for `size`, which must be a block size of the matrix. On failure
 * spl__device_blocks_free cleans up. */
spl_status spl__device_blocks_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                   spl__device_blocks *blocks);
void spl__device_blocks_free(spl__queue *queue, spl__device_blocks *blocks);

#endif
