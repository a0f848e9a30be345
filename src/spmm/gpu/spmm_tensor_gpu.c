/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/tensor: C = alpha*A*B + beta*C by tensor cores, if options.accuracy allows their
 * rounding.
 *
 * A is divided into windows of 16 rows; the distinct columns of a window form tiles of 16 by 8,
 * each multiplied with 8 rows of B by one instruction per 8 columns (format/device_tiles.h). A row
 * of B is loaded once for all 16 rows. Slots without an entry are multiplied, too, which costs
 * nothing if tiles are full enough; sums that are not finite, because Inf or NaN spread that way,
 * are computed again.
 *
 * Cost: A once per 64 columns, 8 rows of B per tile, C once. Memory: 48 bytes a tile.
 * Source: Y. Wang and others, TC-GNN, USENIX ATC 2023; rounding of tensor cores: M. Fasi, N.
 * Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Computer
 * Science 7:e330, 2021. Differs: values are read in place, selected by the tiles' bits; loads of
 * 16 bytes; any K, orders, leading dimensions; f32 as TF32, f16, bf16. */
#include "spmm/kernels/spmm_tensor.k.h"

#include "format/device_tiles.h"
#include "spmm/gpu/device_teams.h"

#include <math.h>
#include <stdio.h>

/* Forms of the kernel, by elements per run. */
enum { WIDE, NARROW, FORMS };
static const int32_t run_of[FORMS] = {8, 4};

typedef struct state {
    spl__device_tiles tiles;
    const spl__kernel *kernels[FORMS];
} state;

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    if (p->options.accuracy != SPL_ACCURACY_REDUCED)
        return "options.accuracy does not allow it";
    if (p->a.csr.type == SPL_F64)
        return "it serves f32, f16 and bf16";
    if (!p->queue.device->properties.multiplies_tiles)
        return "no tensor cores that it can use";
    return task->plan->features.tile_fill_sampled > 0
               ? NULL
               : "columns of a row do not ascend, or were not looked at";
}

/* The number of slabs of columns; one team computes one slab. */
static int64_t slabs_of(int64_t cols, int number)
{
    const int64_t columns = (int64_t)SPMM_TENSOR_RUNS * run_of[number];
    return (cols + columns - 1) / columns;
}

static int widest(const spl__task *task)
{
    return slabs_of(task->plan->problem.cols, NARROW) > 1 ? WIDE : NARROW;
}

/* Teams per window: more if windows are too few to fill the device, as long as each has enough
 * tiles. */
static int32_t parts_of(const spl__task *task, double tiles, int number)
{
    enum { LEAST_TILES = 16 };
    const double windows = fmax(1, ceil(task->plan->features.rows / DEVICE_TILE_ROWS));
    const double teams = windows * (double)slabs_of(task->plan->problem.cols, number);
    const double full = 0.5 * spl__device_teams_resident(task) / SPMM_TENSOR_TEAM;
    int32_t parts = 1;
    while (parts < SPMM_TENSOR_TEAMS && teams * parts < full &&
           tiles / windows >= 2 * parts * LEAST_TILES)
        parts *= 2;
    return parts;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const int wide = widest(task);
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const double slabs = (double)slabs_of(task->plan->problem.cols, wide);
    const double slots = DEVICE_TILE_ROWS * DEVICE_TILE_COLUMNS * fmax(f->tile_fill_sampled, 1e-3);
    const double tiles = f->nnz_a / slots, windows = f->rows / DEVICE_TILE_ROWS;
    const double column = m->spmm_tensor_column * (value == sizeof(float) ? 1 : 0.25);
    const double longest = fmax(f->longest_row_a / DEVICE_TILE_COLUMNS, tiles / fmax(1, windows));
    spl__device_work work = {
        .streamed = f->nnz_a * value + slabs * tiles * 48 + f->rows * f->cols * value,
        .gathered = tiles * DEVICE_TILE_COLUMNS * f->cols * value,
        .reach = f->inner * f->cols * value,
        .steps = slabs *
                 (tiles * (m->spmm_tensor_tile + column * run_of[wide]) + windows * m->spmm_start),
        .longest = longest / parts_of(task, tiles, wide) * m->spmm_tensor_chain,
        .launches = 1};
    e->seconds = spl__device_seconds(task, &work) + m->event;
    e->bytes = tiles * 48 + windows * 8;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    char name[32];
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    for (int i = 0; i < FORMS; i++) {
        snprintf(name, sizeof name, "spmm_tensor_%d", (int)run_of[i]);
        SPL__TRY(spl__queue_kernel(queue, name, a->type, a->offset_type, &s->kernels[i]));
    }
    return spl__device_tiles_make(queue, a, &s->tiles);
}

static bool in_runs(const spl_dense *b, const spl_dense *c, int number)
{
    return b->order == SPL_ROW_MAJOR && spl__spmm_in_runs(b, run_of[number]) &&
           (c->order != SPL_ROW_MAJOR || spl__spmm_in_runs(c, run_of[number]));
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl_dense *b = call->b, *c = call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    const int form = in_runs(b, c, WIDE) ? widest(&step->task) : NARROW;
    const int32_t parts = parts_of(&step->task, (double)s->tiles.count, form);
    struct spmm_tensor_args args = {.rows = a->rows,
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
                                    .by_runs = in_runs(b, c, form),
                                    .parts = parts,
                                    .windows = s->tiles.windows,
                                    .slabs = slabs_of(c->cols, form),
                                    .first = s->tiles.first.data,
                                    .tile_columns = s->tiles.columns.data,
                                    .bits = s->tiles.bits.data};
    const size_t sums =
        parts > 1 ? (size_t)SPMM_TENSOR_THREADS * 4 * (size_t)run_of[form] * sizeof(float) : 0;
    const int64_t windows = SPMM_TENSOR_TEAMS / parts;
    const int64_t blocks = (args.windows + windows - 1) / windows * args.slabs;
    return SPL__LAUNCH_SHARED(&plan->problem.queue, &args, s->kernels[form], blocks,
                              SPMM_TENSOR_THREADS, sums);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    const double slots = (double)s->tiles.count * DEVICE_TILE_ROWS * DEVICE_TILE_COLUMNS;
    spl__text_add(text, "  %s tiles of 16 x 8, %.0f %% full\n", spl__thousands(s->tiles.count),
                  slots > 0 ? 100 * (double)step->task.plan->problem.a.csr.nnz / slots : 0);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__device_tiles_free(&step->task.plan->problem.queue, &s->tiles);
    spl__free(s);
}

const spl__method spl__spmm_compute_gpu_tensor = {
    .summary = "tensor cores on tiles of gathered columns, for reduced accuracy",
    .source = "Y. Wang and others, TC-GNN, USENIX ATC 2023",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
