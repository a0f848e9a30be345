/* SPDX-License-Identifier: Apache-2.0 */
/* arrange.h: the CSR structure of a matrix or its transpose, and where each of its entries came from.
 *
 * Structure and values are kept apart: when only values change, one gather through `from` brings a copy up to date. */
#ifndef SPL_MATRIX_ARRANGE_H
#define SPL_MATRIX_ARRANGE_H

#include "matrix/view.h"

#include <stdbool.h>

typedef struct spl__arrangement {
    spl_sparse csr;          /* CSR header and structure; values NULL */
    void *offsets, *indices; /* owned arrays behind it, NULL where the source's own are borrowed */
    int64_t *from;           /* entry k of csr is entry from[k] of the source; NULL: entry k */
} spl__arrangement;

/* CSR structure of `source` (of its transpose) in the given widths. Borrows the source's arrays where they already are what is
 * wanted; entries of a row keep the source's order. `source` must have been taken. O(rows + cols + nnz).
 * SPL_INDEX_OVERFLOW (before any allocation), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__arrange(spl__account *account, const spl_sparse *source, bool transpose, spl_index offset_type,
                        spl_index index_type, spl__arrangement *result);

/* Puts the entries of each row in ascending order of columns, stable. Makes the arrangement own its indices. */
spl_status spl__arrange_sort(spl__account *account, spl__arrangement *arrangement);

void spl__arrange_free(spl__arrangement *arrangement);

/* to[k] = from ? source[from[k]] : source[k] for k < count, converting between types. */
void spl__gather(void *to, spl_type to_type, const void *source, spl_type source_type, const int64_t *from,
                 int64_t count);

/* Copies indices between widths; the caller has checked that they fit. */
void spl__copy_indices(void *to, spl_index to_type, const void *source, spl_index source_type, int64_t count);

/* SPL_INDEX_OVERFLOW unless `value` fits `type`; `what` names it: "127 columns". */
spl_status spl__fits(int64_t value, spl_index type, const char *what);

#endif
