/* SPDX-License-Identifier: Apache-2.0 */
/* device_teams_estimate.c: predicts the time of teams of lanes. */
#include "spmm/gpu/device_teams_layout.h"

#include <math.h>

/* Loads of 4 bytes took 1.7 to 3.3 times as long as loads of 16 on an H100, f32, 32 columns
 * (cantilever, yelp). */
double spl__device_teams_gathered(double bytes, double run)
{
    return bytes * sqrt(fmax(1, 16 / run));
}

/* The share of B's rows that miss L1: equal rows in natural order find half in L1, on meshes
 * more, on permuted meshes none. With identical or merged rows one load serves several. */
static double fetched(const spl__features *f, const spl__spmm_shape *shape)
{
    if (shape->cut.merged)
        return f->merged_sampled;
    return shape->cut.identical && !shape->cut.ordered && f->variation_row_a <= SPL__SPMM_ALIKE
               ? 0.5
               : 1;
}

/* Bytes of B per entry of A for direct loads, weighted for sectors that are loaded one by one; a
 * second sector costs less. */
static double direct_gathered(const spl__features *f, const spl__gpu_machine *m, double bytes)
{
    const double times =
        f->variation_row_a > SPL__SPMM_ALIKE ? m->spmm_direct_scattered : m->spmm_direct_identical;
    return times * sqrt(m->gather_bytes * fmax(m->gather_bytes, bytes));
}

/* Bytes of A fetched per entry by teams that load that many neighbours at once: the next step
 * finds the rest of a sector in L1, if it is still there. Side by side, a warp loads those of
 * neighbouring rows together. */
static double slab_overhead(const spl__gpu_machine *m, const spl__features *f,
                            const spl__teams_layout *l, double team)
{
    if (l->direct)
        return 1;
    return sqrt(fmax(1, l->abreast > 1 ? fmin(m->gather_bytes / 4, f->mean_row_a)
                                       : m->gather_bytes / (4 * team)));
}

/* Rows that teams start; empty ones cost less than half. */
static double started_rows(const spl__features *f)
{
    const double empty = 0.6;
    return f->rows - empty * f->empty_rows_a;
}

/* Steps per entry of a row that one team walks: the team loads one entry per lane at once and
 * multiplies as many at once as have separate lanes. A single lane waits for each load; a team
 * with several lanes per entry almost (coarsened, cora, H100: .052, .098 and .145 us with one,
 * two and four). */
static double entry_chain(const spl__gpu_machine *m, const spl__teams_layout *l, double team)
{
    const double across = (double)(1 << l->across_bits), loads = 0.5 * (1 + l->runs);
    if (l->direct || l->abreast > 1)
        return m->spmm_direct_chain * across / team / SPMM_DIRECT_STEPS;
    return fmin(m->spmm_alone * loads,
                (m->spmm_chain * across + m->spmm_load) / team * pow(l->runs, m->spmm_runs));
}

/* Column-major B: one more launch per tile, which is transposed and read. */
static void estimate_turned(const spl__task *task, const spl__spmm_shape *shape,
                            spl__device_work *work, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const double tile = fmin(f->cols, (double)spl__device_teams_tile(task, shape));
    work->streamed += 2 * f->inner * f->cols * value;
    work->launches += 2 * ceil(f->cols / fmax(1, tile)) - 1;
    e->bytes += f->inner * tile * value;
}

/* The parts of an execution's cost. */
typedef struct parts {
    spl__teams_layout l;
    /* pieces of cut rows; words per entry, and tasks per row of equal length */
    double pieces, words;
    double team, across; /* lanes per row, per entry */
    double run;          /* bytes per load of a lane */
    double rounds;       /* entries of a row that a lane multiplies sequentially */
    double rows;         /* of A that a loaded row of B is multiplied for */
    /* teams of a warp wait for the one with the longest row, unless rows are ordered */
    double waiting;
} parts;

