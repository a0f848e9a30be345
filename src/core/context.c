/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>

int spl__threads(const spl_context *context, int wanted)
{
    if (wanted == 0)
        wanted = context->threads > 0 ? context->threads : omp_get_max_threads();
    return spl__team_limited(wanted);
}

void spl__log(const spl_context *context, spl_log_level level, const char *format, ...)
{
    if (!context->log)
        return;
    char message[SPL__DETAIL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, message);
}

spl_status spl__progress(const spl_context *context, const char *stage, int64_t done, int64_t total)
{
    if (context->progress && context->progress(context->progress_user, stage, done, total))
        return spl__fail(SPL_CANCELLED, "cancelled in stage %s at %s of %s", stage,
                         spl__thousands(done), spl__thousands(total));
    return SPL_OK;
}
