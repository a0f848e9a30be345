/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* Small one-shot SpGEMM: see spgemm_once.h. Not a method, since there is no plan to choose it.
 * Products are counted, which bounds C. Rows are found one after the other: a row of one term is
 * copied, a long one is added up as by the method one_pass (sum_row.h), others are placed as their
 * columns are met (place_row.h). Once all are found, and the stores of each row have been done for
 * long, they are sorted to arrays of their size (order_row.h), or copied as they are.
 *
 * Cost: per product an addition, three stores and a load; per entry of C its share of the sort.
 * Memory: products columns and values; per column of C a position, and what a long row needs. */
#include "core/checked.h"
#include "core/context.h"
#include "core/memory.h"
#include "core/variant.h"
#include "machine/machine.h"
#include "matrix/matrix.h"
#include "spgemm/cpu/rows/sum_space.h"
#include "spgemm/spgemm_once.h"

#include <string.h>

typedef struct product {
    const spl_sparse *a, *b;
    const void *alpha;
    enum { COUNT, MULTIPLY, ORDER } stage;
    int64_t work; /* products */
    int64_t most; /* entries of a row of C */
    bool has_long_rows;
    bool repeats; /* many rows of A have the columns of the row before */
    void *space;  /* of a long row */
    uint32_t *positions;
    void *offsets, *columns, *values; /* of C, as it is found */
    void *to_columns, *to_values;     /* of C in order */
} product;

typedef void (*kernel_fn)(product *c);

#define SELF "spgemm/cpu/spgemm_once_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_once, kernel_fn, pass, SPL__V4)

#ifndef SPL__VARIANT

/* Whether operands are small, and memory has no budget. */
static bool serves(const spl__once *once)
{
    const spl_sparse *a = &once->a, *b = &once->sparse;
    enum { LIGHTER = 8 }; /* than products */
    double work =
        (double)a->rows + (double)a->nnz + (double)b->rows + (double)b->cols + (double)b->nnz;
    return work <= LIGHTER * spl__machine_cpu.once_products && once->budget == 0 &&
           spl__account_room(&once->context->account) == SIZE_MAX;
}

/* Makes a matrix of exactly the size of what was found. */
static spl_status take(const spl__once *once, kernel_fn pass, product *found, spl_matrix **c)
{
    spl_matrix *m;
    spl_sparse header = once->a;
    const size_t index = spl__index_size(header.index_type), value = spl__type_size(header.type);
    header.cols = once->sparse.cols;
    header.nnz = spl__index_at(found->offsets, header.offset_type, header.rows);
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_around(&once->context->account, &header, found->offsets, NULL, NULL, &m));
    if (once->unsorted || found->most <= 1) {
        memcpy(m->indices, found->columns, (size_t)header.nnz * index);
        memcpy(m->values, found->values, (size_t)header.nnz * value);
    } else {
        found->stage = ORDER;
        found->to_columns = m->indices;
        found->to_values = m->values;
        pass(found);
    }
    *c = m;
    return SPL_OK;
}

/* The workspace of a row, columns and values: one block; offsets, which C keeps. */
static spl_status allocate(const spl__once *once, product *c)
{
    spl__account *account = &once->context->account;
    enum { ALIGN = 8 }; /* of columns, which follow the values */
    const size_t value = spl__type_size(once->a.type), index = spl__index_size(once->a.index_type);
    const size_t work = ((size_t)c->work + ALIGN) / ALIGN * ALIGN;
    const size_t positions = (size_t)c->b->cols * sizeof *c->positions;
    size_t bytes = spl__sum_space(value) + spl__long_sum_space(c->b->cols, value);
    bytes = (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
    SPL__TRY(spl__alloc(account, 1, bytes + work * (value + index) + positions, &c->space));
    c->values = (char *)c->space + bytes;
    c->columns = (char *)c->values + work * value;
    c->positions = (uint32_t *)((char *)c->columns + work * index);
    memset(c->values, 0, (size_t)c->work * value);
    memset(c->positions, 0, positions);
    spl__sum_space_start(c->space);
    return spl__alloc(account, once->a.rows + 1, spl__index_size(once->a.offset_type), &c->offsets);
}

spl_status spl__spgemm_once(const spl__once *once, bool *done, spl_matrix **c)
{
    const kernel_fn pass =
        kernel(spl__combination(once->a.type, once->a.offset_type, once->a.index_type));
    product found = {.a = &once->a, .b = &once->sparse, .alpha = once->call.alpha};
    *done = serves(once);
    if (!*done)
        return SPL_OK;
    SPL__TRY(spl__view_check(NULL, 1, &once->a, "A"));
    SPL__TRY(spl__view_check(NULL, 1, &once->sparse, "B"));
    SPL__TRY(spl__progress(once->context, "multiply", 0, 1));
    pass(&found);
    *done = (double)found.work <=
            (found.repeats ? spl__machine_cpu.once_repeated : spl__machine_cpu.once_products);
    if (!*done)
        return SPL_OK;
    spl_status status = allocate(once, &found);
    if (status == SPL_OK) {
        found.stage = MULTIPLY;
        pass(&found);
        status = take(once, pass, &found, c);
    }
    if (status != SPL_OK)
        spl__free(found.offsets);
    spl__free(found.space);
    return status;
}

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

#include "spgemm/cpu/rows/order_row.h"
#include "spgemm/cpu/rows/place_row.h"
#include "structure/row_equals_previous.h"

/* Whether three eighths of some rows in the middle have the columns of the row before, as in blocks
 * of two and more, which plans multiply as such. */
static SPL__APART bool FN(repeats)(const spl_sparse *m)
{
    enum { ROWS = 32 };
    const int64_t first = spl__max_i64(0, m->rows / 2 - ROWS / 2),
                  end = spl__min_i64(first + ROWS, m->rows);
    const P *offsets = m->offsets;
    int64_t count = 0;
    for (int64_t i = first + 1; i < end; i++)
        count += offsets[i] < offsets[i + 1] && FN(row_equals_previous)(m, i);
    return 8 * count >= 3 * (end - first);
}

/* The length of the longest row. */
static SPL__APART int64_t FN(longest)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    P longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    return (int64_t)longest;
}

