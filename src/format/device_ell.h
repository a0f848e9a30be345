/* SPDX-License-Identifier: Apache-2.0 */
/* device_ell.h: ELL on a device, as one block of all rows or as row vector sets: one block per row
 * length, without padding [S2].
 *
 * Entry k of the block's row r is at entries + k*(rows of the block) + r, so that lanes with
 * neighbouring rows read neighbouring elements; the column of padding is -1. In rvs.h and ell.h
 * rows are stored consecutively, for one core per row. Source: [S2]; N. Bell, M. Garland, SC'09,
 * for the order of entries. */
#ifndef SPL_FORMAT_DEVICE_ELL_H
#define SPL_FORMAT_DEVICE_ELL_H

#include "device/device.h"
#include "format/device_ell.k.h"

typedef struct spl__device_ell {
    int64_t blocks, stored;
    spl__device_array table; /* struct ell_block[blocks+1], the last one marks the end */
    spl__device_array rows;  /* int32_t[rows], the row at each position; empty: in order */
    spl__device_array columns, values;
} spl__device_ell;

/* Makes the structure of a CSR matrix on the queue's device with 32-bit row numbers and a
 * longest row of `longest` entries; values are not initialised. Waits once. Must be freed also
 * after failure. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_ell_make(spl__queue *queue, const spl_sparse *csr, int64_t longest,
                                spl__device_ell *ell);
spl_status spl__device_rvs_make(spl__queue *queue, spl__account *account, const spl_sparse *csr,
                                int64_t longest, spl__device_ell *ell);
/* Enqueues a copy of the values of the same matrix; padding becomes 0. */
spl_status spl__device_ell_fill(spl__queue *queue, const spl_sparse *csr,
                                const spl__device_ell *ell);
void spl__device_ell_free(spl__queue *queue, spl__device_ell *ell);

/* The kernel argument. */
struct ell_blocks spl__ell_for_kernel(const spl_sparse *csr, const spl__device_ell *ell);

#endif
