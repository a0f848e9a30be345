/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/bins/row_bins.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/bin_launches.h"
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_notes.h"
#include "spgemm/gpu/device_product.h"
#include "spgemm/gpu/device_sums.h"
#include "spgemm/kernels/bins/spgemm_bins.k.h"

#include <math.h>

/* Device arrays of the binning. */
typedef struct binning {
    uint8_t *bin_of;
    struct spgemm_bin_sums *sums; /* zero before */
    /* what the host waits for, on the device: it ends with the sums */
    const void *notes;
    spl__report *report;
    const spl__bins_along *along;
} binning;

/* Assigns rows to bins. */
static spl_status bin_rows(spl_plan *plan, const spl__row_shapes *shapes, spl__window_bytes bytes,
                           bool known, const binning *to)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    struct spgemm_structures structures = spl__form_structures(plan);
    struct spgemm_bin_rows_args args = {.rows = structures.rows,
                                        .cols = structures.cols,
                                        .a_offsets = structures.a_offsets,
                                        .work = device_c->work.data,
                                        .offsets = known ? spl__form_offsets(plan) : NULL,
                                        .kept_starts = device_c->kept_starts.data,
                                        .sum_starts = device_c->sum_starts.data,
                                        .sample = spl__device_sample(plan),
                                        .windows = device_c->windows.data,
                                        .word_bytes = bytes.word,
                                        .entry_bytes = bytes.entry,
                                        .firsts = device_c->form.firsts,
                                        .bins = shapes->count,
                                        .bin_of = to->bin_of,
                                        .sums = to->sums};
    for (int g = 0; g < shapes->count; g++) {
        const spl__row_shape *s = &shapes->shape[g];
        /* that takes the same rows */
        int32_t kind = s->kind == SPGEMM_LISTED ? SPGEMM_WINDOW : s->kind;
        args.bin[g] = (struct spgemm_bin){kind, s->rows, s->most, s->most_work, s->sparsest};
    }
    args.tell = spl__queue_tell(&plan->problem.queue, to->notes,
                                (size_t)((const char *)(to->sums + 1) - (const char *)to->notes),
                                &to->sums->arrived, to->report);
    SPL__TRY(spl__bins_launch(plan, &args, to->along));
    return spl__queue_told(&plan->problem.queue, to->report);
}

/* A bin of few rows is merged into the next bin that computes rows in the same way, because
 * a launch costs more than the gain. So are merged rows (identical rows) that one kernel
 * computes all at once (`at_once`). */
static void merge_bins(const spl__row_shapes *shapes, int64_t at_once, spl__row_bins *bins)
{
    enum { FEW = 8 };
    for (int g = 0, h; g < shapes->count - 1; g = h) {
        for (h = g + 1; h < shapes->count - 1 && bins->first[h] == bins->first[h + 1]; h++)
            ;
        int64_t rows = bins->first[g + 1] - bins->first[g],
                next_rows = bins->first[h + 1] - bins->first[h];
        const spl__row_shape *from = &shapes->shape[g], *to = &shapes->shape[h];
        bool merges =
            from->kind == SPGEMM_NESTED && from->rows == to->rows && rows + next_rows <= at_once;
        if (from->kind != to->kind || from->team != to->team || from->most > to->most)
            continue;
        if (rows * FEW > next_rows && !merges)
            continue;
        for (int k = g + 1; k <= h; k++)
            bins->first[k] = bins->first[g];
        bins->longest[h] = spl__max_i64(bins->longest[h], bins->longest[g]);
        bins->work[h] += bins->work[g];
        bins->work[g] = 0;
    }
}

static void note_bins(const struct spgemm_bin_sums *found, const spl__row_shapes *shapes,
                      spl__row_bins *bins)
{
    bins->first[0] = 0;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++) {
        bins->first[g + 1] = bins->first[g] + (g < shapes->count ? found->rows[g] : 0);
        bins->longest[g] = (int64_t)found->longest[g];
        bins->work[g] = (int64_t)found->work[g];
        bins->row_of_b[g] =
            found->entries[g] > 0 ? (double)found->work[g] / (double)found->entries[g] : 0;
    }
}

/* Fills the bins once their sizes have arrived. If one bin has all rows, the list is freed:
 * S3's shortcut. */
static void take_bins(spl_plan *plan, const spl__row_shapes *shapes,
                      const struct spgemm_bin_sums *found, spl__row_bins *bins)
{
    enum { TEAMS_AT_ONCE = 12 }; /* of a multiprocessor */
    spl__queue *queue = &plan->problem.queue;
    int64_t rows = spl__device_product_of(plan)->form.a.rows;
    note_bins(found, shapes, bins);
    for (int g = 0; g < shapes->count; g++)
        if (found->rows[g] == rows)
            spl__queue_free(queue, &bins->rows);
    merge_bins(shapes, (int64_t)queue->device->properties.units * TEAMS_AT_ONCE, bins);
}

