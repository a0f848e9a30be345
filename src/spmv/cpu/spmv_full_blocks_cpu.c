/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/full_blocks: y = alpha*A*x + beta*y where A consists of full blocks of one size:
 * the unknowns of mesh nodes that are all coupled.
 *
 * The rows of such a node have the same columns, in stretches as long as a block, so that they are
 * a dense matrix of few rows, where CSR has it. Only the columns of blocks are noted, when the plan
 * is made; values are read in place, as one stream: a node's rows are neighbours. As in
 * holed_blocks a piece of x is loaded, not gathered, and multiplied by every row of the block.
 * Nodes whose blocks are not full, and the last one if registers would exceed the values, are
 * multiplied row by row.
 *
 * Cost: nnz*(value + index/size^2) + y streamed, x loaded once per block; size^2 additions per
 * node. Memory: an index per block, a byte per node. Source: E. Im, K. Yelick, R. Vuduc, Sparsity:
 * optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004. Differs:
 * values stay in CSR, so nothing is copied and new values need no announcement. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "spmv/holed_blocks.h"
#include "spmv/row_steps.h"
#include "structure/block_size.h"

#include <string.h>

enum { PART_WORK = 8192, FEW_PARTS = 8 };

typedef struct state {
    int size;              /* unknowns of a node */
    spl__row_parts parts;  /* of whole nodes, which its rows are */
    int64_t nodes, served; /* all, and those with full blocks */
    uint8_t *full;         /* nodes: has it full blocks? */
    /* nnz/size^2, of A's index type: the columns of a node's blocks begin at its first entry's
     * number / size^2 */
    void *columns;
} state;

