/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_once.h: one-shot SpMV on the host without a plan. */
#ifndef SPL_SPMV_SPMV_ONCE_H
#define SPL_SPMV_SPMV_ONCE_H

#include "plan/once.h"

/* Whether spl__spmv_once can do it: those whose lines are rows of op(A); those whose lines are
 * columns, if alpha is 1 or -1 and threads would gain little. */
bool spl__spmv_once_serves(const spl__once *once);

/* y = alpha*op(A)*x + beta*y. Sums have a fixed order given by the structure of A. If A is invalid
 * y is not touched: SPL_INVALID_MATRIX. Memory: y once more, where a large matrix has long rows and
 * memory has no budget; if there is none, SPL_OUT_OF_MEMORY. SPL_CANCELLED. */
spl_status spl__spmv_once(const spl__once *once);

#endif
