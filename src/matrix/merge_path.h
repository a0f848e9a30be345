/* SPDX-License-Identifier: Apache-2.0 */
/* merge_path.h: divides a CSR matrix into parts of equal rows + entries.
 * Source: D. Merrill, M. Garland, Merge-based parallel sparse
 * matrix-vector multiplication, SC'16. */
#ifndef SPL_MATRIX_MERGE_PATH_H
#define SPL_MATRIX_MERGE_PATH_H

#include "core/memory.h"
#include "core/types.h"

/* The begin of part `part` of `parts` on the path that merges row ends with entries, 0 <= part
 * <= parts: *row is the first unfinished row, *entry the next entry. Part 0 begins at (0,0),
 * part `parts` is the end. O(log rows). */
void spl__merge_path(const spl_sparse *csr, int64_t part, int64_t parts, int64_t *row,
                     int64_t *entry);

/* Whole rows in parts of nearly equal rows + entries: part r has rows row[r] to row[r+1] - 1. */
typedef struct spl__row_parts {
    int64_t count;
    int64_t *row; /* count + 1 */
} spl__row_parts;

/* At least one part, at most 4096, of about `work` rows + entries: depends on structure, not on
 * the number of threads. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__row_parts_make(spl__account *account, const spl_sparse *csr, int64_t work,
                               spl__row_parts *parts);
void spl__row_parts_free(spl__row_parts *parts);

#endif
