/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/holed_blocks: C = alpha*A*B + beta*C where A consists of dense blocks of one
 * size, full or holed: the unknowns of mesh nodes.
 *
 * A is copied into blocks (format/bsr.h) with zeros in the holes. The rows of C of a node and a
 * tile of columns are in registers; a row of B is loaded once per block and used for all of them
 * (holed_tile.h). Nodes are divided into parts of equal nodes + blocks, columns into panels.
 *
 * A hole must not be multiplied by Inf or NaN in B: a tile whose sums are not all finite is
 * computed again from the entries alone, which masks mark. Column-major B or C uses the strided
 * kernel and A's CSR.
 *
 * Cost: blocks*size^2*K additions, blocks*size*K elements of B from wherever they are cached.
 * Memory: blocks*(size^2*value + index + 8). Source: blocks of A: E. Im, K. Yelick, R. Vuduc,
 * Sparsity: optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004;
 *         register tiling: M. Lam, E. Rothberg, M. Wolf, ASPLOS'91.
 * Differs: holes are never multiplied by NaN or Inf. */
#include "core/lanes.h"
#include "core/variant.h"
#include "format/bsr_rows.h"
#include "spmm/blocks_of_a.h"
#include "spmm/cpu/tile_loops.h"
#include "spmm/cpu/tile_rows.h"
#include "structure/block_size.h"

#include <math.h>

enum { PART_BLOCKS = 512 /* nodes + blocks of one part */ };

typedef struct state {
    spl__bsr_rows rows;
    /* B does not fit a thread's cache: its rows are prefetched */
    bool far;
} state;

