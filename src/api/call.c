/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call.h"

#include "api/registry.h"
#include "core/sized.h"

#include <stddef.h>
#include <string.h>

spl_status spl__fail_plan(const spl_plan *plan, spl__kind kind)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    return spl__fail(SPL_INVALID_ARGUMENT, "this is a plan of %s, not of %s",
                     plan->problem.traits->name, spl__registry.traits[kind]->name);
}

spl_status spl__check_product_plan(const spl_plan *plan)
{
    return plan && plan->problem.traits->sparse ? SPL_OK : spl__check_plan(plan, SPL__KIND_spgemm);
}

/* What stands for alpha and beta that are not given, of each type of sums: [0] is 0, [1] is 1. */
static const float floats[] = {0, 1};
static const double doubles[] = {0, 1};
static const int32_t ints[] = {0, 1};
static const int64_t longs[] = {0, 1};

static const void *scalar_of(spl_type type, int value)
{
    switch (type) {
    case SPL_F32:
        return &floats[value];
    case SPL_INT32:
        return &ints[value];
    case SPL_INT64:
        return &longs[value];
    default:
        return &doubles[value];
    }
}

/* A scalar of 4 or 8 bytes: `otherwise` where the caller has given none. */
static const void *read_scalar(double *scalar, const void *given, spl_type type, int otherwise)
{
    if (!given)
        return scalar_of(type, otherwise);
    if (spl__type_size(type) == sizeof *scalar)
        memcpy(scalar, given, sizeof *scalar);
    else
        memcpy(scalar, given, sizeof(float));
    return scalar;
}

/* One field after the other: gcc clears a whole call by an instruction that takes as long as SpMV
 * of five rows. */
static void begin_call(spl__call *call, const void *alpha, const void *beta)
{
    call->alpha = alpha;
    call->beta = beta;
    call->scalars_on_device = false;
    call->x = NULL;
    call->y = NULL;
    call->b = call->c = NULL;
    call->rows = NULL;
    call->values = NULL;
    call->watch = NULL;
    call->winners = NULL;
    call->winners_ld = 0;
    call->frontier = NULL;
    _Static_assert(offsetof(spl__call, frontier) + sizeof call->frontier == sizeof *call &&
                       sizeof *call == 13 * sizeof(void *),
                   "these are all");
}

spl_status spl__read_scalars(const spl_plan *plan, const void *alpha, const void *beta,
                             spl__scalars *scalars)
{
    const spl_type type = spl__type_of_sums(plan->problem.a.csr.type);
    const size_t size = spl__type_size(type);
    SPL__TRY(spl__check_aligned(NULL, "alpha", alpha, 1, size));
    SPL__TRY(spl__check_aligned(NULL, "beta", beta, 1, size));
    if (plan->problem.options.scalar_place.kind != SPL_HOST) {
        scalars->call = (spl__call){.alpha = alpha, .beta = beta, .scalars_on_device = true};
        return SPL_OK;
    }
    begin_call(&scalars->call, read_scalar(&scalars->storage[0], alpha, type, 1),
               read_scalar(&scalars->storage[1], beta, type, 0));
    return SPL_OK;
}

spl_status spl__check_semiring_scalars(const spl__problem *p, const void *alpha, const void *beta)
{
    const spl_type type = p->a.csr.type;
    if (!p->options.semiring || p->options.scalar_place.kind != SPL_HOST)
        return SPL_OK;
    double a = spl__scalar(alpha, type, 1), b = spl__scalar(beta, type, 0);
    if (a != 1)
        return spl__fail(SPL_UNSUPPORTED, "alpha is %g: it must be 1 with options.semiring", a);
    if (b != 0 && b != 1 && (!p->traits->sparse || p->has_d))
        return spl__fail(SPL_UNSUPPORTED, "beta is %g: it must be 0 or 1 with options.semiring", b);
    return SPL_OK;
}

static spl_status check_flags(const spl_row_mask *mask)
{
    if (mask->complement >> 1 || mask->clear >> 1)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the mask's complement is %d, clear is %d: allowed are 0 and 1",
                         (int)mask->complement, (int)mask->clear);
    if (mask->bits && mask->bytes)
        return spl__fail(SPL_INVALID_ARGUMENT, "the mask has both bits and bytes");
    return SPL_OK;
}

spl_status spl__read_row_mask(const spl_plan *plan, const spl_row_mask *given, int64_t vectors,
                              const spl__lines *output, spl_row_mask *mask, spl__call *call)
{
    const spl__problem *p = &plan->problem;
    if (!given)
        return SPL_OK;
    SPL__TRY(spl__sized_read(mask, sizeof *mask, given, "spl_row_mask"));
    SPL__TRY(check_flags(mask));
    const size_t size = mask->bits ? sizeof *mask->bits : 1;
    const int64_t count = vectors * (mask->bits ? p->rows / 64 + (p->rows % 64 > 0) : p->rows);
    const void *array = mask->bits ? (const void *)mask->bits : mask->bytes;
    SPL__TRY(spl__check_array(NULL, "the mask of rows", array, count, size));
    const spl__lines lines = spl__lines_of_array(array, count, size);
    SPL__TRY(spl__check_apart(&lines, "the mask of rows", output, "the result"));
    if (p->queue.device && !p->staged && count > 0 && !spl__device_holds(p->queue.device, array))
        return spl__fail(SPL_INVALID_ARGUMENT, "the mask of rows is not in the memory of %s",
                         p->queue.device->properties.name);
    call->rows = mask;
    return SPL_OK;
}

spl_status spl__check_output(const spl_plan *plan, const spl__lines *output, const char *name)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__check_apart_from(output, name, &p->a.source, "A"));
    if (!p->traits->sparse)
        return SPL_OK;
    SPL__TRY(spl__check_apart_from(output, name, &p->b.source, "B"));
    return spl__check_apart_from(output, name, &p->d.source, "D");
}
