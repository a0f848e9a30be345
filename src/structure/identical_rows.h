/* SPDX-License-Identifier: Apache-2.0 */
/* identical_rows.h: runs of consecutive rows of a CSR matrix that hold the same columns in the same
 * order: several unknowns at a mesh node. */
#ifndef SPL_STRUCTURE_IDENTICAL_ROWS_H
#define SPL_STRUCTURE_IDENTICAL_ROWS_H

#include "core/memory.h"
#include "core/types.h"

#include <stdint.h>

/* *repeats, of rows + 1 elements: repeats[i] is 1 if row i holds the columns of row i-1, in the
 * same order, else 0; repeats[rows] is 0, so that a run needs no look at the end. Reads the columns
 * of rows as long as the one before. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__identical_rows_mark(spl__account *account, int threads, const spl_sparse *csr,
                                    uint8_t **equals_previous);

/* How many rows from `row` on are alike, at most `most`. */
static inline int64_t spl__identical_rows_count(const uint8_t *equals_previous, int64_t row,
                                                int64_t most)
{
    int64_t run = 1;
    while (run < most && equals_previous[row + run])
        run++;
    return run;
}

/* Cuts rows first..last into runs of at most `most` rows (1 to 255) whose lengths are as equal as
 * may be: 5 rows are 3 + 2. Writes runs[i], the length, where a run begins; the rest of
 * runs[first..last-1] stays as it is. Reads the columns of rows as long as their neighbour. */
void spl__identical_rows_find(const spl_sparse *csr, int64_t first, int64_t last, int most,
                              uint8_t *runs);

#endif
