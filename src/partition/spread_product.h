/* SPDX-License-Identifier: Apache-2.0 */
/* spread_product.h: C = alpha*op(A)*op(B) + beta*D by several processors: what product.h is for
 * one. */
#ifndef SPL_PARTITION_SPREAD_PRODUCT_H
#define SPL_PARTITION_SPREAD_PRODUCT_H

#include "partition/spread.h"
#include "spgemm/product.h"

/* Entries of the part's rows of C, or their bound. */
int64_t spl__spread_part_nnz(const spl__spread_part *part);
void spl__product_part_free(spl__spread_part *part);
spl__product_terms spl__spread_product_terms(const spl_plan *plan);
spl__product_state spl__spread_product_state(const spl_plan *plan);
spl_status spl__spread_product_execute(spl_plan *plan, const spl__call *call, void *values,
                                       const spl_stream *stream);
spl_status spl__spread_product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                                      const spl_stream *stream);

/* ---- operands on a device: resident_product.c. Where they live on the host these
 * do nothing ---- */

/* Structures come to the host, where rows are shared out: from then on the plan's operands are
 * there, without values. Waits. */
spl_status spl__resident_product_look(spl_plan *plan, spl__spread *spread);
/* Values, too, if others than that device have rows. Waits. */
spl_status spl__resident_product_values(spl_plan *plan);
spl_status spl__resident_product_update(spl_plan *plan, const spl_sparse *const operands[3]);
void spl__resident_product_free(spl_plan *plan);

/* The plan of the part that reads operands where they live. */
spl_status spl__resident_product_part(spl_plan *plan, spl__spread_part *part);
/* That part of an execution, enqueued to the caller's stream: into the caller's array, NULL: the
 * plan's. */
spl_status spl__resident_product_start(spl__spread_part *part, const spl__call *call, void *values,
                                       const spl_stream *stream);
/* Values of the other parts, from their arrays on the host to the caller's. Waits, if there are
 * such parts. */
spl_status spl__resident_product_carry(spl_plan *plan, void *values);
/* The caller's array is in that device's memory, and calls that wait are not recorded.
 * SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__resident_product_check(const spl_plan *plan, const void *values);

/* Where a part's rows of C go, each unless NULL: offsets of rows + 1, columns, values. */
typedef struct spl__product_arrays {
    void *offsets, *indices, *values;
} spl__product_arrays;
/* Writes rows of C, whose first entry has that number, to arrays on the host. */
spl_status spl__product_part_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                    spl__product_arrays to);
/* Room on the host for what goes by way of it to arrays on the device that holds the operands: that
 * of the largest part. Taken before anything is written; freed by the caller, also
 * after a failure. */
spl_status spl__resident_product_room(spl_plan *plan, spl__product_arrays all,
                                      spl__product_arrays *room);
/* As spl__product_part_export, to arrays on that device. Waits unless the part lives there. */
spl_status spl__resident_product_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                        spl__product_arrays to, const spl__product_arrays *room,
                                        const spl_stream *stream);

#endif
