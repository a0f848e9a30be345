/* SPDX-License-Identifier: Apache-2.0 */
/* diagonal_slices.h: slices of rows in their natural order, stored by diagonals: the part of sliced
 * ELL (format/sliced_ell.h) for stencils, meshes of regular grids and bands, holes included.
 *
 * Line k of a slice has the entries of its rows on one diagonal, at most one of each row; lines are
 * in ascending order of column - row. A mask says which lanes have an entry. Neither columns nor
 * row numbers are read, x and y are contiguous. Source: T. Fukaya, K. Ishida, A. Miura, T.
 * Iwashita, H. Nakashima, Accelerating the SpMV kernel on standard CPUs by exploiting the partially
 * diagonal structures, arXiv 2105.04937, 2021 (blocks of rows with a list of diagonals each).
 * Differs: a block is a slice of as many rows as registers hold; entries outside diagonals do not
 * form a second matrix, but their rows are slices of sliced ELL. */
#ifndef SPL_FORMAT_DIAGONAL_SLICES_H
#define SPL_FORMAT_DIAGONAL_SLICES_H

#include "core/memory.h"
#include "matrix/matrix.h"

enum { SPL__DIAGONAL_LANES = 16 }; /* at most: a mask's bits */

/* The diagonals with entries of the `lanes` rows from `first` on, if their columns ascend and the
 * entries take at least the share `fill` of diagonals * lanes; otherwise 0. Structure only. */
int32_t spl__diagonal_lines_of(const spl_sparse *csr, int64_t first, int lanes, double fill);
/* lines[g] = the same of rows g*lanes to g*lanes + lanes - 1; 0 for an incomplete last group. */
void spl__diagonal_lines(spl__watch *watch, const spl_sparse *csr, int lanes, double fill,
                         int threads, int32_t *lines);
/* Writes the lines of the rows from `first` on: lane r of line k to indices[k*lanes + r], the
 * column or -1, and its bit r to masks[k]. The rows have such lines. */
void spl__diagonal_lines_list(const spl_sparse *csr, int64_t first, int lanes, void *indices,
                              uint16_t *masks);

#endif
