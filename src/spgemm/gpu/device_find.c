/* SPDX-License-Identifier: Apache-2.0 */
/* device_find.c: the symbolic phase on a device: bins rows, computes the length of every row, then
 * the columns of C.
 *
 * Where the terms of a row are sorted, the position of each term in C's row is kept for the numeric
 * phase, one byte each.
 *
 * Columns are found once where possible: while rows are counted, their columns are stored in a
 * stash (device_find_room.c) and copied from there. Rows that did not fit the stash are found a
 * second time. */
#include "spgemm/gpu/device_find.h"

#include "spgemm/gpu/bins/bin_launches.h"
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_find_state.h"
#include "spgemm/gpu/device_sums.h"

#include <math.h>
#include <stddef.h>

static const spl__window_bytes window_bytes = {.word = SPL__FIND_WORD};

static struct spgemm_find arguments(const spl__finding *f)
{
    const spl__device_product *device_c = spl__device_product_of(f->plan);
    return (struct spgemm_find){.s = spl__form_structures(f->plan),
                                .pair_offsets = device_c->pair_offsets.data,
                                .pairs = device_c->pairs.data,
                                .windows = device_c->windows.data,
                                .unsorted = device_c->unsorted,
                                .bounded = f->bounded,
                                .starts = f->starts.data};
}

static spl_status launch_bins(spl__finding *f, const struct spgemm_find *find)
{
    struct spgemm_several_find_args args = {.f = *find};
    SPL__TRY(spl__finding_lay_out(f));
    return spl__team_launches_enqueue(f->plan, &f->bins, &f->launches,
                                      &(spl__team_args){.all = &args,
                                                        .own_bytes = sizeof args.f,
                                                        .bytes = sizeof args,
                                                        .layout = &args.f.layout,
                                                        .several = &args.several});
}

/* Finds the rows of all bins. Rows of the last bin that overflow their tables are tried at
 * most twice more. */
static spl_status find_bins(spl__finding *f, struct spgemm_find *args)
{
    struct spl__find_notes *notes = f->notes;
    int last = f->shapes.count - 1;
    enum { LISTS = 2 };
    f->most_overflowed = f->bins.first[last + 1] - f->bins.first[last];
    if (spl__finding_attempts(f, last) && !f->overflowed.data)
        SPL__TRY(spl__queue_alloc(&f->plan->problem.queue, LISTS * f->most_overflowed,
                                  sizeof(uint32_t), &f->overflowed));
    if (spl__finding_attempts(f, last))
        SPL__TRY(spl__queue_fill(&f->plan->problem.queue, &notes->overflows, 0,
                                 sizeof notes->overflows));
    args->overflowed = f->overflowed.data;
    args->overflows = &notes->overflows;
    SPL__TRY(launch_bins(f, args));
    return spl__finding_retry(f, args);
}

/* What the sample of rows says of nnz(C), or its bound. */
static double expected_columns(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    const spl__device_product *device_c = spl__device_product_of(plan);
    return isnan(device_c->columns_of_product)
               ? f->bound_c
               : fmin(f->bound_c, device_c->columns_of_product * f->products);
}

/* Whether C's offsets are read before its rows are binned; else one launch does both. */
static bool needs_offsets(const spl__finding *f)
{
    const spl__form_kind *kind = spl__form_of(f->plan)->kind;
    return kind->count || (kind->full && f->plan->problem.once && !f->bounded);
}

static spl_status use_offsets(spl__finding *f, const spl__bins_along *along)
{
    const spl__form *form = spl__form_of(f->plan);
    SPL__TRY(spl__queue_offsets(&f->plan->problem.queue, SPL_I64, along->lengths, form->a.rows,
                                along->total));
    if (form->kind->count)
        SPL__TRY(form->kind->count(f->plan, &f->notes->expanded));
    return form->kind->full && f->plan->problem.once && !f->bounded ? spl__finding_settle_early(f)
                                                                    : SPL_OK;
}

