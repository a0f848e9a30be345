/* SPDX-License-Identifier: Apache-2.0 */
/* wisdom_api.c: the wisdom of a context. */
#include "core/sized.h"
#include "plan/policy/wisdom.h"

#include <stdio.h>

static spl_status check(const void *context, const void *path)
{
    if (!context || !path)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "path" : "context");
    return SPL_OK;
}

spl_status spl_wisdom_export(spl_context *context, const char *path)
{
    SPL__TRY(check(context, path));
    return spl__wisdom_write(context, path);
}

spl_status spl_wisdom_import(spl_context *context, const char *path, spl_import *report)
{
    spl__text_file file;
    spl_import out = {0};
    SPL__TRY(check(context, path));
    SPL__TRY(spl__text_file_open(&file, &context->account, path));
    SPL__TRY(spl__wisdom_read(context, &file, &out));
    return report ? spl__sized_write(report, &out, sizeof out, "report") : SPL_OK;
}

int64_t spl_wisdom_count(spl_context *context)
{
    return context ? spl__wisdom_count(context) : 0;
}

spl_status spl_wisdom_get(spl_context *context, int64_t number, spl_wisdom *wisdom)
{
    spl__wisdom_entry entry;
    SPL__TRY(check(context, context));
    if (!spl__wisdom_get(context, number, &entry))
        return spl__fail(SPL_INVALID_ARGUMENT, "there is no wisdom %lld", (long long)number);
    spl_wisdom out = {
        .method = entry.method->id, .seconds = entry.seconds, .measured_here = entry.measured_here};
    snprintf(out.machine, sizeof out.machine, "%s", entry.machine);
    snprintf(out.problem, sizeof out.problem, "%s", entry.problem);
    return spl__sized_write(wisdom, &out, sizeof out, "wisdom");
}

spl_status spl_wisdom_forget(spl_context *context)
{
    SPL__TRY(check(context, context));
    spl__wisdom_forget(context);
    return SPL_OK;
}
