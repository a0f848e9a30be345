/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/bins/row_work.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/bin_launches.h"
#include "spgemm/gpu/device_notes.h"
#include "spgemm/gpu/device_product.h"
#include "spgemm/gpu/device_sums.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"

#include <math.h>
#include <stddef.h>

/* While work is counted: windows of the operands' rows, and where the results are. */
typedef struct counting {
    spl__device_array of_b, of_d;
    struct spl__work_notes *notes;
} counting;

static spl_status find_windows(spl_plan *plan, const spl_sparse *m,
                               struct spgemm_find_windows_args *args)
{
    args->rows = m->rows;
    args->offsets = m->offsets;
    args->columns = m->indices;
    return spl__product_launch(plan, "spgemm_find_windows", m->rows * SPGEMM_ROW_LANES, args,
                               sizeof *args);
}

/* Computes the windows of B's and D's rows, and whether their columns ascend. */
static spl_status look_at_rows(spl_plan *plan, counting *c)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__form *form = spl__form_of(plan);
    struct spgemm_find_windows_args args = {.disorder = &c->notes->disorder};
    SPL__TRY(spl__queue_alloc(queue, form->b.rows, sizeof(struct spgemm_window), &c->of_b));
    args.windows = c->of_b.data;
    SPL__TRY(find_windows(plan, &form->b, &args));
    if (!plan->problem.has_d)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, form->d.rows, sizeof(struct spgemm_window), &c->of_d));
    args.windows = c->of_d.data;
    return find_windows(plan, &form->d, &args);
}

void spl__drop_device_work(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__queue_free(&plan->problem.queue, &device_c->work);
    spl__queue_free(&plan->problem.queue, &device_c->windows);
}

/* Allocates work and windows of rows; sets the arguments of the kernel that computes them. */
static spl_status make_work(spl_plan *plan, const struct spgemm_window *of_b,
                            const struct spgemm_window *of_d, int64_t *kept_starts,
                            struct spgemm_work *sums, struct spgemm_count_work_args *args)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    const int64_t rows = device_c->form.a.rows;
    SPL__TRY(spl__queue_alloc(queue, rows, sizeof(int64_t), &device_c->work));
    spl_status status =
        spl__queue_alloc(queue, rows, sizeof(struct spgemm_window), &device_c->windows);
    if (status != SPL_OK) { /* another method must not take work for counted */
        spl__drop_device_work(plan);
        return status;
    }
    *args = (struct spgemm_count_work_args){.s = spl__form_structures(plan),
                                            .of_b = of_b,
                                            .of_d = of_d,
                                            .work = device_c->work.data,
                                            .windows = device_c->windows.data,
                                            .kept_starts = kept_starts,
                                            .sums = sums,
                                            .ahead = device_c->ahead};
    return SPL_OK;
}

/* All but the count itself. */
static spl_status begin_count(spl_plan *plan, counting *c, struct spgemm_count_work_args *args)
{
    SPL__TRY(spl__work_notes_make(plan, &c->notes));
    if (!spl__device_product_of(plan)->ordered)
        SPL__TRY(look_at_rows(plan, c));
    SPL__TRY(spl__device_kept_begin(plan));
    return make_work(plan, c->of_b.data, c->of_d.data,
                     spl__device_product_of(plan)->kept_starts.data, &c->notes->sums, args);
}

/* Estimates features as if all rows were equal, where nothing better is known. */
static void guess_features(spl_plan *plan)
{
    spl__features *f = &plan->features;
    double of_entry = f->inner > 0 ? f->nnz_b / f->inner : 0;
    f->products = f->nnz_a * of_entry;
    f->longest_products = f->longest_row_a * of_entry;
    f->bound_c = f->products + f->nnz_d;
    f->span_sampled = f->cols;
}

/* Counts, samples and bins rows, by one launch. */
static spl_status launch_count(spl_plan *plan, counting *c)
{
    struct spgemm_count_work_args args;
    SPL__TRY(begin_count(plan, c, &args));
    guess_features(plan);
    const spl__bins_along along = {.work = &args, .sampled = spl__device_sums_decide(plan)};
    return spl__bins_begin(plan, SPL__PHASE_symbolic, c->notes, &c->notes->bins, &along);
}

