/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm_winners_cpu.c: C = op(A)*B over a min_ or max_ semiring, with the rows of B that won: the
 * rows of any plan on the CPU, row by row, a tile of columns at a time. Of equal products the least
 * row of B wins, whatever the order of A's entries. */
#include "core/combination.h"
#include "plan/row_ranges.h"
#include "spmm/masked_rows_of_c.h"

enum { TILE = 8, RANGE_ROWS = 512 };
/* Elements of B under a mask from which on other threads are woken: 10 us of one. */
enum { ALONE_WORK = 8192 };

#define SELF "spmm/cpu/spmm_winners_cpu.c"
#include "core/each_type.h"

static const spl__row_range_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(multiply_rows);

void spl__spmm_winners(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl__row_ranges ranges = {.rows = RANGE_ROWS,
                                    .alone = ALONE_WORK / (p->cols + 1),
                                    .compute = kernels[p->combination]};
    spl__row_ranges_multiply(&ranges, p, p->threads, call);
}

#else
#define IN_HALVES
#define IN_INTEGERS
#define ONE_LOOP /* six semirings were 180 kB of code */

/* Strides in elements. */
typedef struct FN(rows) {
    const spl_sparse *a;
    const T *b;
    T *c;
    int64_t b_row, b_column, c_row, c_column, columns;
    int64_t *winners;
    int64_t ld;
} FN(rows);

static inline FN(rows) FN(rows_of)(const spl__row_range *range)
{
    const spl_dense *b = range->call->b, *c = range->call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    return (FN(rows)){.a = &range->problem->a.csr,
                      .b = b->values,
                      .c = c->values,
                      .b_row = b_rows ? b->ld : 1,
                      .b_column = b_rows ? 1 : b->ld,
                      .c_row = c_rows ? c->ld : 1,
                      .c_column = c_rows ? 1 : c->ld,
                      .columns = c->cols,
                      .winners = range->call->winners,
                      .ld = range->call->winners_ld};
}

/* Writes columns j to j + count - 1 of a row. */
static inline __attribute__((always_inline)) void FN(find)(const FN(rows) *r, int64_t i, int64_t j,
                                                           const int count, const int32_t semiring)
{
    const bool is_min = spl__semiring_is_min(semiring), reads_a = spl__semiring_reads_a(semiring);
    const P *offsets = r->a->offsets;
    const I *inner = r->a->indices;
    const T *values = r->a->values;
    ACC best[TILE];
    int64_t won[TILE];
    for (int t = 0; t < count; t++) {
        best[t] = SPL__SEMIRING_NONE(ACC, semiring);
        won[t] = -1;
    }
    for (P p = offsets[i]; p < offsets[i + 1]; p++) {
        const ACC a = reads_a ? WIDEN(values[p]) : 0;
        const int64_t k = inner[p];
        const T *from = r->b + k * r->b_row + j * r->b_column;
        for (int t = 0; t < count; t++) {
            const ACC product =
                SPL__SEMIRING_PRODUCT(ACC, semiring, a, WIDEN(from[t * r->b_column]));
            const bool better = is_min ? product < best[t] : product > best[t],
                       first = product == best[t] && (won[t] < 0 || k < won[t]);
            best[t] = better ? product : best[t];
            won[t] = better || first ? k : won[t];
        }
    }
    for (int t = 0; t < count; t++) {
        r->c[i * r->c_row + (j + t) * r->c_column] = NARROW(best[t]);
        r->winners[i * r->ld + j + t] = won[t];
    }
}

static inline __attribute__((always_inline)) int64_t FN(compute_row)(const FN(rows) *r, int64_t i,
                                                                     const int32_t semiring)
{
    const P *offsets = r->a->offsets;
    int64_t j = 0;
    if (!spl__semiring_is_min(semiring) && !spl__semiring_is_max(semiring))
        return 0; /* refused before */
    for (; j + TILE <= r->columns; j += TILE)
        FN(find)(r, i, j, TILE, semiring);
    if (j < r->columns)
        FN(find)(r, i, j, (int)(r->columns - j), semiring);
    return offsets[i + 1] - offsets[i];
}

static inline void FN(clear_row)(const FN(rows) *r, int64_t i, int32_t semiring)
{
    for (int64_t j = 0; j < r->columns; j++) {
        r->c[i * r->c_row + j * r->c_column] = NARROW(SPL__SEMIRING_NONE(ACC, semiring));
        r->winners[i * r->ld + j] = -1;
    }
}

#include "plan/semiring_rows.h"

#undef ONE_LOOP

#endif
