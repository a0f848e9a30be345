/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/tuning/calibrate.h"

#include "device/device.h"
#include "plan/signature.h"

#include <math.h>

spl_status spl__calibrate(spl_context *context, double seconds)
{
    if (!(seconds > 0 && isfinite(seconds)))
        return spl__fail(SPL_INVALID_ARGUMENT, "seconds are %g, not above 0 and finite", seconds);
    int kinds = 0;
    for (int i = 0; i < context->device_count; i++)
        kinds += spl__first_like(context, i) == i;
    double share = seconds / (1 + kinds);
    SPL__TRY(spl__calibrate_host(context, share));
    for (int i = 0; i < context->device_count; i++)
        if (spl__first_like(context, i) == i)
            SPL__TRY(spl__calibrate_device(context, context->devices[i], share));
    return SPL_OK;
}
