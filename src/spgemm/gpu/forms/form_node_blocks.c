/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/form/gpu/node_blocks: both phases multiply structures of node blocks, full dense blocks of
 * 2 to 6 rows and columns that all operands consist of.
 *
 * The structures have size*size times fewer entries. C is expanded from its blocks; it has the same
 * entries as without, because a product of full blocks is full. Values are read where they are.
 *
 * Cost: a pass over the operands' structures, another over C's columns. Memory: the structures of
 * blocks of A, B, D and C. Source: own; blocks of several unknowns per node as in BSR formats. */
#include "spgemm/gpu/device_plan.h"
#include "spgemm/gpu/device_values.h"
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"
#include "structure/device_blocks.h"

typedef struct state {
    spl__device_blocks a, b, d;
} state;

#define KERNELS(size) SPL__BLOCK_KERNELS(size, "spgemm_block" #size "_values")
const spl__value_kernels spl__node_block_values[SPGEMM_MOST_BLOCK + 1] = {
    KERNELS(1) EACH_BLOCK_SIZE(KERNELS)};

static int64_t entries(const spl__form *form, int64_t counted)
{
    (void)counted;
    return form->nnz_c * form->block * form->block;
}

/* Writes C's offsets, and its columns and narrow offsets unless NULL. */
static spl_status write_structure(spl_plan *plan, const int64_t *block_offsets, int64_t *offsets,
                                  int32_t *columns, int32_t *narrow)
{
    const spl__form *form = spl__form_of(plan);
    struct spgemm_expand_args args = {.rows = form->a.rows,
                                      .size = form->block,
                                      .block_offsets = block_offsets,
                                      .block_columns = form->columns.data,
                                      .offsets = offsets,
                                      .columns = columns,
                                      .narrow = narrow};
    return spl__product_launch(plan, "spgemm_expand", form->a.rows * SPGEMM_BLOCK_LANES, &args,
                               sizeof args);
}

static spl_status write_columns(spl_plan *plan, int32_t *columns)
{
    const spl__device_product *c = spl__device_product_of(plan);
    return write_structure(plan, c->form.offsets.data, c->offsets.data, columns, NULL);
}

/* A one-shot product expands C's offsets while the host still waits for nnz(C), those of 32 bits
 * as well, in case that they are given to the caller. */
static spl_status count(spl_plan *plan, int64_t *unused)
{
    spl__device_product *c = spl__device_product_of(plan);
    (void)unused;
    if (!plan->problem.once)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, plan->problem.rows + 1, sizeof(int64_t),
                              &c->form.c_offsets));
    if (!plan->problem.staged && !c->narrow.data)
        SPL__TRY(spl__device_make_narrow(plan));
    c->narrowed = c->narrow.data != NULL;
    return write_structure(plan, c->offsets.data, c->form.c_offsets.data, NULL, c->narrow.data);
}

/* A one-shot product leaves the columns to the execution, which writes them along with the
 * values. */
static spl_status expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    c->defers_columns = plan->problem.once;
    c->offsets = c->form.c_offsets;
    c->form.c_offsets = (spl__device_array){NULL, 0};
    if (!c->offsets.data)
        SPL__TRY(spl__queue_alloc(queue, plan->problem.rows + 1, sizeof(int64_t), &c->offsets));
    SPL__TRY(spl__queue_alloc(queue, c->nnz, sizeof(int32_t), &c->columns));
    return c->defers_columns ? SPL_OK : write_columns(plan, c->columns.data);
}

/* The array for columns that have not been expanded yet, NULL if they have. The caller must write
 * them. */
static int32_t *take_columns(spl_plan *plan)
{
    spl__device_product *c = spl__device_product_of(plan);
    bool wanted = c->defers_columns;
    c->defers_columns = false;
    return wanted ? c->columns.data : NULL;
}

static void arguments(spl_plan *plan, struct spgemm_values *values)
{
    values->expanded = take_columns(plan);
}

static spl_status settle(spl_plan *plan)
{
    int32_t *columns = take_columns(plan);
    return columns ? write_columns(plan, columns) : SPL_OK;
}

static void free_blocks(spl_plan *plan)
{
    state *s = spl__form_of(plan)->state;
    if (!s)
        return;
    spl__device_blocks_free(&plan->problem.queue, &s->a);
    spl__device_blocks_free(&plan->problem.queue, &s->b);
    spl__device_blocks_free(&plan->problem.queue, &s->d);
    spl__free(s);
}

const spl__form_kind spl__form_node_blocks = {
    .id = "spgemm/form/gpu/node_blocks",
    .attribute = SPL__OF_BLOCKS,
    .full = true,
    .refuses = {[SPL__BY_ENTRIES] = spl__known_by_blocks, [SPL__BY_ROWS] = spl__known_by_blocks},
    .block_values = spl__node_block_values,
    .count = count,
    .entries = entries,
    .expand = expand,
    .settle = settle,
    .arguments = arguments,
    .free = free_blocks,
};

/* ---- the method ---- */

static const char *applicable(const spl__task *task)
{
    const char *excluded = spl__form_excluded(task->plan, &spl__form_node_blocks);
    if (excluded)
        return excluded;
    return spl__form_survey_of(task->plan)->node_block > 1 ? NULL
                                                           : "the operands have no node blocks";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    double size = spl__form_survey_of(task->plan)->node_block;
    spl__form_estimate(task, spl__block_steps(size, 1), e);
    e->bytes = sizeof(int32_t) * task->plan->features.nnz_a / size / size;
}

static spl_status make(spl_plan *plan, spl__form *form, state *s, int32_t size)
{
    spl__queue *queue = &plan->problem.queue;
    double entry = size * size;
    SPL__TRY(spl__device_blocks_make(queue, &form->a, size, &s->a));
    if (spl__view_same_structure(&form->b, &form->a))
        s->b.csr = s->a.csr;
    else
        SPL__TRY(spl__device_blocks_make(queue, &form->b, size, &s->b));
    if (plan->problem.has_d)
        SPL__TRY(spl__device_blocks_make(queue, &form->d, size, &s->d));
    form->a = s->a.csr;
    form->b = s->b.csr;
    form->d = s->d.csr;
    form->block = size;
    form->times = (spl__form_times){size, entry, entry, entry, entry * size};
    form->ordered = true;
    return SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__form *form = spl__form_of(plan);
    state *s;
    spl__form_begin(plan, &spl__form_node_blocks, form);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    form->state = s;
    return make(plan, form, s, spl__form_survey_of(plan)->node_block);
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__form *form = spl__form_of(step->task.plan);
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks\n", form->block,
                  spl__thousands(form->a.rows));
}

const spl__method spl__spgemm_form_gpu_node_blocks = {
    .summary = "node blocks: full dense blocks that the operands consist of",
    .source = "own; blocks of several unknowns per node as in BSR formats",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .explain = explain,
    .destroy = spl__form_destroy,
};
