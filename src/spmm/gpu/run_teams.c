/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_teams_layout.h"

#include "core/checked.h"
#include "spmm/gpu/device_parts.h"
#include "spmm/kernels/spmm_turn.k.h"

#include <stdio.h>

typedef struct state {
    spl__spmm_shape shape;
    spl__spmm_tasks tasks;
    spl__spmm_parts parts;
    spl__teams_layout layouts[SPL__TEAMS_LAYOUTS];
    const spl__kernel *join;
    spl__device_array partial;
    int64_t turned_columns;   /* columns of a transposed tile of B; 0: B is not transposed */
    spl__device_array turned; /* T[inner*turned_columns] */
    const spl__kernel *turn;
} state;

static size_t sum_size(const spl_plan *plan)
{
    return spl__type_size(spl__type_of_sums(plan->problem.a.csr.type));
}

static spl_status find_kernel(const spl__problem *p, const spl__spmm_cut *cut,
                              const spl__spmm_tasks *tasks, spl__teams_layout *l)
{
    char name[32];
    if (l->abreast > 1)
        snprintf(name, sizeof name, "spmm_short_%d", (int)l->run);
    else if (cut->part > 0 && l->direct)
        snprintf(name, sizeof name, "spmm_parts_direct_%d", (int)l->run);
    else if (cut->part > 0)
        snprintf(name, sizeof name, "spmm_parts_%dx%d", (int)l->run, (int)l->runs);
    else if (tasks->merged)
        snprintf(name, sizeof name, "spmm_merged_%dx%d", (int)l->run, (int)l->runs);
    else if (l->direct)
        snprintf(name, sizeof name, "spmm_direct_%d", (int)l->run);
    else
        snprintf(name, sizeof name, "spmm_rows_%dx%dx%d", (int)tasks->rows, (int)l->run,
                 (int)l->runs);
    return spl__queue_kernel(&p->queue, name, p->a.csr.type, p->a.csr.offset_type, &l->kernel);
}

static spl_status make_layouts(const spl__task *task, state *s)
{
    const spl__problem *p = &task->plan->problem;
    for (int n = 0; n < SPL__TEAMS_LAYOUTS; n++) {
        spl__teams_layout *l = &s->layouts[n];
        *l = spl__teams_layout_of(task, &s->shape, n);
        if (n == SPL__TEAMS_BY_COLUMNS)
            spl__teams_layout_by_columns(task, &s->shape, l);
        else
            spl__teams_layout_rows(task, &s->shape, (double)s->tasks.count, s->tasks.rows, l);
        SPL__TRY(find_kernel(p, &s->shape.cut, &s->tasks, l));
    }
    return spl__queue_kernel(&p->queue, "spmm_join", p->a.csr.type, p->a.csr.offset_type, &s->join);
}

static int64_t most_tiles(const state *s)
{
    int64_t most = 0;
    for (int n = 0; n < SPL__TEAMS_LAYOUTS; n++)
        most = spl__max_i64(most, s->layouts[n].tiles);
    return most;
}

/* Divides the rows: into tasks of teams, or long ones into parts for blocks. */
static spl_status divide(const spl__task *task, state *s)
{
    spl_plan *plan = task->plan;
    const spl__spmm_cut *cut = &s->shape.cut;
    if (cut->part > 0) {
        s->tasks = (spl__spmm_tasks){.count = plan->problem.rows, .rows = 1};
        SPL__TRY(make_layouts(task, s));
        return spl__spmm_parts_make(plan, cut->longest, cut->part, most_tiles(s), &s->parts);
    }
    SPL__TRY(spl__spmm_tasks_make(plan, cut, &s->tasks));
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, s->tasks.pieces,
                              (size_t)plan->problem.cols * sum_size(plan), &s->partial));
    return make_layouts(task, s);
}

/* Allocates a tile of B, if B is expected by columns. */
static spl_status make_turned(const spl__task *task, state *s)
{
    spl__problem *p = &task->plan->problem;
    if (p->options.dense_order != SPL_COLUMN_MAJOR)
        return SPL_OK;
    s->turned_columns = spl__min_i64(p->cols, spl__device_teams_tile(task, &s->shape));
    SPL__TRY(
        spl__queue_kernel(&p->queue, "spmm_turn", p->a.csr.type, p->a.csr.offset_type, &s->turn));
    return spl__queue_alloc(&p->queue, p->inner,
                            (size_t)s->turned_columns * spl__type_size(p->a.csr.type), &s->turned);
}

