/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_product.h"

#include "core/checked.h"
#include "structure/device_widths.h"

#include <stddef.h>

/* d is not read if the product has no D. */
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

/* The operands' arrays may have moved since the factors were made; compact forms stay where they
 * are. */
struct spgemm_structures spl__device_structures(const spl_plan *plan)
{
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    if (spl__device_factors_plain(plan))
        return spl__device_own_structures(plan);
    return structures_of(plan, &factors->a, factors->distinct ? &plan->problem.b.csr : &factors->b,
                         &factors->d);
}

struct spgemm_operands spl__device_operands(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    return (struct spgemm_operands){
        .s = spl__device_structures(plan),
        .a_values = factors->holed ? factors->a.values : p->a.csr.values,
        .b_values = factors->holed ? spl__device_holed_right(plan) : p->b.csr.values,
        .d_values = !p->has_d        ? NULL
                    : factors->holed ? factors->d.values
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

/* Memory used while work is counted: windows of the operands' rows, and the results. */
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

/* Computes the windows of B's and D's rows, and whether their columns ascend. */
static spl_status look_at_rows(spl_plan *plan, counting *c)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    struct spgemm_find_windows_args args = {.disorder = &((struct found *)c->found.data)->disorder};
    SPL__TRY(spl__queue_alloc(queue, factors->b.rows, sizeof(struct spgemm_window), &c->of_b));
    args.windows = c->of_b.data;
    SPL__TRY(find_windows(plan, &factors->b, &args));
    if (!plan->problem.has_d)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, factors->d.rows, sizeof(struct spgemm_window), &c->of_d));
    args.windows = c->of_d.data;
    return find_windows(plan, &factors->d, &args);
}

static spl_status launch_count(spl_plan *plan, counting *c)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct found), &c->found));
    SPL__TRY(spl__queue_fill(queue, c->found.data, 0, c->found.bytes));
    if (!device_c->ordered)
        SPL__TRY(look_at_rows(plan, c));
    struct spgemm_count_work_args args = {spl__device_structures(plan),
                                          c->of_b.data,
                                          c->of_d.data,
                                          device_c->work.data,
                                          device_c->windows.data,
                                          &((struct found *)c->found.data)->sums};
    return spl__product_launch(plan, "spgemm_count_work",
                               device_c->factors.a.rows * SPGEMM_ROW_LANES, &args, sizeof args);
}

/* Counts the words of 32 columns that the entries of each row of B touch, and their sum, unless
 * known. */
static spl_status count_words(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    const spl_sparse *b = &device_c->factors.b;
    spl__device_array found;
    if (device_c->pair_offsets.data)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, b->rows + 1, spl__index_size(b->offset_type),
                              &device_c->pair_offsets));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct found), &found));
    struct found *f = found.data;
    struct spgemm_find_windows_args args = {
        .words = device_c->pair_offsets.data, .all_words = &f->words, .disorder = &f->disorder};
    spl_status status = spl__queue_fill(queue, f, 0, sizeof *f);
    if (status == SPL_OK)
        status = find_windows(plan, b, &args);
    if (status == SPL_OK)
        status =
            spl__queue_fetch(queue, &device_c->words_of_b, &f->words, sizeof device_c->words_of_b);
    spl__queue_free(queue, &found);
    return status;
}

