/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/bins/row_shapes.h"

#include "core/checked.h"
#include "device/device.h"

int64_t spl__table_slots(int64_t columns, int64_t least)
{
    int64_t slots = least;
    while (slots < 2 * columns)
        slots *= 2;
    return slots;
}

enum { LEAST_SLOTS = 32 }; /* a team moves columns in them by eights */

int64_t spl__found_slots(int64_t columns)
{
    return spl__table_slots((2 * columns + 2) / 3, LEAST_SLOTS);
}

int32_t spl__table_shift(int64_t slots)
{
    int32_t shift = 32;
    while (slots > 1) {
        slots /= 2;
        shift--;
    }
    return shift;
}

static int64_t block_bytes(const spl__row_shape *shape, int64_t team_bytes)
{
    return team_bytes * (shape->threads / shape->team);
}

int64_t spl__block_bytes(const spl_plan *plan)
{
    enum { OWN = 2048, ALIGNMENT = 8 }; /* OWN: more than kernels declare themselves */
    return ((int64_t)plan->problem.queue.device->properties.block_shared - OWN) / ALIGNMENT *
           ALIGNMENT;
}

bool spl__shape_has_bytes(const spl__row_shape *s)
{
    return s->kind == SPGEMM_WINDOW || s->kind == SPGEMM_LISTED || s->kind == SPGEMM_NESTED ||
           s->kind == SPGEMM_SPREAD;
}

void spl__row_shape_fit_block(spl__row_shape *shape, int64_t team_bytes, int64_t limit)
{
    while (shape->threads > shape->team && block_bytes(shape, team_bytes) > limit)
        shape->threads /= 2;
}

void spl__row_shapes_fit(spl__row_shapes *shapes, const spl_plan *plan, spl__team_bytes bytes_of,
                         const void *context)
{
    int64_t limit = spl__block_bytes(plan);
    for (int g = 0; g < shapes->count; g++) {
        spl__row_shape *s = &shapes->shape[g];
        if (s->most_work == 0)
            s->most_work = INT64_MAX;
        if (spl__shape_has_bytes(s) && (s->most == 0 || s->most > limit))
            s->most = limit;
        spl__row_shape_fit_block(s, bytes_of(context, s), limit);
        while (g == shapes->count - 1 && s->most > 1 &&
               block_bytes(s, bytes_of(context, s)) > limit)
            s->most /= 2;
        if (block_bytes(s, bytes_of(context, s)) > limit)
            s->most = -1;
    }
}

int32_t spl__part_width(double row_of_b, int32_t least, int32_t most)
{
    int32_t width = least;
    while (width < most && width < row_of_b)
        width *= 2;
    return width;
}
