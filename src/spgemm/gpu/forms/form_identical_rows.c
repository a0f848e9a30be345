/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/form/gpu/identical_rows: both phases multiply merged rows: groups of identical
 * neighbouring rows, of any mixture of sizes.
 *
 * Entries of merged rows of A are runs of columns that select identical rows of B, of which the
 * first represents all. Rows of D are merged like those of A. C is expanded from its merged rows.
 * Values are read where they are.
 *
 * A run costs one step of a team, however long the rows of B are, as long as they fit the team's
 * lanes; an entry on its own costs more the longer the rows of B are. Beyond the columns of a step
 * both grow in proportion: bands of 180 columns without runs took 2.1 times as long in runs of one
 * as in entries. A product that is computed once must also pay for finding the runs and for
 * expanding C.
 *
 * Cost: passes over the structures of A and B; another over C's columns. Memory: the merged
 * structures of A, D and C. Source: own; groups of rows as in PETSc's inodes: S. Balay et al.,
 * PETSc/TAO Users Manual. */
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/blocks/spgemm_identical_rows.k.h"
#include "structure/device_distinct_rows.h"

#include <math.h>

typedef struct state {
    spl__device_distinct_rows a, d;
} state;

/* ---- C's structure ---- */

/* Kernel arguments, once the offsets of merged rows are known. */
static struct spgemm_expand_rows
rows_of_groups(const spl_plan *plan, const spl__device_array *offsets, const spl__device_array *to)
{
    const spl__form *form = spl__form_of(plan);
    return (struct spgemm_expand_rows){.groups = form->a.rows,
                                       .firsts = form->firsts,
                                       .group_offsets = offsets->data,
                                       .group_columns = form->columns.data,
                                       .offsets = to->data};
}

/* C's offsets from those of merged rows; the last one becomes *counted. */
static spl_status count(spl_plan *plan, int64_t *counted)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    spl__device_array *c_offsets = &c->form.c_offsets;
    int64_t rows = plan->problem.rows;
    if (!c_offsets->data)
        SPL__TRY(spl__queue_alloc(queue, rows + 1, sizeof(int64_t), c_offsets));
    struct spgemm_row_lengths_args args = {rows_of_groups(plan, &c->offsets, c_offsets)};
    SPL__TRY(spl__product_launch(plan, "spgemm_row_lengths", args.x.groups, &args, sizeof args));
    return spl__queue_offsets(queue, SPL_I64, c_offsets->data, rows, counted);
}

static int64_t entries(const spl__form *form, int64_t counted)
{
    (void)form;
    return counted;
}

static spl_status expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    spl__form *form = &c->form;
    c->offsets = form->c_offsets;
    form->c_offsets = (spl__device_array){NULL, 0};
    SPL__TRY(spl__check_result_width(plan, c->nnz));
    SPL__TRY(spl__queue_alloc(queue, c->nnz, sizeof(int32_t), &c->columns));
    struct spgemm_repeat_rows_args args = {rows_of_groups(plan, &form->offsets, &c->offsets),
                                           c->columns.data};
    SPL__TRY(spl__product_launch(plan, "spgemm_repeat_rows", args.x.groups * SPGEMM_RUNS_LANES,
                                 &args, sizeof args));
    spl__queue_free(queue, &form->columns);
    return SPL_OK;
}

static void arguments(spl_plan *plan, struct spgemm_values *values)
{
    const spl__problem *p = &plan->problem;
    const spl__device_product *c = spl__device_product_of(plan);
    const state *s = c->form.state;
    values->j = (struct spgemm_distinct){.firsts = c->form.firsts,
                                         .run_starts = s->a.run_starts.data,
                                         .a_offsets = p->a.csr.offsets,
                                         .d_offsets = p->has_d ? p->d.csr.offsets : NULL,
                                         .offsets = c->offsets.data};
}

static void free_rows(spl_plan *plan)
{
    state *s = spl__form_of(plan)->state;
    if (!s)
        return;
    spl__device_distinct_rows_free(&plan->problem.queue, &s->a);
    spl__device_distinct_rows_free(&plan->problem.queue, &s->d);
    spl__free(s);
}

const spl__form_kind spl__form_identical_rows = {
    .id = "spgemm/form/gpu/identical_rows",
    .attribute = SPL__OF_IDENTICAL_ROWS,
    .refuses = {[SPL__BY_ENTRIES] = spl__known_by_rows, [SPL__BY_BLOCKS] = spl__known_by_rows},
    .borrows = {false, true, false},
    .count = count,
    .entries = entries,
    .expand = expand,
    .arguments = arguments,
    .free = free_rows,
};