static spl_status compress(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    const spl_sparse *b = &device_c->factors.b;
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

spl_status spl__device_compress_b(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
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
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    const spl_sparse *b = &device_c->factors.b;
    device_c->pairs_of_entry = 1;
    if (!device_c->ordered || products < LEAST_PRODUCTS || products < LEAST_USE * (double)b->nnz)
        return SPL_OK;
    SPL__TRY(count_words(plan));
    if (device_c->words_of_b * LEAST_SAVING > b->nnz)
        return SPL_OK;
    spl_status status = spl__device_compress_b(plan);
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ? SPL_OK : status;
}

static void note_features(spl_plan *plan, const struct spgemm_work *work)
{
    spl__features *f = &plan->features;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_times times = spl__device_times_of(plan);
    f->products = device_c->factors.distinct ? device_c->factors.a_distinct.products
                  : device_c->factors.holed
                      ? device_c->factors.a_holed.products
                      : ((double)work->products - f->nnz_d / times.c) * times.products;
    f->longest_products = (double)work->longest * times.products / times.rows;
    f->bound_c = (double)work->bound * times.c;
    f->span_sampled = f->rows > 0 ? (double)work->span * times.c / f->rows : 0;
    device_c->bound = (int64_t)work->bound;
    spl__product_of(plan)->longest_work = (int64_t)f->longest_products;
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

/* Work and windows of rows are kept until the plan is complete. */
spl_status spl__device_count_work(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    counting c = {0};
    struct found found = {0};
    if (device_c->work.data)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, device_c->factors.a.rows, sizeof(int64_t), &device_c->work));
    SPL__TRY(spl__queue_alloc(queue, device_c->factors.a.rows, sizeof(struct spgemm_window),
                              &device_c->windows));
    spl_status status = launch_count(plan, &c);
    guess_features(plan);
    if (status == SPL_OK)
        status = spl__device_early_groups_begin(plan, SPL__PHASE_symbolic,
                                                &((struct found *)c.found.data)->groups);
    if (status == SPL_OK)
        status = spl__device_early_groups_fetch(plan, &found, c.found.data,
                                                offsetof(struct found, groups), &found.groups);
    spl__queue_free(queue, &c.of_b);
    spl__queue_free(queue, &c.of_d);
    spl__queue_free(queue, &c.found);
    if (status != SPL_OK)
        return status;
    device_c->ordered = !found.disorder;
    note_features(plan, &found.sums);
    return compress_if_it_pays(plan, (double)found.sums.products);
}

/* Takes the features from the surveys of resident operands. */
static void take_surveys(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    device_c->most_work = INT64_MAX;
    device_c->pairs_of_entry = 1;
    device_c->ordered = device_c->factors.block > 1;
    if (p->staged)
        return;
    device_c->ordered = p->b.survey.ascends && (!p->has_d || p->d.survey.ascends);
    double most = p->a.survey.longest * p->b.survey.longest + (p->has_d ? p->d.survey.longest : 0);
    if (spl__device_factors_plain(plan) && most < SPGEMM_MOST_COUNTED)
        device_c->most_work = (int64_t)most;
}

/* Where rows have so few products that one symbolic method suits all, rows are not inspected:
 * their work is bounded first, and known exactly once C is. */
static spl_status bound_or_count_work(spl_plan *plan)
{
    spl__features *f = &plan->features;
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (device_c->most_work > SPGEMM_FEW_PRODUCTS)
        return spl__device_count_work(plan);
    f->products = f->nnz_a * plan->problem.b.survey.longest;
    f->longest_products = (double)device_c->most_work;
    f->bound_c = f->products + f->nnz_d;
    f->span_sampled = f->cols;
    spl__product_of(plan)->longest_work = device_c->most_work;
    return SPL_OK;
}

/* Frees the arrays that only planning needs. */
static void free_helpers(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_array *const helpers[] = {&device_c->work, &device_c->windows,
                                          &device_c->pair_offsets, &device_c->pairs};
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        spl__queue_free(&plan->problem.queue, helpers[i]);
    spl__device_early_groups_free(plan);
}

void spl__device_kept_free(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__queue_free(&plan->problem.queue, &device_c->kept_slots);
    spl__queue_free(&plan->problem.queue, &device_c->kept_starts);
}

/* ---- the plan ---- */

/* The length of the longest row of C, or its bound if rows are stored at their bounds. */
static spl_status find_longest_row(spl_plan *plan, int64_t *longest)
{
    spl__queue *queue = &plan->problem.queue;
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__device_array found = {NULL, 0};
    *longest = spl__min_i64(spl__product_of(plan)->longest_work, plan->problem.cols);
    if (device_c->bounded || device_c->nnz == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *longest, &found));
    struct spgemm_longest_row_args args = {plan->problem.rows, device_c->offsets.data, found.data};
    spl_status status = spl__queue_fill(queue, found.data, 0, found.bytes);
    if (status == SPL_OK)
        status = spl__product_launch(plan, "spgemm_longest_row", args.rows, &args, sizeof args);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, longest, found.data, found.bytes);
    spl__queue_free(queue, &found);
    return status;
}

/* Only the policy `rules` needs the length of the longest row; predictions avoid the wait for
 * it. */
static spl_status features_of_result(spl_plan *plan)
{
    spl__features *f = &plan->features;
    int64_t longest;
    f->nnz_c = (double)spl__product_of(plan)->device_c->nnz;
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
    spl__device_array *narrow = &spl__product_of(plan)->device_c->narrow;
    if (spl__result_offset_type(plan) != SPL_I32)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, plan->problem.rows + 1, sizeof(int32_t), narrow);
}

