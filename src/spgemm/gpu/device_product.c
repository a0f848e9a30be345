/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_product.h"

#include "core/checked.h"
#include "structure/device_widths.h"

#include <stddef.h>

/* d is not read if there is no D. */
static struct spgemm_structures structures_of(const spl_plan *plan, const spl_sparse *a,
                                              const spl_sparse *b, const spl_sparse *d)
{
    bool has_d = plan->problem.has_d;
    return (struct spgemm_structures){.rows = a->rows,
                                      .cols = b->cols,
                                      .a_offsets = a->offsets,
                                      .a_columns = a->indices,
                                      .b_offsets = b->offsets,
                                      .b_columns = b->indices,
                                      .d_offsets = has_d ? d->offsets : NULL,
                                      .d_columns = has_d ? d->indices : NULL};
}

struct spgemm_structures spl__device_own_structures(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    return structures_of(plan, &p->a.csr, &p->b.csr, &p->d.csr);
}

/* Operands may have moved since factors were made; what was made is where it was. */
struct spgemm_structures spl__device_structures(const spl_plan *plan)
{
    const spl__device_factors *of = &spl__product_of(plan)->there->of;
    if (spl__device_factors_plain(plan))
        return spl__device_own_structures(plan);
    return structures_of(plan, &of->a, of->distinct ? &plan->problem.b.csr : &of->b, &of->d);
}

struct spgemm_operands spl__device_operands(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl__device_factors *of = &spl__product_of(plan)->there->of;
    return (struct spgemm_operands){.s = spl__device_structures(plan),
                                    .a_values = of->holed ? of->a.values : p->a.csr.values,
                                    .b_values =
                                        of->holed ? spl__device_holed_right(plan) : p->b.csr.values,
                                    .d_values = !p->has_d   ? NULL
                                                : of->holed ? of->d.values
                                                            : p->d.csr.values,
                                    .scalars = spl__plan_scalars(plan, call),
                                    .offsets = spl__device_offsets(plan),
                                    .columns = spl__device_columns(plan),
                                    .values = call->values};
}

spl_status spl__product_kernel(const spl_plan *plan, const char *name, const spl__kernel **kernel)
{
    const spl_sparse *a = &plan->problem.a.csr;
    return spl__queue_kernel(&plan->problem.queue, name, a->type, a->offset_type, kernel);
}

spl_status spl__product_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                               size_t bytes)
{
    spl__queue *queue = &plan->problem.queue;
    spl__launch launch = {.blocks = spl__blocks_at_once(queue, items, SPGEMM_ROWS_THREADS),
                          .threads = SPGEMM_ROWS_THREADS,
                          .args = args};
    SPL__TRY(spl__product_kernel(plan, name, &launch.kernel));
    return spl__queue_launch(queue, &launch, bytes);
}

/* ---- work and windows ---- */

/* What is needed while work is counted: windows of the operands' rows, and what comes back. */
typedef struct counting {
    spl__device_array of_b, of_d, found;
} counting;

struct found {
    struct spgemm_work sums;
    uint64_t words; /* of B's rows */
    uint32_t disorder, unused;
    struct spgemm_group_sums groups; /* of the symbolic phase */
};

static spl_status find_windows(spl_plan *plan, const spl_sparse *m,
                               struct spgemm_find_windows_args *args)
{
    args->rows = m->rows;
    args->offsets = m->offsets;
    args->columns = m->indices;
    return spl__product_launch(plan, "spgemm_find_windows", m->rows * SPGEMM_ROW_LANES, args,
                               sizeof *args);
}

/* Windows of B's and D's rows, and whether their columns ascend. */
static spl_status look_at_rows(spl_plan *plan, counting *c)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_factors *of = &spl__product_of(plan)->there->of;
    struct spgemm_find_windows_args args = {.disorder = &((struct found *)c->found.data)->disorder};
    SPL__TRY(spl__queue_alloc(queue, of->b.rows, sizeof(struct spgemm_window), &c->of_b));
    args.windows = c->of_b.data;
    SPL__TRY(find_windows(plan, &of->b, &args));
    if (!plan->problem.has_d)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, of->d.rows, sizeof(struct spgemm_window), &c->of_d));
    args.windows = c->of_d.data;
    return find_windows(plan, &of->d, &args);
}

