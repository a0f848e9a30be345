/* SPDX-License-Identifier: Apache-2.0 */
/* part_cpu.c: the CPU's rows of a dense product, which the calling thread computes: into the
 * caller's array, or into an image if the rows are not contiguous there, or not on the host, or
 * must not be written yet. */
#include "partition/parts.h"

#include <omp.h>

static bool has_own_image(const spl__part *part)
{
    return part->image.account;
}

static spl_status compute_rows(spl__part *part, const spl__execution *e)
{
    const spl_place host = {SPL_HOST, 0};
    const bool imaged = has_own_image(part), on_host = !spl__owner_of_a(e->plan);
    spl_row_mask named;
    spl__call call = spl__part_call(part, e, &named);
    spl_dense b = e->b && on_host ? *e->b : spl__held_b(e, host, e->spread->x.data);
    spl_dense c =
        imaged ? spl__held_c(e, part, host, part->image.data) : spl__rows_within(e->c, part);
    if (imaged && on_host && e->c && e->reads_c) {
        const spl__dense_rows rows = spl__rows_of_result(e, part);
        spl__dense_rows_take(&rows, e->threads, part->image.data);
    }
    spl__call_dense(&call, &b, &c);
    return spl__plan_execute(spl__part_plan(part), SPL__PHASE_compute, &call, NULL);
}

static spl_status compute(spl__part *part, const spl__execution *e)
{
    const double begin = omp_get_wtime();
    SPL__TRY(compute_rows(part, e));
    part->measured = (spl__seconds){.execution = omp_get_wtime() - begin};
    return SPL_OK;
}

static spl_status finish(spl__part *part, const spl__execution *e)
{
    const double begin = omp_get_wtime();
    if (!e->c || spl__owner_of_a(e->plan) || !has_own_image(part))
        return SPL_OK;
    const spl__dense_rows rows = spl__rows_of_result(e, part);
    spl__dense_rows_give(&rows, e->threads, part->image.data);
    part->measured.execution += omp_get_wtime() - begin;
    return SPL_OK;
}

const spl__part_kind spl__part_cpu = {
    .size = sizeof(spl__part),
    .make = spl__part_make_plan,
    .update = spl__part_update_plan,
    .run = {[SPL__COMPUTE] = compute, [SPL__FINISH] = finish},
    .free = spl__part_drop,
};
