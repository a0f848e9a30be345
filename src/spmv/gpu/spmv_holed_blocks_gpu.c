/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/holed_blocks: y = alpha*A*x + beta*y where A consists of holed blocks of one
 * size: entries that assembly left out, unknowns that are fixed.
 *
 * The plan keeps A in such blocks (format/device_holed.h) with zeros in the holes. One team of
 * lanes computes a row of blocks, as in spmv/compute/gpu/blocks: a lane reads the column of a
 * block, loads an element of x once, and multiplies it into one sum per row of the block.
 *
 * A hole must not be multiplied by Inf or NaN in x: a sum that is not finite is computed again from
 * the entries alone, which masks mark.
 *
 * Cost: slots*value + 4*blocks + y streamed, slots/size of x gathered, where slots = blocks*size^2.
 * Memory: slots*value + 12*blocks + offsets. Source: E. Im, K. Yelick, R. Vuduc, Sparsity:
 * optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004.
 * Differs: holes are never multiplied by NaN or Inf; sizes are found, not given. */
#include "core/types.h"
#include "format/device_holed.h"
#include "spmv/gpu/device_block_teams.h"
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"

typedef struct state {
    spl__block_teams teams;
    spl__device_holed a;
    int32_t size;
} state;

static const char *applicable(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    if (!(f->holed_block_size > 1))
        return "A is not made of blocks with few holes, or its columns do not ascend";
    if (f->longest_row_a > (double)spl__block_teams_longest(f))
        return "rows are of very different lengths";
    return NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double size = f->holed_block_size,
           value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double slots = f->nnz_a / f->block_fill_a, blocks = slots / (size * size),
           rows = f->rows / size;
    double list = blocks * sizeof(int32_t) + spl__spmv_device_offsets(task) / size;
    spl__device_work work =
        spl__spmv_device_work(task, slots * value + list + rows * SPL__GROUP_BYTES);
    work.gathered *= 1 / (f->block_fill_a * size);
    spl__spmv_device_predict(task, &work, slots * value + list + blocks * sizeof(uint64_t), 2, e);
    /* Two launches and a wait: plans of qcd with holes took 80 us longer than those of
     * csr_balanced, by sliced ELL 200. */
    e->setup += 2 * task->plan->gpu_machine->structure_setup - task->plan->gpu_machine->copy_setup;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->size = (int32_t)plan->features.holed_block_size;
    SPL__TRY(spl__device_holed_make(queue, a, s->size, NULL, &s->a));
    double slots = (double)s->a.csr.nnz * s->size * s->size;
    bool once = spl__block_teams_once(queue, a, slots);
    SPL__TRY(spl__block_teams_kernel(queue, a, once ? "spmv_holed_%d_once" : "spmv_holed_%d",
                                     s->size, &s->teams.kernel));
    s->teams.most = s->size;
    s->teams.groups = s->a.csr.rows;
    spl__block_teams_shape(plan, slots / (double)a->rows, &s->teams);
    return SPL_OK;
}

static void update(spl__step *step)
{
    spl__problem *p = &step->task.plan->problem;
    const state *s = step->state;
    (void)spl__device_holed_copy(&p->queue, &p->a.csr, s->size, &s->a);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    struct spmv_blocks_args args = {.a = spl__csr_for_kernel(plan, call),
                                    .longest = INT32_MAX,
                                    .block_offsets = s->a.csr.offsets,
                                    .block_columns = s->a.csr.indices,
                                    .masks = s->a.masks.data};
    args.a.values = s->a.csr.values;
    return spl__block_teams_launch(plan, &s->teams, s->teams.kernel, 0, &args);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    double slots = (double)s->a.csr.nnz * s->size * s->size;
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks, %.3g %% full; %d lanes each\n",
                  (int)s->size, spl__thousands(s->teams.groups),
                  slots > 0 ? 100 * step->task.plan->features.nnz_a / slots : 100.0,
                  (int)s->teams.width);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__device_holed_free(&step->task.plan->problem.queue, &s->a);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_holed_blocks = {
    .summary = "dense blocks of one size that have holes: a copy, zeros there, a node's rows by a "
               "team of lanes",
    .source = "after E. Im, K. Yelick, R. Vuduc, IJHPCA 2004",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__OF_BLOCKS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
