/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/device_teams.h"

#include "core/checked.h"
#include "spmm/spmm_turn.k.h"

#include <math.h>
#include <stdio.h>

/* Loads of 8, 4, 2 and 1 elements, or as many as there are in 16 bytes, and single ones of B by columns. */
enum { WIDE, MOST_RUN = 8, SINGLE = 3, BY_COLUMNS, LAYOUTS };

/* How lanes share the columns: the tile has run*runs*across of them. */
typedef struct layout {
    int32_t run, runs, across_bits, team_bits;
    int64_t tiles;
    const spl__kernel *kernel;
} layout;

typedef struct state {
    spl__spmm_shape shape;
    spl__spmm_tasks tasks;
    layout layouts[LAYOUTS];
    const spl__kernel *join;
    spl__device_array partial;
    int64_t turned_columns;   /* of a tile of B; 0: columns are taken as they are */
    spl__device_array turned; /* T[inner*turned_columns] */
    const spl__kernel *turn;
} state;

/* ---- layouts ---- */

static int32_t bits_of(int64_t count)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < count)
        bits++;
    return bits;
}

static int64_t divide_up(int64_t count, int64_t by)
{
    return count / by + (count % by != 0);
}

double spl__device_teams_resident(const spl__task *task)
{
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    return (double)p->units * p->unit_threads;
}

static int32_t widest(const spl__task *task, const spl__spmm_shape *shape)
{
    return (int32_t)spl__max_i64(1, shape->run / (int64_t)spl__type_size(task->plan->problem.a.csr.type));
}

/* A tile with runs of up to `run` elements, across up to `across` lanes: no more of both than there are columns. */
static layout tile_of(const spl__task *task, const spl__spmm_shape *shape, int32_t run, int64_t across)
{
    int64_t width = spl__max_i64(1, task->plan->problem.cols), lanes = divide_up(width, run);
    layout l = {.run = run};
    across = spl__min_i64(across, task->plan->problem.queue.device->properties.lanes);
    l.across_bits = bits_of(spl__min_i64(lanes, across));
    bool half = spl__type_is_half(task->plan->problem.a.csr.type);
    int32_t most_runs = half ? 1 : run == 1 && run < widest(task, shape) && shape->runs > 1 ? 4 : shape->runs;
    l.runs = (int32_t)spl__min_i64(most_runs, (int64_t)1 << bits_of(divide_up(lanes, (int64_t)1 << l.across_bits)));
    l.tiles = divide_up(task->plan->problem.cols, ((int64_t)run * l.runs) << l.across_bits);
    return l;
}

static layout layout_of(const spl__task *task, const spl__spmm_shape *shape, int number)
{
    int32_t most = widest(task, shape), run = number == BY_COLUMNS ? 1 : MOST_RUN >> number;
    run = run < most ? run : most;
    bool one = number == BY_COLUMNS || shape->across == 1;
    return tile_of(task, shape, run, one ? 1 : (int64_t)shape->across * (most / run));
}

/* The one that a number of columns allows: rows of B and C are aligned to it, for all that a plan knows. */
static int widest_layout(const spl__task *task, const spl__spmm_shape *shape)
{
    int n = WIDE;
    while (task->plan->problem.cols % layout_of(task, shape, n).run != 0)
        n++;
    return n;
}

int64_t spl__device_teams_tile(const spl__task *task, const spl__spmm_shape *shape)
{
    layout l = layout_of(task, shape, WIDE);
    return ((int64_t)l.run * l.runs) << l.across_bits;
}

/* Whether four lanes are worth having for a row though its columns need fewer: entries are read side by side then, and rows of any length wait less for each
 * other; rows that are merged are added up at more cost. H100, f32, us, one, two, four and eight lanes: 4 columns, qcd 32, 19, 14, 14; circuit 83, 45, 27, 28;
 * banded:200000,4,4 15, 15, 17, 25; epidemiology 22, 26, 36, 68; 8 columns, two, four, eight: qcd 21, 15, 14; epidemiology 32, 41, 71. One lane walks 128
 * entries in 130 us (3 columns), two in 52 (8), whatever the other rows take. */
static bool is_wide(const spl__features *f, const spl__spmm_shape *shape)
{
    enum { LEAST = 5, ALIKE = 11, LONG = 64 };
    if (shape->cut.merged)
        return f->mean_row_a >= SPL__SPMM_SHORT;
    if (f->longest_row_a >= LONG)
        return true;
    return f->mean_row_a >= LEAST && f->mean_row_a * (1 + 2 * f->variation_row_a) >= ALIKE;
}