/* Computes the lengths of rows, then offsets and nnz(C). */
static spl_status count_columns(spl__finding *f, struct spl__find_notes *found)
{
    spl__device_product *device_c = spl__device_product_of(f->plan);
    struct spl__find_notes *notes = f->notes;
    struct spgemm_find args = arguments(f);
    args.counts = device_c->offsets.data;
    args.room = f->room;
    args.work = &notes->work;
    args.used = &notes->used;
    args.missed = &notes->missed;
    args.stash = f->stash.data;
    args.kept = (struct spgemm_kept){device_c->kept_positions.data, device_c->kept_starts.data};
    args.sums = spl__device_sums(f->plan);
    f->sums = args.sums.starts != NULL;
    SPL__TRY(find_bins(f, &args));
    f->sums = false; /* rows that are found again are not summed */
    f->counts_work = spl__device_work_is_late(f->plan);
    if (f->counts_work)
        SPL__TRY(spl__enqueue_device_work(f->plan, &notes->sums));
    const spl__bins_along along = {.lengths = device_c->offsets.data, .total = &notes->nnz};
    const bool now = needs_offsets(f);
    if (now)
        SPL__TRY(use_offsets(f, &along));
    f->plan->features.nnz_c = expected_columns(f->plan); /* until the number arrives */
    SPL__TRY(
        spl__bins_begin(f->plan, SPL__PHASE_numeric, notes, &notes->bins, now ? NULL : &along));
    return spl__bins_fetch(f->plan, found, &found->bins);
}

static spl_status write_columns(spl__finding *f, const struct spl__find_notes *found)
{
    spl__device_product *device_c = spl__device_product_of(f->plan);
    spl__finding_expect(f);
    if (f->settled && found->missed == 0)
        return SPL_OK;
    spl__queue_free(&f->plan->problem.queue, &device_c->columns);
    SPL__TRY(spl__queue_alloc(&f->plan->problem.queue, device_c->form.nnz_c, SPL__FIND_COLUMN,
                              &device_c->columns));
    if (device_c->form.nnz_c == 0)
        return SPL_OK;
    if (found->used > 0 || f->bounded)
        SPL__TRY(spl__finding_settle(f));
    struct spgemm_find args = arguments(f);
    args.offsets = device_c->offsets.data;
    args.columns = device_c->columns.data;
    return f->room > 0 && found->missed == 0 ? SPL_OK : find_bins(f, &args);
}

/* Whether one warp must sort the row: in registers. */
static bool is_sorted(const spl__row_shape *s)
{
    return s->kind == SPGEMM_SORT || s->kind == SPGEMM_SLOTS || s->kind == SPGEMM_SUMMED;
}

/* Widens the teams of bins that are not sorted and have few products. */
static void widen_teams(spl__finding *f)
{
    enum { THREADS = 1024 };
    for (int g = 0; g < f->shapes.count; g++)
        if (!is_sorted(&f->shapes.shape[g]) && f->bins.first[g] < f->bins.first[g + 1])
            spl__widen_teams(f->plan, &f->bins, g, THREADS, &f->shapes.shape[g]);
}

/* Columns for which rows are summed: the room for all, if such rows are there. */
static int64_t summed_room(const spl__finding *f)
{
    for (int g = 0; g < f->shapes.count && !f->bounded; g++)
        if (f->shapes.shape[g].kind == SPGEMM_SUMMED && f->bins.first[g] < f->bins.first[g + 1])
            return f->room;
    return 0;
}

static spl_status find_all(spl__finding *f)
{
    spl__queue *queue = &f->plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(f->plan);
    struct spl__find_notes found;
    SPL__TRY(
        spl__queue_alloc(queue, device_c->form.a.rows + 1, sizeof(int64_t), &device_c->offsets));
    SPL__TRY(spl__find_notes_make(f->plan, &f->notes));
    SPL__TRY(spl__row_bins_make(f->plan, &f->shapes, window_bytes, false, &f->bins));
    widen_teams(f);
    SPL__TRY(f->bounded ? spl__finding_make_bounds(f) : spl__finding_make_room(f));
    SPL__TRY(spl__finding_make_kept(f));
    SPL__TRY(spl__device_sums_make(f->plan, summed_room(f)));
    SPL__TRY(count_columns(f, &found));
    device_c->form.nnz_c = found.nnz;
    device_c->nnz = spl__form_entries_of_c(f->plan, found.expanded);
    if (f->counts_work)
        spl__note_device_work(f->plan, &found.sums);
    if (!device_c->work.data && device_c->most_work <= SPGEMM_ALIKE_PRODUCTS) /* sorted: summed */
        f->plan->features.products = (double)found.work - f->plan->features.nnz_d;
    SPL__TRY(spl__check_result_width(f->plan, device_c->nnz));
    return write_columns(f, &found);
}

typedef struct state {
    spl__row_shapes shapes;
    spl__row_bins bins; /* without their rows */
    unsigned joined;
    int64_t overflowed_first, overflowed_all;
} state;

