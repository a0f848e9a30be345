/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/hash: the structure of C = A*B + D with a hash set per row.
 *
 * Rows are grouped by their products; each group has teams of threads and tables of one size. A team inserts the columns of its row and counts
 * those that were new; counts are summed up to offsets, C's columns allocated exactly. Then rows are grouped again, by their true length, found
 * once more, and written in ascending order: the columns are copied into the table, which is not needed any more, and sorted there. Rows whose
 * tables do not fit shared memory use tables in global memory, as many as blocks run at once, and are sorted where they lie.
 *
 * Cost: every product inserted twice; n*log2(n)^2/4 comparisons for a row of n columns. Memory: 8 bytes a row, the lists of rows (4 bytes a row,
 * 16 while they are made), C's columns, and tables for long rows.
 * Source: Y. Nagasaka, A. Nukada, S. Matsuoka, High-performance and memory-saving sparse general matrix-matrix multiplication for NVIDIA
 *         Pascal GPU, ICPP 2017 [S3].
 * Differs: columns are found in the plan, not with the values, so that executions find none; a sorting network instead of ranks, which are
 * quadratic; table sizes in hash_groups.def. */
#include "core/checked.h"
#include "spgemm/device_product.h"

typedef struct state {
    const spl__kernel *kernel;
} state;

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = {.streamed = 8 * f->nnz_a + 24 * f->rows + 4 * f->bound_c,
                             .gathered = 2 * 4 * f->products,
                             .reach = 4 * f->nnz_b,
                             .steps = 16 * f->products / lanes + 64 * f->rows,
                             .launches = 16};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 28 * f->rows + 4 * f->bound_c;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    return spl__queue_kernel(&plan->problem.queue, "spgemm_find", a->type, a->offset_type, &s->kernel);
}

static spl_status find_group(spl_plan *plan, const state *s, const spl__device_groups *groups, int group,
                             struct spgemm_find_args *args)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array tables = {NULL, 0};
    args->list = (const uint32_t *)groups->rows.data + groups->first[group];
    args->list_count = groups->first[group + 1] - groups->first[group];
    spl__hash_shape shape = spl__hash_shape_of(plan, s->kernel, group, args->list_count, sizeof(int32_t),
                                               spl__product_of(plan)->longest_work);
    if (args->list_count == 0)
        return SPL_OK;
    if (shape.global)
        SPL__TRY(spl__hash_tables_make(plan, &shape, sizeof(int32_t), &tables));
    args->team = shape.team;
    args->shift = shape.shift;
    args->slots = shape.slots;
    args->tables = tables.data;
    spl_status status = SPL__LAUNCH_SHARED(queue, args, s->kernel, shape.blocks, shape.threads, shape.shared);
    spl__queue_free(queue, &tables);
    return status;
}

static spl_status find_all(spl_plan *plan, const state *s, const spl__device_groups *groups,
                           struct spgemm_find_args *args)
{
    for (int g = 0; g <= SPL__HASH_GROUPS; g++)
        SPL__TRY(find_group(plan, s, groups, g, args));
    return SPL_OK;
}

/* Lengths of rows, and from them offsets and nnz(C). */
static spl_status count_columns(spl_plan *plan, const state *s)
{
    spl__queue *queue = &plan->problem.queue;
    spl__product *c = spl__product_of(plan);
    struct spl__device_product *there = c->there;
    int64_t rows = plan->problem.rows;
    spl__device_groups by_work = {0};
    struct spgemm_find_args args = {.s = spl__device_structures(plan)};
    SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), &there->offsets));
    SPL__TRY(spl__queue_fill(queue, there->offsets.data, 0, there->offsets.bytes));
    args.counts = there->offsets.data;
    spl_status status = spl__device_groups_make(plan, c->work_there.data, &by_work);
    if (status == SPL_OK)
        status = find_all(plan, s, &by_work, &args);
    spl__device_groups_free(plan, &by_work);
    if (status == SPL_OK)
        status = spl__queue_scan(queue, SPL_I64, there->offsets.data, rows + 1);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &there->nnz, (int64_t *)there->offsets.data + rows, sizeof there->nnz);
    return status;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    spl_plan *plan = step->task.plan;
    struct spl__device_product *there = spl__product_of(plan)->there;
    SPL__TRY(count_columns(plan, step->state));
    SPL__TRY(spl__check_result_width(plan, there->nnz));
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, there->nnz, sizeof(int32_t), &there->columns));
    SPL__TRY(spl__device_groups_make(plan, NULL, &there->groups));
    struct spgemm_find_args args = {.s = spl__device_structures(plan),
                                    .unsorted = plan->problem.options.unsorted,
                                    .offsets = there->offsets.data,
                                    .columns = there->columns.data};
    return there->nnz > 0 ? find_all(plan, step->state, &there->groups, &args) : SPL_OK;
}

static void destroy(spl__step *step)
{
    spl__free(step->state);
}

const spl__method spl__spgemm_symbolic_gpu_hash = {
    .summary = "hash set per row, counted first, then written in order",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
