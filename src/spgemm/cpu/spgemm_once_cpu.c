/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* Small one-shot SpGEMM: see spgemm_once.h. Not a method, since there is no plan to choose it.
 * Products are counted, which bounds C; rows are added up as by the method one_pass (sum_row.h),
 * one after the other, then copied to arrays of their size.
 *
 * Cost: products, as one_pass; entries of A once more. Memory: products columns and values, and
 * the workspace of a row. */
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
    int64_t work;                     /* products */
    void *space;                      /* of a row; NULL: only `work` is wanted */
    void *offsets, *columns, *values; /* of C */
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
    double work =
        (double)a->rows + (double)a->nnz + (double)b->rows + (double)b->cols + (double)b->nnz;
    return work <= spl__machine_cpu.once_products && once->budget == 0 &&
           spl__account_room(&once->context->account) == SIZE_MAX;
}

/* Makes a matrix of exactly the size of what was found. */
static spl_status take(const spl__once *once, const product *found, spl_matrix **c)
{
    spl_matrix *m;
    spl_sparse header = once->a;
    const size_t index = spl__index_size(header.index_type), value = spl__type_size(header.type);
    header.cols = once->sparse.cols;
    header.nnz = spl__index_at(found->offsets, header.offset_type, header.rows);
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_around(&once->context->account, &header, found->offsets, NULL, NULL, &m));
    memcpy(m->indices, found->columns, (size_t)header.nnz * index);
    memcpy(m->values, found->values, (size_t)header.nnz * value);
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
    size_t bytes = spl__sum_space(value) + spl__long_sum_space(c->b->cols, value);
    bytes = (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
    SPL__TRY(spl__alloc(account, 1, (int64_t)(bytes + work * (value + index)), &c->space));
    c->values = (char *)c->space + bytes;
    c->columns = (char *)c->values + work * value;
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
    pass(&found); /* counts */
    *done = (double)found.work <= spl__machine_cpu.once_products;
    if (!*done)
        return SPL_OK;
    spl_status status = allocate(once, &found);
    if (status == SPL_OK) {
        pass(&found); /* multiplies */
        status = take(once, &found, c);
    }
    if (status != SPL_OK)
        spl__free(found.offsets);
    spl__free(found.space);
    return status;
}

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

/* Products of a row up to which sorting them beats marking them: fewer where C has few words of
 * columns to look at, and where keys are not sorted in registers. */
static inline int64_t FN(most_sorted)(const product *c)
{
    enum { FEW = 16, FEW_COLUMNS = 512 };
#ifdef __AVX512F__
    return c->b->cols <= FEW_COLUMNS ? FEW : SPL__MOST_KEYS;
#else
    (void)c;
    return FEW;
#endif
}

/* Products of row i. */
static inline int64_t FN(products_of)(const product *c, int64_t i)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    int64_t work = 0;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++)
        work += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
    return work;
}

static void FN(count)(product *c)
{
    for (int64_t i = 0; i < c->a->rows; i++)
        c->work += FN(products_of)(c, i);
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

/* Row i of C, of so many products, to where columns and values are to be; returns its length. */
static int64_t FN(multiply_row)(const product *c, int64_t i, int64_t work, I *columns, T *values)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    P p = a_offsets[i];
    if (a_offsets[i + 1] - p == 1 &&
        FN(copy_row)(b_columns + b_offsets[a_columns[p]], b_values + b_offsets[a_columns[p]], work,
                     alpha * a_values[p], columns, values))
        return work;
    FN(accumulator) sums =
        FN(begin_sums)(c->b->cols, work > FN(most_sorted)(c) ? INT64_MAX : work, c->space);
    for (; p < a_offsets[i + 1]; p++) {
        P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        FN(add_scaled)(&sums, b_columns + begin, b_values + begin, end - begin,
                       alpha * a_values[p]);
    }
    return FN(end_row)(&sums, columns, values);
}

static void FN(multiply)(product *c)
{
    P *offsets = c->offsets, found = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < c->a->rows; i++) {
        const int64_t work = FN(products_of)(c, i);
        if (work > 0)
            found +=
                (P)FN(multiply_row)(c, i, work, (I *)c->columns + found, (T *)c->values + found);
        offsets[i + 1] = found;
    }
}

static void FN(pass)(product *c)
{
    if (c->space)
        FN(multiply)(c);
    else
        FN(count)(c);
}

#endif
