/* SPDX-License-Identifier: Apache-2.0 */
/* spread_product.h: C = alpha*op(A)*op(B) + beta*D by several processors: the counterpart of
 * product.h. */
#ifndef SPL_PARTITION_SPREAD_PRODUCT_H
#define SPL_PARTITION_SPREAD_PRODUCT_H

#include "partition/spread.h"
#include "spgemm/product.h"

/* Entries of the part's rows of C, or their bound. */
int64_t spl__spread_part_nnz(const spl__spread_part *part);
void spl__product_part_free(spl__spread_part *part);
spl__product_terms spl__spread_product_terms(const spl_plan *plan);
spl__product_state spl__spread_product_state(const spl_plan *plan);
spl_status spl__spread_product_execute(spl_plan *plan, spl__call *call, const spl_stream *stream);
spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                      const spl_stream *stream);

/* ---- operands on a device: resident_product.c; these do nothing for operands on the host ---- */

/* Copies structures to the host, where rows are divided; the plan's operands are then on the
 * host, without values. Waits. */
spl_status spl__resident_product_look(spl_plan *plan, spl__spread *spread);
/* Copies values to the host, if other processors have rows. Waits. */
spl_status spl__resident_product_values(spl_plan *plan);
spl_status spl__resident_product_update(spl_plan *plan, const spl_sparse *const operands[3]);
void spl__resident_product_free(spl_plan *plan);

/* Makes the plan of the part that reads operands in place. */
spl_status spl__resident_product_part(spl_plan *plan, spl__spread_part *part);
/* Enqueues that part of an execution to the caller's stream: into the caller's array, or if NULL
 * the plan's. */
spl_status spl__resident_product_start(spl__spread_part *part, const spl__call *call, void *values,
                                       const spl_stream *stream);
/* Copies the values of the other parts from their arrays on the host to the caller's array.
 * Waits, if there are such parts. */
spl_status spl__resident_product_carry(spl_plan *plan, void *values);
/* Checks that the caller's array is in that device's memory, and that calls that wait are not
 * being captured into a graph. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__resident_product_check(const spl_plan *plan, const void *values);

/* The destination of a part's rows of C, each unless NULL: offsets of rows + 1, columns, values. */
typedef struct spl__product_arrays {
    void *offsets, *indices, *values;
} spl__product_arrays;
/* Writes rows of C, whose first entry has the number `first`, to arrays on the host. */
spl_status spl__product_part_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                    spl__product_arrays to);
/* Allocates host memory for copies through the host to arrays on the device that holds the
 * operands, sized for the largest part. Allocated before anything is written; freed by the
 * caller, also after failure. */
spl_status spl__resident_product_room(spl_plan *plan, spl__product_arrays all,
                                      spl__product_arrays *room);
/* Like spl__product_part_export, to arrays on that device. Waits unless the part is on it. */
spl_status spl__resident_product_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                        spl__product_arrays to, const spl__product_arrays *room,
                                        const spl_stream *stream);

#endif