/* Whether rows of such bins need not be inspected: each has at most device_c->most_work terms. */
static bool serves_any_row(const spl__device_product *device_c, int kind, bool known)
{
    if (device_c->most_work > SPGEMM_ALIKE_PRODUCTS)
        return kind == (known ? SPGEMM_CHAIN : SPGEMM_SLOTS);
    if (!known)
        return kind == SPGEMM_SORT;
    return kind == SPGEMM_HASH || kind == SPGEMM_CHAIN ||
           (kind == SPGEMM_KEPT && device_c->kept_starts.data);
}

/* The one bin that holds every row, judged by the maximal work of a row; -1: rows must be
 * inspected. */
static int common_bin(const spl_plan *plan, const spl__row_shapes *shapes, bool known)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    if (device_c->work.data || device_c->most_work > SPGEMM_UNSEEN_PRODUCTS)
        return -1;
    for (int g = 0; g < shapes->count; g++)
        if (serves_any_row(device_c, shapes->shape[g].kind, known) &&
            shapes->shape[g].most >= device_c->most_work &&
            shapes->shape[g].most_work >= device_c->most_work)
            return g;
    return -1;
}

static void put_all_in(const spl_plan *plan, int g, spl__row_bins *bins)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    for (int k = 0; k <= SPGEMM_MOST_BINS; k++)
        bins->first[k] = k > g ? device_c->form.a.rows : 0;
    bins->longest[g] = device_c->most_work;
    bins->work[g] = device_c->most_work * device_c->form.a.rows;
    bins->row_of_b[g] = device_c->form.b.rows > 0
                            ? (double)device_c->form.b.nnz / (double)device_c->form.b.rows
                            : 0;
}

/* Bins rows now, since there are no early bins. */
static spl_status bin_now(spl_plan *plan, const spl__row_shapes *shapes, spl__window_bytes bytes,
                          bool known, spl__row_bins *bins)
{
    spl__queue *queue = &plan->problem.queue;
    int64_t rows = spl__device_product_of(plan)->form.a.rows;
    struct spgemm_bin_sums found;
    spl__report report = {NULL, 0, NULL};
    spl__device_array bin_of, sums = {NULL, 0};
    spl_status status = spl__queue_alloc(queue, rows, 1, &bin_of);
    if (status == SPL_OK)
        status = spl__queue_alloc_zeros(queue, 1, sizeof found, &sums);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, rows, sizeof(uint32_t), &bins->rows);
    if (status == SPL_OK)
        status = bin_rows(plan, shapes, bytes, known,
                          &(binning){bin_of.data, sums.data, sums.data, &report, NULL});
    if (status == SPL_OK)
        status = spl__bins_list_rows(plan, &bin_of, sums.data, &bins->rows);
    spl_status arrived = spl__queue_collect(queue, &report, status == SPL_OK ? &found : NULL);
    if (status == SPL_OK)
        status = arrived;
    if (status == SPL_OK)
        take_bins(plan, shapes, &found, bins);
    spl__queue_free(queue, &bin_of);
    spl__queue_free(queue, &sums);
    return status;
}

spl_status spl__row_bins_make(spl_plan *plan, const spl__row_shapes *shapes,
                              spl__window_bytes bytes, bool known, spl__row_bins *bins)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    if (device_c->form.a.rows == 0)
        return SPL_OK;
    int common = common_bin(plan, shapes, known);
    if (common >= 0) {
        put_all_in(plan, common, bins);
        return SPL_OK;
    }
    SPL__TRY(spl__count_device_work(plan));
    if (spl__early_bins_are(&device_c->early, shapes, bytes, known)) {
        bins->rows = device_c->early.rows;
        device_c->early.rows = (spl__device_array){NULL, 0};
        take_bins(plan, shapes, &device_c->early.found, bins);
        device_c->early.shapes.count = 0;
        return SPL_OK;
    }
    spl__early_bins_free(plan, &device_c->early);
    return bin_now(plan, shapes, bytes, known, bins);
}

spl_status spl__row_bins_enqueue_early(spl_plan *plan, const spl__row_shapes *shapes,
                                       spl__window_bytes bytes, bool known)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__early_bins *early = &device_c->early;
    if (device_c->form.a.rows == 0 || !device_c->work.data || common_bin(plan, shapes, known) >= 0)
        return SPL_OK;
    spl_status status = spl__queue_alloc(queue, device_c->form.a.rows, 1, &early->bin_of);
    if (status == SPL_OK)
        status = spl__queue_alloc(queue, device_c->form.a.rows, sizeof(uint32_t), &early->rows);
    if (status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY) {
        spl__early_bins_free(plan, &device_c->early);
        return SPL_OK;
    }
    SPL__TRY(status);
    early->shapes = *shapes;
    early->bytes = bytes;
    early->known = known;
    const spl__bins_along *along = early->along;
    early->along = NULL;
    return bin_rows(
        plan, shapes, bytes, known,
        &(binning){early->bin_of.data, early->sums, early->notes, &early->report, along});
}

const uint32_t *spl__row_bins_list(const spl__row_bins *bins, int g)
{
    const uint32_t *rows = bins->rows.data;
    return rows ? rows + bins->first[g] : NULL;
}

