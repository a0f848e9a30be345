/* SPDX-License-Identifier: Apache-2.0 */
/* dots.h: how two rows meet, entry by entry: merged, or the short one searched in the long one. */
#ifndef SPL_SPGEMM_DOTS_H
#define SPL_SPGEMM_DOTS_H

#include "matrix/arrange.h"
#include "plan/plan.h"

/* A merge takes a step per entry of both, a search some per entry of the short one. */
static inline bool spl__is_far_longer(int64_t length, int64_t other)
{
    enum { FAR = 16 };
    return length / FAR > other;
}

/* What is known of a mask before methods are chosen: the numbers of its positions, the steps of the
 * products at them, and whether rows of A and B ascend; see spl__product. Nothing without a mask
 * that lists positions. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__look_at_mask(spl_plan *plan);

/* Whether rows of the caller's B are those of B', the transpose of op(B). */
bool spl__dots_have_rows(const spl__problem *p);
/* B' by rows in order, from the caller's view of B where that has its form, else from op(B).
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET: what there is must be freed. */
spl_status spl__dots_rows(spl_plan *plan, spl__arrangement *rows);

#endif