/* The method's shapes, cut to the limits of the device. */
static spl__row_shapes shapes_for(const spl__task *task)
{
    const spl__find_method *method = task->parameters;
    const int64_t words = spl__form_of(task->plan)->b.cols / SPL__FIND_WORD_COLUMNS + 1;
    spl__row_shapes shapes = method->shapes;
    for (int g = 0; g < shapes.count && method->as_wide_as_c; g++)
        shapes.shape[g].most = words * SPL__FIND_WORD;
    spl__row_shapes_fit(&shapes, task->plan, spl__find_team_bytes, NULL);
    return shapes;
}

spl_status spl__device_find_enqueue_early(const spl__task *task)
{
    spl__row_shapes shapes = shapes_for(task);
    return spl__row_bins_enqueue_early(task->plan, &shapes, window_bytes, false);
}

/* Whether threads may find columns in an order that differs between runs. */
static bool finds_unsorted(const spl__task *task)
{
    const spl__find_method *method = task->parameters;
    const spl_options *options = &task->plan->problem.options;
    return method->unsorted && options->unsorted && !options->deterministic &&
           !spl__form_refuses_entries(task);
}

static spl_status find(spl__step *step)
{
    const spl__find_method *method = step->task.parameters;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    state *s = step->state;
    spl__finding f = {.plan = plan,
                      .shapes = shapes_for(&step->task),
                      .attempt = method->attempts,
                      .bounded = method->bounded,
                      .block_bytes = spl__block_bytes(plan)};
    spl__device_product_of(plan)->unsorted = finds_unsorted(&step->task);
    spl__device_product_of(plan)->bounded = f.bounded;
    spl_status status = find_all(&f);
    if (status != SPL_OK) { /* another method may be tried */
        spl__queue_free(queue, &spl__device_product_of(plan)->offsets);
        spl__queue_free(queue, &spl__device_product_of(plan)->columns);
        spl__queue_free(queue, &spl__device_product_of(plan)->form.c_offsets);
        spl__device_kept_free(plan);
        spl__device_sums_free(plan);
        spl__early_bins_free(plan, &spl__device_product_of(plan)->early);
        if (f.counts_work) /* without windows, which it needs */
            spl__drop_device_work(plan);
    }
    spl__row_bins_free(plan, &f.bins);
    spl__queue_free(queue, &f.starts);
    spl__queue_free(queue, &f.stash);
    spl__queue_free(queue, &f.overflowed);
    s->shapes = f.shapes;
    s->bins = f.bins;
    s->joined = f.launches.joined;
    s->overflowed_first = f.overflowed_first;
    s->overflowed_all = f.overflowed_all;
    return status;
}

spl_status spl__device_find_execute(spl__step *step, const spl__call *call)
{
    const spl__find_method *method = step->task.parameters;
    (void)call;
    if (method->compresses)
        SPL__TRY(spl__compress_b(step->task.plan));
    return find(step);
}

/* ---- what symbolic methods share ---- */

void spl__device_find_estimate(const spl__task *task, spl__estimate *e)
{
    const spl__find_method *method = task->parameters;
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__form_times times = spl__form_of(task->plan)->times;
    double rows = f->rows / times.rows, bound = f->bound_c / times.c,
           products = f->products / times.products,
           words = method->as_wide_as_c
                       ? (double)spl__form_of(task->plan)->b.cols / SPL__FIND_WORD_COLUMNS
                       : 0,
           row = method->costs.row + m->spgemm_bitmap_words * words / lanes;
    spl__device_work work = {.streamed = 8 * f->nnz_a / times.a + 24 * rows + 4 * bound,
                             .gathered = 4 * products,
                             .reach = 4 * f->nnz_b / times.b,
                             .steps = method->costs.product * products / lanes + row * rows,
                             .launches = method->costs.launches};
    e->seconds = spl__device_seconds(task, &work);
    if (method->costs.hashes_long)
        e->seconds += m->spgemm_hash_column *
                      fmax(0, fmin(f->longest_products, f->cols) - m->spgemm_hash_long);
    e->bytes = 28 * rows + 4 * bound;
    if (method->compresses)
        e->bytes += (double)sizeof(struct spgemm_pair) * (double)spl__form_of(task->plan)->b.nnz;
}

spl_status spl__device_find_prepare(spl__step *step)
{
    return SPL__NEW_ZERO(&step->task.plan->account, (state **)&step->state, 1);
}

void spl__device_find_explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__row_bins_explain(&s->shapes, &s->bins, s->joined, text);
    if (s->overflowed_first > 0)
        spl__text_add(text, "  %s rows outgrew their table, %s the largest\n",
                      spl__thousands(s->overflowed_first), spl__thousands(s->overflowed_all));
}