struct found {
    uint64_t words;
    uint32_t disorder, unused;
};

/* Counts the words of 32 columns that the entries of each row of B touch, and their sum, unless
 * known. */
static spl_status count_words(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    const spl_sparse *b = &device_c->form.b;
    spl__device_array found;
    if (device_c->pair_offsets.data)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, b->rows + 1, spl__index_size(b->offset_type),
                              &device_c->pair_offsets));
    SPL__TRY(spl__queue_alloc_zeros(queue, 1, sizeof(struct found), &found));
    struct found *f = found.data;
    struct spgemm_find_windows_args args = {
        .words = device_c->pair_offsets.data, .all_words = &f->words, .disorder = &f->disorder};
    spl_status status = find_windows(plan, b, &args);
    if (status == SPL_OK)
        status =
            spl__queue_fetch(queue, &device_c->words_of_b, &f->words, sizeof device_c->words_of_b);
    spl__queue_free(queue, &found);
    return status;
}

static spl_status compress(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    const spl_sparse *b = &device_c->form.b;
    SPL__TRY(count_words(plan));
    SPL__TRY(spl__queue_alloc(queue, device_c->words_of_b, sizeof(struct spgemm_pair),
                              &device_c->pairs));
    SPL__TRY(spl__queue_offsets(queue, b->offset_type, device_c->pair_offsets.data, b->rows, NULL));
    struct spgemm_compress_args args = {b->rows, b->offsets, b->indices,
                                        device_c->pair_offsets.data, device_c->pairs.data};
    device_c->pairs_of_entry = b->nnz > 0 ? (double)device_c->words_of_b / (double)b->nnz : 1;
    return spl__product_launch(plan, "spgemm_compress", b->rows * SPGEMM_ROW_LANES, &args,
                               sizeof args);
}

spl_status spl__compress_b(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    if (device_c->pairs.data)
        return SPL_OK;
    spl_status status = compress(plan);
    if (status != SPL_OK) {
        spl__queue_free(&plan->problem.queue, &device_c->pairs);
        spl__queue_free(&plan->problem.queue, &device_c->pair_offsets);
    }
    return status;
}

/* Compresses B if that saves enough words and B is read often enough. */
static spl_status compress_if_it_pays(spl_plan *plan, double products)
{
    enum { LEAST_SAVING = 2, LEAST_USE = 4, LEAST_PRODUCTS = 1 << 24 };
    spl__device_product *device_c = spl__device_product_of(plan);
    const spl_sparse *b = &device_c->form.b;
    device_c->pairs_of_entry = 1;
    if (!device_c->ordered || products < LEAST_PRODUCTS || products < LEAST_USE * (double)b->nnz)
        return SPL_OK;
    SPL__TRY(count_words(plan));
    if (device_c->words_of_b * LEAST_SAVING > b->nnz)
        return SPL_OK;
    spl_status status = spl__compress_b(plan);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

static void note_features(spl_plan *plan, const struct spgemm_work *work)
{
    spl__features *f = &plan->features;
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__form_times times = device_c->form.times;
    f->products = isnan(device_c->form.products)
                      ? ((double)work->products - f->nnz_d / times.c) * times.products
                      : device_c->form.products;
    f->longest_products = (double)work->longest * times.products / times.rows;
    f->bound_c = (double)work->bound * times.c;
    f->span_sampled = f->rows > 0 ? (double)work->span * times.c / f->rows : 0;
    device_c->bound = (int64_t)work->bound;
}

/* Work and windows of rows are kept until the plan is complete. */
spl_status spl__count_device_work(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *device_c = spl__device_product_of(plan);
    counting c = {0};
    struct spl__work_notes found = {0};
    if (device_c->work.data && !device_c->counts_ahead)
        return SPL_OK;
    spl_status status = device_c->counts_ahead ? SPL_OK : launch_count(plan, &c);
    device_c->counts_ahead = false;
    if (status == SPL_OK)
        status = spl__bins_fetch(plan, &found, &found.bins);
    spl__queue_free(queue, &c.of_b);
    spl__queue_free(queue, &c.of_d);
    if (status != SPL_OK) { /* another method may count again */
        spl__drop_device_work(plan);
        return status;
    }
    device_c->ordered = !found.disorder;
    note_features(plan, &found.sums);
    if (found.sample.products > 0)
        device_c->columns_of_product = (double)found.sample.columns / (double)found.sample.products;
    return compress_if_it_pays(plan, (double)found.sums.products);
}

bool spl__device_work_is_late(const spl_plan *plan)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    return device_c->form.kind->full && !device_c->work.data;
}

