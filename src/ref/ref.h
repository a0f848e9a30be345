/* SPDX-License-Identifier: Apache-2.0 */
/* ref.h: the executable specification. Loops that are obviously right, sums in f64, never optimised; every method is tested
 * against them. Operands are CSR views of op(A), op(B) and D that have been taken (matrix/view.h); scalars have been read.
 *
 * Each result comes with `magnitude`, the same sum over absolute values, and `terms`, the number of summed products: what the error
 * bound of the public header needs. */
#ifndef SPL_REF_REF_H
#define SPL_REF_REF_H

#include "core/types.h"

typedef struct spl__ref_element {
    double value, magnitude;
    int64_t terms;
} spl__ref_element;

/* Element i of y = alpha*A*x + beta*y, x and y of A's type. */
spl__ref_element spl__ref_spmv(double alpha, const spl_sparse *a, const void *x, double beta, const void *y, int64_t i);

/* Elements (i, first) to (i, first+count-1) of C = alpha*A*B + beta*C: some at once, because callers who read B row by row see large ones in a
 * reasonable time. */
enum { SPL__REF_COLUMNS = 64 };
void spl__ref_spmm(double alpha, const spl_sparse *a, const spl_dense *b, double beta, const spl_dense *c, int64_t i,
                   int64_t first, int64_t count, spl__ref_element *elements);

/* Row i of C = alpha*A*B + beta*D (d may be NULL) as a dense row of cols(B) elements, and its pattern. */
typedef struct spl__ref_row {
    spl__ref_element *elements; /* cols(B), all zero between rows */
    unsigned char *present;     /* cols(B), all zero between rows */
    int64_t *columns;           /* room for cols(B): columns present, in order of discovery */
    int64_t count;
} spl__ref_row;
void spl__ref_spgemm_row(double alpha, const spl_sparse *a, const spl_sparse *b, double beta, const spl_sparse *d,
                         int64_t i, spl__ref_row *row);
/* Makes the row all zero again. */
void spl__ref_row_clear(spl__ref_row *row);

/* Element (i,j) of a dense view. */
double spl__dense_at(const spl_dense *m, int64_t i, int64_t j);
void spl__dense_set(const spl_dense *m, int64_t i, int64_t j, double value);

#endif