/* ---- the method's functions ---- */

spl_status spl__device_teams_prepare(spl__step *step)
{
    const spl__teams_method *method = step->task.parameters;
    spl_plan *plan = step->task.plan;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->shape = method->choose(&step->task);
    SPL__TRY(divide(&step->task, s));
    return make_turned(&step->task, s);
}

bool spl__spmm_in_runs(const spl_dense *m, int32_t run)
{
    uint64_t size = spl__type_size(m->type), bytes = (uint64_t)run * size,
             alignment = bytes < 16 ? bytes : 16;
    return run == 1 ||
           (m->order == SPL_ROW_MAJOR && m->cols % run == 0 &&
            (uint64_t)m->ld * size % alignment == 0 && (uintptr_t)m->values % alignment == 0 &&
            (uint64_t)m->ld * size <= UINT32_MAX);
}

static const spl__teams_layout *choose_layout(const state *s, const spl_dense *b,
                                              const spl_dense *c)
{
    const spl__teams_layout *l = &s->layouts[SPL__TEAMS_WIDE];
    if (b->order != SPL_ROW_MAJOR)
        return &s->layouts[SPL__TEAMS_BY_COLUMNS];
    while (!spl__spmm_in_runs(b, l->run) ||
           (c->order == SPL_ROW_MAJOR && !spl__spmm_in_runs(c, l->run)))
        l++;
    return l;
}

static spl_status join_pieces(spl_plan *plan, const state *s, const struct spmm_rows_args *rows)
{
    struct spmm_join_args args = {.width = rows->width,
                                  .c = rows->c,
                                  .c_row = rows->c_row,
                                  .c_column = rows->c_column,
                                  .scalars = rows->scalars,
                                  .cuts = s->tasks.pieces,
                                  .cut = s->tasks.cut.data,
                                  .partial = s->partial.data};
    int64_t warps = s->tasks.pieces *
                    spl__teams_divide(rows->width, plan->problem.queue.device->properties.lanes);
    return SPL__LAUNCH(&plan->problem.queue, &args, s->join,
                       spl__blocks_for(&plan->problem.queue,
                                       warps * plan->problem.queue.device->properties.lanes,
                                       SPMM_ROWS_THREADS),
                       SPMM_ROWS_THREADS);
}

/* The rows and the parts of long ones in one launch. */
static spl_status multiply_parts(spl_plan *plan, const state *s, const spl__teams_layout *l,
                                 const struct spmm_rows_args *rows)
{
    struct spmm_parts_args args = {.rows = *rows,
                                   .parts = s->parts.count,
                                   .limit = s->shape.cut.longest,
                                   .part = s->parts.list.data,
                                   .arrived = s->parts.arrived.data};
    const int64_t warps = SPMM_ROWS_THREADS / plan->problem.queue.device->properties.lanes,
                  sums = ((int64_t)l->run * l->runs) << l->across_bits;
    args.rows.partial = s->parts.partial.data;
    return SPL__LAUNCH_SHARED(&plan->problem.queue, &args, l->kernel,
                              (args.parts + rows->blocks) * rows->tiles, SPMM_ROWS_THREADS,
                              args.parts > 0 ? (size_t)(warps * sums) * sum_size(plan) : 0);
}

static spl_status multiply(spl_plan *plan, const state *s, const spl__call *call,
                           const spl_dense *b, const spl_dense *c)
{
    const spl_sparse *a = &plan->problem.a.csr;
    const spl__teams_layout *l = choose_layout(s, b, c);
    const int64_t tiles = spl__teams_divide(c->cols, ((int64_t)l->run * l->runs) << l->across_bits);
    bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    struct spmm_rows_args args = {
        .width = c->cols,
        .offsets = a->offsets,
        .columns = a->indices,
        .values = a->values,
        .b = b->values,
        .b_row = b_rows ? b->ld : 1,
        .b_column = b_rows ? 1 : b->ld,
        .c = c->values,
        .c_row = c_rows ? c->ld : 1,
        .c_column = c_rows ? 1 : c->ld,
        .scalars = spl__plan_scalars(plan, call),
        .team_bits = l->team_bits,
        .across_bits = l->across_bits,
        .by_slabs = s->shape.by_slabs,
        .tiles = tiles,
        .blocks = spl__teams_divide(s->tasks.count,
                                    (int64_t)l->abreast * (SPMM_ROWS_THREADS >> l->team_bits)),
        .tasks = s->tasks.count,
        .task = s->tasks.list.data,
        .words = s->tasks.words.data,
        .partial = s->partial.data};
    if (s->shape.cut.part > 0)
        return multiply_parts(plan, s, l, &args);
    SPL__TRY(SPL__LAUNCH(&plan->problem.queue, &args, l->kernel, args.blocks * tiles,
                         SPMM_ROWS_THREADS));
    return join_pieces(plan, s, &args);
}

