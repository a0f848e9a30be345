/* SPDX-License-Identifier: Apache-2.0 */
/* sparse_oracle.h: what a product must be, from its definition: sums over all entries in long
 * double. Shares nothing with the library: neither its reference loops nor its checks. */
#ifndef SPARLOOM_TEST_SPARSE_ORACLE_H
#define SPARLOOM_TEST_SPARSE_ORACLE_H

#include "zoo/zoo.h"

/* One element: its value, the same sum over absolute values of what is finite, that of the
 * products alone, how many numbers were summed, and the factor by which losses to underflow
 * grow. */
typedef struct oracle_sum {
    long double value, magnitude, products, growth;
    long double of_a, of_b; /* SpGEMM: the largest |factor*a|, the sum of |b|, of products whose
                               factor is not 1 or -1 */
    int64_t terms;
    /* a factor that is not finite makes terms Inf or NaN; which of both the sum is may depend on
     * the order */
    bool vague;
} oracle_sum;

/* Adds factor*a*b; factor 0 adds nothing at all. */
void oracle_add(oracle_sum *sum, double factor, double a, double b);
/* |actual - value| within the bound of the public header, false for NaN unless the sum is NaN too,
 * or may be: where sums of some terms may overflow, or alpha is not finite. */
bool oracle_accepts(const oracle_sum *sum, double actual, spl_type type);
/* The same with SPL_ACCURACY_REDUCED, SpMM. */
bool oracle_accepts_reduced(const oracle_sum *sum, double actual, spl_type type);

/* The rows of op(view): CSR f64 64/64, entries in an order that does not matter. Free with
 * zoo_matrix_free. */
void oracle_rows(zoo_matrix *rows, const spl_sparse *view, spl_operator op);

/* sums[rows] of alpha*op(A)*x + beta*y; x and y of A's type, y may be NULL if beta is 0. */
void oracle_spmv(oracle_sum *sums, const spl_sparse *a, spl_operator op, double alpha,
                 const void *x, double beta, const void *y);

/* C = alpha*op(A)*op(B) + beta*D. */
typedef struct oracle_spgemm {
    const spl_sparse *a, *b, *d; /* d may be NULL */
    spl_operator op_a, op_b;
    double alpha, beta;
    bool unsorted; /* columns of C may come in any order */
} oracle_spgemm;

/* Whether the CSR view c is that product: dimensions, pattern, order, values. If not, `message`
 * says where. */
bool oracle_spgemm_accepts(const oracle_spgemm *problem, const spl_sparse *c, char *message,
                           size_t room);

#endif
