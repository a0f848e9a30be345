/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hash: the values of C = alpha*A*B + beta*D with a hash table per row.
 *
 * Rows are grouped by their length. A team puts the known columns of its row into a table with a sum for each, adds every product to the sum of
 * its column atomically, and writes the sums in the order of the columns. Warps of a team take entries of A in turn, so that the order of
 * additions, and with it the last bits, may differ from run to run.
 *
 * Cost: products searched and added atomically; C's columns inserted, searched, and their values written. Memory: tables of the rows that do not
 * fit shared memory, as many as blocks run at once.
 * Source: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3].
 * Differs: the structure is known, so that nothing is sorted or compacted. */
#include "core/checked.h"
#include "spgemm/device_product.h"

typedef struct group {
    spl__hash_shape shape;
    spl__device_array tables, sums; /* in global memory */
} group;

typedef struct state {
    const spl__kernel *kernel;
    group groups[SPL__HASH_GROUPS + 1];
} state;

static size_t slot_bytes(const spl_plan *plan)
{
    return sizeof(int32_t) + spl__type_size(plan->problem.a.csr.type);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = {.streamed = (4 + value) * (f->nnz_a + f->nnz_c) + 16 * f->rows,
                             .gathered = (4 + value) * f->products,
                             .reach = (4 + value) * f->nnz_b,
                             .steps = 16 * f->products / lanes + 8 * f->nnz_c / lanes + 64 * f->rows,
                             .launches = SPL__HASH_GROUPS};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 0;
}

static spl_status prepare_group(spl_plan *plan, state *s, int g)
{
    const spl__device_groups *rows = &spl__product_of(plan)->there->groups;
    group *to = &s->groups[g];
    int64_t count = rows->first[g + 1] - rows->first[g];
    if (count == 0)
        return SPL_OK;
    to->shape = spl__hash_shape_of(plan, s->kernel, g, count, slot_bytes(plan), spl__product_of(plan)->longest_work);
    if (!to->shape.global)
        return SPL_OK;
    SPL__TRY(spl__hash_tables_make(plan, &to->shape, sizeof(int32_t), &to->tables));
    return spl__queue_alloc(&plan->problem.queue, to->shape.blocks * to->shape.slots,
                            spl__type_size(plan->problem.a.csr.type), &to->sums);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    SPL__TRY(spl__queue_kernel(&plan->problem.queue, "spgemm_hash_values", a->type, a->offset_type, &s->kernel));
    for (int g = 0; g <= SPL__HASH_GROUPS; g++)
        SPL__TRY(prepare_group(plan, s, g));
    return SPL_OK;
}

static spl_status execute_group(spl_plan *plan, const state *s, int g, struct spgemm_hash_values_args *args)
{
    const spl__device_groups *rows = &spl__product_of(plan)->there->groups;
    const group *of = &s->groups[g];
    args->list = (const uint32_t *)rows->rows.data + rows->first[g];
    args->list_count = rows->first[g + 1] - rows->first[g];
    args->team = of->shape.team;
    args->shift = of->shape.shift;
    args->slots = of->shape.slots;
    args->tables = of->tables.data;
    args->sums = of->sums.data;
    if (args->list_count == 0)
        return SPL_OK;
    return SPL__LAUNCH_SHARED(&plan->problem.queue, args, s->kernel, of->shape.blocks, of->shape.threads,
                              of->shape.shared);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl_plan *plan = step->task.plan;
    const spl__problem *p = &plan->problem;
    const struct spl__device_product *there = spl__product_of(plan)->there;
    struct spgemm_hash_values_args args = {.s = spl__device_structures(plan),
                                           .a_values = p->a.csr.values,
                                           .b_values = p->b.csr.values,
                                           .d_values = p->has_d ? p->d.csr.values : NULL,
                                           .scalars = spl__plan_scalars(plan, call),
                                           .offsets = there->offsets.data,
                                           .columns = there->columns.data,
                                           .values = call->values};
    for (int g = 0; g <= SPL__HASH_GROUPS; g++)
        SPL__TRY(execute_group(plan, step->state, g, &args));
    return SPL_OK;
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    for (int g = 0; g <= SPL__HASH_GROUPS; g++) {
        spl__queue_free(&step->task.plan->problem.queue, &s->groups[g].tables);
        spl__queue_free(&step->task.plan->problem.queue, &s->groups[g].sums);
    }
    spl__free(s);
}

const spl__method spl__spgemm_numeric_gpu_hash = {
    .summary = "hash table per row, atomic sums",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
