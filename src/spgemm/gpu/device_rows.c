/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_rows.h"

static spl_status find_kernels(spl_plan *plan, spl__row_kernels *rows,
                               const char *(*kernel_of)(const spl__row_shape *))
{
    for (int g = 0; g < rows->shapes.count; g++)
        if (rows->bins.first[g] < rows->bins.first[g + 1])
            SPL__TRY(
                spl__product_kernel(plan, kernel_of(&rows->shapes.shape[g]), &rows->kernels[g]));
    return SPL_OK;
}

spl_status spl__row_kernels_prepare(spl__step *step, const spl__row_shapes *shapes,
                                    spl__team_bytes bytes_of,
                                    const char *(*kernel_of)(const spl__row_shape *shape))
{
    spl_plan *plan = step->task.plan;
    spl__row_kernels *rows;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &rows, 1));
    step->state = rows;
    rows->shapes = *shapes;
    spl__row_shapes_fit(&rows->shapes, plan, bytes_of, plan);
    SPL__TRY(spl__row_bins_make(plan, &rows->shapes, (spl__window_bytes){0, 0}, true, &rows->bins));
    return find_kernels(plan, rows, kernel_of);
}

spl__bin_launch spl__row_kernels_launch(const spl__row_kernels *rows, int g)
{
    const spl__row_bins *bins = &rows->bins;
    return (spl__bin_launch){.kernel = rows->kernels[g],
                             .shape = &rows->shapes.shape[g],
                             .list = spl__row_bins_list(bins, g),
                             .list_count = bins->first[g + 1] - bins->first[g],
                             .longest = bins->longest[g],
                             .row_of_b = bins->row_of_b[g]};
}

void spl__row_kernels_explain(const spl__step *step, spl__text *text)
{
    const spl__row_kernels *rows = step->state;
    spl__row_bins_explain(&rows->shapes, &rows->bins, 0, text);
}

void spl__row_kernels_destroy(spl__step *step)
{
    spl__row_kernels *rows = step->state;
    if (!rows)
        return;
    spl__row_bins_free(step->task.plan, &rows->bins);
    spl__queue_free(&step->task.plan->problem.queue, &rows->extra);
    spl__free(rows);
}
