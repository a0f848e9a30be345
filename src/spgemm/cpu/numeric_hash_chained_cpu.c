/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/hash_chained: values of C = alpha*A*B + beta*D through a chained hash table
 * per row.
 *
 * A slot holds the position in the row of the first column that hashes there; `next` leads from a
 * column to the next one of its slot. The row's columns are known and serve as keys: the table
 * holds positions only. Every column that is looked up is in its chain, so chains need no end and
 * slots no clearing.
 *
 * Cost: a walk along a chain per product, about 1.5 steps; one insertion per column of C. Memory
 * per thread: one to two indices per column of the longest row of C for the slots, and one for
 * `next`. Source: S1, numeric phase, hash leaf: a colliding entry goes to a `next` chain.
 * Differs: structure is known from the symbolic phase, so every search succeeds. */
#include "core/combination.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <omp.h>

/* Slots for a row of `columns` columns: a power of two, at least 16, about one column in each. */
static inline int64_t slots_for(int64_t columns)
{
    return spl__ceil_pow2(spl__max_i64(16, columns));
}

#define SELF "spgemm/cpu/numeric_hash_chained_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);

static size_t workspace(const spl_plan *plan)
{
    int64_t longest = (int64_t)plan->features.longest_row_c;
    return (size_t)(slots_for(longest) + longest) * spl__index_size(plan->problem.a.csr.index_type);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__machine *m = task->plan->machine;
    spl__table_estimate(task, workspace(task->plan), m->chain_product, m->chain_setup, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__numeric_prepare(step, workspace(step->task.plan), false);
}

const spl__method spl__spgemm_numeric_cpu_hash_chained = {
    .summary = "chained hash table from column to position in the row",
    .source = "S1, numeric phase, hash leaf",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = kernels,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__numeric_execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(accumulator) {
    I *first;         /* per slot: a position in the row */
    I *next;          /* per position: another position of the same slot */
    const I *columns; /* per position */
    T *values;
    int shift;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(void *workspace, const I *columns, int64_t count,
                                            T *values)
{
    int64_t slots = slots_for(count);
    I *restrict first = workspace, *restrict next = first + slots;
    int shift = spl__slot_shift(slots);
    for (int64_t k = 0; k < count; k++) {
        int64_t slot = spl__slot(columns[k], shift);
        /* for the first column of a slot this is stale, but never followed */
        next[k] = first[slot];
        first[slot] = (I)k;
        values[k] = 0;
    }
    return (FN(accumulator)){first, next, columns, values, shift};
}

static inline void FN(add_scaled)(const FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    const FN(accumulator) s = *sums; /* a local copy, which stores cannot alias */
    for (int64_t k = 0; k < count; k++) {
        I position = s.first[spl__slot(columns[k], s.shift)];
        while (s.columns[position] != columns[k])
            position = s.next[position];
        s.values[position] += scale * values[k];
    }
}

static inline void FN(end_row)(const FN(accumulator) *sums)
{
    (void)sums; /* the sums are in C already */
}

#include "spgemm/cpu/rows/accumulate_rows.h"

#endif
