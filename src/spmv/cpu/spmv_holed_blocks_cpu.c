/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/holed_blocks: y = alpha*A*x + beta*y where A consists of dense blocks of one
 * size, full or holed: the unknowns of mesh nodes.
 *
 * A is copied into blocks (format/bsr.h) with zeros in the holes. The rows of a node are computed
 * at once: a piece of x as wide as a block is loaded, not gathered, and multiplied by every row of
 * the block, with one lane per column. Lanes beyond a block's width hold the following elements of
 * A and x, and are discarded at the end.
 *
 * A hole must not be multiplied by Inf or NaN in x: a sum that is not finite is computed again from
 * the entries alone, which masks mark.
 *
 * Cost: blocks*(size^2*value + index) + y streamed, x loaded once per block; size^2 additions per
 * node. Memory: the same without y, and a mask per block. Source: E. Im, K. Yelick, R. Vuduc,
 * Sparsity: optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004.
 * Differs: a block's row is summed in lanes, not in one register; holes are never multiplied by
 * NaN or Inf. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "format/bsr_rows.h"
#include "spmv/holed_blocks.h"
#include "spmv/row_steps.h"
#include "structure/block_size.h"

#include <math.h>

enum { PART_BLOCKS = 1024 };

typedef spl__bsr_rows state;

#define SELF "spmv/cpu/spmv_holed_blocks_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl__call *call);
SPL__KERNELS(spmv_holed_blocks, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static const char *applicable(const spl__task *task)
{
    return task->plan->features.holed_block_size > 1
               ? NULL
               : "A is not made of blocks with few holes, or its columns do not ascend";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const spl_sparse *a = &task->plan->problem.a.csr;
    double size = f->holed_block_size, slots = f->nnz_a / f->block_fill_a,
           blocks = slots / (size * size);
    spl__spmv_work work = {.bytes = slots * (double)spl__type_size(a->type) +
                                    blocks * (double)spl__index_size(a->index_type),
                           .stream = m->spmv_one_stream};
    work.other_bytes = work.bytes + blocks * 8;
    work.seconds =
        slots * spl__spmv_slot_seconds(m, a->type, size) + f->rows / size * m->spmv_holed_node;
    work.largest = f->longest_row_a / f->block_fill_a * size * m->spmv_holed_slot;
    spl__spmv_predict(task, &work, e);
    const double entry =
        f->block_fill_a < 1 ? m->holed_entry + m->holed_value : m->spmv_full_block_entry;
    e->setup = f->nnz_a * entry / spl__assumed_threads(&task->plan->problem);
}

static spl_status prepare(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    const spl__problem *p = &plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    return spl__bsr_rows_make(account, p->threads, &p->a.csr, (int)plan->features.holed_block_size,
                              PART_BLOCKS, s);
}

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    spl__bsr_fill(watch, &((state *)step->state)->a, &p->a.csr, p->threads);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    spl__bsr_rows_explain(step->state, text);
    spl__text_add(text, "\n");
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__bsr_rows_free(s);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_holed_blocks = {
    .summary =
        "dense blocks of one size that have holes: a copy, zeros there, a node's rows together",
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

#endif
#else

#include "spmv/cpu/beta_only.h"

#include "spmv/cpu/pieces_of_x.h"

/* The arguments for the nodes of a part. */
typedef struct FN(operands) {
    const spl__bsr *a;
    FN(pieces_of_x) x;
} FN(operands);

/* The sum of a row, from its entries alone. */
static __attribute__((noinline)) T FN(sum_entries)(const FN(operands) *o, int64_t node, int line)
{
    const spl__bsr *a = o->a;
    const int size = a->size;
    T sum = 0;
    for (P q = ((const P *)a->offsets)[node]; q < ((const P *)a->offsets)[node + 1]; q++)
        for (int j = 0; j < size; j++)
            if (a->masks[q] >> (line * size + j) & 1)
                sum += ((const T *)a->values)[((int64_t)q * size + line) * size + j] *
                       o->x.x[(int64_t)((const I *)a->indices)[q] * size + j];
    return sum;
}

#define NODE       2
#define NODE_LANES 2
#include "spmv/cpu/holed_node.h"
#define NODE       3
#define NODE_LANES 4
#include "spmv/cpu/holed_node.h"
#define NODE       4
#define NODE_LANES 4
#include "spmv/cpu/holed_node.h"
#define NODE       5
#define NODE_LANES 8
#include "spmv/cpu/holed_node.h"
#define NODE       6
#define NODE_LANES 8
#include "spmv/cpu/holed_node.h"

static void FN(multiply)(const state *s, spl__sweep sweep, const spl__call *call)
{
    typedef void (*part_fn)(const FN(operands) *o, int64_t begin, int64_t end);
    static const part_fn parts[SPL__BLOCK_MOST + 1] = {
        NULL, NULL, FN(multiply_2), FN(multiply_3), FN(multiply_4), FN(multiply_5), FN(multiply_6)};
    if (FN(beta_only)(call, s->a.shape.rows, sweep.threads))
        return;
    const spl__bsr *a = &s->a;
    const FN(operands) o = {
        a, FN(begin_pieces)(call, a->shape.cols, a->size, spl__ceil_pow2(a->size))};
    SPL__SWEEP_PARTS(r, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch))
                         parts[s->a.size](&o, s->parts.row[r], s->parts.row[r + 1]));
}

#endif
