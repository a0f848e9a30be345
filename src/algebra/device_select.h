/* SPDX-License-Identifier: Apache-2.0 */
/* device_select.h: spl_select of a matrix on a device, whose result is there. */
#ifndef SPL_ALGEBRA_DEVICE_SELECT_H
#define SPL_ALGEBRA_DEVICE_SELECT_H

#include "matrix/matrix.h"
#include "sparloom/algebra.h"

/* The header of `source` and the selection have been checked, arrays have not. It is complete when
 * this returns. SPL_INVALID_MATRIX, SPL_INVALID_ARGUMENT: no device of the context has the arrays;
 * SPL_UNSUPPORTED: indices of 64 bits; SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_select(spl_context *context, spl__account *account, const spl_sparse *source,
                              const spl_selection *selection, spl_matrix **result);

#endif
