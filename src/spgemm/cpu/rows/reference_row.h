/* SPDX-License-Identifier: Apache-2.0 */
/* reference_row.h: the workspace of the two reference methods: one dense row of C (ref/ref.h). */
#ifndef SPL_SPGEMM_CPU_ROWS_REFERENCE_ROW_H
#define SPL_SPGEMM_CPU_ROWS_REFERENCE_ROW_H

#include "plan/plan.h"
#include "ref/ref.h"

/* A row of the problem's width, all zero. On failure spl__reference_row_free cleans up. */
spl_status spl__reference_row_make(spl_plan *plan, spl__ref_row *row);
void spl__reference_row_free(spl__ref_row *row);
/* Computes row i of alpha*A*B + beta*D; its columns ascend unless the plan accepts unsorted
 * ones. */
void spl__reference_row_compute(const spl__problem *p, double alpha, double beta, int64_t i,
                                spl__ref_row *row);

#endif
