/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/esc: the values of C = alpha*A*B + beta*D by expand, sort, compress: the same
 * bits in every run.
 *
 * A row's products are written with their columns to an array, sorted by column, and neighbours of
 * equal column are added up. The sort is stable: terms keep the order of A's and B's entries, then
 * D's. Rows of up to 128 products are sorted in the registers of 4 to 32 lanes, by a network, with
 * the number of a product in the low bits of the key; others by a block in shared memory, digit by
 * digit of the columns' distance from the row's first. Longer rows are processed in tiles: the sums
 * of a tile are added to C before the next.
 *
 * Cost: per product, 10 to 28 steps of the network, or a pass over the tile for up to 7 bits of the
 * row's window. Memory: 4 bytes a row. Source: S1, numeric phase for sparse B; S. Dalton, L. Olson,
 * N. Bell, Optimizing sparse matrix-matrix multiplication for the GPU, ACM TOMS 41(4), 2015.
 * Differs: the structure of C is known, so that compressing writes values only; rows of any
 * length, since tiles accumulate; D is expanded too. */
#include "spgemm/gpu/device_rows.h"
#include "spgemm/gpu/device_values.h"
#include "spgemm/kernels/spgemm_esc.k.h"
#include "spgemm/kernels/spgemm_tiles.k.h"

enum { LANES_MOST = 32 * SPGEMM_KEYS };

static const spl__row_shapes shapes = SPL__ROW_SHAPES(
    {SPGEMM_SORT, .team = 4, .threads = 256, .most = INT64_MAX, .most_work = 4 * SPGEMM_KEYS},
    {SPGEMM_SORT, .team = 8, .threads = 256, .most = INT64_MAX, .most_work = 8 * SPGEMM_KEYS},
    {SPGEMM_SORT, .team = 16, .threads = 256, .most = INT64_MAX, .most_work = 16 * SPGEMM_KEYS},
    {SPGEMM_SORT, .team = 32, .threads = 256, .most = INT64_MAX, .most_work = LANES_MOST},
    {SPGEMM_SORT, .team = 64, .threads = 64, .most = INT64_MAX, .most_work = 64 * SPGEMM_TILE_EACH},
    {SPGEMM_SORT, .team = 128, .threads = 128, .most = INT64_MAX,
     .most_work = 128 * SPGEMM_TILE_EACH},
    {SPGEMM_SORT, .team = 256, .threads = 256, .most = INT64_MAX});

static bool in_lanes(const spl__row_shape *s)
{
    return s->most_work <= LANES_MOST;
}

/* Columns that leave no room for a number in the key are sorted in tiles. */
static int64_t team_bytes(const void *context, const spl__row_shape *s)
{
    const spl_plan *plan = context;
    enum { ITEM = 8, OF_ENTRY = 12, COUNTERS = 16 };
    int64_t value = (int64_t)spl__type_size(plan->problem.a.csr.type);
    if (in_lanes(s))
        return plan->problem.cols <= SPGEMM_KEY_COLUMNS ? 0 : INT32_MAX;
    return s->threads * (SPGEMM_TILE_EACH * (ITEM + value) + OF_ENTRY + value + COUNTERS);
}

static const char *kernel_of(const spl__row_shape *s)
{
    return in_lanes(s) ? "spgemm_esc_lanes" : "spgemm_esc_block";
}

static const spl__values_method parameters = {.costs = {.product = 64, .row = 128, .launches = 7}};

static spl_status prepare(spl__step *step)
{
    return spl__row_kernels_prepare(step, &shapes, team_bytes, kernel_of);
}

typedef struct execution {
    spl_plan *plan;
    const spl__row_kernels *rows;
    struct spgemm_operands operands;
} execution;

static spl_status launch_lanes(const execution *x, const spl__bin_launch *l)
{
    struct spgemm_esc_lanes_args args = {x->operands, l->list, l->list_count, l->shape->team};
    int64_t teams = l->shape->threads / l->shape->team;
    return SPL__LAUNCH(&x->plan->problem.queue, &args, l->kernel,
                       (args.list_count + teams - 1) / teams, l->shape->threads);
}

static spl_status launch_bin(const execution *x, int g)
{
    spl__bin_launch l = spl__row_kernels_launch(x->rows, g);
    if (in_lanes(l.shape))
        return launch_lanes(x, &l);
    struct spgemm_esc_block_args args = {x->operands, l.list, l.list_count};
    return SPL__LAUNCH_SHARED(&x->plan->problem.queue, &args, l.kernel, args.list_count,
                              l.shape->threads, (size_t)team_bytes(x->plan, l.shape));
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    execution x = {step->task.plan, step->state, spl__form_operands(step->task.plan, call)};
    spl__bin_walk walk = spl__bin_walk_begin(x.plan, &x.rows->bins, 0);
    for (int g; (g = spl__bin_walk_next(&walk)) >= 0;)
        walk.status = launch_bin(&x, g);
    return spl__bin_walk_end(&walk);
}

const spl__method spl__spgemm_numeric_gpu_esc = {
    .summary = "expand, sort, compress: the same bits in every run",
    .source = "S1, numeric phase for sparse B; S. Dalton, L. Olson, N. Bell, ACM TOMS 2015",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = spl__device_values_applicable,
    .parameters = &parameters,
    .estimate = spl__device_values_estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = spl__row_kernels_explain,
    .destroy = spl__row_kernels_destroy,
};
