/* SPDX-License-Identifier: Apache-2.0 */
/* triple_api.c: C = alpha*op(P)'*op(A)*op(P). What follows the plan: spgemm_api.c. */
#include "sparloom/triple.h"

#include "api/call.h"

spl_status spl_triple_plan(spl_context *context, const spl_sparse *a, const spl_sparse *p,
                           const spl_options *options, spl_plan **plan)
{
    spl__request request = {.kind = SPL__KIND_triple, .a = a, .b = p, .options = options};
    if (!p)
        return spl__fail(SPL_INVALID_ARGUMENT, "P is NULL");
    return spl__make_plan(context, &request, plan);
}
