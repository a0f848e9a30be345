/* SPDX-License-Identifier: Apache-2.0 */
/* identical_rows.h: runs of consecutive rows of a CSR matrix with the same columns in the same
 * order: several unknowns at a mesh node. */
#ifndef SPL_STRUCTURE_IDENTICAL_ROWS_H
#define SPL_STRUCTURE_IDENTICAL_ROWS_H

#include "core/memory.h"
#include "core/types.h"

#include <stdint.h>

/* Allocates *equals_previous, of rows + 1 elements: element i is 1 if row i has the columns of
 * row i - 1, in the same order, else 0; the last is 0, so that runs need no test for the end.
 * Compares only rows of equal length. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__identical_rows_mark(spl__account *account, int threads, const spl_sparse *csr,
                                    uint8_t **equals_previous);

/* The number of identical rows from `row` on, at most `most`. */
static inline int64_t spl__identical_rows_count(const uint8_t *equals_previous, int64_t row,
                                                int64_t most)
{
    int64_t run = 1;
    while (run < most && equals_previous[row + run])
        run++;
    return run;
}

/* Divides rows first..last into runs of at most `most` rows (1 to 255) of nearly equal length: 5
 * rows are 3 + 2. Writes the length of each run to runs[i], where it begins; the rest of
 * runs[first..last-1] is unchanged. Compares only rows of equal length. */
void spl__identical_rows_find(const spl_sparse *csr, int64_t first, int64_t last, int most,
                              uint8_t *runs);

#endif