/* Lanes of a row: more than an entry's where teams are too few to fill the device, as long as each lane has enough to do. */
static int32_t team_bits(const spl__task *task, const spl__spmm_shape *shape, const layout *l, double tasks)
{
    enum { LEAST_ENTRIES = 24 };
    const double filled = 0.75 * spl__device_teams_resident(task);
    const spl__features *f = &task->plan->features;
    int32_t most = bits_of(task->plan->problem.queue.device->properties.lanes), bits = l->across_bits;
    double teams = tasks * (double)l->tiles, entries = f->nnz_a / fmax(1, fmax(tasks, f->rows));
    if (shape->team > 0)
        return (int32_t)spl__max_i64(bits, bits_of(shape->team));
    if (is_wide(f, shape))
        bits = (int32_t)spl__max_i64(bits, SPL__SPMM_LEAST_BITS);
    while (bits < most && teams * (double)(1 << bits) < filled &&
           entries >= LEAST_ENTRIES * (double)(2 << (bits - l->across_bits)))
        bits++;
    return bits;
}

/* B by columns: entries of a row lie side by side in it, if anything does. */
static int32_t team_by_columns(const spl__task *task, const spl__spmm_shape *shape)
{
    int32_t most = bits_of(task->plan->problem.queue.device->properties.lanes), bits = 0;
    if (shape->team > 0)
        return bits_of(shape->team);
    while (bits < most && (double)(1 << bits) < task->plan->features.mean_row_a)
        bits++;
    return bits;
}

static spl_status make_layouts(const spl__task *task, state *s)
{
    const spl__problem *p = &task->plan->problem;
    char name[32];
    for (int n = 0; n < LAYOUTS; n++) {
        layout *l = &s->layouts[n];
        *l = layout_of(task, &s->shape, n);
        l->team_bits =
            n == BY_COLUMNS ? team_by_columns(task, &s->shape) : team_bits(task, &s->shape, l, (double)s->tasks.count);
        if (s->tasks.merged)
            snprintf(name, sizeof name, "spmm_merged_%dx%d", (int)l->run, (int)l->runs);
        else
            snprintf(name, sizeof name, "spmm_rows_%dx%dx%d", (int)s->tasks.rows, (int)l->run, (int)l->runs);
        SPL__TRY(spl__queue_kernel(&p->queue, name, p->a.csr.type, p->a.csr.offset_type, &l->kernel));
    }
    return spl__queue_kernel(&p->queue, "spmm_join", p->a.csr.type, p->a.csr.offset_type, &s->join);
}

/* Room for a tile of B, if it is expected by columns. */
static spl_status make_turned(const spl__task *task, state *s)
{
    spl__problem *p = &task->plan->problem;
    if (p->options.dense_order != SPL_COLUMN_MAJOR)
        return SPL_OK;
    s->turned_columns = spl__min_i64(p->cols, spl__device_teams_tile(task, &s->shape));
    SPL__TRY(spl__queue_kernel(&p->queue, "spmm_turn", p->a.csr.type, p->a.csr.offset_type, &s->turn));
    return spl__queue_alloc(&p->queue, p->inner, (size_t)s->turned_columns * spl__type_size(p->a.csr.type), &s->turned);
}

/* ---- the method's functions ---- */

static size_t sum_size(const spl_plan *plan)
{
    return spl__type_size(spl__type_of_sums(plan->problem.a.csr.type));
}

/* Loads of 4 bytes took 1.7 to 3.3 times as long as loads of 16 on an H100, f32, 32 columns (cantilever, yelp). */
double spl__device_teams_gathered(double bytes, double run)
{
    return bytes * sqrt(fmax(1, 16 / run));
}

/* The share of B's rows that is fetched: rows that are alike and keep their order find half in L1, on meshes more, on a permuted one none. Where rows are
 * joined or merged one serves several. */
static double fetched(const spl__features *f, const spl__spmm_shape *shape)
{
    if (shape->cut.merged)
        return f->merged_sampled;
    return shape->cut.joined && !shape->cut.ordered ? 0.5 : 1;
}

/* Fetched for a number of A's, by teams that take so many neighbours at once: sectors that the next step finds in L1, if they still are there. */
static double apart(const spl__gpu_machine *m, double team)
{
    return sqrt(fmax(1, m->gather_bytes / (4 * team)));
}

/* Steps in which teams begin and end their rows, times rows; rows without entries take less than half. A lane that has rows of its own loads and stores
 * apart from all others. */