void spl__row_bins_explain(const spl__row_shapes *shapes, const spl__row_bins *bins,
                           unsigned joined, spl__text *text)
{
    static const char *const ways[SPGEMM_KINDS] = {[SPGEMM_SORT] = "sorted",
                                                   [SPGEMM_KEPT] = "at kept positions",
                                                   [SPGEMM_WINDOW] = "in windows",
                                                   [SPGEMM_NESTED] = "in nested windows",
                                                   [SPGEMM_SPREAD] = "spread",
                                                   [SPGEMM_HASH] = "hashed",
                                                   [SPGEMM_CHAIN] = "in chains",
                                                   [SPGEMM_SLOTS] = "hashed",
                                                   [SPGEMM_SUMMED] = "found and summed at once",
                                                   [SPGEMM_CHUNK] = "in chunks",
                                                   [SPGEMM_LISTED] = "in windows"};
    const char *separator = "  ";
    int listed = 0;
    for (int g = 0; g < shapes->count; g++) {
        listed += joined >> g & 1;
        int64_t rows = bins->first[g + 1] - bins->first[g];
        if (rows == 0)
            continue;
        int32_t team = shapes->shape[g].team;
        spl__text_add(text, "%s%s rows %s by %d thread%s", separator, spl__thousands(rows),
                      ways[shapes->shape[g].kind], team, team == 1 ? "" : "s");
        separator = ", ";
    }
    if (listed > 0)
        spl__text_add(text, "; %d of these bins together", listed);
    spl__text_add(text, "\n");
}

/* Of joined bins only the last one is met. */
static bool is_met(const spl__bin_walk *walk, int g)
{
    const int64_t *first = walk->bins->first;
    return first[g] < first[g + 1] && (!(walk->joined >> g & 1) || walk->joined >> g == 1);
}

spl__bin_walk spl__bin_walk_begin(spl_plan *plan, const spl__row_bins *bins, unsigned joined)
{
    spl__bin_walk walk = {
        .queue = &plan->problem.queue, .bins = bins, .joined = joined, .bin = SPGEMM_MOST_BINS};
    for (int g = 0; g < SPGEMM_MOST_BINS; g++)
        walk.launches += is_met(&walk, g);
    walk.status = walk.launches > 1 ? spl__queue_split(walk.queue) : SPL_OK;
    return walk;
}

int spl__bin_walk_next(spl__bin_walk *walk)
{
    do
        walk->bin--;
    while (walk->bin >= 0 && !is_met(walk, walk->bin));
    if (walk->bin >= 0 && walk->launches > 1 && walk->status == SPL_OK)
        walk->status = spl__queue_branch(walk->queue, walk->branch++);
    return walk->status == SPL_OK ? walk->bin : -1;
}

spl_status spl__bin_walk_end(const spl__bin_walk *walk)
{
    spl_status joining = walk->launches > 1 ? spl__queue_join(walk->queue) : SPL_OK;
    return walk->status == SPL_OK ? joining : walk->status;
}

/* Sum of the products of all bins. */
static double all_work(const spl__row_bins *bins)
{
    double work = 0;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++)
        work += (double)bins->work[g];
    return work;
}

void spl__widen_teams(const spl_plan *plan, const spl__row_bins *bins, int g, int32_t threads,
                      spl__row_shape *shape)
{
    enum { LEAST_PRODUCTS = 4, THREADS_OF_ALL = 2048 }; /* of a thread; of a multiprocessor */
    const double units = plan->problem.queue.device->properties.units;
    const double rows = (double)(bins->first[g + 1] - bins->first[g]);
    /* of a long row */
    const double work = fmax((double)bins->work[g] / rows, (double)bins->longest[g]);
    const double share = fmax(LEAST_PRODUCTS, all_work(bins) / (units * THREADS_OF_ALL));
    while (2 * shape->team <= SPGEMM_MOST_THREADS && 2 * shape->team * rows <= units * threads &&
           work > 2 * shape->team * share)
        shape->team *= 2;
    if (shape->team > SPGEMM_WARP || shape->threads < shape->team) /* such teams are blocks */
        shape->threads = shape->team;
}

bool spl__walks_singly(const spl__row_bins *bins, int g)
{
    enum { LEAST_PRODUCTS = 16 };
    const double most = 1.5;
    int64_t rows = bins->first[g + 1] - bins->first[g];
    return bins->row_of_b[g] <= most && bins->work[g] >= LEAST_PRODUCTS * rows;
}

int32_t spl__long_row(const spl_plan *plan, int32_t team, int32_t width)
{
    enum { ROUNDS = 8 };
    const spl__device_product *device_c = spl__device_product_of(plan);
    double longest =
        plan->problem.staged ? INT32_MAX : plan->problem.b.survey.longest / device_c->form.block;
    return width < team && longest > ROUNDS * width ? ROUNDS * width : INT32_MAX;
}

void spl__row_bins_free(spl_plan *plan, spl__row_bins *bins)
{
    spl__queue_free(&plan->problem.queue, &bins->rows);
}
