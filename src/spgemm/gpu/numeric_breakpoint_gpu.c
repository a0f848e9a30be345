/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/breakpoint: values of C = alpha*A*B + beta*D through dense sums, one chunk of
 * columns after another.
 *
 * The columns of B are cut into chunks of chunk_size. Break points, bp, say for every row of B
 * where its entries pass from one cell of columns to the next. A warp has a short row of C, a block
 * a long one: chunk by chunk it sets the sums of the row's known columns to zero, adds the pieces
 * of the rows of B that fall into the chunk, and writes the sums. Chunks without columns of the row
 * are passed over; several blocks share the chunks of long rows.
 *
 * Cost: products added; two break points read for each entry of A and each chunk that the row has
 * columns in. Memory: 4 bytes a row; rows of B * (cells + 1) offsets. Cells are larger than chunks
 * where there would be more break points than twice the entries of B; then entries beside the chunk
 * are read and dropped, as they are where rows of B are not in order, which have no break points.
 * Source: S1, breakpoint.
 * Differs: columns are known, so that chunks are neither cleared nor scanned; additions are atomic
 * only where several warps share a row, or a row of B may have a column twice; D. */
#include "core/checked.h"
#include "spgemm/gpu/device_rows.h"
#include "spgemm/gpu/device_values.h"
#include "spgemm/kernels/spgemm_breakpoint.k.h"

/* Bytes of the sums of a chunk, for a warp and for a block. */
enum { WARP_CHUNK = 4096, BLOCK_CHUNK = 32768 };

static const spl__row_shapes shapes =
    SPL__ROW_SHAPES({SPGEMM_CHUNK, .team = 32, .threads = 256, .most = 256, .most_work = 1 << 13},
                    {SPGEMM_CHUNK, .team = 128, .threads = 128, .most = 2048, .most_work = 1 << 17},
                    {SPGEMM_CHUNK, .team = 512, .threads = 512, .most = INT64_MAX});

static int64_t team_bytes(const void *context, const spl__row_shape *s)
{
    (void)context;
    return s->team == shapes.shape[0].team ? WARP_CHUNK : BLOCK_CHUNK;
}

static const char *kernel_of(const spl__row_shape *s)
{
    (void)s;
    return "spgemm_break_values";
}

static int32_t bits_of(int64_t columns)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < columns)
        bits++;
    return bits;
}

static int32_t chunk_bits(const spl_plan *plan, const spl__row_shape *s)
{
    return bits_of(team_bytes(plan, s) / (int64_t)spl__type_size(plan->problem.a.csr.type));
}

/* How columns are cut for break points. */
typedef struct cut {
    int32_t cell_bits;
    int64_t cells;
} cut;

/* As finely as the smallest chunks, or so that there are not more points than twice the entries of
 * B. */
static cut cut_of(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    int64_t most = spl__max_i64(1, (int64_t)(2 * f->nnz_b / (f->inner + 1))),
            cols = spl__max_i64(1, plan->problem.cols);
    int32_t finest = chunk_bits(plan, &shapes.shape[0]), coarsest = bits_of((cols - 1) / most + 1);
    cut x = {.cell_bits = finest > coarsest ? finest : coarsest};
    x.cells = ((cols - 1) >> x.cell_bits) + 1;
    return x;
}

/* together: rows of 2,000 to 3,500 columns of an R-MAT graph, random rows and arrows took 2.6
 * to 3.5 times what was predicted without, H200 */
static const spl__values_method parameters = {.costs = {.product = 24,
                                                        .row = 96,
                                                        .launches = 5,
                                                        .together = 40,
                                                        .alone_most = 256,
                                                        .chunk_most = 4096}};

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    spl__device_values_estimate(task, e);
    e->bytes += (double)(cut_of(task->plan).cells + 1) * f->inner *
                (double)spl__index_size(task->plan->problem.b.csr.offset_type);
}

