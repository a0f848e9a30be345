/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_tensor.h"

#include "core/checked.h"
#include "format/device_tiles.h"
#include "spmm/gpu/device_teams.h"
#include "spmm/kernels/spmm_tensor.k.h"

#include <math.h>
#include <stdio.h>

/* Forms of the kernel, by elements per run. */
enum { WIDE, NARROW, FORMS };
enum { MOST_TEAMS = SPMM_TENSOR_THREADS / SPMM_TENSOR_TEAM }; /* of a block */
static const int32_t run_of[FORMS] = {8, 4};

typedef struct state {
    spl__device_tiles tiles;
    spl__device_array values;     /* T[tiles+1][slots], the last tile is zero */
    spl__device_array odd, spans; /* of windows: see struct spmm_tensor_values_args */
    const spl__kernel *kernels[FORMS], *copy;
} state;

static int32_t height_of(const spl__task *task)
{
    return ((const spl__tensor_method *)task->parameters)->height;
}

static bool is_tall(const spl__task *task)
{
    return height_of(task) == DEVICE_TILE_ROWS;
}

static size_t slots_of(const spl__task *task)
{
    return (size_t)height_of(task) * DEVICE_TILE_COLUMNS;
}

const char *spl__device_tensor_applicable(const spl__task *task)
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

/* Teams that a device holds at once. */
static double resident_teams(const spl__task *task)
{
    const double share = 0.375; /* of threads, with the registers that a team needs */
    return share * spl__device_teams_resident(task) / SPMM_TENSOR_TEAM;
}

static double windows_of(const spl__task *task)
{
    return fmax(1, ceil(task->plan->features.rows / height_of(task)));
}

/* Tiles that a team has in flight. */
static int32_t tiles_at_once(const spl__task *task, int number)
{
    const size_t bytes = spl__type_size(task->plan->problem.a.csr.type);
    return SPMM_TENSOR_STEPS(is_tall(task), run_of[number], bytes);
}

/* Teams per window: more if windows are too few to fill the device several times, so that the last
 * ones do not work alone, as long as each has enough tiles. */
static int32_t parts_of(const spl__task *task, double tiles, int number)
{
    enum { LEAST_TILES = 4, TIMES = 2 };
    const int64_t least = spl__max_i64(LEAST_TILES, 2 * tiles_at_once(task, number));
    const double windows = windows_of(task);
    const double teams = windows * (double)slabs_of(task->plan->problem.cols, number);
    int32_t parts = 1;
    while (parts < MOST_TEAMS && teams * parts < TIMES * resident_teams(task) &&
           tiles / windows >= (double)(2 * parts * least))
        parts *= 2;
    return parts;
}

/* Teams per block: all hold their registers until the last one ends. Blocks of 8 took 1.02 to 1.03
 * times as long as blocks of 2, blocks of 4 .98 to 1.00 with up to 128 columns, 1.01 with 256 (14
 * matrices, H200). */
static int32_t teams_of_block(int32_t parts, int64_t slabs)
{
    enum { FEW_SLABS = 2 };
    const int32_t windows = slabs > FEW_SLABS ? 2 : 4;
    return parts > windows ? parts : windows;
}

static int32_t log_of(int32_t power)
{
    int32_t log = 0;
    while (1 << log < power)
        log++;
    return log;
}

/* How much longer the slower of the two windows of a block takes than the mean: .56 deviations, if
 * lengths of windows were normal. The lengths of a window's rows count as independent: that gives
 * the deviation of windows of 8 rows within .06 on R-MAT (1.66 for 1.60), a power law and four
 * graphs, but .44 for .59 on citations. */
static double waiting_of(const spl__task *task)
{
    return 1 + 0.56 * task->plan->features.variation_row_a / sqrt(height_of(task));
}

/* Tiles of A in windows of `height` rows, by what was sampled. */
static double tiles_of(const spl__features *f, int32_t height)
{
    const double fill =
        height == DEVICE_TILE_ROWS ? f->tile_fill_sampled : f->short_tile_fill_sampled;
    return f->nnz_a / ((double)height * DEVICE_TILE_COLUMNS * fmax(fill, 1e-3));
}

