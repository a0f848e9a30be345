/* SPDX-License-Identifier: Apache-2.0 */
/* machine_api.c: measured values that replace the cost model's defaults. */
#include "core/sized.h"
#include "plan/tuning/calibrate.h"
#include "plan/tuning/tuning.h"

static spl_status check(const void *context, const void *text, const char *name)
{
    if (!context || !text)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? name : "context");
    return SPL_OK;
}

spl_status spl_machine_set(spl_context *context, const char *name, double value)
{
    SPL__TRY(check(context, name, "name"));
    return spl__tuning_set(context, NULL, name, value);
}

spl_status spl_machine_get(spl_context *context, const char *name, double *value)
{
    SPL__TRY(check(context, name, "name"));
    if (!value)
        return spl__fail(SPL_INVALID_ARGUMENT, "value is NULL");
    return spl__tuning_get(context, name, value);
}

spl_status spl_machine_measure(spl_context *context, double seconds)
{
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    return spl__calibrate(context, seconds);
}

spl_status spl_machine_export(spl_context *context, const char *path)
{
    SPL__TRY(check(context, path, "path"));
    return spl__tuning_write(context, path);
}

spl_status spl_machine_import(spl_context *context, const char *path, spl_import *report)
{
    spl__text_file file;
    spl_import out = {0};
    SPL__TRY(check(context, path, "path"));
    SPL__TRY(spl__text_file_open(&file, &context->account, path));
    SPL__TRY(spl__tuning_read(context, &file, &out));
    return report ? spl__sized_write(report, &out, sizeof out, "report") : SPL_OK;
}