static spl_status launch_count(spl_plan *plan, counting *c)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct found), &c->found));
    SPL__TRY(spl__queue_fill(queue, c->found.data, 0, c->found.bytes));
    if (!there->ordered)
        SPL__TRY(look_at_rows(plan, c));
    struct spgemm_count_work_args args = {spl__device_structures(plan),
                                          c->of_b.data,
                                          c->of_d.data,
                                          there->work.data,
                                          there->windows.data,
                                          &((struct found *)c->found.data)->sums};
    return spl__product_launch(plan, "spgemm_count_work", there->of.a.rows * SPGEMM_ROW_LANES,
                               &args, sizeof args);
}

/* In how many words of 32 columns the entries of B's rows lie, per row, and in all; not if that is
 * known. */
static spl_status count_words(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    const spl_sparse *b = &there->of.b;
    spl__device_array found;
    if (there->pair_offsets.data)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, b->rows + 1, spl__index_size(b->offset_type),
                              &there->pair_offsets));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct found), &found));
    struct found *f = found.data;
    struct spgemm_find_windows_args args = {
        .words = there->pair_offsets.data, .all_words = &f->words, .disorder = &f->disorder};
    spl_status status = spl__queue_fill(queue, f, 0, sizeof *f);
    if (status == SPL_OK)
        status = find_windows(plan, b, &args);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &there->words_of_b, &f->words, sizeof there->words_of_b);
    spl__queue_free(queue, &found);
    return status;
}

static spl_status compress(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    const spl_sparse *b = &there->of.b;
    SPL__TRY(count_words(plan));
    SPL__TRY(spl__queue_alloc(queue, there->words_of_b, sizeof(struct spgemm_pair), &there->pairs));
    SPL__TRY(spl__queue_offsets(queue, b->offset_type, there->pair_offsets.data, b->rows, NULL));
    struct spgemm_compress_args args = {b->rows, b->offsets, b->indices, there->pair_offsets.data,
                                        there->pairs.data};
    there->pairs_of_entry = b->nnz > 0 ? (double)there->words_of_b / (double)b->nnz : 1;
    return spl__product_launch(plan, "spgemm_compress", b->rows * SPGEMM_ROW_LANES, &args,
                               sizeof args);
}

spl_status spl__device_compress_b(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    if (there->pairs.data)
        return SPL_OK;
    spl_status status = compress(plan);
    if (status != SPL_OK) {
        spl__queue_free(&plan->problem.queue, &there->pairs);
        spl__queue_free(&plan->problem.queue, &there->pair_offsets);
    }
    return status;
}

/* B compressed, if its words are few, and read often enough. */
static spl_status compress_if_it_pays(spl_plan *plan, double products)
{
    enum { LEAST_SAVING = 2, LEAST_USE = 4, LEAST_PRODUCTS = 1 << 24 };
    struct spl__device_product *there = spl__product_of(plan)->there;
    const spl_sparse *b = &there->of.b;
    there->pairs_of_entry = 1;
    if (!there->ordered || products < LEAST_PRODUCTS || products < LEAST_USE * (double)b->nnz)
        return SPL_OK;
    SPL__TRY(count_words(plan));
    if (there->words_of_b * LEAST_SAVING > b->nnz)
        return SPL_OK;
    spl_status status = spl__device_compress_b(plan);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

static void note_features(spl_plan *plan, const struct spgemm_work *work)
{
    spl__features *f = &plan->features;
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_times of = spl__device_times_of(plan);
    f->products = there->of.distinct ? there->of.a_distinct.products
                  : there->of.holed  ? there->of.a_holed.products
                                     : ((double)work->products - f->nnz_d / of.c) * of.products;
    f->longest_products = (double)work->longest * of.products / of.rows;
    f->bound_c = (double)work->bound * of.c;
    f->span_sampled = f->rows > 0 ? (double)work->span * of.c / f->rows : 0;
    there->bound = (int64_t)work->bound;
    spl__product_of(plan)->longest_work = (int64_t)f->longest_products;
}

/* As if all rows were alike, where nothing better is known. */
static void guess_features(spl_plan *plan)
{
    spl__features *f = &plan->features;
    double of_entry = f->inner > 0 ? f->nnz_b / f->inner : 0;
    f->products = f->nnz_a * of_entry;
    f->longest_products = f->longest_row_a * of_entry;
    f->bound_c = f->products + f->nnz_d;
    f->span_sampled = f->cols;
}

/* The work and the windows of rows stay until the plan is made. */
spl_status spl__device_count_work(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    counting c = {0};
    struct found found = {0};
    if (there->work.data)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, there->of.a.rows, sizeof(int64_t), &there->work));
    SPL__TRY(
        spl__queue_alloc(queue, there->of.a.rows, sizeof(struct spgemm_window), &there->windows));
    spl_status status = launch_count(plan, &c);
    guess_features(plan);
    if (status == SPL_OK)
        status = spl__device_ahead_begin(plan, SPL__PHASE_symbolic,
                                         &((struct found *)c.found.data)->groups);
    if (status == SPL_OK)
        status = spl__device_ahead_fetch(plan, &found, c.found.data, offsetof(struct found, groups),
                                         &found.groups);
    spl__queue_free(queue, &c.of_b);
    spl__queue_free(queue, &c.of_d);
    spl__queue_free(queue, &c.found);
    if (status != SPL_OK)
        return status;
    there->ordered = !found.disorder;
    note_features(plan, &found.sums);
    return compress_if_it_pays(plan, (double)found.sums.products);
}