/* Bytes among which rows of B are chosen, as it were, at random: none where the rows of windows
 * share columns, so that the next windows do, too. Windows of 8
 * rows share .14 of the entries of a 7-point grid, .3 of a triangulation, and nothing of a mesh
 * that is numbered at random. */
static double reach_of(const spl__task *task, double bytes)
{
    const double least_shared = 0.1;
    const spl__features *f = &task->plan->features;
    const double columns = tiles_of(f, height_of(task)) * DEVICE_TILE_COLUMNS;
    return bytes * (1 - fmin(1, fmax(0, 1 - columns / f->nnz_a) / least_shared));
}

/* Seconds of the window with the longest row. */
static double longest_walk(const spl__task *task, double tiles, int number)
{
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double longest = task->plan->features.longest_row_a / DEVICE_TILE_COLUMNS,
                 walk = fmax(longest, tiles / windows_of(task)) / parts_of(task, tiles, number);
    return ceil(walk / tiles_at_once(task, number)) * m->spmm_tensor_chain * m->step_latency;
}

/* Bytes of tiles, as if all came from memory: the next execution finds half of a few in the cache;
 * each slab reads them again. */
static double tile_bytes(const spl__task *task, double bytes, double slabs)
{
    const double cache = (double)task->plan->problem.queue.device->properties.cache_bytes;
    return bytes * (fmin(1, (1 + bytes / cache) / 2) +
                    (slabs - 1) * task->plan->gpu_machine->spmm_tensor_again);
}

/* Bytes of B, as if all were gathered at the usual rates: whole lines from the cache take less. */
static double b_bytes(const spl__task *task, double bytes, double reach)
{
    const double cache = (double)task->plan->problem.queue.device->properties.cache_bytes,
                 cached = fmin(1, cache / fmax(1, reach));
    return bytes * (1 - (1 - task->plan->gpu_machine->spmm_tensor_b) * cached);
}

/* What is streamed, gathered and multiplied adds up: warps are too few to hide one behind the
 * other. Windows share next to nothing in L1. */
void spl__device_tensor_estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const int form = widest(task);
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const double slabs = (double)slabs_of(task->plan->problem.cols, form);
    const double slots = (double)slots_of(task), windows = windows_of(task);
    const double tiles = tiles_of(f, height_of(task)), bytes = slots * value + 32;
    const double reach = reach_of(task, f->inner * f->cols * value);
    spl__device_work work = {
        .streamed =
            tile_bytes(task, tiles * bytes, slabs) + m->spmm_tensor_c * f->rows * f->cols * value,
        .gathered = b_bytes(task, tiles * DEVICE_TILE_COLUMNS * f->cols * value, reach),
        .reach = reach,
        .busy = slabs * tiles * run_of[form] * m->spmm_tensor_multiply / m->warp_rate,
    };
    const double all = spl__device_seconds(task, &work) * waiting_of(task);
    /* windows are not ordered: the longest begins, in the mean, after half of the others */
    e->seconds = fmax(all, all / 2 + longest_walk(task, tiles, form)) + m->launch + m->event;
    e->bytes = tiles * (slots * value + 48) + windows * (16 + (double)height_of(task) / 2);
    e->setup = m->copy_setup;
}

static spl_status find_kernels(const spl_plan *plan, bool tall, state *s)
{
    const spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    char name[32];
    for (int i = 0; i < FORMS; i++) {
        snprintf(name, sizeof name, "spmm_tensor_%s_%d", tall ? "tall" : "short", (int)run_of[i]);
        SPL__TRY(spl__queue_kernel(queue, name, a->type, a->offset_type, &s->kernels[i]));
    }
    return spl__queue_kernel(queue, "spmm_tensor_values", a->type, a->offset_type, &s->copy);
}

