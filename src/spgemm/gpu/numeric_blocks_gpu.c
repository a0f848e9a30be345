/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/blocks: the values of C = alpha*A*B + beta*D where A, B and D are made of
 * dense blocks of 2 to 6 rows and columns.
 *
 * A team of 32 lanes has a row of C's blocks, whose sums are in shared memory, in C's order. It
 * walks the row's blocks of A; each lane holds a column of B's blocks in registers, and adds A's
 * block times that to the sums: a sum is loaded and stored once per row of the block, not once per
 * product. Values are read in place: those of the rows of a row of blocks are consecutive.
 * Positions in C's row are counted in windows of bits, or hashed, per block.
 *
 * Blocks may have holes: each execution then copies the operands with zeros in the holes, and masks
 * mark the sums that are entries of C. If a number is not finite, its product with such a zero
 * would be NaN: a following kernel then computes all values entry by entry.
 *
 * Without blocks of several rows every entry is a block: this form serves plans whose results must
 * be the same in every run.
 *
 * Cost: products; for each of their blocks' rows a load and a store of shared memory; C's values
 * written. Memory: the structures of blocks of A, B, D and C. Sums are added in the order of A's
 * entries: the same in every run. Source: own; blocks of several unknowns per node as in BSR
 * formats. */
#include "spgemm/gpu/device_values.h"
#include "spgemm/kernels/blocks/spgemm_blocks.k.h"

static const spl__values_method parameters = {
    .family = SPL__BY_BLOCKS,
    .shapes =
        SPL__ROW_SHAPES({SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 4096, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 6144, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 8192, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 10240, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 12288, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 16384, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 20480, .sparsest = 8},
                        {SPGEMM_WINDOW, .team = 32, .threads = 128, .most = 24576, .sparsest = 16},
                        {SPGEMM_WINDOW, .team = 32, .threads = 64, .most = 28160, .sparsest = 16},
                        {SPGEMM_WINDOW, .team = 32, .threads = 64, .most = 36864, .sparsest = 16},
                        {SPGEMM_WINDOW, .team = 32, .threads = 64, .most = 49152, .sparsest = 16},
                        {SPGEMM_WINDOW, .team = 32, .threads = 32, .most = 73728, .sparsest = 16},
                        {SPGEMM_HASH, .team = 32, .threads = 32, .most = 256}),
};

/* Steps of a warp for all products. A pair of a row of a block of A and one of B has size^2 of
 * them. */
static double steps_of(const spl__gpu_machine *m, const spl__features *f, double block)
{
    double warps = f->products / SPGEMM_BLOCK_LANES;
    if (block > 1)
        return (m->spgemm_block_product + m->spgemm_block_pair / (block * block)) * warps +
               m->spgemm_block_row * f->rows / block;
    return m->spgemm_single_product * warps + m->spgemm_single_row * f->rows;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double block = spl__device_product_of(task->plan)->form.block;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    spl__device_work work = {.streamed = value * (f->nnz_a + f->nnz_c),
                             .gathered = value * f->products / block,
                             .reach = value * f->nnz_b,
                             .steps = steps_of(task->plan->gpu_machine, f, block),
                             .longest = block > 1 ? f->longest_products / (8 * block * block)
                                                  : 4 * f->longest_products,
                             .launches = 3};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

static spl_status prepare(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    const spl__form_kind *kind = spl__form_of(plan)->kind;
    SPL__TRY(spl__device_values_prepare(step));
    return kind->find ? kind->find(step) : SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl_plan *plan = step->task.plan;
    const spl__form_kind *kind = spl__form_of(plan)->kind;
    if (kind->begin)
        SPL__TRY(kind->begin(plan, call));
    SPL__TRY(spl__device_values_execute(step, call));
    return kind->end ? kind->end(plan, call) : SPL_OK;
}

const spl__method spl__spgemm_numeric_gpu_blocks = {
    .summary = "dense blocks of several unknowns per node",
    .source = "own; dense blocks as in BSR formats",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__OF_BLOCKS,
    .parameters = &parameters,
    .applicable = spl__device_values_applicable,
    .estimate = estimate,
    .prepare = prepare,
    .enqueue_early = spl__device_values_enqueue_early,
    .execute = execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