#define SELF "spmm/cpu/spmm_holed_blocks_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
SPL__KERNELS(spmm_holed_blocks, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static const char *applicable(const spl__task *task)
{
    return task->plan->features.holed_block_size > 1
               ? NULL
               : "A is not made of blocks with few holes, or its columns do not ascend";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    const spl_sparse *a = &plan->problem.a.csr;
    const double threads = spl__assumed_threads(&plan->problem);
    const double size = f->holed_block_size, slots = f->nnz_a / f->block_fill_a,
                 blocks = slots / (size * size);
    spl__spmm_predict(
        task, slots * spl__spmm_slot_seconds(plan, size) + f->rows / size * m->spmm_holed_node, e);
    const double entry =
        f->block_fill_a < 1 ? m->holed_entry + m->holed_value : m->spmv_full_block_entry;
    e->setup = f->nnz_a * entry / threads;
    e->bytes = slots * (double)spl__type_size(a->type) +
               blocks * ((double)spl__index_size(a->index_type) + 8) +
               f->rows / size * (double)spl__index_size(a->offset_type);
}

static spl_status prepare(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    const spl__problem *p = &plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    s->far = spl__spmm_rows_are_far(plan);
    return spl__bsr_rows_make(account, p->threads, &p->a.csr, (int)plan->features.holed_block_size,
                              PART_BLOCKS, &s->rows);
}

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    spl__bsr_fill(watch, &((state *)step->state)->rows.a, &p->a.csr, p->threads);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    const kernel_fn multiply = kernel_up_to(spl__spmm_variant(step->task.plan), p->combination);
    multiply(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__bsr_rows_explain(&s->rows, text);
    spl__text_add(text, ", parts of rows %s, registers of %s\n",
                  spl__thousands(s->rows.parts.count),
                  spl__variant_name(spl__variant_up_to(spl__spmm_variant(step->task.plan))));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__bsr_rows_free(&s->rows);
    spl__free(s);
}

const spl__method spl__spmm_compute_cpu_holed_blocks = {
    .summary = "dense blocks of one size that have holes: a copy, zeros there, a node's rows "
               "together in registers",
    .source =
        "after E. Im, K. Yelick, R. Vuduc, IJHPCA 2004; M. Lam, E. Rothberg, M. Wolf, ASPLOS'91",
    .revision = 3,
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

#include "spmm/cpu/strided.h"
#include "spmm/cpu/tile_lanes.h"

typedef struct FN(operands) {
    const spl__bsr *a;
    const P *offsets;
    const I *columns;
    const T *values;
    int64_t rows, inner;
    int64_t cut; /* the column of blocks that extends beyond B; -1: none */
    const T *b;
    int64_t b_row; /* elements between rows */
    FN(result) to;
    int64_t prefetch; /* prefetch distance in blocks; 0: none */
    int registers;    /* of the widest tile */
} FN(operands);

/* Whether a lane is NaN. */
ALWAYS_INLINE bool FN(any_odd)(FN(lanes) lanes)
{
    uint64_t words[SPL__REGISTER_BYTES / 8], any = 0;
    const __typeof__(lanes != lanes) odd = lanes != lanes;
    memcpy(words, &odd, sizeof odd);
    for (int w = 0; w < SPL__REGISTER_BYTES / 8; w++)
        any |= words[w];
    return any != 0;
}

/* An element of row i of C from that row's entries alone. */
static T FN(sum_of_entries)(const FN(operands) *o, int64_t i, int64_t j)
{
    const int size = o->a->size, line = (int)(i % size) * size;
    const P *offsets = o->offsets + i / size;
    T sum = 0;
    for (P q = offsets[0]; q < offsets[1]; q++)
        for (int k = 0; k < size; k++)
            if (o->a->masks[q] >> (line + k) & 1)
                sum += o->values[(int64_t)q * size * size + line + k] *
                       o->b[((int64_t)o->columns[q] * size + k) * o->b_row + j];
    return sum;
}

/* Computes a tile's columns of row i of C. Only columns whose sum by blocks is not finite are
 * summed again, so that columns do not depend on their neighbours. */
static void FN(row_of_entries)(const FN(operands) *o, int64_t i, FN(origin) origin, const T *sums)
{
    T *c = o->to.c + i * o->to.row + origin.j;
    for (int64_t j = 0; j < origin.columns; j++) {
        const T sum = isfinite(sums[j]) ? sums[j] : FN(sum_of_entries)(o, i, origin.j + j);
        c[j] = o->to.alpha * sum + (o->to.beta == 0 ? 0 : o->to.beta * c[j]);
    }
}

#define NODE 2
#include "spmm/cpu/holed_tile.h"
#define NODE 3
#include "spmm/cpu/holed_tile.h"
#define NODE 4
#include "spmm/cpu/holed_tile.h"
#define NODE 5
#include "spmm/cpu/holed_tile.h"
#define NODE 6
#include "spmm/cpu/holed_tile.h"

static FN(operands) FN(operands_of)(const state *s, const spl__call *call)
{
    FN(operands) o = {.a = &s->rows.a,
                      .offsets = s->rows.a.offsets,
                      .columns = s->rows.a.indices,
                      .values = s->rows.a.values};
    o.rows = s->rows.a.shape.rows;
    o.b = call->b->values;
    o.b_row = call->b->ld;
    o.inner = s->rows.a.shape.cols;
    o.cut = o.inner % s->rows.a.size > 0 ? o.inner / s->rows.a.size : -1;
    o.to = FN(result_of)(call);
    o.registers = (int)spl__min_i64((call->c->cols + FN(WIDTH) - 1) / FN(WIDTH), 8);
    const int64_t bytes =
        s->rows.a.size * spl__min_i64(call->c->cols * (int64_t)sizeof(T), 8 * SPL__REGISTER_BYTES);
    o.prefetch = s->far ? spl__max_i64(1, spl__min_i64(PREFETCH_ENTRIES / s->rows.a.size,
                                                       PREFETCH_BYTES / spl__max_i64(1, bytes)))
                        : 0;
    return o;
}

/* Computes a part of the nodes in a panel of columns. All parts of a panel come before the next
 * panel. */
static void FN(multiply_task)(const FN(operands) *all, const state *s, const spl_sparse *a,
                              const spl__call *call, int64_t task)
{
    typedef void (*part_fn)(const FN(operands) *o, int64_t first, int64_t last, int64_t j,
                            int64_t end);
    static const part_fn nodes[SPL__BLOCK_MOST + 1] = {
        NULL, NULL, FN(multiply_2), FN(multiply_3), FN(multiply_4), FN(multiply_5), FN(multiply_6)};
    const spl__row_parts *parts = &s->rows.parts;
    const int64_t part = task % parts->count, first = parts->row[part], last = parts->row[part + 1],
                  size = s->rows.a.size;
    const int64_t panel = PANEL_REGISTERS * FN(WIDTH), j = task / parts->count * panel,
                  end = spl__min_i64(j + panel, call->c->cols);
    FN(operands) o = *all;
    if (o.offsets[last] + o.prefetch > s->rows.a.blocks)
        o.prefetch = 0; /* no blocks to prefetch remain */
    if (call->b->order == SPL_ROW_MAJOR && call->c->order == SPL_ROW_MAJOR)
        nodes[size](&o, first, last, j, end);
    else
        FN(multiply_strided)(a, call, first * size, spl__min_i64(last * size, a->rows), j, end);
}

static void FN(multiply)(const state *s, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    const int64_t panel = PANEL_REGISTERS * FN(WIDTH), panels = (call->c->cols + panel - 1) / panel;
    const int64_t tasks = panels * s->rows.parts.count;
    const FN(operands) all = FN(operands_of)(s, call);
    SPL__SWEEP_TASKS(task, tasks, sweep,
                     if (spl__watch_goes_on(call->watch))
                         FN(multiply_task)(&all, s, a, call, task));
}

#endif