static void FN(count)(product *c)
{
    const P *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    int64_t work = 0;
    for (int64_t p = 0; p < c->a->nnz; p++)
        work += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
    c->work = work;
    c->repeats = (double)work > spl__machine_cpu.once_repeated && FN(repeats)(c->a);
    c->has_long_rows = !spl__sum_is_sorted(FN(longest)(c->a) * FN(longest)(c->b), c->b->cols);
}

/* Whether row i is too long to be placed and sorted. */
static SPL__APART bool FN(is_long)(const product *c, int64_t i)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    int64_t work = 0;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++)
        work += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
    return !spl__sum_is_sorted(work, c->b->cols);
}

/* Row i of C, which is long, in order, to where columns and values are to be; returns its length.
 */
static SPL__APART int64_t FN(multiply_row)(const product *c, int64_t i, I *columns, T *values)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    FN(accumulator) sums = FN(begin_sums)(c->b->cols, INT64_MAX, c->space);
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        FN(add_scaled)(&sums, b_columns + begin, b_values + begin, end - begin,
                       alpha * a_values[p]);
    }
    return FN(end_row)(&sums, columns, values);
}

/* A row of one term is a row of B, scaled. False if that is not in order, or not without
 * duplicates. */
static bool FN(copy_row)(const I *restrict columns, const T *restrict values, int64_t count,
                         T scale, I *restrict to_columns, T *restrict to_values)
{
    bool ascends = true;
    for (int64_t k = 0; k < count; k++) {
        ascends &= k == 0 || columns[k] > columns[k - 1];
        to_columns[k] = columns[k];
        to_values[k] = scale * values[k];
    }
    return ascends;
}

/* Row i of C; returns its length. What is not in order yet, and only that, is placed. */
static inline int64_t FN(find_row)(const product *c, int64_t i, FN(places) *places, I *columns,
                                   T *values)
{
    const P p = ((const P *)c->a->offsets)[i], terms = ((const P *)c->a->offsets)[i + 1] - p,
            *b_offsets = c->b->offsets;
    const T alpha = *(const T *)c->alpha;
    if (terms == 0)
        return 0;
    if (terms == 1) {
        const I k = ((const I *)c->a->indices)[p];
        const P begin = b_offsets[k], count = b_offsets[k + 1] - begin;
        if (FN(copy_row)((const I *)c->b->indices + begin, (const T *)c->b->values + begin,
                         (int64_t)count, alpha * ((const T *)c->a->values)[p], columns, values))
            return (int64_t)count;
        memset(values, 0, (size_t)count * sizeof(T));
    }
    if (c->has_long_rows && FN(is_long)(c, i))
        return FN(multiply_row)(c, i, columns, values);
    return FN(place_row)(places, c->a, c->b, i, alpha, columns, values);
}

/* Rows of C, one behind the other: long ones in order, others as their columns are met. */
static void FN(multiply)(product *c)
{
    P *offsets = c->offsets, found = 0;
    FN(places) places = {.positions = c->positions, .next = 1};
    int64_t most = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < c->a->rows; i++) {
        const int64_t count =
            FN(find_row)(c, i, &places, (I *)c->columns + found, (T *)c->values + found);
        found += (P)count;
        most = spl__max_i64(most, count);
        offsets[i + 1] = found;
    }
    c->most = most;
}

/* Copies C to its arrays, in order. */
static void FN(order)(product *c)
{
    const P *offsets = c->offsets;
    const I *columns = c->columns;
    const T *values = c->values;
    const int bits = spl__position_bits(c->b->cols);
    for (int64_t i = 0; i < c->a->rows; i++) {
        const P begin = offsets[i];
        const int64_t count = offsets[i + 1] - begin;
        I *to_columns = (I *)c->to_columns + begin;
        T *to_values = (T *)c->to_values + begin;
        if (spl__sum_is_sorted(count, c->b->cols) && !(c->has_long_rows && FN(is_long)(c, i))) {
            FN(order_row)(columns + begin, values + begin, count, bits, to_columns, to_values);
            continue;
        }
        memcpy(to_columns, columns + begin, (size_t)count * sizeof(I));
        memcpy(to_values, values + begin, (size_t)count * sizeof(T));
    }
}

static void FN(pass)(product *c)
{
    static void (*const stages[])(product *) = {FN(count), FN(multiply), FN(order)};
    stages[c->stage](c);
}

#endif
