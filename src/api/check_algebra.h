/* SPDX-License-Identifier: Apache-2.0 */
/* check_algebra.h: rows of the executable specification under masks and over semirings. */
#ifndef SPL_API_CHECK_ALGEBRA_H
#define SPL_API_CHECK_ALGEBRA_H

#include "problem/problem.h"
#include "ref/ref.h"

/* The scalars of an operation; `whole` of integers. */
typedef struct spl__check_scalars {
    double alpha, beta;
    int64_t whole_alpha, whole_beta;
} spl__check_scalars;

/* Row i of C = alpha*A*B + beta*D, with the semiring of the problem and where its mask lets C have
 * positions. The row must be clear. */
void spl__check_row(const spl__problem *problem, const spl__check_scalars *scalars, int64_t i,
                    spl__ref_row *row);
/* Whether elements are computed one by one by spl__check_element: over a semiring, or of integers.
 */
bool spl__checks_elements(const spl__problem *problem);
/* Element (i, j) of C = "add"(alpha*A*B, beta*before) over the problem's semiring. */
spl__ref_element spl__check_element(const spl__problem *problem, const spl__check_scalars *scalars,
                                    const spl_dense *b, const spl_dense *before, int64_t i,
                                    int64_t j);

#endif
