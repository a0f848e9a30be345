/* SPDX-License-Identifier: Apache-2.0 */
/* merge_path.h: cutting a CSR matrix into parts that hold equally many rows + entries.
 * Source: D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector multiplication, SC'16. */
#ifndef SPL_MATRIX_MERGE_PATH_H
#define SPL_MATRIX_MERGE_PATH_H

#include "core/types.h"

/* Where part `part` of `parts` begins on the path that merges row ends with entries, 0 <= part <= parts: *row is the first row that
 * is not finished there, *entry the next entry to read. Part 0 begins at (0,0), part `parts` is the end. O(log rows). */
void spl__merge_path(const spl_sparse *csr, int64_t part, int64_t parts, int64_t *row, int64_t *entry);

#endif
