/* SPDX-License-Identifier: Apache-2.0 */
/* call.h: shared by the entry points of all operations. */
#ifndef SPL_API_CALL_H
#define SPL_API_CALL_H

#include "matrix/lines.h"
#include "plan/plan.h"

/* Scalars for methods: never NULL, of the plan's type. */
typedef struct spl__scalars {
    double storage[2]; /* one float or double each */
    spl__call call;
} spl__scalars;

/* Makes a plan for one processor or several, as options say; problems that do not fit a device
 * are processed in blocks of rows. */
spl_status spl__make_plan(spl_context *context, const spl__request *request, spl_plan **plan);

/* SPL_INVALID_ARGUMENT unless `plan` is a plan of `kind`, or of sparse products of any. */
spl_status spl__fail_plan(const spl_plan *plan, spl__kind kind) __attribute__((cold));
static inline spl_status spl__check_plan(const spl_plan *plan, spl__kind kind)
{
    return plan && plan->problem.kind == kind ? SPL_OK : spl__fail_plan(plan, kind);
}
spl_status spl__check_product_plan(const spl_plan *plan);

/* call->alpha and call->beta from the caller's pointers: NULL means 1 and 0. Scalars on a device
 * stay there, NULL stays NULL. SPL_INVALID_ARGUMENT: a scalar is not aligned. */
spl_status spl__read_scalars(const spl_plan *plan, const void *alpha, const void *beta,
                             spl__scalars *scalars);

/* SPL_UNSUPPORTED: scalars that are built for plus_times only. */
spl_status spl__check_semiring_scalars(const spl__problem *problem, const void *alpha,
                                       const void *beta);

/* Copies the caller's mask of rows (NULL: none) to `mask`, and points call->rows to it. `output` is
 * y or C; `vectors` masks stand one after another. SPL_INVALID_ARGUMENT, SPL_UNSUPPORTED. */
spl_status spl__read_row_mask(const spl_plan *plan, const spl_row_mask *given, int64_t vectors,
                              const spl__lines *output, spl_row_mask *mask, spl__call *call);

/* Whether a NULL operand means the distributed arrays: see spl_plan_part. */
static inline bool spl__may_be_held(const spl_plan *plan, const void *operand)
{
    return !operand && plan->problem.options.distributed;
}

/* SPL_INVALID_ARGUMENT if an output of the plan overlaps an array of an operand. */
spl_status spl__check_output(const spl_plan *plan, const spl__lines *output, const char *name);

#endif
