/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_once.h: small one-shot SpMM on the host, of B and C stored by rows, without a plan. */
#ifndef SPL_SPMM_SPMM_ONCE_H
#define SPL_SPMM_SPMM_ONCE_H

#include "plan/once.h"

/* Whether spl__spmm_once can do it: small ones, whose lines are rows of op(A), or alpha 1 or -1. */
bool spl__spmm_once_serves(const spl__once *once);

/* C = alpha*op(A)*B + beta*C by the calling thread, without an allocation. If A is invalid C is not
 * touched: SPL_INVALID_MATRIX. SPL_CANCELLED. */
spl_status spl__spmm_once(const spl__once *once);

#endif
