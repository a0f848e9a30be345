/* SPDX-License-Identifier: Apache-2.0 */
/* problem_operands.h: the operands of a problem in the order and the widths of its methods. */
#ifndef SPL_PROBLEM_PROBLEM_OPERANDS_H
#define SPL_PROBLEM_PROBLEM_OPERANDS_H

#include "matrix/inner.h"
#include "problem/problem.h"

/* The widths of offsets and columns of all operands of a plan. */
typedef struct spl__widths {
    spl_index offset_type, index_type;
} spl__widths;

static inline bool spl__transposes(spl_operator op)
{
    return op != SPL_NONE; /* conjugation has no effect on real values */
}

/* Whether the entries of op(A) are stored by columns. */
static inline bool spl__is_by_columns(const spl_sparse *view, spl_operator op)
{
    return view->format != SPL_COO && spl__transposes(op) != (view->format == SPL_CSC);
}

/* The narrowest widths (32/32, 64/32, 64/64) that hold every operand's entries and columns, and
 * numbers up to `widest`, without narrowing any operand; views may be NULL. */
spl__widths spl__widths_for(const spl_sparse *const views[3], int64_t widest);
/* Whether inner indices of op(A)*op(B) that no entry has are left out. */
bool spl__problem_inner_is_far(const spl__problem *problem, const spl__factor *a,
                               const spl__factor *b);
/* Prepares checked operands: b and d may be NULL. On failure spl__problem_free cleans up. */
spl_status spl__problem_prepare_operands(spl__problem *problem, spl__account *account,
                                         const spl_sparse *a, const spl_sparse *b,
                                         const spl_sparse *d);

#endif