static parts parts_of(const spl__task *task, const spl__spmm_shape *shape)
{
    const spl__features *f = &task->plan->features;
    const double longest = (double)shape->cut.longest;
    parts p = {.l = spl__teams_layout_of(task, shape, spl__teams_widest_layout(task, shape))};
    p.pieces = !shape->cut.part && f->longest_row_a > longest ? f->nnz_a / longest : 0;
    p.words = shape->cut.merged ? f->merged_sampled : 1;
    p.rows = shape->cut.merged ? SPMM_MOST_ROWS : 1;
    spl__teams_layout_rows(task, shape, f->rows * p.words + p.pieces,
                           shape->cut.merged ? SPMM_MOST_ROWS : 1, &p.l);
    p.team = (double)(1 << p.l.team_bits);
    p.across = (double)(1 << p.l.across_bits);
    p.run = p.l.run * (double)spl__type_size(task->plan->problem.a.csr.type);
    p.rounds = f->nnz_a / fmax(1, f->rows) * p.across / p.team;
    bool alone = shape->cut.ordered || shape->cut.part > 0 ||
                 p.team >= task->plan->problem.queue.device->properties.lanes;
    p.waiting = alone ? 1 : 1 + f->variation_row_a;
    return p;
}

/* Steps of a warp for an entry of each of its teams: with one row of A and four elements of f32 a
 * lane loads and multiplies in balance; more products, and conversions of 16-bit elements, are
 * more instructions. */
static double entry_steps(const spl__task *task, const parts *p)
{
    enum { BALANCED = 4 };
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double elements = (double)p->l.run * p->l.runs;
    const double products = fmax(0, elements * p->rows - BALANCED * p->l.runs);
    const bool half = spl__type_is_half(task->plan->problem.a.csr.type);
    return m->spmm_round * p->l.runs + m->spmm_multiply * products +
           (half ? m->spmm_convert * elements : 0);
}

/* The same for rows that a team computes side by side, as often as the longest of them has
 * entries; rows without are as many chains less. */
static double steps_side_by_side(const spl__task *task, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double rounds = f->mean_row_a * (1 + fmin(1, f->variation_row_a));
    return started_rows(f) / p->l.abreast * (m->spmm_short_start + m->spmm_short_round * rounds);
}

/* Steps of the warps of blocks that begin and end long rows, where others are side by side: the sum
 * of the squares of row lengths, without the longest, bounds how many there are. */
static double steps_of_blocks(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double warps = SPMM_ROWS_THREADS / task->plan->problem.queue.device->properties.lanes,
                 longest = (double)shape->cut.longest,
                 squares = f->nnz_a * f->mean_row_a * (1 + f->variation_row_a * f->variation_row_a),
                 others = fmax(0, squares - f->longest_row_a * f->longest_row_a);
    if (p->l.abreast == 1 || f->longest_row_a <= longest)
        return 0;
    return fmin(f->nnz_a / longest, 1 + others / (longest * longest)) * warps * m->spmm_short_start;
}

/* Steps of a warp per row of its teams. Lanes with rows of their own load and store uncoalesced. */
static double steps_of_rows(const spl__task *task, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    if (p->l.abreast > 1)
        return steps_side_by_side(task, p);
    const double in_step = entry_steps(task, p) * p->rounds * p->waiting;
    const double direct = m->spmm_direct_round * sqrt(p->across) *
                          fmax(1, p->rounds * p->waiting / SPMM_DIRECT_STEPS);
    if (p->l.direct)
        return started_rows(f) * (m->spmm_direct_start + direct);
    return started_rows(f) * (m->spmm_start + (p->team == 1 ? m->spmm_lane_start : 0)) +
           f->rows * in_step;
}

/* Bytes of B, weighted for loads of less than 16 bytes, which use less bandwidth. */
static double gathered_bytes(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double width = p->across * p->run;
    if (p->l.direct)
        return f->nnz_a * (double)p->l.tiles * direct_gathered(f, m, width);
    const double bytes =
        f->nnz_a * f->cols * value * fmax(1, m->gather_bytes / width) * fetched(f, shape);
    return spl__device_teams_gathered(bytes, p->run);
}

/* Whether long rows are listed for blocks. */
static bool has_parts(const spl__features *f, const spl__spmm_shape *shape)
{
    return shape->cut.part > 0 && f->longest_row_a > (double)shape->cut.longest;
}

/* Bytes of parts for blocks, of which there may be fewer. */
static double parts_bytes(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const double sums = (double)spl__type_size(spl__type_of_sums(task->plan->problem.a.csr.type));
    if (!has_parts(f, shape))
        return 0;
    const double count =
        f->nnz_a / (double)shape->cut.longest + f->nnz_a / (double)shape->cut.part + 1;
    const double of_part = f->longest_row_a > (double)shape->cut.part
                               ? f->cols * sums + (double)p->l.tiles * sizeof(int32_t)
                               : 0;
    return count * (sizeof(struct spmm_part) + of_part);
}

/* Extra seconds of plans with device memory. Identical rows have fewer words than entries, if
 * that was sampled. */
