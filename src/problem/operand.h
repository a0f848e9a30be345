/* SPDX-License-Identifier: Apache-2.0 */
/* operand.h: a matrix in the form that methods read: op(A) in CSR, in the plan's index widths,
 * on the plan's processor. It borrows the caller's arrays if possible, else it is a copy that
 * stores the origin of each entry. */
#ifndef SPL_PROBLEM_OPERAND_H
#define SPL_PROBLEM_OPERAND_H

#include "format/device_narrow_values.h"
#include "matrix/arrange.h"
#include "matrix/device_arrange.h"
#include "matrix/device_fingerprint.h"
#include "structure/csr_survey.h"

typedef struct spl__operand {
    spl_sparse csr;    /* the matrix that methods read, with values */
    spl_sparse host;   /* the same on the host; format 0 if it never was on the host */
    spl_sparse source; /* the caller's view */
    spl__arrangement arrangement;
    void *renumbered; /* csr's indices where the inner dimension was far; NULL: none */
    spl__device_array device_renumbered; /* the same for a view on the device */
    void *values;        /* a copy of the values in csr's order; NULL: read in place */
    const char *name;    /* "A" */
    const char *made_by; /* why it is a copy, as text; NULL: it is not a copy */
    /* copies on a device: of arrays on the host, or of arrays on the device in other widths or
     * order */
    spl__device_array device_offsets, device_indices, device_values;
    /* for a view on the device: its copy in CSR with values in device_values; empty if read in
     * place */
    spl__device_arrangement arranged;
    bool transposed;        /* borrowed: the requested form */
    spl_index offset_type;  /* the same */
    spl__look look;         /* the structures that are searched in rows on a device */
    spl__row_survey survey; /* of rows that are only on a device */
    /* as found when the plan was made, zero if values were not scanned */
    spl__narrow_form value_form;
    spl__fingerprints fingerprints; /* for check_inputs: the expected fingerprints of `source` */
    spl__device_array device_fingerprint; /* memory for fingerprints computed on a device */
} spl__operand;

/* `view` must have been checked by spl__view_take, or is a pattern, without values. Makes copies of
 * structure and values where needed. */
spl_status spl__operand_prepare(spl__account *account, int threads, const spl_sparse *view,
                                bool transpose, spl_index offset_type, spl_index index_type,
                                spl__operand *operand);
/* Copies the operand, prepared on the host, to the queue's device; csr then points to the copy. */
spl_status spl__operand_upload(spl__queue *queue, spl__operand *operand);
/* spl__operand_prepare for views on the queue's device with indices of 32 bits, in two steps:
 * each is borrowed; then all are checked with a single wait (except those that share the first
 * one's arrays) and copied if they are in another order. SPL_UNSUPPORTED: a dimension does not
 * fit 32 bits. */
spl_status spl__operand_borrow(spl__queue *queue, const spl_sparse *view, bool transpose,
                               spl_index offset_type, spl__operand *operand);
spl_status spl__operands_settle(spl__queue *queue, spl__operand *const *operands, int count,
                                const spl__meanwhile *meanwhile);
/* SPL_INVALID_ARGUMENT: arrays of the view are not on the queue's device. */
spl_status spl__operand_check_place(const spl__queue *queue, const spl_sparse *view,
                                    const char *name);
/* `queue` is only used for operands that have copies on a device. */
void spl__operand_free(spl__queue *queue, spl__operand *operand);

/* Takes new values of the same structure, possibly in other arrays: values in place are read
 * from there from now on, copies of values are refreshed, incompletely after a cancel. */
spl_status spl__operand_update(spl__watch *watch, spl__queue *queue, spl__operand *operand,
                               const spl_sparse *view);
/* Checks whether such a view is acceptable. SPL_INVALID_ARGUMENT: its arrays are not on the
 * operand's device. For check_inputs (else `fingerprints` is NULL): the operand's new fingerprints;
 * SPL_STALE: its structure differs. */
spl_status spl__operand_accept(spl__queue *queue, const spl__operand *operand,
                               const spl_sparse *view, spl__fingerprints *fingerprints);

/* For check_inputs: allocates memory for the following, and stores fingerprints of the caller's
 * arrays; ... */
spl_status spl__operand_watch(spl__queue *queue, spl__operand *operand);
/* ... returns SPL_STALE if these have changed, even values that are read in place, so that a
 * program that is correct with one method is correct with all. For arrays on a device both wait. */
spl_status spl__operand_compare(spl__queue *queue, spl__operand *operand);

#endif
