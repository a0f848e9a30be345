/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/hash: values of C = alpha*A*B + beta*D through a hash table per row.
 *
 * The row's columns are known (or found just before, after an upper bound), so the table is filled
 * with them first: it maps a column to its position in the row, and every product is added directly
 * to C. Every search succeeds, nothing is sorted.
 *
 * Cost: one probe per product; one insertion per column of C. Memory per thread: a table of at
 * least twice the longest row of C. Source: Y. Nagasaka, A. Nukada, S. Matsuoka, Memory-saving
 * hash SpGEMM [S3]. With spgemm/symbolic/cpu/hash it is S3's method in two phases: rows are
 * counted and filled with tables that are sized for them, memory is C and one table per thread.
 * Differs: S3 groups rows, by products and then by nnz, because a GPU kernel has one table size:
 * the power of two that is the group's bound. Here each row's table has the power of two of its
 * own bound, so every row has its group's size, and lists of rows would only spoil locality.
 * Structure is known from the symbolic phase, so the table holds positions instead of values,
 * and no rank sort is needed. */
#include "core/combination.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <omp.h>

#define SELF "spgemm/cpu/numeric_hash_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);

static size_t table_bytes(const spl_plan *plan)
{
    int64_t slots = spl__slots_for((int64_t)plan->features.longest_row_c);
    return 2 * (size_t)slots * spl__index_size(plan->problem.a.csr.index_type);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__machine *m = task->plan->machine;
    spl__table_estimate(task, table_bytes(task->plan), m->hash_product, m->hash_setup, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__numeric_prepare(step, table_bytes(step->task.plan), false);
}

const spl__method spl__spgemm_numeric_cpu_hash = {
    .summary = "hash table from column to position in the row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, 2016 [S3]",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = kernels,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__numeric_execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(slot) {
    I column; /* -1: empty */
    I position;
} FN(slot);

typedef struct FN(accumulator) {
    FN(slot) *table;
    int64_t mask;
    int shift;
    T *values;
} FN(accumulator);

static inline FN(slot) *FN(probe)(const FN(accumulator) *sums, I column, I stop)
{
    int64_t slot = spl__slot(column, sums->shift);
    while (sums->table[slot].column != column && sums->table[slot].column != stop)
        slot = (slot + 1) & sums->mask;
    return &sums->table[slot];
}

static inline FN(accumulator) FN(begin_row)(void *workspace, const I *columns, int64_t count,
                                            T *values)
{
    int64_t slots = spl__slots_for(count);
    FN(accumulator) sums = {workspace, slots - 1, spl__slot_shift(slots), values};
    for (int64_t s = 0; s < slots; s++)
        sums.table[s].column = -1;
    for (int64_t k = 0; k < count; k++) {
        *FN(probe)(&sums, columns[k], -1) = (FN(slot)){columns[k], (I)k};
        values[k] = 0;
    }
    return sums;
}

static inline void FN(add_scaled)(const FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    const FN(accumulator) s = *sums; /* a local copy, which stores cannot alias */
    for (int64_t k = 0; k < count; k++)
        s.values[FN(probe)(&s, columns[k], columns[k])->position] += scale * values[k];
}

static inline void FN(end_row)(const FN(accumulator) *sums)
{
    (void)sums; /* the sums are in C already */
}

#include "spgemm/cpu/rows/accumulate_rows.h"

#endif
