/* SPDX-License-Identifier: Apache-2.0 */
/* ref.h: the executable specification. Simple loops, never optimised; every method is tested
 * against them. Operands are checked CSR views of op(A), op(B) and D (matrix/view.h); scalars have
 * been read.
 *
 * An element is alpha times the sum of products, plus beta times the old value. Sums are f64 in
 * units of a power of two that follows the largest term: the results are those of plain f64 sums,
 * but without intermediate overflow or underflow, on any platform. alpha times an empty sum is 0,
 * even if alpha is not finite.
 *
 * Each result comes with `magnitude`, the same sum over absolute values (of finite terms), and
 * `terms`, the number of summed products: what the error bound of the public header needs. */
#ifndef SPL_REF_REF_H
#define SPL_REF_REF_H

#include "core/types.h"

typedef struct spl__ref_element {
    union {
        double value;  /* in units of 2^exponent */
        int64_t whole; /* of integers, which nothing else describes */
    };
    double magnitude; /* in units of 2^exponent */
    int64_t terms;
    int32_t exponent; /* 0 unless the magnitude is nearly beyond f64 */
    int32_t peak;     /* the sum of the products' absolute values, before alpha, is below 2^peak */
    /* Of SpGEMM's products, whose methods may multiply alpha by A first: the largest factor of A,
     * and the sum of those of B, absolute, a 2^64th so that it does not overflow */
    double of_a, of_b;
    /* Whether Inf or NaN comes of it may depend on the order of operations: alpha is not finite and
     * there are products; or alpha, which SpGEMM may apply to A first, makes 0 of what meets Inf in
     * B. */
    bool vague;
} spl__ref_element;
/* The element rounded to f64. */
double spl__ref_value(const spl__ref_element *e);

/* Element i of y = alpha*A*x + beta*y, x and y of A's type. */
spl__ref_element spl__ref_spmv(double alpha, const spl_sparse *a, const void *x, double beta,
                               const void *y, int64_t i);

/* Elements of row i of C = alpha*A*B + beta*C from column `first` on: as many at once as there are,
 * up to SPL__REF_COLUMNS, because callers who read B row by row see large ones in a reasonable
 * time. Returns their number. */
enum { SPL__REF_COLUMNS = 64 };
int64_t spl__ref_spmm(double alpha, const spl_sparse *a, const spl_dense *b, double beta,
                      const spl_dense *c, int64_t i, int64_t first, spl__ref_element *elements);

/* Row i of C = alpha*A*B + beta*D (d may be NULL) as a dense row of cols(B) elements, and its
 * pattern. */
typedef struct spl__ref_row {
    spl__ref_element *elements; /* cols(B), all zero between rows */
    unsigned char *present;     /* cols(B), all zero between rows */
    int64_t *columns;           /* cols(B) elements: columns present, in order of discovery */
    int64_t count;
} spl__ref_row;
enum { SPL__REF_ROW_BYTES = sizeof(spl__ref_element) + 1 + sizeof(int64_t) }; /* per column */
void spl__ref_spgemm_row(double alpha, const spl_sparse *a, const spl_sparse *b, double beta,
                         const spl_sparse *d, int64_t i, spl__ref_row *row);
/* The element in column j, which becomes part of the row's pattern, at first `none`. */
spl__ref_element *spl__ref_touch(spl__ref_row *row, int64_t j, spl__ref_element none);
/* Clears the row. */
void spl__ref_row_clear(spl__ref_row *row);

/* Where element (i,j) of a dense view stands; and the element. */
int64_t spl__dense_position(const spl_dense *m, int64_t i, int64_t j);
double spl__dense_at(const spl_dense *m, int64_t i, int64_t j);
void spl__dense_set(const spl_dense *m, int64_t i, int64_t j, double value);

#endif
