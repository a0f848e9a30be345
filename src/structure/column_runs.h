/* SPDX-License-Identifier: Apache-2.0 */
/* column_runs.h: the rows of a CSR matrix as runs of neighbouring columns: 7 8 9 20 21 are (7,
 * 3) and (20, 2). Columns are taken in stored order: a run ends where they do not ascend or
 * repeat. Rows that equal the previous one share its runs. */
#ifndef SPL_STRUCTURE_COLUMN_RUNS_H
#define SPL_STRUCTURE_COLUMN_RUNS_H

#include "core/memory.h"
#include "core/types.h"

#include <stdint.h>

typedef struct spl__column_runs {
    int64_t *first; /* rows: the first run of each row; the row's last run ends with its entries */
    void *pairs;    /* first column and length of each run, in the index type of the matrix */
    int64_t count;
} spl__column_runs;

/* `equals_previous` is from spl__identical_rows_mark. On failure spl__column_runs_free cleans
 * up. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__column_runs_make(spl__account *account, int threads, const spl_sparse *csr,
                                 const uint8_t *equals_previous, spl__column_runs *runs);
void spl__column_runs_free(spl__column_runs *runs);

#endif
