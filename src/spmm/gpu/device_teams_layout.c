/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_teams_layout.h"

#include "core/checked.h"

#include <math.h>

enum { MOST_RUN = 8 };

static int32_t bits_of(int64_t count)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < count)
        bits++;
    return bits;
}

double spl__device_teams_resident(const spl__task *task)
{
    const spl__device_properties *p = &task->plan->problem.queue.device->properties;
    return (double)p->units * p->unit_threads;
}

static int32_t widest(const spl__task *task, const spl__spmm_shape *shape)
{
    return (int32_t)spl__max_i64(1, shape->run /
                                        (int64_t)spl__type_size(task->plan->problem.a.csr.type));
}

/* A tile with runs of up to `run` elements and up to `across` lanes, limited by the number of
 * columns. */
static spl__teams_layout tile_of(const spl__task *task, const spl__spmm_shape *shape, int32_t run,
                                 int64_t across)
{
    int64_t width = spl__max_i64(1, task->plan->problem.cols),
            lanes = spl__teams_divide(width, run);
    spl__teams_layout l = {.run = run};
    across = spl__min_i64(across, task->plan->problem.queue.device->properties.lanes);
    l.across_bits = bits_of(spl__min_i64(lanes, across));
    bool half = spl__type_is_half(task->plan->problem.a.csr.type);
    int32_t most_runs = half                                                       ? 1
                        : run == 1 && run < widest(task, shape) && shape->runs > 1 ? 4
                                                                                   : shape->runs;
    l.runs = (int32_t)spl__min_i64(
        most_runs, (int64_t)1 << bits_of(spl__teams_divide(lanes, (int64_t)1 << l.across_bits)));
    l.tiles = spl__teams_divide(task->plan->problem.cols, ((int64_t)run * l.runs) << l.across_bits);
    return l;
}

spl__teams_layout spl__teams_layout_of(const spl__task *task, const spl__spmm_shape *shape,
                                       int number)
{
    int32_t most = widest(task, shape),
            run = number == SPL__TEAMS_BY_COLUMNS ? 1 : MOST_RUN >> number;
    run = run < most ? run : most;
    bool one = number == SPL__TEAMS_BY_COLUMNS || shape->team == 1;
    return tile_of(task, shape, run, one ? 1 : (int64_t)shape->across * (most / run));
}

int spl__teams_widest_layout(const spl__task *task, const spl__spmm_shape *shape)
{
    int n = SPL__TEAMS_WIDE;
    while (task->plan->problem.cols % spl__teams_layout_of(task, shape, n).run != 0)
        n++;
    return n;
}

int32_t spl__device_teams_across(const spl__task *task, const spl__spmm_shape *shape)
{
    return 1
           << spl__teams_layout_of(task, shape, spl__teams_widest_layout(task, shape)).across_bits;
}

int64_t spl__device_teams_tile(const spl__task *task, const spl__spmm_shape *shape)
{
    spl__teams_layout l = spl__teams_layout_of(task, shape, SPL__TEAMS_WIDE);
    return ((int64_t)l.run * l.runs) << l.across_bits;
}

/* Whether a row should get four lanes though its columns need fewer: entries are then loaded
 * coalesced, and rows of different lengths wait less for each other; but merged rows are summed
 * at a higher cost. H100, f32, us, one, two, four and eight lanes: 4 columns, qcd 32, 19, 14,
 * 14; circuit 83, 45, 27, 28; banded:200000,4,4 15, 15, 17, 25; epidemiology 22, 26, 36, 68; 8
 * columns, two, four, eight: qcd 21, 15, 14; epidemiology 32, 41, 71. One lane walks 128 entries
 * in 130 us (3 columns), two in 52 (8), independent of other rows. */
static bool is_wide(const spl__features *f, const spl__spmm_shape *shape)
{
    enum { LEAST = 5, ALIKE = 11, LONG = 64 };
    if (shape->cut.merged)
        return f->mean_row_a >= SPL__SPMM_SHORT;
    if (f->longest_row_a >= LONG)
        return true;
    return f->mean_row_a >= LEAST && f->mean_row_a * (1 + 2 * f->variation_row_a) >= ALIKE;
}

/* Whether lanes load their entries themselves: if few lanes share an entry, and it is of one
 * row. */
static bool is_direct(const spl__teams_layout *l, const spl__spmm_cut *cut, int32_t rows)
{
    enum { MOST_ALIKE = 1, MOST = 2 }; /* powers of two */
    const int32_t most = cut->ordered || l->run == 1 ? MOST : MOST_ALIKE;
    return l->runs == 1 && l->across_bits <= most && rows == 1;
}

/* Lanes per row in that case: more than per entry if rows are too few to fill the device, as
 * long as each lane has enough entries or a row is long; or if a long row would outlast all
 * others. */
