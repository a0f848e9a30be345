/* SPDX-License-Identifier: Apache-2.0 */
/* sliced_ell.h: sliced ELL: rows in slices of `lanes` rows, each slice padded to its own longest
 * row, rows sorted by length within windows so that little padding is left. Neighbours of equal
 * length that fill a slice are kept together, before the sorted rest: on stencils they read and
 * write neighbouring elements.
 *
 * Entry k of lane r of slice s is at begin[s] + k*lanes + r: entries k of all rows of a slice
 * are neighbours, so that one vector instruction serves `lanes` rows. Rows of a slice descend in
 * length. The column of padding is -1; entries k < full[s] have no padding. An incomplete last
 * slice has rows numbered -1. A slice on diagonals with holes (format/diagonal_slices.h) has
 * full[s] = SPL__ON_DIAGONALS, and a mask for each line. Source: M. Kreutzer, G. Hager, G. Wellein,
 * H. Fehske, A. Bishop, A unified sparse matrix data format for efficient general sparse
 * matrix-vector multiplication on modern processors with wide SIMD units, SIAM J. Sci. Comput.
 * 36(5), 2014 (SELL-C-sigma). */
#ifndef SPL_FORMAT_SLICED_ELL_H
#define SPL_FORMAT_SLICED_ELL_H

#include "matrix/row_distribution.h"

#include "matrix/matrix.h"

/* The shape that SpMV uses and spl_measure_storage reports. */
enum { SPL__SLICE_LANES = 16, SPL__SLICE_WINDOW = 1024 };

enum { SPL__ON_DIAGONALS = -1 };

typedef struct spl__sliced_ell {
    spl_sparse shape; /* header of the matrix as CSR, no arrays */
    int lanes;
    int64_t slices;
    int64_t *begin; /* slices + 1, in stored entries */
    int64_t *full;  /* slices */
    void *rows;     /* slices * lanes row numbers */
    void *indices, *values;
    int64_t on_diagonals; /* slices with holes */
    uint16_t *masks;      /* begin[slices] / lanes, or NULL: no slice is on diagonals */
} spl__sliced_ell;

/* Makes the structure of a CSR matrix in sliced ELL; values are not initialised. `window` is a
 * multiple of `lanes`. Neighbours whose diagonals are full at least to the share `fill` become
 * slices in their natural order: 2 for none. On failure frees everything. SPL_INDEX_OVERFLOW (row
 * numbers must fit index_type), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__sliced_ell_make(spl__account *account, const spl_sparse *csr, int lanes,
                                int64_t window, double fill, int threads, spl__sliced_ell *sliced);
/* Copies the values of the same matrix; padding becomes 0. */
void spl__sliced_ell_fill(spl__watch *watch, spl__sliced_ell *sliced, const spl_sparse *csr,
                          int threads);
void spl__sliced_ell_free(spl__sliced_ell *sliced);

/* The share of stored entries that are no padding, in up to 64 evenly spaced windows: 1 for
 * rows without entries. Structure only. Cost: some nanoseconds for each of their rows. */
double spl__sliced_ell_fill_sampled(const spl_sparse *csr);

/* *stored = the entries, with padding, of a matrix with these row lengths. */
spl_status spl__sliced_ell_stored(spl__account *account, const int64_t *row_lengths, int64_t rows,
                                  int lanes, int64_t window, int64_t *stored);

#endif
