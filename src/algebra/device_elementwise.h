/* SPDX-License-Identifier: Apache-2.0 */
/* device_elementwise.h: spl_elementwise of matrices on a device, whose result is there. */
#ifndef SPL_ALGEBRA_DEVICE_ELEMENTWISE_H
#define SPL_ALGEBRA_DEVICE_ELEMENTWISE_H

#include "core/context.h"
#include "sparloom/algebra.h"

/* Headers and the request have been checked, arrays have not. `offset_type` is that of C. Complete
 * when this returns. Statuses as spl__device_select. */
spl_status spl__device_elementwise(spl_context *context, spl__account *account, const spl_sparse *a,
                                   const spl_sparse *b, spl_positions positions,
                                   spl_operation operation, spl_index offset_type, spl_matrix **c);

#endif
