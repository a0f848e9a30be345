/* SPDX-License-Identifier: Apache-2.0 */
/* check_algebra.h: rows of the executable specification under masks and over semirings. */
#ifndef SPL_API_CHECK_ALGEBRA_H
#define SPL_API_CHECK_ALGEBRA_H

#include "problem/problem.h"
#include "ref/ref.h"

/* Row i of C = alpha*A*B + beta*D, with the semiring of the problem and where its mask lets C have
 * positions. The row must be clear. */
void spl__check_row(const spl__problem *problem, double alpha, double beta, int64_t i,
                    spl__ref_row *row);
/* Element (i, j) of C = "add"(A*B, beta*before) over the problem's semiring, beta 0 or 1. */
spl__ref_element spl__check_element(const spl__problem *problem, const spl_dense *b, double beta,
                                    const spl_dense *before, int64_t i, int64_t j);

#endif
