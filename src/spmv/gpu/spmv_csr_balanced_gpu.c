/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/csr_balanced: y = alpha*A*x + beta*y on CSR, every block with about the same
 * number of rows and entries.
 *
 * Rows and entries, in order, are divided into equal shares, one per block, which computes the rows
 * that begin in its share. It writes their products to shared memory, then groups of lanes sum its
 * rows, with as many lanes as its rows have entries on average; much longer rows are left to a
 * whole warp. Rows longer than a share are computed by warps, in pieces, in the blocks that start
 * first (device_long_rows.h). So there is a single launch, and only long rows are divided. The
 * begins of shares are found once, in the plan. If all values are equal, as in most graphs, and the
 * executions amortise the scan (device_narrow_values.h), that value is used instead of A's; new
 * values are scanned when they are announced.
 *
 * Cost: as csr_vector, and two numbers per block. Memory: 8 bytes per block, 28 + value per piece
 * of a long row; rows*8 while the plan is made. Source: D. Merrill, M. Garland, Merge-based
 * parallel sparse matrix-vector multiplication, SC'16; J. Greathouse, M. Daga, SC'14 (whole rows).
 * Differs: shares of merge items, rounded to whole rows; pieces of long rows are added by the
 * last warp, in a fixed order. */
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_csr_balanced.k.h"
#include "spmv/row_steps.h"

typedef struct state {
    const spl__kernel *multiply;
    int64_t blocks;
    spl__device_array shares;
    spl__device_long_rows long_rows;
    spl__device_array found; /* struct device_narrow_found; empty: values were not all the same */
} state;

static int64_t count_blocks(const spl_sparse *a)
{
    int64_t items = a->rows + a->nnz; /* both fit a device's memory: no overflow */
    return items / SPMV_BALANCED_ITEMS + (items % SPMV_BALANCED_ITEMS != 0);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    double blocks =
        (double)count_blocks(&task->plan->problem.a.csr) * sizeof(struct spmv_balanced_share);
    double entries = spl__spmv_device_narrow_entries(task, sizeof(int32_t), SPL__VALUES_ONE);
    spl__device_work work =
        spl__spmv_device_work(task, entries + spl__spmv_device_offsets(task) + blocks);
    work.launches += task->plan->gpu_machine->spmv_balanced_blocks;
    spl__spmv_device_predict(task, &work, blocks, 0, e);
    e->setup += spl__spmv_device_look(task, SPL__VALUES_ONE);
}

static spl_status split(spl__queue *queue, const spl_sparse *a, const state *s)
{
    const spl__kernel *kernel;
    struct spmv_balanced_split_args args = {a->rows, s->blocks, a->offsets, s->shares.data};
    SPL__TRY(spl__queue_kernel(queue, "spmv_balanced_split", a->type, a->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel,
                       spl__blocks_for(queue, s->blocks, SPMV_BALANCED_THREADS),
                       SPMV_BALANCED_THREADS);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->blocks = count_blocks(a);
    bool one_value = spl__spmv_values_are(plan, SPL__VALUES_ONE);
    SPL__TRY(spl__queue_kernel(queue, one_value ? "spmv_balanced_one_value" : "spmv_csr_balanced",
                               a->type, a->offset_type, &s->multiply));
    if (one_value)
        SPL__TRY(spl__device_narrow_alloc(queue, &s->found));
    SPL__TRY(spl__queue_alloc(queue, s->blocks, sizeof(struct spmv_balanced_share), &s->shares));
    SPL__TRY(split(queue, a, s));
    if (plan->features.longest_row_a <= SPMV_BALANCED_ITEMS)
        return SPL_OK;
    return spl__device_long_rows_make(queue, a, SPMV_BALANCED_ITEMS, 0, &s->long_rows);
}

/* There is no copy; only tests whether all values are still equal. */
static void update(spl__step *step)
{
    spl__problem *p = &step->task.plan->problem;
    const state *s = step->state;
    if (s->found.data)
        (void)spl__device_narrow_scan(&p->queue, &p->a.csr, &s->found);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    struct spmv_csr_balanced_args args = {.a = spl__csr_for_kernel(plan, call),
                                          .long_rows = spl__long_rows_for_kernel(&s->long_rows),
                                          .shares = s->shares.data};
    int64_t blocks = spl__long_row_blocks(queue, &s->long_rows, SPMV_BALANCED_THREADS) + s->blocks;
    struct spmv_balanced_one_value_args one_value_args = {args, s->found.data};
    if (s->found.data)
        return SPL__LAUNCH(queue, &one_value_args, s->multiply, blocks, SPMV_BALANCED_THREADS);
    return SPL__LAUNCH(queue, &args, s->multiply, blocks, SPMV_BALANCED_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  blocks %s, each %d rows and entries", spl__thousands(s->blocks),
                  SPMV_BALANCED_ITEMS);
    spl__text_add(text, "; longer rows in pieces %s", spl__thousands(s->long_rows.pieces));
    if (s->found.data)
        spl__narrow_form_explain(&step->task.plan->problem.a.value_form, text);
    spl__text_add(text, "\n");
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__queue_free(queue, &s->shares);
    spl__device_long_rows_free(queue, &s->long_rows);
    spl__queue_free(queue, &s->found);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_csr_balanced = {
    .summary = "CSR, equal numbers of rows and entries per block",
    .source = "D. Merrill, M. Garland, SC'16; J. Greathouse, M. Daga, SC'14",
    .revision = 3,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
