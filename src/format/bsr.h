/* SPDX-License-Identifier: Apache-2.0 */
/* bsr.h: block sparse rows: CSR of small dense square blocks.
 *
 * Block row R holds rows R*size..R*size+size-1; its blocks ascend in column. A block is stored
 * completely, row by row. Its mask marks the slots that are entries (bit i*size + j), so that
 * fill-in differs from explicit zeros, is not multiplied by NaN, and is dropped in the
 * conversion to CSR. Memory: blocks*(size^2*value + index + 8) + (block rows + 1)*offset.
 * Source: R. Vuduc, J. Demmel, K. Yelick, OSKI: a library of automatically tuned sparse matrix
 * kernels, J. Phys. Conf. Ser. 16, 2005. Differs: the masks. */
#ifndef SPL_FORMAT_BSR_H
#define SPL_FORMAT_BSR_H

#include "matrix/matrix.h"

enum { SPL__LARGEST_BLOCK = 8 }; /* a mask has 64 bits */

typedef struct spl__bsr {
    spl_sparse shape; /* header of the matrix as CSR, no arrays */
    int size;         /* rows and columns of a block, 1 to SPL__LARGEST_BLOCK */
    int64_t block_rows, blocks;
    void *offsets;   /* block_rows + 1, of shape.offset_type */
    void *indices;   /* block columns, of shape.index_type */
    uint64_t *masks; /* blocks */
    void *values;    /* blocks * size * size; NULL: structure only */
} spl__bsr;

/* Makes the block structure of a CSR matrix whose columns ascend in each row, without values. On
 * failure frees everything. SPL_UNSUPPORTED (columns do not ascend, an entry occurs twice),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__bsr_make(spl__account *account, int threads, const spl_sparse *csr, int size,
                         spl__bsr *bsr);
/* Allocates values, followed by SPL__LARGEST_BLOCK zeros, so that a row of the last block can be
 * loaded into more lanes than it has columns. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__bsr_make_values(spl__account *account, spl__bsr *bsr);
/* Copies the values of the same matrix; slots without an entry become 0. */
void spl__bsr_fill(spl__watch *watch, spl__bsr *bsr, const spl_sparse *csr, int threads);
void spl__bsr_free(spl__bsr *bsr);

/* Whether columns of all rows ascend, so that blocks can be made. For values of any type and the
 * widths of spl__combination. */
bool spl__bsr_serves(spl__watch *watch, const spl_sparse *csr, int threads);
/* The number of blocks of `size` in the rows of blocks first..last-1; -1: columns of a row do
 * not ascend. For values of any type and the widths of spl__combination. */
int64_t spl__bsr_count(const spl_sparse *csr, int size, int64_t first, int64_t last);

#endif
