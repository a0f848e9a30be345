/* SPDX-License-Identifier: Apache-2.0 */
/* once.h: one-shot products on the host that need no plan, which would take longer than they do.
 * Operations multiply them (spmv_once.h, spmm_once.h, spgemm_once.h); this file reads their
 * operands.
 *
 * Whatever is unusual, and whatever is wrong, is left to a plan, which says so. */
#ifndef SPL_PLAN_ONCE_H
#define SPL_PLAN_ONCE_H

#include "plan/method.h"

/* C = alpha*op(A)*B + beta*C. Not to be copied: `call` points into it. */
typedef struct spl__once {
    spl_context *context;
    spl_sparse a; /* CSR or CSC of f32 or f64 with entries; arrays are not NULL */
    /* A line is a row of the matrix that is stored: of op(A) if `gather`, else of its transpose. */
    bool gather;
    int64_t lines, across; /* indices must be less than `across` */
    int64_t rows, inner;   /* of op(A), columns of op(A) */
    int threads;           /* that options ask for; 0: the context's */
    size_t budget;         /* likewise; 0: none but the context's */
    bool unsorted;         /* columns of C may come in any order */
    double scalars[2];
    spl_sparse sparse; /* B of SpGEMM */
    spl_dense b, c;    /* of SpMM */
    spl__call call;    /* alpha is neither 0 nor infinite nor NaN: plans know what these mean */
} spl__once;

/* Reads A, scalars and options. False: a plan must be made. */
bool spl__once_read(spl__once *once, spl_context *context, const spl_options *options,
                    const spl_sparse *a, const void *alpha, const void *beta);
/* Reads x and y, or B and C, which must be stored by rows. False: a plan must be made. */
bool spl__once_vectors(spl__once *once, const void *x, void *y);
bool spl__once_dense(spl__once *once, const spl_dense *b, const spl_dense *c);
/* Reads a sparse B, of A's types. A and B must be stored by rows, and have entries. */
bool spl__once_sparse(spl__once *once, const spl_sparse *b);

/* Whether the product with a matrix of so many columns is so small that neither threads nor a
 * plan pay. */
bool spl__once_is_small(const spl__once *once, int64_t columns);
/* Whether op(A) and alpha let a product add multiples of alpha to its result: lines are columns of
 * op(A), and alpha is 1 or -1. Another alpha belongs to the whole sum, lest a small one rounds its
 * products to subnormal numbers. */
bool spl__once_scatters(const spl__once *once);
/* What precedes the first write of such a product: checks A, calls the progress function.
 * SPL_INVALID_MATRIX, SPL_CANCELLED. */
spl_status spl__once_check(const spl__once *once);

#endif
