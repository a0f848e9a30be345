/* SPDX-License-Identifier: Apache-2.0 */
/* device_reduce.h: spl_reduce of a matrix on a device, into an array there. */
#ifndef SPL_ALGEBRA_DEVICE_REDUCE_H
#define SPL_ALGEBRA_DEVICE_REDUCE_H

#include "core/context.h"
#include "sparloom/algebra.h"

/* The header of `m` and the request have been checked, arrays have not. Complete when this returns.
 * Statuses as spl__device_select. */
spl_status spl__device_reduce(spl_context *context, const spl_sparse *m, spl_monoid monoid,
                              spl_reduction reduction, void *result);

#endif