static spl_status break_rows(spl_plan *plan, spl__device_array *points)
{
    const spl_sparse *b = &plan->problem.b.csr;
    cut x = cut_of(plan);
    int64_t count;
    if (!spl__mul_i64(b->rows, x.cells + 1, &count))
        return spl__fail(SPL_OVER_BUDGET, "more than 2^63-1 break points");
    SPL__TRY(
        spl__queue_alloc(&plan->problem.queue, count, spl__index_size(b->offset_type), points));
    struct spgemm_break_rows_args args = {.rows = b->rows,
                                          .cells = x.cells,
                                          .offsets = b->offsets,
                                          .columns = b->indices,
                                          .cell_bits = x.cell_bits,
                                          .points = points->data};
    return spl__product_launch(plan, "spgemm_break_rows", count, &args, sizeof args);
}

static spl_status prepare(spl__step *step)
{
    SPL__TRY(spl__row_kernels_prepare(step, &shapes, team_bytes, kernel_of));
    spl__row_kernels *rows = step->state;
    return spl__device_product_of(step->task.plan)->ordered
               ? break_rows(step->task.plan, &rows->extra)
               : SPL_OK;
}

typedef struct execution {
    spl_plan *plan;
    const spl__row_kernels *rows;
    struct spgemm_break_values_args args;
} execution;

/* Blocks that share a row, if there are few rows and they have many chunks. */
static int32_t pieces_of(const execution *x, const spl__bin_launch *l)
{
    enum { MOST = 16 };
    int64_t chunks = ((spl__max_i64(1, x->plan->problem.cols) - 1) >> x->args.chunk_bits) + 1;
    int64_t units = x->plan->problem.queue.device->properties.units;
    if (l->shape->team < SPGEMM_MOST_THREADS)
        return 1;
    return (int32_t)spl__max_i64(
        1, spl__min_i64(spl__min_i64(chunks, MOST), 4 * units / l->list_count));
}

static spl_status launch_bin(execution *x, int g)
{
    enum { LEAST = 4, WARP = 32 };
    spl__bin_launch l = spl__row_kernels_launch(x->rows, g);
    struct spgemm_break_values_args *args = &x->args;
    int64_t teams = l.shape->threads / l.shape->team;
    args->list = l.list;
    args->list_count = l.list_count;
    args->team = l.shape->team;
    args->width = l.shape->team == WARP ? WARP : spl__part_width(l.row_of_b, LEAST, WARP);
    args->chunk_bits = chunk_bits(x->plan, l.shape);
    args->pieces = pieces_of(x, &l);
    return SPL__LAUNCH_SHARED(&x->plan->problem.queue, args, l.kernel,
                              (args->list_count * args->pieces + teams - 1) / teams,
                              l.shape->threads, (size_t)(team_bytes(x->plan, l.shape) * teams));
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl_plan *plan = step->task.plan;
    cut c = cut_of(plan);
    execution x = {.plan = plan, .rows = step->state};
    x.args.o = spl__form_operands(plan, call);
    x.args.ordered = spl__device_product_of(plan)->ordered;
    x.args.cell_bits = c.cell_bits;
    x.args.cells = c.cells;
    x.args.points = x.rows->extra.data;
    spl__bin_walk walk = spl__bin_walk_begin(plan, &x.rows->bins, 0);
    for (int g; (g = spl__bin_walk_next(&walk)) >= 0;)
        walk.status = launch_bin(&x, g);
    return spl__bin_walk_end(&walk);
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl_plan *plan = step->task.plan;
    const spl__row_kernels *rows = step->state;
    spl__row_kernels_explain(step, text);
    spl__text_add(text, "  chunks of %s columns for warps",
                  spl__thousands((int64_t)1 << chunk_bits(plan, &shapes.shape[0])));
    spl__text_add(text, ", of %s for blocks",
                  spl__thousands((int64_t)1 << chunk_bits(plan, &shapes.shape[1])));
    if (rows->extra.data)
        spl__text_add(text, "; break points every %s\n",
                      spl__thousands((int64_t)1 << cut_of(plan).cell_bits));
    else
        spl__text_add(text, "; no break points, as rows of B are not in order\n");
}

const spl__method spl__spgemm_numeric_gpu_breakpoint = {
    .summary = "dense sums for one chunk of columns after another",
    .source = "S1, breakpoint",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .applicable = spl__device_values_applicable,
    .parameters = &parameters,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = spl__row_kernels_destroy,
};
