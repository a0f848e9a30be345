/* SPDX-License-Identifier: Apache-2.0 */
/* device_rows.c: the state of numeric methods that have their own kernels for row groups. */
#include "spgemm/gpu/device_product.h"

static spl_status find_kernels(spl_plan *plan, spl__row_kernels *rows,
                               const char *(*kernel_of)(const spl__row_shape *))
{
    for (int g = 0; g < rows->shapes.count; g++)
        if (rows->groups.first[g] < rows->groups.first[g + 1])
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
    SPL__TRY(spl__device_groups_make(plan, &rows->shapes, (spl__window_bytes){0, 0}, true,
                                     &rows->groups));
    return find_kernels(plan, rows, kernel_of);
}

spl__group_launch spl__row_kernels_launch(const spl__row_kernels *rows, int g)
{
    const spl__device_groups *groups = &rows->groups;
    return (spl__group_launch){.kernel = rows->kernels[g],
                               .shape = &rows->shapes.shape[g],
                               .list = spl__device_group_list(groups, g),
                               .list_count = groups->first[g + 1] - groups->first[g],
                               .longest = groups->longest[g],
                               .row_of_b = groups->row_of_b[g]};
}

void spl__row_kernels_explain(const spl__step *step, spl__text *text)
{
    const spl__row_kernels *rows = step->state;
    spl__device_groups_explain(&rows->shapes, &rows->groups, 0, text);
}

void spl__row_kernels_destroy(spl__step *step)
{
    spl__row_kernels *rows = step->state;
    if (!rows)
        return;
    spl__device_groups_free(step->task.plan, &rows->groups);
    spl__queue_free(&step->task.plan->problem.queue, &rows->extra);
    spl__free(rows);
}