spl_status spl__device_tensor_prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const size_t bytes = slots_of(&step->task) * spl__type_size(a->type);
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    SPL__TRY(find_kernels(plan, is_tall(&step->task), s));
    SPL__TRY(spl__device_tiles_make(queue, a, height_of(&step->task), &s->tiles));
    if (s->tiles.count >= INT32_MAX)
        return spl__fail(SPL_OUT_OF_MEMORY, "%s tiles, more than kernels number",
                         spl__thousands(s->tiles.count));
    SPL__TRY(spl__queue_alloc(queue, s->tiles.count + 1, bytes, &s->values));
    SPL__TRY(spl__queue_alloc(queue, s->tiles.windows * (s->tiles.height / 8), sizeof(uint32_t),
                              &s->odd));
    SPL__TRY(spl__queue_alloc(queue, s->tiles.windows * 2, sizeof(uint32_t), &s->spans));
    return spl__queue_fill(queue, (char *)s->values.data + (size_t)s->tiles.count * bytes, 0,
                           bytes);
}

void spl__device_tensor_update(spl__step *step)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmm_tensor_values_args args = {.rows = a->rows,
                                           .windows = s->tiles.windows,
                                           .height = s->tiles.height,
                                           .offsets = a->offsets,
                                           .values = a->values,
                                           .first = s->tiles.first.data,
                                           .bits = s->tiles.bits.data,
                                           .tile_values = s->values.data,
                                           .odd = s->odd.data,
                                           .spans = s->spans.data};
    const int64_t blocks = (args.windows + MOST_TEAMS - 1) / MOST_TEAMS;
    /* errors are reported by the stream */
    (void)SPL__LAUNCH(&plan->problem.queue, &args, s->copy, blocks, SPMM_TENSOR_THREADS);
}

static bool in_runs(const spl_dense *b, const spl_dense *c, int number)
{
    return b->order == SPL_ROW_MAJOR && spl__spmm_in_runs(b, run_of[number]) &&
           (c->order != SPL_ROW_MAJOR || spl__spmm_in_runs(c, run_of[number]));
}

spl_status spl__device_tensor_execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl_dense *b = call->b, *c = call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    const int form = in_runs(b, c, WIDE) ? widest(&step->task) : NARROW;
    const size_t value = spl__type_size(a->type);
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
                                    .b_row_bytes = (uint32_t)((uint64_t)b->ld * value),
                                    .parts_log = log_of(parts),
                                    .slabs = (uint32_t)slabs_of(c->cols, form),
                                    .windows = (uint32_t)s->tiles.windows,
                                    .tiles = (int32_t)s->tiles.count,
                                    .spans = s->spans.data,
                                    .odd = s->odd.data,
                                    .tile_columns = s->tiles.columns.data,
                                    .tile_values = s->values.data};
    const size_t of_thread =
        ((is_tall(&step->task) ? 4 : 2) * (size_t)run_of[form] + 1) * sizeof(float);
    const int32_t teams = teams_of_block(parts, args.slabs), threads = teams * SPMM_TENSOR_TEAM;
    const int64_t windows = teams / parts;
    const int64_t blocks = (s->tiles.windows + windows - 1) / windows * args.slabs;
    return SPL__LAUNCH_SHARED(&plan->problem.queue, &args, s->kernels[form], blocks, threads,
                              parts > 1 ? (size_t)threads * of_thread : 0);
}

void spl__device_tensor_explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    const double slots = (double)s->tiles.count * (double)slots_of(&step->task);
    spl__text_add(text, "  %s tiles of %d x 8, %.0f %% full\n", spl__thousands(s->tiles.count),
                  (int)s->tiles.height,
                  slots > 0 ? 100 * (double)step->task.plan->problem.a.csr.nnz / slots : 0);
}

void spl__device_tensor_destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__device_tiles_free(&step->task.plan->problem.queue, &s->tiles);
    spl__queue_free(&step->task.plan->problem.queue, &s->values);
    spl__queue_free(&step->task.plan->problem.queue, &s->odd);
    spl__queue_free(&step->task.plan->problem.queue, &s->spans);
    spl__free(s);
}
