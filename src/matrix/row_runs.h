/* SPDX-License-Identifier: Apache-2.0 */
/* row_runs.h: runs of consecutive rows of a CSR matrix that hold the same columns in the same order: several unknowns at a mesh node. */
#ifndef SPL_MATRIX_ROW_RUNS_H
#define SPL_MATRIX_ROW_RUNS_H

#include "core/types.h"

#include <stdint.h>

/* Cuts rows first..last into runs of at most `most` rows (1 to 255) whose lengths are as equal as may be: 5 rows are 3 + 2. Writes runs[i], the length,
 * where a run begins; the rest of runs[first..last-1] stays as it is. Reads the columns of rows as long as their neighbour. */
void spl__row_runs_find(const spl_sparse *csr, int64_t first, int64_t last, int most, uint8_t *runs);

#endif