static double memory_seconds(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const double may_join = 0.7; /* words per entry */
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const bool identical =
        shape->cut.identical && f->merged_sampled > 0 && f->merged_sampled < may_join;
    const bool listed = identical || shape->cut.ordered || p->pieces > 0 || has_parts(f, shape);
    return (listed ? m->event : 0) + (identical ? m->spmm_merging : 0);
}

/* Steps of a row that a team walks: side by side with others one entry at a time, at first. */
static double chain_of_team(const spl__gpu_machine *m, const parts *p, double longest)
{
    const double slow = p->l.abreast > 1 ? fmin(longest, SPMM_ABREAST_ENTRIES) : 0;
    return slow * m->spmm_direct_chain + (longest - slow) * entry_chain(m, &p->l, p->team);
}

/* Steps of a block that adds up the parts of the longest row: its threads share them. */
static double steps_of_joining(const spl__gpu_machine *m, const spl__features *f, const parts *p,
                               double lanes, double part)
{
    enum { LEAST = 3 };
    const double columns = p->across * p->l.run * p->l.runs,
                 groups = fmin(SPMM_ROWS_THREADS / columns, SPMM_ROWS_THREADS / lanes),
                 loads = f->longest_row_a / part / (SPMM_PARTS_AT_ONCE * groups);
    return f->longest_row_a > part ? LEAST + floor(loads) * m->spmm_direct_chain : 1;
}

/* Steps of the longest row, or of its longest part: a warp has an eighth of that, and a block that
 * adds up parts waits for memory as long as for a few entries. */
static double longest_chain(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double lanes = task->plan->problem.queue.device->properties.lanes,
                 longest = (double)shape->cut.longest, part = (double)shape->cut.part,
                 of_team = chain_of_team(m, p, fmin(f->longest_row_a, longest)),
                 of_block = fmin(f->longest_row_a, part) * lanes / SPMM_ROWS_THREADS *
                            entry_chain(m, &p->l, lanes);
    if (!part || f->longest_row_a <= longest)
        return of_team;
    return fmax(of_team, of_block + steps_of_joining(m, f, p, lanes, part));
}

/* Seconds in which a block adds up the pieces of the longest row, one after the other. */
static double joining_seconds(const spl__task *task, const spl__spmm_shape *shape, const parts *p)
{
    const double pieces = task->plan->features.longest_row_a / (double)shape->cut.longest;
    return p->pieces > 0 ? pieces * task->plan->gpu_machine->spmm_join : 0;
}

void spl__device_teams_estimate(const spl__task *task, spl__estimate *e)
{
    const spl__teams_method *method = task->parameters;
    const spl__spmm_shape chosen = method->choose(task), *shape = &chosen;
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const parts p = parts_of(task, shape);
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type),
                 tiles = (double)p.l.tiles;
    const double sums = (double)spl__type_size(spl__type_of_sums(task->plan->problem.a.csr.type));
    const double lanes = task->plan->problem.queue.device->properties.lanes;
    const bool listed = shape->cut.ordered || shape->cut.identical;
    spl__device_work work = {
        .streamed = tiles * f->nnz_a * (value + 4 * p.words) * slab_overhead(m, f, &p.l, p.team) +
                    f->rows * (tiles * 16 * p.words + f->cols * value),
        .gathered = gathered_bytes(task, shape, &p),
        .reach = f->inner * value *
                 (shape->by_slabs ? (double)spl__device_teams_tile(task, shape) : f->cols),
        .steps = tiles * (p.team / lanes * p.words * steps_of_rows(task, &p) +
                          steps_of_blocks(task, shape, &p)),
        .longest = longest_chain(task, shape, &p),
        .launches = p.pieces > 0 ? 2 : 1};
    e->bytes = (listed ? 16 * (f->rows + p.pieces) : 0) + parts_bytes(task, shape, &p) +
               (shape->cut.merged ? sizeof(uint32_t) * p.words * f->nnz_a : 0) +
               p.pieces * f->cols * sums;
    if (task->plan->problem.options.dense_order == SPL_COLUMN_MAJOR)
        estimate_turned(task, shape, &work, e);
    e->seconds = spl__device_seconds(task, &work) + memory_seconds(task, shape, &p) +
                 joining_seconds(task, shape, &p);
    e->setup = (listed ? m->teams_setup : 0) +
               (p.pieces > 0 || has_parts(f, shape) ? m->structure_setup : 0);
}
