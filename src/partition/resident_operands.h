/* SPDX-License-Identifier: Apache-2.0 */
/* resident_operands.h: operands of sparse products by several processors that are on a device.
 *
 * The structures of A, B and D are copied to the host, where rows are divided by their products,
 * and also the values if other processors have rows; the parts of these are then like those of
 * any matrices on the host. The functions do nothing for
 * operands on the host. */
#ifndef SPL_PARTITION_RESIDENT_OPERANDS_H
#define SPL_PARTITION_RESIDENT_OPERANDS_H

#include "plan/plan.h"

typedef struct spl__resident_operand {
    spl_sparse device_view; /* on the device */
    spl_sparse source;      /* the caller's view, whose arrays device_view may have */
    spl_sparse cut;         /* the same with offsets on the host, for slices */
    /* a copy on the host, which becomes the plan's operand; values: if other processors have
     * rows */
    void *offsets, *indices, *values;
} spl__resident_operand;

/* Copies structures; the plan's operands are then on the host, without values. Waits. */
spl_status spl__resident_operands_look(spl_plan *plan, spl__resident_operand operands[3]);
/* Copies values. Waits. */
spl_status spl__resident_operands_values(spl_plan *plan, spl__resident_operand operands[3]);
/* Takes new values of the operands that are not NULL in `changed`. Waits. */
spl_status spl__resident_operands_update(spl_plan *plan, spl__resident_operand operands[3],
                                         const spl_sparse *const changed[3]);
void spl__resident_operands_free(spl__resident_operand operands[3]);

#endif
