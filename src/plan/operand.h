/* SPDX-License-Identifier: Apache-2.0 */
/* operand.h: a matrix as methods see it: op(A) in CSR, in the plan's widths, where the plan computes. The caller's arrays where they serve, else a
 * copy that remembers where its entries came from. */
#ifndef SPL_PLAN_OPERAND_H
#define SPL_PLAN_OPERAND_H

#include "matrix/arrange.h"
#include "matrix/csr_survey.h"
#include "matrix/device_arrange.h"

typedef struct spl__operand {
    spl_sparse csr;    /* what methods read, values included */
    spl_sparse host;   /* the same on the host; format 0 if it never was there */
    spl_sparse source; /* the caller's view */
    spl__arrangement arrangement;
    void *values;        /* own copy of the values in csr's order; NULL: read in place */
    const char *name;    /* "A" */
    const char *made_by; /* why it is a copy, in words; NULL: it is none */
    spl__device_array offsets_there, indices_there, values_there; /* copies on a device of what is on the host */
    spl__device_arrangement
        arranged; /* of a view on the device: its copy in CSR, values in values_there; empty if read in place */
    spl__row_survey survey; /* of rows that are on a device only */
    uint64_t structure_print, values_print;
} spl__operand;

/* `view` must have been taken. Copies (structure and values) happen here. */
spl_status spl__operand_prepare(spl__account *account, int threads, const spl_sparse *view, bool transpose,
                                spl_index offset_type, spl_index index_type, spl__operand *operand);
/* Copies the operand, prepared on the host, to the queue's device: from then on csr is there. */
spl_status spl__operand_upload(spl__queue *queue, spl__operand *operand);
/* The same as spl__operand_prepare for a view on the queue's device, which is checked here. Indices of 64 bits are SPL_UNSUPPORTED there. */
spl_status spl__operand_borrow(spl__queue *queue, const spl_sparse *view, bool transpose, spl_index offset_type,
                               spl__operand *operand);
/* `queue` is only used for operands that have copies on a device. */
void spl__operand_free(spl__queue *queue, spl__operand *operand);

/* New values of the same structure: remembers the pointer and refreshes the copies. */
spl_status spl__operand_update(spl__queue *queue, spl__operand *operand, const void *values);

/* For check_inputs: remembers what the caller's arrays hold now ... */
void spl__operand_mark(spl__operand *operand);
/* ... and says SPL_STALE if that changed: values too, even where they are read in place, so that a program that is clean with one
 * method is clean with all. */
spl_status spl__operand_compare(const spl__operand *operand);

#endif
