/* SPDX-License-Identifier: Apache-2.0 */
/* device_holed.h: a matrix on a device in holed blocks: dense square blocks with gaps, from entries
 * that assembly left out or unknowns that are fixed.
 *
 * Unlike node blocks (device_blocks.h) they need not be full: a mask marks the slots of a block
 * that are entries (bit i*size + j), and a copy of the values has zeros in the others. The
 * values of a row of blocks are in `size` stretches, as if all slots were entries of CSR.
 * Source: R. Vuduc, J. Demmel, K. Yelick, OSKI: a library of automatically tuned sparse matrix
 * kernels, J. Phys. Conf. Ser. 16, 2005. Differs: the masks, so that fill-in never becomes an
 * entry of a product. */
#ifndef SPL_FORMAT_DEVICE_HOLED_H
#define SPL_FORMAT_DEVICE_HOLED_H

#include "device/device.h"
#include "format/device_holed.k.h"

/* Adds to *fills the blocks and entries in a sample of the CSR matrix' rows of blocks, for each
 * size that divides rows and columns. Enqueues one kernel. */
spl_status spl__device_block_fills(spl__queue *queue, const spl_sparse *csr,
                                   struct device_block_fills *fills);

/* The share of the slots of blocks of that size that are entries; 0 if the size does not divide
 * rows and columns. */
double spl__device_block_fill(const struct device_block_fills *fills, int size);

typedef struct spl__device_holed {
    /* structure of blocks, columns ascend; values: the filled copy, T[csr.nnz*size*size] */
    spl_sparse csr;
    spl__device_array offsets, columns, masks, values;
    double products; /* of the matrix with the inner one */
} spl__device_holed;

/* Makes the structure in blocks of `size`, from 2 to DEVICE_MOST_HOLED, which must divide rows
 * and columns. inner: the matrix to the right, for the count of products; NULL: not counted.
 * Values are not set. Waits once. SPL_UNSUPPORTED: more slots than the type of offsets allows,
 * or columns of a row that do not ascend. On failure spl__device_holed_free cleans up. */
spl_status spl__device_holed_make(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl_sparse *inner, spl__device_holed *holed);
/* Copies the matrix' values, which will be scaled by alpha, or by beta if the matrix is an
 * addend; reads none if that is zero. *odd, on the device, becomes 1 if the scalar or a value of
 * a factor is not finite, since a hole times that would not be zero. Enqueues. */
spl_status spl__device_holed_fill(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *holed,
                                  const spl__device_scalars *scalars, bool is_addend,
                                  uint32_t *odd);
/* Copies the matrix' values without that check. Enqueues. */
spl_status spl__device_holed_copy(spl__queue *queue, const spl_sparse *csr, int32_t size,
                                  const spl__device_holed *holed);
void spl__device_holed_free(spl__queue *queue, spl__device_holed *holed);

#endif
