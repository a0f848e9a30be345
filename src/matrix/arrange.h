/* SPDX-License-Identifier: Apache-2.0 */
/* arrange.h: the CSR structure of a matrix or its transpose, and the origin of each entry.
 *
 * Structure and values are separate: when only values change, one gather through `from` updates
 * a copy. */
#ifndef SPL_MATRIX_ARRANGE_H
#define SPL_MATRIX_ARRANGE_H

#include "matrix/view.h"

#include <stdbool.h>

typedef struct spl__arrangement {
    spl_sparse csr;          /* CSR header and structure; values NULL */
    void *offsets, *indices; /* its owned arrays, NULL where the source's are borrowed */
    /* entry k of csr is entry from[k] of the source; NULL: entry k, or `values` */
    int64_t *from;
    /* owned values in the order of csr, if they were moved along; NULL: the source's are used */
    void *values;
} spl__arrangement;

/* CSR structure of `source` (of its transpose) in the given widths. Borrows the source's arrays
 * where they have the requested form (including coordinates whose rows ascend); entries of a row
 * keep the source's order. `source` must have been taken. The result does not depend on
 * `threads`, at least 1. O(rows + cols + nnz). SPL_INDEX_OVERFLOW (before any allocation),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__arrange(spl__account *account, int threads, const spl_sparse *source,
                        bool transpose, spl_index offset_type, spl_index index_type,
                        spl__arrangement *result);
/* The same, but where the order changes values are moved along, in their type, and `from` stays
 * NULL. */
spl_status spl__arrange_values(spl__account *account, int threads, const spl_sparse *source,
                               bool transpose, spl_index offset_type, spl_index index_type,
                               spl__arrangement *result);

/* The same for COO in row order (of the result): offsets are made, the rest is borrowed or copied.
 * In another order the arrangement stays empty. */
spl_status spl__arrange_ascending(spl__account *account, int threads, const spl_sparse *source,
                                  bool transpose, spl_index offset_type, spl_index index_type,
                                  spl__arrangement *result);

/* Puts the entries of each row in ascending order of columns, stable. Makes the arrangement own its
 * indices. Not after spl__arrange_values. */
spl_status spl__arrange_sort(spl__account *account, int threads, spl__arrangement *arrangement);

/* A lower bound of an arrangement's bytes, with the origins of entries or their values.
 * Coordinates, if present, are checked for being sorted already. */
double spl__arrange_bytes(const spl_sparse *source, bool transpose, spl_index offset_type,
                          spl_index index_type, bool sorted);
void spl__arrange_free(spl__arrangement *arrangement);

/* to[k] = from ? source[from[k]] : source[k] for k < count, converted between types. Incomplete
 * after a cancel. */
void spl__gather(spl__watch *watch, void *to, spl_type to_type, const void *source,
                 spl_type source_type, const int64_t *from, int64_t count);

/* Converts indices between widths; the caller has checked that they fit. Incomplete after a
 * cancel. */
void spl__copy_indices(spl__watch *watch, void *to, spl_index to_type, const void *source,
                       spl_index source_type, int64_t count);

/* SPL_INDEX_OVERFLOW unless `value` fits `type`; `counted` names it: "127 columns". */
spl_status spl__fits(int64_t value, spl_index type, const char *counted);

#endif
