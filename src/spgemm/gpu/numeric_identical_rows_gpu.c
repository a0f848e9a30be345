/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/identical_rows: the values of C = alpha*A*B + beta*D where neighbouring rows
 * have the same columns, in groups of one to six rows, in any mixture: nodes with different numbers
 * of unknowns, some of them fixed by boundary conditions, in any order.
 *
 * A team of 32 lanes computes a group of identical rows of C; their sums are in shared memory, in
 * C's order. It walks the runs of neighbouring columns of A that lead to identical rows of B. Each
 * lane holds one column of these rows of B in registers and adds A's entries times its values to
 * the sums. So a column is read and its position found once for all rows of the group and of the
 * run, and a sum is loaded and stored once per run. Values are read in place: the rows of a group
 * are consecutive. Positions are found with a two-level bitmap (spgemm_nested.h) or by hashing.
 *
 * Cost: products / (rows of a group) columns and values of B read, a load and a store of shared
 * memory per product / (columns of a run); C's values written. Memory: the merged structures of
 * A, D and C. Sums are added in the order of A's entries: the same in every run. Source: own;
 * groups of rows as in PETSc's inodes: S. Balay et al., PETSc/TAO Users Manual. Differs: rows of
 * B are grouped as well, and need no alignment with columns of A; groups are found on the
 * device. */
#include "spgemm/gpu/device_values.h"
#include "spgemm/kernels/blocks/spgemm_identical_rows.k.h"

/* A's entries, where all lanes see them */
enum { MOST_BYTES = SPGEMM_MOST_RUNS * SPGEMM_MOST_RUNS * sizeof(double) };
static const spl__value_kernels kernels = {
    .of_kind =
        {[SPGEMM_NESTED] = "spgemm_more_rows_values", [SPGEMM_HASH] = "spgemm_more_rows_values"},
    .of_few_rows = "spgemm_few_rows_values",
    .sums = 1,
    .most_rows = SPGEMM_MOST_RUNS,
    .own_bytes = MOST_BYTES};

static const spl__values_method parameters = {
    .family = SPL__BY_ROWS,
    .shapes = SPL__ROW_SHAPES(
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 4096, .sparsest = 32,
         .rows = SPGEMM_FEW_RUNS},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 8192, .sparsest = 32,
         .rows = SPGEMM_FEW_RUNS},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 12288, .sparsest = 32,
         .rows = SPGEMM_FEW_RUNS},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 16384, .sparsest = 32,
         .rows = SPGEMM_FEW_RUNS},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 24576, .sparsest = 32,
         .rows = SPGEMM_FEW_RUNS},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 8192, .sparsest = 32},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 12288, .sparsest = 32},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 16384, .sparsest = 32},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 20480, .sparsest = 32},
        {SPGEMM_NESTED, .team = 32, .threads = 128, .most = 24576, .sparsest = 64},
        {SPGEMM_NESTED, .team = 32, .threads = 64, .most = 32768, .sparsest = 64},
        {SPGEMM_NESTED, .team = 32, .threads = 64, .most = 49152, .sparsest = 64},
        {SPGEMM_NESTED, .team = 32, .threads = 32, .most = 73728, .sparsest = INT32_MAX},
        {SPGEMM_HASH, .team = 32, .threads = 32, .most = 256}),
    .kernels = &kernels};

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    spl__form_times times = spl__form_of(task->plan)->times;
    /* of a run */
    double value = (double)spl__type_size(task->plan->problem.a.csr.type),
           columns = times.a / times.rows;
    spl__device_work work = {
        .streamed = value * (f->nnz_a + f->nnz_c) + 8 * f->nnz_a / times.a,
        .gathered = value * f->products / times.rows + 4 * f->products / times.products,
        .reach = (4 + value) * f->nnz_b,
        .steps = (m->spgemm_identical_product + m->spgemm_identical_run / columns) * f->products /
                     SPGEMM_RUNS_LANES +
                 m->spgemm_identical_row * f->rows / times.rows,
        .longest = f->longest_products * times.rows / times.products / SPGEMM_RUNS_LANES / 2,
        .launches = 4};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

const spl__method spl__spgemm_numeric_gpu_identical_rows = {
    .summary = "neighbouring rows with the same columns at once",
    .source = "own; groups of rows as in PETSc's inodes",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__OF_IDENTICAL_ROWS,
    .parameters = &parameters,
    .applicable = spl__device_values_applicable,
    .estimate = estimate,
    .prepare = spl__device_values_prepare,
    .enqueue_early = spl__device_values_enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
