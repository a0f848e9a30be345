/* SPDX-License-Identifier: Apache-2.0 */
/* once.h: one-shot SpMV of CSR on the host without a plan: columns are checked and multiplied in
 * one pass over A. */
#ifndef SPL_SPMV_ONCE_H
#define SPL_SPMV_ONCE_H

#include "plan/method.h"

/* Whether spl__spmv_once can do what the options ask: else a plan must. The view and the options
 * have been read. alpha is neither 0 nor infinite nor NaN. */
bool spl__spmv_once_serves(const spl_context *context, const spl_options *options,
                           const spl_sparse *a);

/* y = alpha*A*x + beta*y as the call says, whose arrays have been checked. Sums have a fixed order
 * given by the structure of A. If A is invalid y is not touched: SPL_INVALID_MATRIX. Memory: y once
 * more, where rows are few or long; if there is none, SPL_OUT_OF_MEMORY. */
spl_status spl__spmv_once(spl_context *context, const spl_options *options, const spl_sparse *a,
                          const spl__call *call);

#endif
