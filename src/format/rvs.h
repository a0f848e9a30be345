/* SPDX-License-Identifier: Apache-2.0 */
/* rvs.h: row vector sets: rows of equal length stored together as ELL blocks, which need no
 * padding.
 *
 * Block b stores its rows consecutively, in ascending order. Memory: sum over blocks of
 * entries*(value + index) + rows*index, which is [S2]'s figure; besides it, rows*index for the
 * rows without entries, which are in no block but get beta*y, and the table of blocks (three
 * numbers for each length that occurs). Source: [S2]. */
#ifndef SPL_FORMAT_RVS_H
#define SPL_FORMAT_RVS_H

#include "matrix/row_distribution.h"

#include "matrix/matrix.h"

typedef struct spl__rvs_block {
    int64_t length;      /* entries of each of its rows, at least 1 */
    int64_t first;       /* its rows are rows[first] to the next block's first */
    int64_t first_entry; /* its first entry */
} spl__rvs_block;

typedef struct spl__rvs {
    spl_sparse shape;       /* header of the matrix as CSR, no arrays */
    int64_t count;          /* blocks, in ascending order of length */
    spl__rvs_block *blocks; /* count + 1; the last one marks the end */
    void *rows;             /* row numbers: empty rows, then block by block */
    void *indices, *values; /* nnz each */
} spl__rvs;

/* Makes the structure of a CSR matrix in RVS; values are not initialised. On failure frees
 * everything. SPL_INDEX_OVERFLOW (row numbers must fit index_type), SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__rvs_make(spl__account *account, const spl_sparse *csr, int threads, spl__rvs *rvs);
/* Copies the values of the same matrix. */
void spl__rvs_fill(spl__watch *watch, spl__rvs *rvs, const spl_sparse *csr, int threads);
void spl__rvs_free(spl__rvs *rvs);

#endif
