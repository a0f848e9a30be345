/* SPDX-License-Identifier: Apache-2.0 */
/* stretches.h: consecutive rows of equal length, which one loop computes that knows the length.
 *
 * A loop over rows of any length has two branches for each row besides those of its entries, of
 * which some are mispredicted, and waits for them to be foreseen even where they are right: rows of
 * one and two entries take 4 cycles, in a loop without branches 2. */
#ifndef SPL_SPMV_STRETCHES_H
#define SPL_SPMV_STRETCHES_H

#include "matrix/merge_path.h"

enum {
    SPL__MOST_EQUAL = 8, /* entries of rows that are counted */
    SPL__LONG_ROW = 64   /* entries of which longer rows have more */
};

/* Rows from where the stretch before ends to `end` - 1. `length`: SPL__ANY_LENGTH, SPL__LONG_ROWS,
 * or that of each. */
enum { SPL__ANY_LENGTH = -1, SPL__LONG_ROWS = -2 };
typedef struct spl__stretch {
    int64_t end;
    int64_t length;
} spl__stretch;

/* All rows, in parts of about equal work: those of part r are stretches first[r] to first[r+1] - 1.
 */
typedef struct spl__stretches {
    spl__row_parts parts;
    int64_t *first; /* parts.count + 1 */
    spl__stretch *list;
} spl__stretches;

/* Parts of so many rows + entries. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. What was made must be freed
 * in any case. */
spl_status spl__stretches_make(spl__account *account, const spl_sparse *a, int64_t work,
                               spl__stretches *stretches);
/* The bytes of that at most, for a matrix of so many rows and entries. */
double spl__stretches_bytes(double rows, double entries, int64_t work);
void spl__stretches_free(spl__stretches *stretches);

#endif
