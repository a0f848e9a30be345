/* SPDX-License-Identifier: Apache-2.0 */
/* part_blocks.c: a device's part of a dense product whose rows of A do not fit the device besides
 * x and y: they pass through it in blocks. */
#include "partition/device_part.h"

/* As few blocks as fit: half as large in each attempt, down to single rows. */
static spl_status make(spl__part *part)
{
    spl__device_part *d = spl__device_part_of(part);
    const spl__share *share = part->share;
    const double size = (double)spl__type_size(part->plan->problem.a.csr.type);
    double most = (double)(share->rows + 1) * 4 + (double)share->work * (4 + size / 2);
    SPL__TRY(spl__device_part_make(d));
    SPL__TRY(spl__queue_stream(&d->queue, &d->carry));
    d->lean = true;
    for (;; most /= 2) {
        const bool last = spl__part_count(part, most) == share->rows;
        spl_status status = spl__device_part_make_rows(d, most);
        if (!spl__lacks_memory(status) || last)
            return status;
        spl__device_part_free_rows(d);
    }
}

const spl__part_kind spl__part_blocks = {SPL__ON_DEVICE, .make = make};