static int32_t direct_bits(const spl__task *task, const spl__spmm_shape *shape,
                           const spl__teams_layout *l, int32_t most)
{
    enum { ENTRIES_OF_LANE = 3, MOST_OF_LANE = 16, FEW_ROUNDS = 4, SOME_ROUNDS = 8, WIDE_BITS = 2 };
    const spl__features *f = &task->plan->features;
    const double resident = spl__device_teams_resident(task),
                 across = (double)(1 << l->across_bits);
    const double longest = fmin(f->longest_row_a, (double)shape->cut.longest);
    const double filled = 0.75 * resident,
                 crowded = l->across_bits < WIDE_BITS ? 2 * resident : resident;
    int32_t bits = l->across_bits;
    for (; bits < most; bits++) {
        const double lanes = f->rows * (double)l->tiles * (double)(1 << bits),
                     entries = (double)(1 << bits) / across;
        const double rounds = longest / (SPMM_DIRECT_STEPS * entries);
        const bool worth =
            ENTRIES_OF_LANE * across * entries < f->mean_row_a || rounds > FEW_ROUNDS;
        const bool wanted = (lanes < filled && worth) || (lanes < crowded && rounds > SOME_ROUNDS);
        if (!wanted && MOST_OF_LANE * entries >= f->mean_row_a)
            break;
    }
    return bits;
}

/* Lanes per row where the device has room and rows of more than cut.longest entries have blocks:
 * so many that the entries of the others are under way at once. */
static int32_t bits_with_parts(const spl__task *task, const spl__spmm_shape *shape,
                               const spl__teams_layout *l, int32_t most)
{
    const spl__features *f = &task->plan->features;
    const double filled = 0.75 * spl__device_teams_resident(task),
                 longest = fmin(f->longest_row_a, (double)shape->cut.longest);
    int32_t bits = l->across_bits;
    while (bits < most && f->rows * (double)l->tiles * (double)(2 << bits) <= filled &&
           longest > SPMM_DIRECT_STEPS * (double)(1 << (bits - l->across_bits)))
        bits++;
    return bits;
}

/* Lanes per row: more than per entry if teams are too few to fill the device, as long as each
 * lane has enough to do. */
static int32_t team_bits(const spl__task *task, const spl__spmm_shape *shape,
                         const spl__teams_layout *l, double tasks)
{
    enum { LEAST_ENTRIES = 24, LEAST_ALIKE = 8, LEAST_WITH_ROOM = 4 };
    const spl__features *f = &task->plan->features;
    /* several rows per task, whose sums reduce occupancy */
    const bool several = tasks < f->rows;
    const double filled = (several ? 0.4 : 0.75) * spl__device_teams_resident(task);
    int32_t most = bits_of(task->plan->problem.queue.device->properties.lanes),
            bits = l->across_bits;
    double teams = tasks * (double)l->tiles, entries = f->nnz_a / fmax(1, fmax(tasks, f->rows));
    if (shape->team > 0)
        return (int32_t)spl__max_i64(bits, bits_of(shape->team));
    if (shape->cut.part > 0)
        return bits_with_parts(task, shape, l, most);
    if (l->direct)
        return direct_bits(task, shape, l, most);
    if (is_wide(f, shape))
        bits = (int32_t)spl__max_i64(bits, SPL__SPMM_LEAST_BITS);
    for (; bits < most && teams * (double)(1 << bits) < filled; bits++) {
        const bool room = teams * (double)(2 << bits) < filled;
        const int32_t least = shape->cut.ordered ? LEAST_ENTRIES
                              : room             ? LEAST_WITH_ROOM
                                                 : LEAST_ALIKE;
        if (entries < least * (double)(2 << (bits - l->across_bits)))
            break;
    }
    return bits;
}

void spl__teams_layout_rows(const spl__task *task, const spl__spmm_shape *shape, double tasks,
                            int32_t rows, spl__teams_layout *l)
{
    l->abreast = shape->abreast > 0 ? shape->abreast : 1;
    l->direct = is_direct(l, &shape->cut, rows);
    l->team_bits = l->abreast > 1 ? l->across_bits : team_bits(task, shape, l, tasks);
}

/* Column-major B: neighbouring entries of a row of A are neighbours in B, if any are. */
void spl__teams_layout_by_columns(const spl__task *task, const spl__spmm_shape *shape,
                                  spl__teams_layout *l)
{
    int32_t most = bits_of(task->plan->problem.queue.device->properties.lanes), bits = 0;
    while (bits < most && (double)(1 << bits) < task->plan->features.mean_row_a)
        bits++;
    l->abreast = 1;
    l->direct = false;
    l->team_bits = shape->team > 0 ? bits_of(shape->team) : bits;
}
