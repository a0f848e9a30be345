/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/sliced_ell: y = alpha*A*x + beta*y on a copy of A in sliced ELL with compressed
 * columns, see format/device_sliced.h.
 *
 * One lane computes a row of its slice, so that there is no reduction across lanes, values are read
 * coalesced, and neighbours with neighbouring columns, as on meshes, gather neighbouring elements
 * of x. Columns take 0, 1, 2 or 4 bytes. If there are few slices, or long ones, several warps share
 * one. Very long rows would cause padding: warps compute them from A itself, in pieces
 * (device_long_rows.h). Padding is never multiplied, so that NaN and Inf in x are harmless. The
 * copy is made on the device, and refreshed when values are announced.
 *
 * Values that are all equal, or few distinct ones, or f64 that f32 represents, are stored in that
 * form (device_narrow_values.h), if the executions amortise the scan. Products and results are
 * identical. Memory is allocated for unchanged values, since new ones may be of any form.
 *
 * Cost: stored*(value + 0 to 4) + rows*(y + 4 if sorted) bytes streamed, x gathered. Memory: the
 * same without y; rows*20 while the plan is made. Narrow values are read in 0, 1 or 4 bytes; the
 * memory is the same plus 11 kB. Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A.
 * Bishop, SIAM J. Sci. Comput. 36(5), 2014; narrow columns: [S2], W. Tang et al., SC'13. values:
 * K. Kourtis, G. Goumas, N. Koziris, Optimizing sparse matrix-vector multiplication using index
 * and value compression, CF'08. Differs: width of columns slice by slice; rows are sorted only
 * if that saves padding; long rows are separate. */
#include "core/checked.h"
#include "format/device_sliced.h"
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_sliced_ell.k.h"
#include "spmv/row_steps.h"

#include <math.h>

typedef struct state {
    const spl__kernel *kernel;
    spl__device_sliced sliced;
    spl__device_long_rows long_rows;
    spl__device_array found; /* struct device_narrow_found; empty: values are stored as they are */
    int32_t team;            /* warps that share a slice */
} state;

/* A row is long if it exceeds LONG_MEANS times the mean and LONG_LEAST entries. */
enum { LONG_MEANS = 4, LONG_LEAST = 32, LONG_MOST = 1 << 20 };

static int64_t row_limit(const spl__task *task)
{
    double limit = LONG_MEANS * task->plan->features.mean_row_a;
    return limit < LONG_LEAST ? LONG_LEAST : limit > LONG_MOST ? LONG_MOST : (int64_t)limit;
}

/* Rows of even length have columns of 1.5 bytes, roughly, and the time of their traffic. Uneven
 * ones, from a variation of a quarter on, have wide columns, and wait for each other: what that
 * costs as bytes of an entry is fitted to economics and circuit of s3. */
/* Steps of the longest warp: the team's share of the longest slice, or a piece of a long row. */
static double longest_chain(const spl__task *task)
{
    enum { PIECE = 512 };
    const spl__features *f = &task->plan->features;
    const double lanes = task->plan->problem.queue.device->properties.lanes;
    const double limit = (double)row_limit(task), team = SPMV_SLICED_THREADS / lanes;
    double lines =
        task->plan->gpu_machine->spmv_sliced_chain * fmin(f->longest_row_a, limit) / team;
    return f->longest_row_a > limit ? fmax(lines, fmin(f->longest_row_a, PIECE) / lanes) : lines;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    enum { WIDE_COLUMN = 4, UNEVEN_ENTRY = 24, SETUP_PASSES = 4 };
    const double narrow_column = 1.5, even = 0.25, uneven_from_there = 0.5;
    const spl__features *f = &task->plan->features;
    double uneven =
        f->variation_row_a <= even ? 0 : fmin(1, (f->variation_row_a - even) / uneven_from_there);
    double column = narrow_column + uneven * (WIDE_COLUMN - narrow_column);
    double rows = f->rows * sizeof(int32_t), bytes = spl__spmv_device_entries(task, column) + rows;
    double read = spl__spmv_device_narrow_entries(task, column, SPL__VALUES_LESS) + rows;
    spl__device_work work = spl__spmv_device_work(task, read);
    work.busy = f->nnz_a * UNEVEN_ENTRY * uneven / task->plan->gpu_machine->bandwidth;
    work.longest = longest_chain(task);
    spl__spmv_device_predict(task, &work, bytes, SETUP_PASSES, e);
    e->setup += spl__spmv_device_look(task, SPL__VALUES_LESS);
}