static spl_status turn(spl_plan *plan, const state *s, const spl_dense *b, int64_t first,
                       int64_t columns)
{
    const int64_t squares =
        spl__teams_divide(b->rows, SPMM_TURN_SIDE) * spl__teams_divide(columns, SPMM_TURN_SIDE);
    struct spmm_turn_args args = {.rows = b->rows,
                                  .columns = columns,
                                  .ld = b->ld,
                                  .from = (const char *)b->values +
                                          (size_t)(first * b->ld) * spl__type_size(b->type),
                                  .to = s->turned.data};
    return SPL__LAUNCH(
        &plan->problem.queue, &args, s->turn,
        spl__blocks_for(&plan->problem.queue, squares * SPMM_TURN_THREADS, SPMM_TURN_THREADS),
        SPMM_TURN_THREADS);
}

/* Multiplies a column-major B, tile by tile. */
static spl_status multiply_turned(spl_plan *plan, const state *s, const spl__call *call)
{
    const spl_dense *b = call->b;
    for (int64_t first = 0; first < b->cols; first += s->turned_columns) {
        spl_dense rows = *b, c = *call->c;
        rows.order = SPL_ROW_MAJOR;
        rows.cols = rows.ld = c.cols = spl__min_i64(s->turned_columns, b->cols - first);
        rows.values = s->turned.data;
        c.values = (char *)c.values + (size_t)(c.order == SPL_ROW_MAJOR ? first : first * c.ld) *
                                          spl__type_size(c.type);
        SPL__TRY(turn(plan, s, b, first, rows.cols));
        SPL__TRY(multiply(plan, s, call, &rows, &c));
    }
    return SPL_OK;
}

spl_status spl__device_teams_execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    if (call->b->order == SPL_COLUMN_MAJOR && s->turned_columns > 0)
        return multiply_turned(step->task.plan, s, call);
    return multiply(step->task.plan, s, call, call->b, call->c);
}

void spl__device_teams_explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    const spl__teams_layout *l = &s->layouts[spl__teams_widest_layout(&step->task, &s->shape)];
    spl__text_add(text, "  tiles of %d columns%s, %d lanes per entry, %d per row%s; ",
                  (int)(l->run * l->runs) << l->across_bits,
                  s->shape.by_slabs && l->tiles > 1 ? " one after the other" : "",
                  1 << l->across_bits, 1 << l->team_bits,
                  l->direct ? " that load what they multiply" : "");
    if (l->abreast > 1)
        spl__text_add(text, "%d rows of a team side by side; ", (int)l->abreast);
    spl__text_add(text, "%s tasks%s, ", spl__thousands(s->tasks.count),
                  s->tasks.clustered     ? " by columns"
                  : s->shape.cut.ordered ? " by length"
                                         : "");
    spl__text_add(text, "up to %d rows at once", (int)s->tasks.rows);
    if (s->tasks.merged)
        spl__text_add(text, ", their columns merged: %s for %s entries",
                      spl__thousands(s->tasks.entries),
                      spl__thousands(step->task.plan->problem.a.csr.nnz));
    if (s->shape.cut.part > 0)
        spl__text_add(text, ", rows of more than %s entries in %s parts with a block each\n",
                      spl__thousands(s->shape.cut.longest), spl__thousands(s->parts.count));
    else
        spl__text_add(text, ", %s pieces of long rows\n", spl__thousands(s->tasks.pieces));
}

void spl__device_teams_destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__spmm_tasks_free(step->task.plan, &s->tasks);
    spl__spmm_parts_free(step->task.plan, &s->parts);
    spl__queue_free(&step->task.plan->problem.queue, &s->partial);
    spl__queue_free(&step->task.plan->problem.queue, &s->turned);
    spl__free(s);
}
