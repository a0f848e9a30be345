/* SPDX-License-Identifier: Apache-2.0 */
/* device_ell.h: ELL on a device, as one block of all rows or as row vector sets: a block for each
 * length that occurs, without padding [S2].
 *
 * Entry k of the block's row number r lies at entries + k*(rows of the block) + r, so that lanes
 * that own neighbouring rows read side by side; the column of padding is -1. rvs.h and ell.h lay
 * rows out one behind the other, as one core walks them. Source: [S2]; N. Bell, M. Garland, SC'09,
 * for the order of entries. */
#ifndef SPL_FORMAT_DEVICE_ELL_H
#define SPL_FORMAT_DEVICE_ELL_H

#include "device/device.h"
#include "format/device_ell.k.h"

typedef struct spl__device_ell {
    int64_t blocks, stored;
    spl__device_array table; /* struct ell_block[blocks+1], the last one is where the others end */
    spl__device_array rows;  /* int32_t[rows] of each place; empty: in order */
    spl__device_array columns, values;
} spl__device_ell;

/* Structure of a CSR matrix on the queue's device whose row numbers have 32 bits and whose longest
 * row has `longest` entries; values are not initialised. Waits once. Free what was made in any
 * case. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_ell_make(spl__queue *queue, const spl_sparse *csr, int64_t longest,
                                spl__device_ell *ell);
spl_status spl__device_rvs_make(spl__queue *queue, spl__account *account, const spl_sparse *csr,
                                int64_t longest, spl__device_ell *ell);
/* Enqueues a copy of the values of the same matrix; padding becomes 0. */
spl_status spl__device_ell_fill(spl__queue *queue, const spl_sparse *csr,
                                const spl__device_ell *ell);
void spl__device_ell_free(spl__queue *queue, spl__device_ell *ell);

/* As kernels take it. */
struct ell_blocks spl__ell_for_kernel(const spl_sparse *csr, const spl__device_ell *ell);

#endif