spl_status spl__enqueue_device_work(spl_plan *plan, struct spgemm_work *sums)
{
    struct spgemm_count_work_args args;
    SPL__TRY(make_work(plan, NULL, NULL, NULL, sums, &args));
    return spl__bins_launch_work(plan, &args);
}

void spl__note_device_work(spl_plan *plan, const struct spgemm_work *sums)
{
    note_features(plan, sums);
}

enum { FEW_ROWS = 32 }; /* of a multiprocessor: their inspection takes longer than their products */

static bool has_few_rows(const spl_plan *plan)
{
    return spl__form_of(plan)->a.rows <=
           FEW_ROWS * (int64_t)plan->problem.queue.device->properties.units;
}

/* Whether rows of full blocks are found before they are inspected, as the longest may be, which
 * saves a wait: rows that are sorted, or a few that are hashed. Many are found faster in windows:
 * qcd's 84 us in tables, 55 in windows (H100). */
static bool suits_unseen_blocks(const spl_plan *plan, double most)
{
    const double products = 3 << 20; /* sorted ones */
    const bool sorted =
        most <= SPGEMM_ALIKE_PRODUCTS && most * (double)spl__form_of(plan)->a.rows <= products;
    return plan->problem.once && !plan->problem.options.method &&
           spl__plan_policy(plan) == SPL_POLICY_COST &&
           (sorted || (has_few_rows(plan) && most <= SPGEMM_UNSEEN_PRODUCTS));
}

/* Takes the features from the surveys of resident operands. */
static void take_surveys(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__device_product *device_c = spl__device_product_of(plan);
    device_c->most_work = INT64_MAX;
    device_c->columns_of_product = NAN;
    device_c->pairs_of_entry = 1;
    device_c->ordered = device_c->form.ordered;
    if (p->staged)
        return;
    device_c->ordered = p->b.survey.ascends && (!p->has_d || p->d.survey.ascends);
    const bool full = device_c->form.kind->full;
    const double block = full ? device_c->form.block : 1;
    double most = p->a.survey.longest / block * (p->b.survey.longest / block) +
                  (p->has_d ? p->d.survey.longest / block : 0);
    bool known =
        full ? suits_unseen_blocks(plan, most) : !device_c->form.kind->refuses[SPL__BY_ENTRIES];
    if (known && most < SPGEMM_MOST_COUNTED)
        device_c->most_work = (int64_t)most;
}

/* The most products of a row with which one bin suits all rows, which then need not be inspected:
 * few, or almost as many in each row; or few rows, computed once: their inspection takes longer
 * than their products, which are bounded then, not counted, as a forced method may need. */
static double most_alike(const spl_plan *plan)
{
    enum { ALIKE = 2 };
    const spl__features *f = &plan->features;
    const double average = f->nnz_a * (f->nnz_b / fmax(1, f->inner)) / fmax(1, f->rows);
    if (plan->problem.once && !plan->problem.options.method && has_few_rows(plan))
        return SPGEMM_UNSEEN_PRODUCTS;
    return fmax(SPGEMM_FEW_PRODUCTS, fmin(SPGEMM_ALIKE_PRODUCTS, ALIKE * average));
}

static bool are_alike(const spl_plan *plan)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    return device_c->form.kind->full ? device_c->most_work < INT64_MAX
                                     : (double)device_c->most_work <= most_alike(plan);
}

/* ---- while the operands are checked ---- */

