/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the library that are known and not mended yet: cases that may meet one are left out, and counted. Whoever mends a fault
 * removes its line. --with-open-faults runs them all. */
#include "random_case.h"

#include <math.h>
#include <string.h>

static bool is_several(const random_case *c)
{
    return (c->options.processors & (c->options.processors - 1)) != 0;
}

static bool alpha_is_not_finite(const random_case *c)
{
    bool any = false;
    for (int r = 0; r < c->rounds; r++)
        any = any || !(c->alpha[r].null || isfinite(c->alpha[r].number));
    return any;
}

static bool alpha_scales_a_sparse_product(const random_case *c)
{
    bool any = false;
    for (int r = 0; r < c->rounds; r++) {
        double size = fabs(c->alpha[r].number);
        any = any || !(c->alpha[r].null || size == 0 || size == 1);
    }
    return c->operation == RANDOM_SPGEMM && any;
}

static bool may_be_bounded_on_a_device(const random_case *c)
{
    bool computes = c->setup->devices && c->options.processors != 1;
    return c->operation == RANDOM_SPGEMM && computes &&
           (strstr(c->method, "gpu/upper_bound") || c->options.policy == SPL_POLICY_RULES);
}

static bool one_shot_of_several_may_fail(const random_case *c)
{
    return c->one_shot && c->operation != RANDOM_SPGEMM && is_several(c) &&
           (*c->method || c->options.memory_budget || c->fails_at >= 0);
}

static bool is_wide(const random_case *c)
{
    int64_t cols = c->options.op_b != SPL_NONE ? c->b.rows : c->b.cols;
    return c->operation == RANDOM_SPGEMM && cols >= 1 << 20;
}

static const struct open_fault {
    const char *what;
    bool (*may_meet)(const random_case *c);
} faults[] = {
    {"alpha = Inf or NaN makes NaN of rows without entries", alpha_is_not_finite},
    {"SpGEMM rounds alpha*a first, which may overflow or lose bits", alpha_scales_a_sparse_product},
    {"joined rows after an upper bound on devices", may_be_bounded_on_a_device},
    {"one-shot calls of several processors that fail have written y", one_shot_of_several_may_fail},
    {"dense accumulators as wide as C are wanted for a few products", is_wide},
};

const char *random_case_open_fault(const random_case *c)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].may_meet(c))
            return faults[i].what;
    return NULL;
}
