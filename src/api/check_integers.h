/* SPDX-License-Identifier: Apache-2.0 */
/* check_integers.h: the executable specification for integers, over any semiring that is theirs:
 * exact, in the type of the operands. Sums and products wrap; a sum of min_plus or max_plus stays
 * within the type, and what stands for infinity stays that. */
#ifndef SPL_API_CHECK_INTEGERS_H
#define SPL_API_CHECK_INTEGERS_H

#include "problem/problem.h"
#include "ref/ref.h"

/* An element without products. */
spl__ref_element spl__integers_none(const spl__problem *problem);
/* The positions and elements of row i of C = alpha*A*B + beta*D, as if there were no mask. */
void spl__integers_row(const spl__problem *problem, int64_t alpha, int64_t beta, int64_t i,
                       spl__ref_row *row);
/* Element (i, j) of C = alpha*A*B + beta*before. */
spl__ref_element spl__integers_element(const spl__problem *problem, int64_t alpha,
                                       const spl_dense *b, int64_t beta, const spl_dense *before,
                                       int64_t i, int64_t j);

#endif