#define SELF "spmv/cpu/spmv_full_blocks_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
SPL__KERNELS(spmv_full_blocks, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

typedef int64_t (*note_fn)(const state *s, const spl_sparse *a, int64_t begin, int64_t end);
static const note_fn note_kernels[SPL__COMBINATIONS] = SPL__TABLE(note_nodes);

static const char *applicable(const spl__task *task)
{
    return task->plan->features.holed_block_size > 1
               ? NULL
               : "A is not made of blocks, or its columns do not ascend";
}

/* All columns are read once. */
static double seconds_to_note(const spl__task *task)
{
    const spl__machine *m = task->plan->machine;
    const double threads = spl__assumed_threads(&task->plan->problem);
    return task->plan->features.nnz_a *
           (double)spl__index_size(task->plan->problem.a.csr.index_type) / threads /
           spl__memory_rate(m, threads);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const spl_sparse *a = &task->plan->problem.a.csr;
    const double size = f->holed_block_size, blocks = f->nnz_a / (size * size),
                 columns = blocks * (double)spl__index_size(a->index_type);
    spl__spmv_work work = {.bytes = (f->nnz_a * (double)spl__type_size(a->type) + columns) *
                                    m->spmv_full_in_place,
                           .stream = m->spmv_one_stream};
    work.other_bytes = columns + f->rows / size + spl__row_steps_bytes(task);
    work.seconds =
        f->nnz_a * spl__spmv_slot_seconds(m, a->type, size) + f->rows / size * m->spmv_holed_node;
    if (f->block_fill_a < 1) /* nodes with holes are multiplied by rows, as is all that has some */
        work.seconds += f->nnz_a * m->spmv_scalar_entry + f->rows * m->spmv_scalar_row;
    work.largest = f->longest_row_a * size * m->spmv_holed_slot;
    spl__spmv_predict(task, &work, e);
    e->setup = seconds_to_note(task);
}

static spl_status allocate(spl__account *account, const spl_sparse *a, state *s)
{
    s->nodes = a->rows / s->size + (a->rows % s->size > 0);
    SPL__TRY(SPL__NEW(account, &s->full, s->nodes));
    SPL__TRY(spl__alloc(account, a->nnz / (s->size * s->size), spl__index_size(a->index_type),
                        &s->columns));
    SPL__TRY(spl__row_parts_make(account, a, PART_WORK, &s->parts));
    for (int64_t r = 0; r < s->parts.count; r++)
        s->parts.row[r] /= s->size;
    s->parts.row[s->parts.count] = s->nodes;
    return SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl__problem *p = &step->task.plan->problem;
    spl__watch *watch = spl__account_watch(account);
    int64_t served = 0;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    s->size = (int)step->task.plan->features.holed_block_size;
    SPL__TRY(allocate(account, &p->a.csr, s));
#pragma omp parallel for num_threads(spl__team(s->parts.count > FEW_PARTS ? p->threads : 1))       \
    reduction(+ : served)
    for (int64_t r = 0; r < s->parts.count; r++)
        if (spl__watch_goes_on(watch))
            served +=
                note_kernels[p->combination](s, &p->a.csr, s->parts.row[r], s->parts.row[r + 1]);
    s->served = served;
    return spl__watch_check(watch);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  %d unknowns per node: %s nodes, %s of full blocks\n", s->size,
                  spl__thousands(s->nodes), spl__thousands(s->served));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__row_parts_free(&s->parts);
    spl__free(s->full);
    spl__free(s->columns);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_full_blocks = {
    .summary = "full blocks of one size, in place: only the columns of blocks are noted",
    .source = "after E. Im, K. Yelick, R. Vuduc, IJHPCA 2004",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__OF_BLOCKS | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#ifndef SPL__VARIANT

#include "format/full_row.h"

/* Are the node's blocks full, and may registers exceed its last row? */
static bool FN(is_served)(const state *s, const spl_sparse *a, int64_t node)
{
    const P *offsets = a->offsets;
    const int64_t lanes = (int64_t)spl__ceil_pow2(s->size);
    return FN(row_is_full)(a, s->size, node) &&
           (int64_t)offsets[(node + 1) * s->size] + lanes - s->size <= a->nnz;
}

/* Notes nodes begin..end-1, and the columns of their blocks; returns how many are full. */
static int64_t FN(note_nodes)(const state *s, const spl_sparse *a, int64_t begin, int64_t end)
{
    const P *offsets = a->offsets;
    const I *entries = a->indices;
    int64_t served = 0;
    for (int64_t node = begin; node < end; node++) {
        s->full[node] = FN(is_served)(s, a, node);
        if (!s->full[node])
            continue;
        served++;
        const P first = offsets[node * s->size], last = offsets[node * s->size + 1];
        I *columns = (I *)s->columns + first / (s->size * s->size);
        for (P q = first; q < last; q += (P)s->size)
            *columns++ = entries[q] / (I)s->size;
    }
    return served;
}

#endif

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"
#include "spmv/cpu/pieces_of_x.h"

/* The arguments for the nodes of a part. */
typedef struct FN(operands) {
    const state *s;
    const spl_sparse *a;
    FN(pieces_of_x) x;
} FN(operands);

static SPL__APART void FN(multiply_by_rows)(const FN(operands) *o, int64_t node)
{
    const P *offsets = o->a->offsets;
    const int64_t end = spl__min_i64((node + 1) * o->s->size, o->a->rows);
    for (int64_t i = node * o->s->size; i < end; i++)
        o->x.y[i] = o->x.alpha * FN(dot)(o->a->values, o->a->indices, o->x.x, offsets[i],
                                         offsets[i + 1], (P)o->a->nnz, false) +
                    FN(scaled)(o->x.beta, &o->x.y[i]);
}

#define NODE       2
#define NODE_LANES 2
#include "spmv/cpu/full_node.h"
#define NODE       3
#define NODE_LANES 4
#include "spmv/cpu/full_node.h"
#define NODE       4
#define NODE_LANES 4
#include "spmv/cpu/full_node.h"
#define NODE       5
#define NODE_LANES 8
#include "spmv/cpu/full_node.h"
#define NODE       6
#define NODE_LANES 8
#include "spmv/cpu/full_node.h"

static void FN(multiply)(const state *s, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    typedef void (*part_fn)(const FN(operands) *o, int64_t begin, int64_t end);
    static const part_fn parts[SPL__BLOCK_MOST + 1] = {
        NULL, NULL, FN(multiply_2), FN(multiply_3), FN(multiply_4), FN(multiply_5), FN(multiply_6)};
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    const FN(operands) o = {s, a,
                            FN(begin_pieces)(call, a->cols, s->size, spl__ceil_pow2(s->size))};
    SPL__SWEEP_PARTS(r, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch))
                         parts[s->size](&o, s->parts.row[r], s->parts.row[r + 1]));
}

#endif
