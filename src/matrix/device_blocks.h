/* SPDX-License-Identifier: Apache-2.0 */
/* device_blocks.h: dense square blocks that a matrix on a device is made of, as finite elements with several unknowns per node leave them.
 *
 * If `size` divides rows, columns, the number of every row whose columns differ from those of the row before, and every column where a run of
 * neighbouring columns begins or ends, then each `size` rows have the same columns, which come in runs of `size`: entries are the entries of dense
 * blocks, and a row of blocks has its values in `size` stretches, one for each of its rows. The structure of blocks is CSR again. */
#ifndef SPL_MATRIX_DEVICE_BLOCKS_H
#define SPL_MATRIX_DEVICE_BLOCKS_H

#include "device/device.h"

/* The largest block size that all `count` CSR matrices on the queue's device have, at most `most`; 1 if there is no other. Waits once, but not if
 * their dimensions say that there is none. */
spl_status spl__device_block_size(spl__queue *queue, const spl_sparse *const *matrices, int count, int32_t most,
                                  int32_t *size);

/* A matrix in blocks: csr has their structure and the matrix' own values. */
typedef struct spl__device_blocks {
    spl_sparse csr;
    spl__device_array offsets, columns;
} spl__device_blocks;

/* The structure of blocks of `size`, which must be one of the matrix'. On failure spl__device_blocks_free cleans up. */
spl_status spl__device_blocks_make(spl__queue *queue, const spl_sparse *csr, int32_t size, spl__device_blocks *blocks);
void spl__device_blocks_free(spl__queue *queue, spl__device_blocks *blocks);

#endif
