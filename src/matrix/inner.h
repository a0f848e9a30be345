/* SPDX-License-Identifier: Apache-2.0 */
/* inner.h: the inner dimension of op(A)*op(B), where it is far longer than both have entries.
 *
 * An array as long as the inner dimension is only needed for the row offsets of op(B). Where
 * neither operand comes with such an array, indices that no entry has are left out, in copies of
 * the operands' index arrays. C does not change. */
#ifndef SPL_MATRIX_INNER_H
#define SPL_MATRIX_INNER_H

#include "core/memory.h"
#include "device/device.h"
#include "matrix/view.h"

/* A factor of the product: its view, and whether op is the transpose. */
typedef struct spl__factor {
    spl_sparse view;
    bool transposed;
} spl__factor;

/* Whether indices are to be left out. */
bool spl__inner_is_far(const spl__factor *a, const spl__factor *b);
/* The length of the inner dimension of A or of B. */
int64_t *spl__inner_of_a(spl__factor *a);
int64_t *spl__inner_of_b(spl__factor *b);
/* Leaves them out: the views get the new length and index arrays of their own, arrays[0] for A and
 * arrays[1] for B, which the caller frees. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED:
 * nothing is changed. */
spl_status spl__inner_compact(spl__account *account, spl__factor *a, spl__factor *b,
                              void *arrays[2]);
/* The same for views on the queue's device, whose indices have not been checked: they are
 * renumbered on the host, and the first of each view that is out of range becomes -1, for a survey
 * to find. Waits. Frees nothing on the device after a failure; the caller does in any case. */
spl_status spl__inner_compact_on_device(spl__account *account, spl__queue *queue, spl__factor *a,
                                        spl__factor *b, spl__device_array arrays[2]);

#endif