/* The only product of operands in place, by a method that is not given: its work is that of its
 * operands, unless these turn out to consist of blocks. Many products are searched for blocks with
 * holes, and take long beside a wait. */
bool spl__may_count_ahead(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const double of_b = (double)p->b.csr.nnz / fmax(1, (double)p->b.csr.rows);
    const spl__operand *const operands[] = {&p->a, &p->b};
    bool may = p->once && !p->staged && !p->has_d && !p->options.method && !p->options.mask &&
               !spl__problem_has_algebra(p) && spl__plan_policy(plan) == SPL_POLICY_COST &&
               !spl__queue_has_budget(&p->queue) && p->a.csr.rows > 0 &&
               (double)p->a.csr.nnz * of_b < plan->gpu_machine->spgemm_holed_first;
    for (int k = 0; k < 2; k++)
        may = may && operands[k]->csr.format == SPL_CSR && !operands[k]->transposed;
    return may;
}

/* in_vain: kernels have noted nothing. */
static void forget_count_ahead(spl_plan *plan, bool in_vain)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__early_bins_free(plan, &device_c->early);
    spl__drop_device_work(plan);
    spl__device_kept_free(plan);
    device_c->counts_ahead = device_c->sampled = false;
    device_c->work_noted = device_c->work_noted && !in_vain;
}

spl_status spl__count_device_work_ahead(spl_plan *plan, const struct csr_survey *a,
                                        const struct csr_survey *b)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    counting c = {0};
    device_c->most_work = INT64_MAX;
    device_c->columns_of_product = NAN;
    device_c->pairs_of_entry = 1;
    device_c->ordered = true;
    plan->features.longest_row_a = plan->features.mean_row_a; /* until it is known */
    device_c->ahead = (struct spgemm_ahead){a, b, (uint64_t)most_alike(plan)};
    spl_status status = launch_count(plan, &c);
    device_c->ahead = (struct spgemm_ahead){0};
    device_c->counts_ahead = status == SPL_OK;
    if (status != SPL_OK)
        forget_count_ahead(plan, false);
    return status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

/* Whether kernels have found the count in vain though rows are not alike. */
static bool is_in_vain(const spl_plan *plan)
{
    const double most = .5; /* of A's rows */
    const spl__row_survey *a = &plan->problem.a.survey, *b = &plan->problem.b.survey;
    return a->block > 1 || a->repeated > most || !b->ascends;
}

/* Keeps what was counted ahead if it is the work of the form's rows, and needed. */
static void settle_count_ahead(spl_plan *plan, bool needed)
{
    const spl__problem *p = &plan->problem;
    const spl__form *form = spl__form_of(plan);
    const bool in_vain = !needed || is_in_vain(plan);
    if (spl__device_product_of(plan)->counts_ahead &&
        (in_vain || !spl__view_same_structure(&form->a, &p->a.csr) ||
         !spl__view_same_structure(&form->b, &p->b.csr)))
        forget_count_ahead(plan, in_vain);
}

spl_status spl__bound_or_count_device_work(spl_plan *plan)
{
    spl__features *f = &plan->features;
    const spl__device_product *device_c = spl__device_product_of(plan);
    take_surveys(plan);
    const bool counts = spl__needs_positions(&plan->problem) || !are_alike(plan);
    settle_count_ahead(plan, counts);
    if (counts)
        return spl__count_device_work(plan);
    f->products = f->nnz_a * plan->problem.b.survey.longest;
    f->longest_products = (double)device_c->most_work;
    f->bound_c = f->products / (device_c->form.kind->full ? device_c->form.block : 1) + f->nnz_d;
    f->span_sampled = f->cols;
    return SPL_OK;
}

void spl__row_work_free(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    spl__device_array *const helpers[] = {&device_c->work, &device_c->windows,
                                          &device_c->pair_offsets, &device_c->pairs,
                                          &device_c->notes};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        spl__queue_free(&plan->problem.queue, helpers[i]);
    spl__early_bins_free(plan, &device_c->early);
    device_c->sampled = device_c->find_noted = false;
}