/* What surveys of resident operands tell. */
static void take_surveys(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    struct spl__device_product *there = spl__product_of(plan)->there;
    there->most_work = INT64_MAX;
    there->pairs_of_entry = 1;
    there->ordered = there->of.block > 1;
    if (p->staged)
        return;
    there->ordered = p->b.survey.ascends && (!p->has_d || p->d.survey.ascends);
    double most = p->a.survey.longest * p->b.survey.longest + (p->has_d ? p->d.survey.longest : 0);
    if (spl__device_factors_plain(plan) && most < SPGEMM_MOST_COUNTED)
        there->most_work = (int64_t)most;
}

/* Where rows have so few products that one way of finding them suits all, no row is looked at
 * before: work is bounded, and known when C is. */
static spl_status bound_or_count_work(spl_plan *plan)
{
    spl__features *f = &plan->features;
    const struct spl__device_product *there = spl__product_of(plan)->there;
    if (there->most_work > SPGEMM_FEW_PRODUCTS)
        return spl__device_count_work(plan);
    f->products = f->nnz_a * plan->problem.b.survey.longest;
    f->longest_products = (double)there->most_work;
    f->bound_c = f->products + f->nnz_d;
    f->span_sampled = f->cols;
    spl__product_of(plan)->longest_work = there->most_work;
    return SPL_OK;
}

/* What only the making of the plan needs. */
static void free_helpers(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_array *const helpers[] = {&there->work, &there->windows, &there->pair_offsets,
                                          &there->pairs};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        spl__queue_free(&plan->problem.queue, helpers[i]);
    spl__device_ahead_free(plan);
}

void spl__device_kept_free(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__queue_free(&plan->problem.queue, &there->kept_places);
    spl__queue_free(&plan->problem.queue, &there->kept_starts);
}

/* ---- the plan ---- */

/* The longest row of C, or its bound if that is what rows were found by. */
static spl_status find_longest_row(spl_plan *plan, int64_t *longest)
{
    spl__queue *queue = &plan->problem.queue;
    const struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_array found = {NULL, 0};
    *longest = spl__min_i64(spl__product_of(plan)->longest_work, plan->problem.cols);
    if (there->bounded || there->nnz == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *longest, &found));
    struct spgemm_longest_row_args args = {plan->problem.rows, there->offsets.data, found.data};
    spl_status status = spl__queue_fill(queue, found.data, 0, found.bytes);
    if (status == SPL_OK)
        status = spl__product_launch(plan, "spgemm_longest_row", args.rows, &args, sizeof args);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, longest, found.data, found.bytes);
    spl__queue_free(queue, &found);
    return status;
}

/* The length of the longest row is known to the rules only: who predicts does not ask for it, and
 * does not wait. */
static spl_status features_of_result(spl_plan *plan)
{
    spl__features *f = &plan->features;
    int64_t longest;
    f->nnz_c = (double)spl__product_of(plan)->there->nnz;
    f->density_c = f->nnz_c > 0 ? f->nnz_c / f->rows / f->cols : 0;
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
    if (plan->problem.options.policy != SPL_POLICY_RULES)
        return SPL_OK;
    SPL__TRY(find_longest_row(plan, &longest));
    f->longest_row_c = (double)longest;
    return SPL_OK;
}

static spl_status make_narrow(spl_plan *plan)
{
    spl__device_array *narrow = &spl__product_of(plan)->there->narrow;
    if (spl__result_offset_type(plan) != SPL_I32)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, plan->problem.rows + 1, sizeof(int32_t), narrow);
}