/* ---- the method ---- */

static const char *cannot_be(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const char *excluded = spl__form_excluded(plan, &spl__form_identical_rows);
    if (excluded)
        return excluded;
    if (spl__form_survey_of(plan)->node_block > 1 &&
        !spl__form_excluded(plan, &spl__form_node_blocks))
        return "the operands consist of node blocks";
    return p->a.csr.nnz > UINT32_MAX || (p->has_d && p->d.csr.nnz > UINT32_MAX)
               ? "has more than 2^32 entries"
               : NULL;
}

static const char *applicable(const spl__task *task)
{
    return cannot_be(task->plan);
}

/* Steps of a warp per product if A has that many runs. */
static double steps_of(const spl_plan *plan, double runs)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    const spl__features *f = &plan->features;
    double length = f->inner > 0 ? fmin(f->nnz_b / f->inner, m->spgemm_run_most) : 0;
    double entries = m->spgemm_run_entries / (1 + length / m->spgemm_run_length) * runs +
                     (plan->problem.once ? m->spgemm_run_search : 0);
    double steps = m->spgemm_form_entries * entries / fmax(1, f->nnz_a);
    return steps;
}

/* Assumes that columns merge as often as rows of the sample. */
static double guessed_runs(const spl_plan *plan)
{
    double share = spl__form_survey_of(plan)->distinct_share;
    return plan->features.nnz_a * share * share;
}

double spl__identical_rows_steps(const spl_plan *plan)
{
    return cannot_be(plan) ? INFINITY : steps_of(plan, guessed_runs(plan));
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    double runs = guessed_runs(task->plan);
    spl__form_estimate(task, steps_of(task->plan, runs), e);
    e->bytes = 2 * sizeof(int32_t) * runs;
}

/* Memory used while rows are merged. */
typedef struct merging {
    spl__device_array of_a, of_b;
} merging;

static double ratio(double count, double to)
{
    return to > 0 ? count / to : 1;
}

static void take_rows(const spl_plan *plan, const state *s, spl__form *form)
{
    const spl__features *f = &plan->features;
    form->a = s->a.csr;
    form->d = s->d.csr;
    form->firsts = s->a.firsts.data;
    form->products = s->a.products;
    double rows = ratio(f->rows, (double)form->a.rows), runs = ratio(f->nnz_a, (double)form->a.nnz);
    form->times = (spl__form_times){.rows = rows, .a = runs, .b = 1, .c = rows, .products = runs};
}

/* The runs are known now: they may be fewer or more than the sample promised. */
static spl_status merge(spl_plan *plan, merging *x, const spl__form *form, state *s)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *d = plan->problem.has_d ? &form->d : NULL;
    bool square = spl__view_same_structure(&form->b, &form->a);
    SPL__TRY(spl__device_group_sizes(queue, &form->a, d, &x->of_a));
    if (!square)
        SPL__TRY(spl__device_group_sizes(queue, &form->b, NULL, &x->of_b));
    SPL__TRY(spl__device_distinct_rows_make(queue, &form->a, x->of_a.data, &form->b,
                                            square ? x->of_a.data : x->of_b.data, &s->a));
    if (!spl__form_is_forced(plan, &spl__form_identical_rows) &&
        steps_of(plan, (double)s->a.csr.nnz) > plan->gpu_machine->spgemm_form_entries)
        return spl__fail(SPL_UNSUPPORTED, "%s entries have %s runs, too many",
                         spl__thousands(form->a.nnz), spl__thousands(s->a.csr.nnz));
    return d ? spl__device_distinct_rows_make(queue, d, x->of_a.data, NULL, NULL, &s->d) : SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__form *form = spl__form_of(plan);
    merging x = {{NULL, 0}, {NULL, 0}};
    state *s;
    spl__form_begin(plan, &spl__form_identical_rows, form);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    form->state = s;
    spl_status status = merge(plan, &x, form, s);
    spl__queue_free(&plan->problem.queue, &x.of_a);
    spl__queue_free(&plan->problem.queue, &x.of_b);
    if (status == SPL_OK)
        take_rows(plan, s, form);
    return status;
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__form *form = spl__form_of(step->task.plan);
    spl__text_add(
        text,
        "  %s groups of rows with equal columns: %.1f rows on average, runs of %.1f columns\n",
        spl__thousands(form->a.rows), form->times.rows, form->times.a / form->times.rows);
}

const spl__method spl__spgemm_form_gpu_identical_rows = {
    .summary = "identical neighbouring rows merged, runs of columns as one entry",
    .source = "own; groups of rows as in PETSc's inodes",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .explain = explain,
    .destroy = spl__form_destroy,
};
