/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/dots: each value of C as the product of a row of A and a column of B, over any
 * semiring.
 *
 * Columns of B are rows of B', which is made, or borrowed where the caller has it. A warp takes as
 * many positions as it has lanes. Of the two rows of each the shorter one is walked and searched in
 * the longer one: all walked entries of the warp form one sequence, of which each lane takes every
 * LANES-th, so that short and long rows fill the lanes alike. Integers are added atomically in
 * shared memory; floating-point numbers one after the other in the order of the sequence, which is
 * that of A's entries: the same bits as masked_rows, and no row of C waits for one warp.
 *
 * Cost: for each position the halvings of the longer row for each entry of the shorter one
 * (spgemm_dot_steps). Memory: B', 4 bytes per position. Source: A. Azad, A. Buluc, J. Gilbert,
 * Parallel triangle counting and enumeration using matrix algebra, IPDPS workshops 2015; O. Green,
 * P. Yalamanchili, L.-M. Munguia, Fast triangle counting on the GPU, IA3 2014. Differs: entries of
 * all positions of a warp are one sequence. */
#include "spgemm/gpu/device_mask.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"
#include "spgemm/kernels/masks/spgemm_dots.k.h"

typedef struct state {
    const spl__kernel *kernel;
    spl__device_arrangement b; /* rows of B'; empty where they are the caller's */
    spl__device_array rows;    /* int32_t: of C's positions */
    bool borrows;              /* B' is the caller's view of B */
    bool searches_a;
} state;

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    if (!spl__mask_lists(&p->mask))
        return p->mask.given ? "the mask is a complement" : "there is no mask";
    if (p->has_d)
        return "D is added by rows";
    return spl__device_product_of(task->plan)->ordered
               ? NULL
               : "a row of B is not in order, or repeats a column";
}

/* Whether rows of the caller's B, on the device, are those of B' as kernels read them. */
static bool has_rows(const spl__problem *p)
{
    const spl_sparse *source = &p->b.source;
    return !p->staged && source->format != SPL_COO && source->index_type == SPL_I32 &&
           source->offset_type == p->b.csr.offset_type &&
           (source->format == SPL_CSC) == (p->options.op_b == SPL_NONE);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__device_product *c = spl__device_product_of(plan);
    const double value = (double)spl__type_size(plan->problem.a.csr.type),
                 lanes = plan->problem.queue.device->properties.lanes,
                 steps = c->mask_positions > 0 ? c->dot_steps * f->nnz_c / (double)c->mask_positions
                                               : 0;
    spl__device_work work = {
        .streamed = (28 + value) * f->nnz_c + 4 * (f->nnz_a + f->nnz_b),
        .steps = (m->spgemm_dot_step * steps + m->spgemm_dot_position * f->nnz_c) / lanes,
        .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->nnz_c + (has_rows(&plan->problem) ? 0 : 12 * f->nnz_b + 8 * f->cols);
    e->setup = has_rows(&plan->problem) ? m->structure_setup
                                        : m->copy_setup + m->spgemm_dot_transpose * f->nnz_b;
    if (spl__problem_is_single(&plan->problem)) {
        e->seconds += e->setup;
        e->setup = 0;
    }
}

/* *disorder becomes 1 if the columns of some row do not ascend. */
static spl_status look_at_rows(spl_plan *plan, const spl_sparse *csr, uint32_t *disorder)
{
    struct spgemm_find_windows_args args = {
        .rows = csr->rows, .offsets = csr->offsets, .columns = csr->indices, .disorder = disorder};
    return spl__product_launch(plan, "spgemm_find_windows", csr->rows * SPGEMM_ROW_LANES, &args,
                               sizeof args);
}

/* The caller's view of B as CSR of B'. */
static spl_sparse rows_of_caller(const spl__problem *p)
{
    spl_sparse rows = p->b.source;
    const bool by_columns = rows.format == SPL_CSC;
    rows.format = SPL_CSR;
    rows.rows = by_columns ? p->b.source.cols : p->b.source.rows;
    rows.cols = by_columns ? p->b.source.rows : p->b.source.cols;
    return rows;
}

/* Finds out which rows can be searched. Waits once. */
static spl_status look(spl_plan *plan, state *s)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__problem *p = &plan->problem;
    const spl_sparse caller = rows_of_caller(p);
    uint32_t found[2] = {0, 0};
    spl__device_array disorder;
    SPL__TRY(spl__queue_alloc(queue, 2, sizeof *found, &disorder));
    spl_status status = spl__queue_fill(queue, disorder.data, 0, disorder.bytes);
    if (status == SPL_OK)
        status = look_at_rows(plan, &p->a.csr, disorder.data);
    if (status == SPL_OK && has_rows(p))
        status = look_at_rows(plan, &caller, (uint32_t *)disorder.data + 1);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, found, disorder.data, sizeof found);
    spl__queue_free(queue, &disorder);
    s->searches_a = found[0] == 0;
    s->borrows = has_rows(p) && found[1] == 0;
    return status;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *b = &plan->problem.b.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    SPL__TRY(spl__queue_kernel(queue, "spgemm_dots", plan->problem.a.csr.type, b->offset_type,
                               &s->kernel));
    SPL__TRY(look(plan, s));
    if (!s->borrows) /* a stable sort: rows of B' ascend */
        SPL__TRY(spl__device_arrange(queue, b, true, b->offset_type, &s->b));
    return spl__device_position_rows(plan, &s->rows);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    struct spgemm_dots_args args = {.o = spl__form_operands(plan, call),
                                    .positions = spl__device_product_of(plan)->nnz,
                                    .rows = s->rows.data,
                                    .b_from = s->b.from.data,
                                    .searches_a = s->searches_a,
                                    .semiring = plan->problem.options.semiring};
    const spl_sparse rows = s->borrows ? rows_of_caller(&plan->problem) : s->b.csr;
    args.o.s.b_offsets = rows.offsets;
    args.o.s.b_columns = rows.indices;
    if (s->borrows)
        args.o.b_values = rows.values;
    return SPL__LAUNCH(queue, &args, s->kernel,
                       spl__blocks_for(queue, args.positions, SPGEMM_DOTS_THREADS),
                       SPGEMM_DOTS_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    const spl__device_product *c = spl__device_product_of(step->task.plan);
    spl__text_add(text, "  columns of B are %s, %s; %s halvings at the mask's positions\n",
                  s->borrows ? "the caller's rows" : "a copy",
                  s->searches_a ? "the shorter of two rows is searched in the longer one"
                                : "rows of A, which are not in order, are searched in them",
                  spl__thousands((int64_t)c->dot_steps));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__device_arrange_free(queue, &s->b);
    spl__queue_free(queue, &s->rows);
    spl__free(s);
}

const spl__method spl__spgemm_numeric_gpu_dots = {
    .summary = "positions of C as products of a row of A and a column of B",
    .source = "A. Azad, A. Buluc, J. Gilbert, IPDPSW 2015",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__PAYS_ONCE | SPL__MASKS | SPL__ALGEBRA |
                  SPL__INTEGERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
