/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* holed_expand.c: expands the columns of C from its holed blocks. */
#include "core/combination.h"
#include "core/threads/team_seconds.h"
#include "spgemm/cpu/holed_operands.h"
#include "structure/block_size.h"

/* A table of popcounts for a line of a mask. */
#define BITS_2(n) (n), (n) + 1, (n) + 1, (n) + 2
#define BITS_4(n) BITS_2(n), BITS_2((n) + 1), BITS_2((n) + 1), BITS_2((n) + 2)
static const uint8_t bits_of[1 << SPL__BLOCK_MOST] = {BITS_4(0), BITS_4(1), BITS_4(1), BITS_4(2)};

#define SELF "spgemm/cpu/holed_expand.c"
#include "core/each_type.h"

typedef void (*expand_fn)(const spl__bsr *c, spl__product *product, int64_t row);
static const expand_fn note_lengths[SPL__COMBINATIONS] = SPL__TABLE(note_lengths);
static const expand_fn write_columns[SPL__COMBINATIONS] = SPL__TABLE(write_columns);

/* `slot`: seconds for each slot of a block. */
static void expand(const spl_plan *plan, const spl__bsr *c, double slot, expand_fn each)
{
    const double seconds = slot * (double)c->blocks * c->size * c->size;
    const int threads = spl__threads_worth(seconds, plan->problem.threads);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t r = 0; r < c->block_rows; r++)
        each(c, spl__product_of(plan), r);
}

spl_status spl__holed_expand(spl_plan *plan)
{
    spl__product *product = spl__product_of(plan);
    const spl__bsr *c = &product->holed->c;
    int64_t rows = plan->problem.rows;
    size_t index = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(SPL__NEW(&plan->account, &product->offsets, rows + 1));
    product->offsets[0] = 0;
    expand(plan, c, 0.1e-9, note_lengths[plan->problem.combination]);
    for (int64_t i = 0; i < rows; i++)
        product->offsets[i + 1] += product->offsets[i];
    SPL__TRY(spl__check_result_width(plan, product->offsets[rows]));
    SPL__TRY(spl__alloc(&plan->account, product->offsets[rows], index, &product->columns));
    spl__touch_pages(spl__account_watch(&plan->account), plan->problem.threads, product->columns,
                     (size_t)product->offsets[rows] * index);
    expand(plan, c, 1e-9, write_columns[plan->problem.combination]);
    product->known = true;
    return SPL_OK;
}

#else

/* Stores the lengths of a node's rows, each at the offset that follows. Six bits are counted by
 * table: not all supported processors have a popcount instruction. */
static void FN(note_lengths)(const spl__bsr *c, spl__product *product, int64_t node)
{
    const int64_t *offsets = c->offsets;
    const uint64_t line = ((uint64_t)1 << c->size) - 1;
    for (int l = 0; l < c->size; l++) {
        int64_t length = 0;
        for (int64_t k = offsets[node]; k < offsets[node + 1]; k++)
            length += bits_of[c->masks[k] >> (l * c->size) & line];
        product->offsets[node * c->size + l + 1] = length;
    }
}

/* Writes `size` columns, of which those of bits count, one behind the other; returns their number.
 * Most lines of a product have no holes. */
static inline int64_t FN(write_line)(I block, uint64_t bits, int size, I *columns)
{
    const uint64_t line = ((uint64_t)1 << size) - 1;
    int64_t count = 0;
    if ((bits & line) == line) {
        for (int j = 0; j < size; j++)
            columns[j] = (I)(block * size + j);
        return size;
    }
    for (int j = 0; j < size; j++) {
        columns[count] = (I)(block * size + j);
        count += (int64_t)(bits >> j & 1);
    }
    return count;
}

/* As long as a full block width fits the row, the next slot is written even if it is a hole; the
 * following store overwrites it. Positions are numbers: C may have no array, and a short row no
 * full block width before its end. */
static void FN(write_columns)(const spl__bsr *c, spl__product *product, int64_t node)
{
    const int64_t *offsets = c->offsets;
    const int size = c->size;
    I *const columns = (I *)product->columns;
    for (int l = 0; l < size; l++) {
        int64_t i = node * size + l, k = offsets[node], end = offsets[node + 1];
        int64_t position = product->offsets[i], last = product->offsets[i + 1] - size;
        for (; k < end && position <= last; k++)
            position += FN(write_line)(((const I *)c->indices)[k], c->masks[k] >> (l * size), size,
                                       columns + position);
        for (; k < end; k++)
            for (int j = 0; j < size; j++)
                if (c->masks[k] >> (l * size + j) & 1)
                    columns[position++] = (I)(((const I *)c->indices)[k] * size + j);
    }
}

#endif