static spl_status make_values(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (plan->problem.staged)
        SPL__TRY(make_narrow(plan));
    if (!plan->problem.options.keep_result && !plan->problem.staged)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, device_c->nnz,
                            spl__type_size(plan->problem.a.csr.type), &device_c->values);
}

/* Takes over the structure of C. */
static spl_status take_result(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    c->capacity = c->device_c->nnz;
    SPL__TRY(spl__check_result_width(plan, c->capacity));
    SPL__TRY(features_of_result(plan));
    return make_values(plan);
}

/* With holed blocks the kernels of the numeric method compute the masks of C's blocks. */
static spl_status plan_values(spl_plan *plan)
{
    bool holed = spl__product_of(plan)->device_c->factors.holed;
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
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->device_c, 1));
    SPL__TRY(spl__device_factors_make(plan));
    take_surveys(plan);
    SPL__TRY(bound_or_count_work(plan));
    spl__row_set all = spl__all_rows(plan);
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_symbolic, &all));
    SPL__TRY(spl__device_factors_expand(plan));
    c->known = true;
    SPL__TRY(plan_values(plan));
    if (!c->device_c->uses_kept)
        spl__device_kept_free(plan);
    free_helpers(plan);
    return SPL_OK;
}

void spl__device_product_forget(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    spl__queue_free(queue, &device_c->offsets);
    spl__queue_free(queue, &device_c->columns);
    spl__queue_free(queue, &device_c->factors.offsets);
    spl__queue_free(queue, &device_c->factors.columns);
    spl__queue_free(queue, &device_c->factors.c_offsets);
    spl__device_kept_free(plan);
    device_c->nnz = 0;
    device_c->unsorted = device_c->bounded = device_c->uses_kept = device_c->defers_columns = false;
}

void spl__device_product_free(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = c->device_c;
    if (!device_c)
        return;
    free_helpers(plan);
    spl__device_factors_free(plan);
    spl__device_kept_free(plan);
    spl__queue_free(queue, &device_c->offsets);
    spl__queue_free(queue, &device_c->columns);
    spl__queue_free(queue, &device_c->values);
    spl__queue_free(queue, &device_c->narrow);
    spl__free(device_c);
}

/* ---- export ---- */

/* Converts C's offsets to 32 bits. */
static spl_status narrow(spl_plan *plan, int32_t *offsets)
{
    return spl__device_narrow(&plan->problem.queue, spl__product_of(plan)->device_c->offsets.data,
                              plan->problem.rows + 1, offsets);
}

/* Copies to the caller's array, on the host or on the device. */
static spl_status export_array(spl_plan *plan, void *to, const spl__device_array *from)
{
    spl__queue *queue = &plan->problem.queue;
    return (plan->problem.staged ? spl__queue_bring : spl__queue_copy)(queue, to, from->data,
                                                                       from->bytes);
}

static spl_status export_offsets(spl_plan *plan, void *offsets)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    if (spl__result_offset_type(plan) == SPL_I64)
        return export_array(plan, offsets, &device_c->offsets);
    if (!plan->problem.staged)
        return narrow(plan, offsets);
    SPL__TRY(narrow(plan, device_c->narrow.data));
    return export_array(plan, offsets, &device_c->narrow);
}

spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    SPL__TRY(spl__device_blocks_settle(plan));
    if (offsets)
        SPL__TRY(export_offsets(plan, offsets));
    if (indices)
        SPL__TRY(export_array(plan, indices, &device_c->columns));
    if (values)
        SPL__TRY(export_array(plan, values, &device_c->values));
    return plan->problem.staged ? spl__queue_wait(&plan->problem.queue) : SPL_OK;
}

static spl_status give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    bool narrowed = header->offset_type == SPL_I32;
    spl__device_array *const arrays[] = {narrowed ? &device_c->narrow : &device_c->offsets,
                                         &device_c->columns, &device_c->values};
    SPL__TRY(make_narrow(plan));
    SPL__TRY(spl__device_blocks_settle(plan));
    if (narrowed)
        SPL__TRY(narrow(plan, device_c->narrow.data));
    SPL__TRY(spl__device_matrix_around(&plan->account, &plan->problem.queue, header, arrays, c));
    spl_status status = spl__device_matrix_settle(*c, &plan->problem.queue);
    if (status != SPL_OK)
        spl_matrix_destroy(*c);
    return status;
}

/* On failure the plan frees what it has allocated, in stream order. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    spl_status status = give(plan, header, c);
    spl__plan_mark(plan);
    return status;
}
