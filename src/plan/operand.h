/* SPDX-License-Identifier: Apache-2.0 */
/* operand.h: a matrix as methods see it: op(A) in CSR, in the plan's widths, where the plan
 * computes. The caller's arrays where they serve, else a copy that remembers where its entries came
 * from. */
#ifndef SPL_PLAN_OPERAND_H
#define SPL_PLAN_OPERAND_H

#include "format/value_forms.h"
#include "matrix/arrange.h"
#include "matrix/device_arrange.h"
#include "matrix/device_print.h"
#include "structure/csr_survey.h"

typedef struct spl__operand {
    spl_sparse csr;    /* what methods read, values included */
    spl_sparse host;   /* the same on the host; format 0 if it never was there */
    spl_sparse source; /* the caller's view */
    spl__arrangement arrangement;
    void *values;        /* own copy of the values in csr's order; NULL: read in place */
    const char *name;    /* "A" */
    const char *made_by; /* why it is a copy, in words; NULL: it is none */
    /* copies on a device: of what is on the host, or of what is there, in the plan's widths or
     * order */
    spl__device_array device_offsets, device_indices, device_values;
    spl__device_arrangement arranged; /* of a view on the device: its copy in CSR, values in
                                         device_values; empty if read in place */
    bool transposed;                  /* borrowed: what the plan wants of it */
    spl_index offset_type;            /* the same */
    spl__look look;                   /* what is looked for in rows on a device */
    spl__row_survey survey;           /* of rows that are on a device only */
    /* as it was when the plan was made, if values were looked at, else zeros */
    spl__value_form value_form;
    spl__prints prints;             /* for check_inputs: of `source` as it should be */
    spl__device_array device_print; /* room for those that a device makes */
} spl__operand;

/* `view` must have been taken. Copies (structure and values) happen here. */
spl_status spl__operand_prepare(spl__account *account, int threads, const spl_sparse *view,
                                bool transpose, spl_index offset_type, spl_index index_type,
                                spl__operand *operand);
/* Copies the operand, prepared on the host, to the queue's device: from then on csr is there. */
spl_status spl__operand_upload(spl__queue *queue, spl__operand *operand);
/* The same as spl__operand_prepare for views on the queue's device and indices of 32 bits, in two
 * steps: each is borrowed, then all are checked with one wait, but those that have the arrays of
 * the first, and copied if they come in another order. SPL_UNSUPPORTED: a dimension does not fit 32
 * bits. */
spl_status spl__operand_borrow(spl__queue *queue, const spl_sparse *view, bool transpose,
                               spl_index offset_type, spl__operand *operand);
spl_status spl__operands_settle(spl__queue *queue, spl__operand *const *operands, int count);
/* `queue` is only used for operands that have copies on a device. */
void spl__operand_free(spl__queue *queue, spl__operand *operand);

/* New values of the same structure, whose arrays may be others: what was read in place is read
 * there from now on, copies of values are refreshed. */
spl_status spl__operand_update(spl__queue *queue, spl__operand *operand, const spl_sparse *view);
/* Whether such a view may come. SPL_INVALID_ARGUMENT: its arrays are not on the operand's device.
 * For check_inputs (else `prints` is NULL) the operand's new prints; SPL_STALE: its structure is
 * another. */
spl_status spl__operand_accept(spl__queue *queue, const spl__operand *operand,
                               const spl_sparse *view, spl__prints *prints);

/* For check_inputs: makes room for what follows, and remembers what the caller's arrays hold now;
 * ... */
spl_status spl__operand_watch(spl__queue *queue, spl__operand *operand);
/* ... and says SPL_STALE if that changed: values too, even where they are read in place, so that a
 * program that is clean with one method is clean with all. For arrays on a device these wait. */
spl_status spl__operand_compare(spl__queue *queue, spl__operand *operand);

#endif