static spl_status make_values(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    if (plan->problem.staged)
        SPL__TRY(make_narrow(plan));
    if (!plan->problem.options.keep_result && !plan->problem.staged)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, there->nnz,
                            spl__type_size(plan->problem.a.csr.type), &there->values);
}

/* C has its structure. */
static spl_status take_result(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    c->capacity = c->there->nnz;
    SPL__TRY(spl__check_result_width(plan, c->capacity));
    SPL__TRY(features_of_result(plan));
    return make_values(plan);
}

/* Where blocks have holes, the numeric method's kernels find them in C. */
static spl_status plan_values(spl_plan *plan)
{
    bool holed = spl__product_of(plan)->there->of.holed;
    spl__row_set all = spl__all_rows(plan);
    if (!holed)
        SPL__TRY(take_result(plan));
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_numeric, &all));
    if (!holed)
        return SPL_OK;
    SPL__TRY(spl__device_holed_expand(plan));
    return take_result(plan);
}

spl_status spl__device_product_plan(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->there, 1));
    SPL__TRY(spl__device_factors_make(plan));
    take_surveys(plan);
    SPL__TRY(bound_or_count_work(plan));
    spl__row_set all = spl__all_rows(plan);
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_symbolic, &all));
    SPL__TRY(spl__device_factors_expand(plan));
    c->known = true;
    SPL__TRY(plan_values(plan));
    if (!c->there->uses_kept)
        spl__device_kept_free(plan);
    free_helpers(plan);
    return SPL_OK;
}

void spl__device_product_forget(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__queue_free(queue, &there->offsets);
    spl__queue_free(queue, &there->columns);
    spl__queue_free(queue, &there->of.offsets);
    spl__queue_free(queue, &there->of.columns);
    spl__queue_free(queue, &there->of.whole);
    spl__device_kept_free(plan);
    there->nnz = 0;
    there->unsorted = there->bounded = there->uses_kept = there->expands_late = false;
}

void spl__device_product_free(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = c->there;
    if (!there)
        return;
    free_helpers(plan);
    spl__device_factors_free(plan);
    spl__device_kept_free(plan);
    spl__queue_free(queue, &there->offsets);
    spl__queue_free(queue, &there->columns);
    spl__queue_free(queue, &there->values);
    spl__queue_free(queue, &there->narrow);
    spl__free(there);
}

/* ---- export ---- */

/* C's offsets in 32 bits. */
static spl_status narrow(spl_plan *plan, int32_t *offsets)
{
    return spl__device_narrow(&plan->problem.queue, spl__product_of(plan)->there->offsets.data,
                              plan->problem.rows + 1, offsets);
}

/* To the caller's array, where its matrices are. */
static spl_status export_array(spl_plan *plan, void *to, const spl__device_array *from)
{
    spl__queue *queue = &plan->problem.queue;
    return (plan->problem.staged ? spl__queue_bring : spl__queue_copy)(queue, to, from->data,
                                                                       from->bytes);
}

static spl_status export_offsets(spl_plan *plan, void *offsets)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    if (spl__result_offset_type(plan) == SPL_I64)
        return export_array(plan, offsets, &there->offsets);
    if (!plan->problem.staged)
        return narrow(plan, offsets);
    SPL__TRY(narrow(plan, there->narrow.data));
    return export_array(plan, offsets, &there->narrow);
}

spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    SPL__TRY(spl__device_blocks_settle(plan));
    if (offsets)
        SPL__TRY(export_offsets(plan, offsets));
    if (indices)
        SPL__TRY(export_array(plan, indices, &there->columns));
    if (values)
        SPL__TRY(export_array(plan, values, &there->values));
    return plan->problem.staged ? spl__queue_wait(&plan->problem.queue) : SPL_OK;
}

static spl_status give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    bool narrowed = header->offset_type == SPL_I32;
    spl__device_array *const arrays[] = {narrowed ? &there->narrow : &there->offsets,
                                         &there->columns, &there->values};
    SPL__TRY(make_narrow(plan));
    SPL__TRY(spl__device_blocks_settle(plan));
    if (narrowed)
        SPL__TRY(narrow(plan, there->narrow.data));
    SPL__TRY(spl__device_matrix_around(&plan->account, &plan->problem.queue, header, arrays, c));
    spl_status status = spl__device_matrix_settle(*c, &plan->problem.queue);
    if (status != SPL_OK)
        spl_matrix_destroy(*c);
    return status;
}

/* If that fails, the plan frees what it made on the way, behind the mark. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    spl_status status = give(plan, header, c);
    spl__plan_mark(plan);
    return status;
}