static double starts(const spl__task *task, double team)
{
    const double empty = 0.6;
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    return (f->rows - empty * f->empty_rows_a) * (m->spmm_start + (team == 1 ? m->spmm_lane_start : 0));
}

/* Steps per entry of a row that one team walks: it loads as many as it has lanes at once, and multiplies those side by side that have lanes of their own. A
 * lane alone waits for each of its loads. */
static double entry_chain(const spl__gpu_machine *m, const layout *l, double team)
{
    const double across = (double)(1 << l->across_bits), loads = 0.5 * (1 + l->runs);
    return fmin(m->spmm_alone * loads, (m->spmm_chain * across + m->spmm_load) / team);
}

/* B by columns: a launch more for each tile, which is written as rows and read. */
static void estimate_turned(const spl__task *task, const spl__spmm_shape *shape, spl__device_work *work,
                            spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const double tile = fmin(f->cols, (double)spl__device_teams_tile(task, shape));
    work->streamed += 2 * f->inner * f->cols * value;
    work->launches += 2 * ceil(f->cols / fmax(1, tile)) - 1;
    e->bytes += f->inner * tile * value;
}

void spl__device_teams_estimate(const spl__task *task, const spl__spmm_shape *shape, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const double lanes = task->plan->problem.queue.device->properties.lanes;
    const layout l = layout_of(task, shape, widest_layout(task, shape));
    const double pieces = f->longest_row_a > (double)shape->cut.longest ? f->nnz_a / (double)shape->cut.longest : 0;
    const double words = shape->cut.merged ? f->merged_sampled : 1; /* per entry, and tasks per row, as long */
    const double team = (double)(1 << team_bits(task, shape, &l, f->rows * words + pieces));
    const double across = (double)(1 << l.across_bits), run = l.run * value, tiles = (double)l.tiles;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double rounds = f->nnz_a / fmax(1, f->rows) * across / team, sector = m->gather_bytes;
    /* Teams of a warp wait for the one with the longest row, unless rows are ordered. */
    const double waiting = shape->cut.ordered || team >= lanes ? 1 : 1 + f->variation_row_a;
    const double gathered = f->nnz_a * f->cols * value * fmax(1, sector / (across * run)) * fetched(f, shape);
    spl__device_work work = {
        .streamed =
            tiles * f->nnz_a * (value + 4 * words) * apart(m, team) + f->rows * (tiles * 16 * words + f->cols * value),
        .gathered = spl__device_teams_gathered(gathered, run),
        .reach = f->inner * value * (shape->by_slabs ? (double)spl__device_teams_tile(task, shape) : f->cols),
        .steps =
            tiles * team / lanes * words * (starts(task, team) + f->rows * m->spmm_round * rounds * waiting * l.runs),
        .longest = fmin(f->longest_row_a, (double)shape->cut.longest) * entry_chain(m, &l, team),
        .launches = pieces > 0 ? 2 : 1};
    bool own = shape->cut.ordered || shape->cut.joined || pieces > 0;
    e->bytes = (shape->cut.ordered || shape->cut.joined ? 16 * (f->rows + pieces) : 0) +
               (shape->cut.merged ? sizeof(uint32_t) * words * f->nnz_a : 0) +
               pieces * f->cols * (double)sum_size(task->plan);
    if (task->plan->problem.options.dense_order == SPL_COLUMN_MAJOR)
        estimate_turned(task, shape, &work, e);
    e->seconds = spl__device_seconds(task, &work) + (own ? m->event : 0);
    e->setup = (shape->cut.ordered || shape->cut.joined ? m->teams_setup : 0) + (pieces > 0 ? m->structure_setup : 0);
}

spl_status spl__device_teams_prepare(spl__step *step, const spl__spmm_shape *shape)
{
    spl_plan *plan = step->task.plan;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->shape = *shape;
    SPL__TRY(spl__spmm_tasks_make(plan, &shape->cut, &s->tasks));
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, s->tasks.pieces, (size_t)plan->problem.cols * sum_size(plan),
                              &s->partial));
    SPL__TRY(make_turned(&step->task, s));
    return make_layouts(&step->task, s);
}

bool spl__spmm_in_runs(const spl_dense *m, int32_t run)
{
    uint64_t size = spl__type_size(m->type), bytes = (uint64_t)run * size, alignment = bytes < 16 ? bytes : 16;
    return run == 1 || (m->order == SPL_ROW_MAJOR && m->cols % run == 0 && (uint64_t)m->ld * size % alignment == 0 &&
                        (uintptr_t)m->values % alignment == 0 && (uint64_t)m->ld * size <= UINT32_MAX);
}