/* Warps per slice: one, or all of a block, if slices are long, or so few that they leave the
 * device half empty, and not short. Measured on an H100: windtunnel 49 -> 43 us, harbor 18 ->
 * 12; but 27 lines a slice on a large grid 186 -> 207. */
static int32_t choose_team(const spl__queue *queue, const spl__device_sliced *s)
{
    enum { LONG_LINES = 32, SHORT_LINES = 8, WARPS_PER_UNIT = 64 };
    const spl__device_properties *p = &queue->device->properties;
    int32_t most = SPMV_SLICED_THREADS / p->lanes;
    bool few = s->slices * most < (int64_t)p->units * WARPS_PER_UNIT;
    return s->lines >= (few ? SHORT_LINES : LONG_LINES) * s->slices ? most : 1;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    spl__slice_shape shape = {row_limit(&step->task), (int64_t)plan->features.longest_row_a};
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    bool narrow = spl__spmv_values_are(plan, SPL__VALUES_LESS);
    SPL__TRY(spl__queue_kernel(queue, narrow ? "spmv_sliced_narrow" : "spmv_sliced_ell", a->type,
                               a->offset_type, &s->kernel));
    if (narrow)
        SPL__TRY(spl__device_narrow_alloc(queue, &s->found));
    SPL__TRY(spl__device_sliced_make(queue, a, shape, &s->sliced));
    s->team = choose_team(queue, &s->sliced);
    if (narrow)
        SPL__TRY(spl__device_sliced_allow_narrow(queue, s->team, &s->sliced));
    if (shape.longest <= shape.limit)
        return SPL_OK;
    return spl__device_long_rows_make(queue, a, shape.limit, 0, &s->long_rows);
}

static void update(spl__step *step)
{
    spl__problem *p = &step->task.plan->problem;
    const state *s = step->state;
    if (!s->found.data)
        (void)spl__device_sliced_fill(&p->queue, &p->a.csr, &s->sliced);
    else if (spl__device_narrow_scan(&p->queue, &p->a.csr, &s->found) == SPL_OK)
        (void)spl__device_sliced_fill_narrow(&p->queue, &p->a.csr, s->found.data, s->team,
                                             &s->sliced);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl__device_sliced *f = &s->sliced;
    struct spmv_sliced_ell_args args = {.a = spl__csr_for_kernel(plan, call),
                                        .long_rows = spl__long_rows_for_kernel(&s->long_rows),
                                        .slices = f->slices,
                                        .rows = f->rows.data,
                                        .begin = f->begin.data,
                                        .code_offsets = f->code_offsets.data,
                                        .bases = f->bases.data,
                                        .codes = f->codes.data,
                                        .values = f->values.data,
                                        .team = s->team};
    int64_t warps = SPMV_SLICED_THREADS / queue->device->properties.lanes;
    int64_t blocks = (f->slices * s->team + warps - 1) / warps;
    struct spmv_sliced_narrow_args narrow = {args, s->found.data};
    blocks += spl__long_row_blocks(queue, &s->long_rows, SPMV_SLICED_THREADS);
    if (s->found.data)
        return SPL__LAUNCH(queue, &narrow, s->kernel, blocks, SPMV_SLICED_THREADS);
    return SPL__LAUNCH(queue, &args, s->kernel, blocks, SPMV_SLICED_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    const spl__device_sliced *f = &s->sliced;
    double stored = (double)(f->lines * step->task.plan->problem.queue.device->properties.lanes);
    double columns = (double)f->code_bytes + (double)f->lines * sizeof(int32_t);
    spl__text_add(text, "  slices %s, %d warps each, %.3g bytes of columns for each entry stored",
                  spl__thousands(f->slices), (int)s->team, stored > 0 ? columns / stored : 0);
    spl__text_add(text, f->window ? ", rows sorted within %s" : ", rows in order%s",
                  f->window ? spl__thousands(f->window) : "");
    spl__text_add(text, "; rows of more than %s in pieces", spl__thousands(f->limit));
    spl__text_add(text, " %s; entries stored %s", spl__thousands(s->long_rows.pieces),
                  spl__thousands((int64_t)stored));
    spl__narrow_form_explain(&step->task.plan->problem.a.value_form, text);
    spl__text_add(text, "\n");
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__device_sliced_free(queue, &s->sliced);
    spl__device_long_rows_free(queue, &s->long_rows);
    spl__queue_free(queue, &s->found);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_sliced_ell = {
    .summary = "sliced ELL: a copy in slices of rows, a lane per row, columns compressed",
    .source = "M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014; S2",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__HALVES,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
