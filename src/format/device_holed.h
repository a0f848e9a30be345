/* SPDX-License-Identifier: Apache-2.0 */
/* device_holed.h: a matrix on a device in dense square blocks that have holes: entries that
 * assembly left out, unknowns that are fixed.
 *
 * Unlike the blocks of device_blocks.h these need not be full: a mask tells which places of a block
 * are entries (bit i*size + j), and a copy of the values has zeros in the others. Rows of blocks
 * have their values in `size` stretches, as if all places were entries of CSR. Source: R. Vuduc, J.
 * Demmel, K. Yelick, OSKI: a library of automatically tuned sparse matrix kernels, J. Phys. Conf.
 * Ser. 16, 2005. Differs: the masks, so that what was filled in never becomes an entry of a
 * product. */
#ifndef SPL_FORMAT_DEVICE_HOLED_H
#define SPL_FORMAT_DEVICE_HOLED_H

#include "device/device.h"
#include "format/device_holed.k.h"

/* Adds to *fills what a sample of the CSR matrix' rows of blocks has of each size that divides rows
 * and columns. Enqueues one kernel. */
spl_status spl__device_block_fills(spl__queue *queue, const spl_sparse *csr,
                                   struct device_block_fills *fills);

/* The share of the places of blocks of that size which are entries; 0 if it does not divide rows
 * and columns. */
double spl__device_block_fill(const struct device_block_fills *fills, int size);

typedef struct spl__device_holed {
    /* structure of blocks, columns ascend; values: the filled copy, T[csr.nnz*size*size] */
    spl_sparse csr;
    spl__device_array offsets, columns, masks, values;
    double products; /* of the matrix with the inner one */
} spl__device_holed;

/* The structure in blocks of `size`, 2 to DEVICE_MOST_HOLED, which divides rows and columns. inner:
 * the matrix to the right, whose products are counted; NULL: they are not. Values are not set.
 * Waits once. SPL_UNSUPPORTED: places of blocks beyond what offsets number, columns of a row that
 * do not ascend. On failure spl__device_holed_free cleans up. */
spl_status spl__device_holed_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl_sparse *inner, spl__device_holed *holed);
/* Copies the matrix' values, which alpha is going to scale, or beta if it is an addend; if that is
 * zero, none is read. *odd, on the device, becomes 1 if the scalar is not finite, or a value of a
 * factor: a hole times that would not be zero. Enqueues. */
spl_status spl__device_holed_fill(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *holed,
                                  const spl__device_scalars *scalars, bool is_addend,
                                  uint32_t *odd);
/* Copies the matrix' values, whatever they are going to be multiplied by. Enqueues. */
spl_status spl__device_holed_copy(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *holed);
void spl__device_holed_free(spl__queue *queue, spl__device_holed *holed);

#endif
