/* SPDX-License-Identifier: Apache-2.0 */
/* make_plan.c: the choice between one processor and several. */
#include "api/call.h"
#include "core/sized.h"

/* The device that holds A, as a bit of options.processors; 0: the host, or an unknown device. */
static uint64_t owner_of(const spl_context *context, const spl__request *request)
{
    spl_sparse a;
    if (spl__view_read_anywhere(&a, request->a, "A") != SPL_OK || a.place.kind == SPL_HOST)
        return 0;
    for (int32_t i = 0; i < context->device_count; i++)
        if (context->devices[i] == spl__device_at(context, a.place))
            return (uint64_t)2 << i;
    return 0;
}

/* Whether several processors are used, or a single one although another device holds A. */
static bool wants_several(const spl_context *context, const spl__request *request,
                          const spl_options *o)
{
    uint64_t owner = o->processors ? owner_of(context, request) : 0;
    return o->distributed || (o->processors & (o->processors - 1)) ||
           (owner && o->processors != owner);
}

static bool is_memory(spl_status status)
{
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
}

/* Whether a problem that does not fit one device may be processed in blocks of rows. */
static bool may_go_in_blocks(const spl_context *context, const spl__request *request,
                             const spl_options *o, spl_status status)
{
    bool device = o->processors ? !(o->processors & 1) : !context->uses_cpu;
    return is_memory(status) && device && request->a->place.kind == SPL_HOST &&
           context->registry->operations[request->kind][SPL__TABLE_SEVERAL];
}

spl_status spl__make_plan(spl_context *context, const spl__request *request, spl_plan **plan)
{
    spl_options options;
    spl__request several = *request;
    several.several = true;
    SPL__TRY(spl__sized_read(&options, sizeof options, request->options, "spl_options"));
    if (context && wants_several(context, request, &options))
        return spl__plan_make(context, &several, plan);
    spl_status status = spl__plan_make(context, request, plan);
    if (!context || !may_go_in_blocks(context, request, &options, status))
        return status;
    spl__kept_failure failure;
    spl__failure_keep(&failure);
    spl__log(context, SPL_LOG_INFO, "%s: in blocks of rows instead", failure.detail);
    spl_status blocks = spl__plan_make(context, &several, plan);
    /* what all rows need is better known than what blocks of them could do with */
    return is_memory(blocks) ? spl__failure_restore(status, &failure) : blocks;
}