static const layout *choose_layout(const state *s, const spl_dense *b, const spl_dense *c)
{
    const layout *l = &s->layouts[WIDE];
    if (b->order != SPL_ROW_MAJOR)
        return &s->layouts[BY_COLUMNS];
    while (!spl__spmm_in_runs(b, l->run) || (c->order == SPL_ROW_MAJOR && !spl__spmm_in_runs(c, l->run)))
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
    int64_t warps = s->tasks.pieces * divide_up(rows->width, plan->problem.queue.device->properties.lanes);
    return SPL__LAUNCH(
        &plan->problem.queue, &args, s->join,
        spl__blocks_for(&plan->problem.queue, warps * plan->problem.queue.device->properties.lanes, SPMM_ROWS_THREADS),
        SPMM_ROWS_THREADS);
}

static spl_status multiply(spl_plan *plan, const state *s, const spl__call *call, const spl_dense *b,
                           const spl_dense *c)
{
    const spl_sparse *a = &plan->problem.a.csr;
    const layout *l = choose_layout(s, b, c);
    const int64_t tiles = divide_up(c->cols, ((int64_t)l->run * l->runs) << l->across_bits);
    bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    struct spmm_rows_args args = {.width = c->cols,
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
                                  .blocks = divide_up(s->tasks.count, SPMM_ROWS_THREADS >> l->team_bits),
                                  .tasks = s->tasks.count,
                                  .task = s->tasks.list.data,
                                  .words = s->tasks.words.data,
                                  .partial = s->partial.data};
    SPL__TRY(SPL__LAUNCH(&plan->problem.queue, &args, l->kernel, args.blocks * tiles, SPMM_ROWS_THREADS));
    return join_pieces(plan, s, &args);
}

static spl_status turn(spl_plan *plan, const state *s, const spl_dense *b, int64_t first, int64_t columns)
{
    const int64_t squares = divide_up(b->rows, SPMM_TURN_SIDE) * divide_up(columns, SPMM_TURN_SIDE);
    struct spmm_turn_args args = {.rows = b->rows,
                                  .columns = columns,
                                  .ld = b->ld,
                                  .from = (const char *)b->values + (size_t)(first * b->ld) * spl__type_size(b->type),
                                  .to = s->turned.data};
    return SPL__LAUNCH(&plan->problem.queue, &args, s->turn,
                       spl__blocks_for(&plan->problem.queue, squares * SPMM_TURN_THREADS, SPMM_TURN_THREADS),
                       SPMM_TURN_THREADS);
}

/* B by columns: tile by tile. */
static spl_status multiply_turned(spl_plan *plan, const state *s, const spl__call *call)
{
    const spl_dense *b = call->b;
    for (int64_t first = 0; first < b->cols; first += s->turned_columns) {
        spl_dense rows = *b, c = *call->c;
        rows.order = SPL_ROW_MAJOR;
        rows.cols = rows.ld = c.cols = spl__min_i64(s->turned_columns, b->cols - first);
        rows.values = s->turned.data;
        c.values =
            (char *)c.values + (size_t)(c.order == SPL_ROW_MAJOR ? first : first * c.ld) * spl__type_size(c.type);
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
    const layout *l = &s->layouts[WIDE];
    spl__text_add(
        text, "  tiles of %d columns%s, %d lanes per entry, %d per row; ", (int)(l->run * l->runs) << l->across_bits,
        s->shape.by_slabs && l->tiles > 1 ? " one after the other" : "", 1 << l->across_bits, 1 << l->team_bits);
    spl__text_add(text, "%s tasks%s, ", spl__thousands(s->tasks.count),
                  s->tasks.clustered     ? " by columns"
                  : s->shape.cut.ordered ? " by length"
                                         : "");
    spl__text_add(text, "up to %d rows at once", (int)s->tasks.rows);
    if (s->tasks.merged)
        spl__text_add(text, ", their columns merged: %s for %s entries", spl__thousands(s->tasks.entries),
                      spl__thousands(step->task.plan->problem.a.csr.nnz));
    spl__text_add(text, ", %s pieces of long rows\n", spl__thousands(s->tasks.pieces));
}

void spl__device_teams_destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__spmm_tasks_free(step->task.plan, &s->tasks);
    spl__queue_free(&step->task.plan->problem.queue, &s->partial);
    spl__queue_free(&step->task.plan->problem.queue, &s->turned);
    spl__free(s);
}
