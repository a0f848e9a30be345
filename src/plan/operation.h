/* SPDX-License-Identifier: Apache-2.0 */
/* operation.h: an operation on a processor, as a table of what entry points and the planner call.
 * Each operation has one table for the CPU, one for a device and one for several processors. */
#ifndef SPL_PLAN_OPERATION_H
#define SPL_PLAN_OPERATION_H

#include "plan/method.h"

/* Properties of C that are fixed when the plan is made. They may be read while an execution is
 * in flight. */
typedef struct spl__product_terms {
    int64_t capacity; /* nnz(C) or its bound */
    bool bounded;     /* capacity is a bound */
    bool keeps;       /* the plan keeps values of C */
} spl__product_terms;

/* The current knowledge about C, for entry points. */
typedef struct spl__product_state {
    int64_t nnz;   /* or its bound */
    bool known;    /* nnz is exact */
    bool bounded;  /* the plan began with a bound */
    bool keeps;    /* the plan keeps values of C */
    bool computed; /* and they have been computed */
    spl_index offset_type;
} spl__product_state;

/* Functions that may be NULL have nothing to do. */
typedef struct spl__operation {
    /* Several processors only: checks where the operands are, and prepares the plan's queue. For
     * one processor the planner chooses it, and the table with it. */
    spl_status (*place)(spl_plan *plan, const spl_sparse *a);
    /* One-shot products of operands on a device only: enqueues what can be done while the operands
     * are checked: spl__meanwhile of csr_survey.h. */
    spl_status (*meanwhile)(spl_plan *plan, const struct csr_survey *surveys, int count);
    /* Fills features, chooses and prepares all steps. On failure spl__plan_free cleans up. */
    spl_status (*plan)(spl_plan *plan);
    /* Frees the results of the symbolic phase, so that it can run again. Needed by operations that
     * have this phase. */
    void (*forget)(spl_plan *plan);
    /* Discards the stored results of a trial's executions, so that the next one is the first
     * again. May be NULL. */
    void (*unlearn)(spl_plan *plan);
    /* Frees the operation's state. May be NULL. */
    void (*destroy)(spl_plan *plan);

    /* One execution: with dense operands call->b and call->c (NULL: distributed arrays), or of a
     * sparse product into call->values (NULL: the plan's array). */
    spl_status (*execute)(spl_plan *plan, spl__call *call, const spl_stream *stream);
    /* Dense products of call->rows where op(A) is stored by rows, in place of the plan's steps.
     * NULL: not built. */
    spl_status (*execute_rows)(spl_plan *plan, const spl__call *call);
    /* Stores the results of a successful execution that later ones use, while the plan is still
     * claimed. May be NULL. */
    void (*finish)(spl_plan *plan, const spl__call *call);
    /* spl__plan_update or more. */
    spl_status (*update)(spl_plan *plan, const spl_sparse *const operands[3]);
    /* Waits for the work of all executions. */
    spl_status (*wait)(spl_plan *plan);
    void (*explain)(const spl_plan *plan, spl__text *text);
    /* Adds what devices did. */
    void (*count)(const spl_plan *plan, spl_counters *counters);
    /* The k-th of the plans whose steps these are; NULL: there are no more. */
    const spl_plan *(*inner)(const spl_plan *plan, int32_t k);

    /* Sparse products only: C for callers. */
    spl__product_terms (*terms)(const spl_plan *plan);
    spl__product_state (*state)(const spl_plan *plan);
    /* Writes C to the caller's arrays, each unless NULL; rows are consecutive. */
    spl_status (*export)(spl_plan *plan, void *offsets, void *indices, void *values,
                         const spl_stream *stream);
    /* The plan's own arrays of a C that is known: structure.h. NULL: there are none. */
    spl_status (*view)(spl_plan *plan, spl_sparse *c);
    /* Makes a matrix of the plan's own arrays, in its account; afterwards the plan can only be
     * freed. NULL: C must be copied. */
    spl_status (*give)(spl_plan *plan, const spl_sparse *header, spl_matrix **c);

    /* Several processors only: their parts. */
    int32_t (*part_count)(const spl_plan *plan);
    spl_status (*part)(spl_plan *plan, int32_t number, spl_part_info *info);
} spl__operation;

#endif
