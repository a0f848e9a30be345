/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hybrid: the values of C = alpha*A*B + beta*D, with a lookup of positions that
 * is chosen per row.
 *
 * For rows that the symbolic phase sorted, the position of every product is kept: one byte per
 * product is read instead of a column; many rows of at most 32 products have a thread each
 * (spgemm_lane_rows.h). Rows that the symbolic phase has summed are copied. In other rows the
 * columns of C are known and ascend. Rows whose columns lie close together have one word per 32
 * columns, with their bits and the position of the first: a product's position is that plus the
 * number of lower bits. Eight lanes share the words of a short row. Other short rows use small hash
 * tables, whose searches take longer, as lanes wait for the longest: rows of 27 columns of R*A*P on
 * a grid took 270 us, in words 97 (H200). Other rows use chained hash tables; the longest are
 * split into chunks of columns, one block each, with open addressing.
 *
 * Cost: a lookup and an addition per product; C's columns entered, its values written. Memory: 4
 * bytes a row; for kept positions 8 bytes a row and one per product of sorted rows. Source: hash
 * tables and bins: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]; own. */
#include "spgemm/gpu/device_values.h"

#include <math.h>

static const spl__values_method parameters = {
    .shapes = SPL__ROW_SHAPES(
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 32, .most_work = 1 << 8},
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 64, .most_work = 1 << 8},
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 128, .most_work = 1 << 8},
        {SPGEMM_KEPT, .team = 32, .threads = 256, .most = 256, .most_work = 1 << 8},
        {SPGEMM_SUMMED, .team = 8, .threads = 256, .most = SPGEMM_SUMMED_COLUMNS},
        {SPGEMM_WINDOW, .team = 8, .threads = 256, .most = 768, .most_work = 1 << 12,
         .sparsest = 4},
        {SPGEMM_HASH, .team = 8, .threads = 256, .most = 32, .most_work = 1 << 12},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 1536, .most_work = 1 << 16,
         .sparsest = 2},
        {SPGEMM_CHAIN, .team = 32, .threads = 256, .most = 128, .most_work = 1 << 18},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 2048, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 256, .most = 4096, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 7168, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 11264, .most_work = 1 << 18,
         .sparsest = 2},
        {SPGEMM_CHAIN, .team = 32, .threads = 128, .most = 512, .most_work = 1 << 18},
        {SPGEMM_CHAIN, .team = 64, .threads = 64, .most = 1024, .most_work = 1 << 18},
        {SPGEMM_WINDOW, .team = 256, .threads = 256, .most = 57344, .most_work = 1 << 20,
         .sparsest = 4},
        {SPGEMM_CHAIN, .team = 128, .threads = 128, .most = 2048, .most_work = 1 << 20},
        {SPGEMM_SPREAD, .team = 256, .threads = 256, .most = 65536, .sparsest = 4},
        {SPGEMM_SPREAD, .team = 512, .threads = 512, .sparsest = 16},
        {SPGEMM_HASH, .team = 512, .threads = 512, .most = 4096}),
    .costs = {.product = 14, .row = 32, .launches = 4},
    .kernels = &spl__entry_values};

/* Steps of a warp for all rows, as those of the average one. A row with a thread of its own costs
 * its products only. Longer rows have a team, a narrow one at kept positions. Columns of C that lie
 * far apart are entered into chains. Eleven matrices, an H200, --op numeric: sparloom regret. */
static double steps_of(const spl_plan *plan)
{
    enum { COLUMN = 8, COLUMN_IN_CHAIN = 36, ALONE = 32 };
    const double alike = 0.3; /* variation of row lengths */
    const spl__features *f = &plan->features;
    const spl__device_properties *p = &plan->problem.queue.device->properties;
    const spl__device_costs *costs = &parameters.costs;
    const double rows = fmax(1, f->rows), products = f->products / rows,
                 of_products = costs->product * f->products / p->lanes;
    const bool near = spl__device_rows_are_near(plan);
    if (products <= ALONE && f->variation_row_a <= alike)
        return of_products;
    const bool chained = !near && products > SPGEMM_SORTED_PRODUCTS;
    return of_products + (chained ? COLUMN_IN_CHAIN : COLUMN) * f->nnz_c / p->lanes +
           costs->row * f->rows * fmin(1, products / SPGEMM_ALIKE_PRODUCTS);
}

/* Where rows have been summed as they were found, all but a few are copied. */
static void estimate_copies(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    /* such rows are short, if C's entries are not counted yet */
    const double copied = fmin(f->nnz_c, SPGEMM_SUMMED_COLUMNS / 2 * f->rows);
    const spl__device_work work = {.streamed = 2 * value * copied + 16 * f->rows, .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    if (spl__device_product_of(task->plan)->sums.data) {
        estimate_copies(task, e);
        return;
    }
    const spl__features *f = &task->plan->features;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    const spl__device_work work = {.streamed = (4 + value) * (f->nnz_a + f->nnz_c) + 16 * f->rows,
                                   .gathered = (4 + value) * f->products,
                                   .reach = (4 + value) * f->nnz_b,
                                   .steps = steps_of(task->plan),
                                   .launches =
                                       1 + parameters.costs.launches * fmin(1, f->variation_row_a)};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

const spl__method spl__spgemm_numeric_gpu_hybrid = {
    .summary = "positions searched, counted in windows of bits, or hashed",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017, for the hashed rows; own",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .parameters = &parameters,
    .applicable = spl__device_values_applicable,
    .estimate = estimate,
    .prepare = spl__device_values_prepare,
    .enqueue_early = spl__device_values_enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
