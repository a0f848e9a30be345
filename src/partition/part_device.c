/* SPDX-License-Identifier: Apache-2.0 */
/* part_device.c: a device's part of a dense product whose rows of A stay there, if necessary
 * without copies in other formats. */
#include "partition/device_part.h"

#include <math.h>

static spl_status make(spl__part *part)
{
    spl__device_part *d = spl__device_part_of(part);
    SPL__TRY(spl__device_part_make(d));
    spl_status status = spl__device_part_make_rows(d, INFINITY);
    if (!spl__lacks_memory(status))
        return status;
    spl__device_part_free_rows(d);
    d->lean = true;
    return spl__device_part_make_rows(d, INFINITY);
}

const spl__part_kind spl__part_device = {SPL__ON_DEVICE, .make = make};
