/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c: describes a matrix for `sparloom info`. Exact and simple; plans use the cheaper
 * features of plan/. */
#include "structure/describe.h"
#include "core/checked.h"
#include "core/context.h"
#include "core/sized.h"
#include "format/bsr.h"
#include "format/narrow_values.h"
#include "matrix/arrange.h"
#include "matrix/compact.h"
#include "matrix/matrix.h"
#include "structure/block_size.h"

#include <math.h>
#include <string.h>

static void describe_rows(spl__watch *watch, const spl_sparse *csr, spl_description *d)
{
    double squares = 0;
    for (int64_t i = 0, p = 0; i < csr->rows && spl__watch_goes_on_at(watch, i); i++) {
        int64_t begin = p, end = spl__offset_at(csr, i + 1);
        int32_t unsorted = 0;
        for (; p < end; p++) {
            int64_t j = spl__entry_index(csr, p);
            unsorted |= p > begin && j < spl__entry_index(csr, p - 1);
            d->bandwidth = spl__max_i64(d->bandwidth, j > i ? j - i : i - j);
        }
        d->empty_rows += begin == end;
        d->unsorted_rows += unsorted;
        d->longest_row = spl__max_i64(d->longest_row, end - begin);
        squares += (double)(end - begin) * (double)(end - begin);
    }
    if (csr->rows > 0) {
        d->mean_row = (double)csr->nnz / (double)csr->rows;
        d->row_deviation = sqrt(fmax(0, squares / (double)csr->rows - d->mean_row * d->mean_row));
    }
    if (csr->rows > 0 && csr->cols > 0)
        d->density = (double)csr->nnz / (double)csr->rows / (double)csr->cols;
}

/* The products of A*A: an entry (i,k) is multiplied by row k. */
static spl_status count_square(spl__watch *watch, const spl_sparse *csr, spl_description *d)
{
    for (int64_t p = 0; p < csr->nnz && spl__watch_goes_on_at(watch, p); p++) {
        int64_t k = spl__entry_index(csr, p);
        if (!spl__add_i64(d->products, spl__offset_at(csr, k + 1) - spl__offset_at(csr, k),
                          &d->products))
            return spl__fail(SPL_INDEX_OVERFLOW, "A*A has more than 2^63-1 products");
    }
    return spl__watch_check(watch);
}

/* The products of A*A^T: an entry in column k is multiplied by every entry of column k.
 * `columns` is CSR of the transpose. */
static spl_status count_gram(const spl_sparse *columns, spl_description *d)
{
    for (int64_t k = 0; k < columns->rows; k++) {
        int64_t length = spl__offset_at(columns, k + 1) - spl__offset_at(columns, k), square;
        if (!spl__mul_i64(length, length, &square) ||
            !spl__add_i64(d->products, square, &d->products))
            return spl__fail(SPL_INDEX_OVERFLOW, "A*A^T has more than 2^63-1 products");
    }
    return SPL_OK;
}

static void compare_transpose(spl__watch *watch, const spl_sparse *a, const spl_sparse *transposed,
                              spl_description *d)
{
    size_t index_bytes = (size_t)a->nnz * spl__index_size(a->index_type);
    size_t offset_bytes = (size_t)(a->rows + 1) * spl__index_size(a->offset_type);
    d->pattern_symmetric =
        memcmp(a->offsets, transposed->offsets, offset_bytes) == 0 &&
        (a->nnz == 0 || memcmp(a->indices, transposed->indices, index_bytes) == 0);
    d->value_symmetric = d->pattern_symmetric;
    for (int64_t p = 0; p < a->nnz && d->value_symmetric && spl__watch_goes_on_at(watch, p); p++)
        d->value_symmetric = spl__values_equal(a->values, transposed->values, a->type, p);
}

void spl__describe_fill(spl_description *d, int64_t size, double blocks)
{
    const double least_fill = .6;
    double entries = (double)(d->nnz - d->duplicates),
           fill = entries / (blocks * (double)(size * size));
    double before = d->holed_block_size > 1 ? spl__block_steps((double)d->holed_block_size,
                                                               d->block_fill * d->block_fill)
                                            : INFINITY;
    if (fill < least_fill || spl__block_steps((double)size, fill * fill) >= before)
        return;
    d->holed_block_size = size;
    d->block_fill = fill;
}

bool spl__describe_divides(const spl_description *d, int64_t size)
{
    return d->nnz > 0 && d->rows % size == 0 && d->cols % size == 0;
}

/* Counts blocks of `size`; incomplete after a cancel. */
static double count_blocks(spl__watch *watch, const spl_sparse *csr, int size)
{
    enum { ROWS = 1 << 14 };
    double blocks = 0;
    for (int64_t r = 0, last = csr->rows / size; r < last && spl__watch_goes_on(watch); r += ROWS)
        blocks += (double)spl__bsr_count(csr, size, r, spl__min_i64(r + ROWS, last));
    return blocks;
}

/* `csr` must have each position once, in order. */
static void describe_holes(spl__watch *watch, const spl_sparse *csr, spl_description *d)
{
    d->holed_block_size = d->block_size;
    d->block_fill = 1;
    for (int size = 2; size <= SPL__BLOCK_MOST && d->block_size == 1; size++)
        if (spl__describe_divides(d, size))
            spl__describe_fill(d, size, count_blocks(watch, csr, size));
}

static const spl_convert_options flip = {.size = sizeof flip, .format = SPL_CSR, .transpose = 1};

static spl_convert_options sum_of(const spl_sparse *view)
{
    spl_convert_options sum = {.size = sizeof sum, .format = SPL_CSR, .sum_duplicates = 1};
    sum.index_type = view->cols > INT32_MAX ? SPL_I64 : view->index_type;
    sum.offset_type =
        view->nnz > INT32_MAX || sum.index_type == SPL_I64 ? SPL_I64 : view->offset_type;
    return sum;
}

/* Properties that need unique positions: sums duplicates, then transposes. */
static spl_status describe_symmetry(spl__account *account, int threads, const spl_sparse *view,
                                    spl_description *d)
{
    const spl_convert_options sum = sum_of(view);
    spl_matrix *a = NULL, *transposed = NULL;
    spl__watch *watch = spl__account_watch(account);
    spl_status status = spl__convert(account, threads, view, &sum, &a);
    if (status == SPL_OK) {
        d->duplicates = view->nnz - a->view.nnz;
        describe_holes(watch, &a->view, d);
        status = view->rows == view->cols
                     ? spl__convert(account, threads, &a->view, &flip, &transposed)
                     : SPL_OK;
    }
    if (status == SPL_OK && transposed)
        compare_transpose(watch, &a->view, &transposed->view, d);
    spl_matrix_destroy(transposed);
    spl_matrix_destroy(a);
    return status;
}

static spl_status describe_products(spl__account *account, int threads, const spl_sparse *view,
                                    const spl_sparse *csr, spl_description *d)
{
    if (view->rows == view->cols)
        return count_square(spl__account_watch(account), csr, d);
    spl__arrangement columns;
    SPL__TRY(spl__arrange(account, threads, view, true, SPL_I64, SPL_I64, &columns));
    spl_status status = count_gram(&columns.csr, d);
    spl__arrange_free(&columns);
    return status;
}

static void describe_values(spl__watch *watch, const spl_sparse *view, int threads,
                            spl_description *d)
{
    spl__narrow_form form = spl__narrow_values_find(view, true, threads);
    d->distinct_values = spl__distinct_values(watch, view);
    d->value_bytes = spl__fewest_value_bytes(&form, d->distinct_values, view->type);
}

spl_status spl__describe(spl__account *account, int threads, const spl_sparse *view,
                         spl_description *d)
{
    spl__arrangement rows;
    spl__watch *watch = spl__account_watch(account);
    const spl_convert_options sum = sum_of(view);
    *d = (spl_description){
        .rows = view->rows, .cols = view->cols, .nnz = view->nnz, .bandwidth = -1};
    SPL__TRY(spl__arrange(account, threads, view, false, sum.offset_type, sum.index_type, &rows));
    describe_rows(watch, &rows.csr, d);
    d->block_size = spl__block_size(watch, &rows.csr);
    describe_values(watch, view, threads, d);
    spl_status status = describe_products(account, threads, view, &rows.csr, d);
    spl__arrange_free(&rows);
    SPL__TRY(status);
    SPL__TRY(describe_symmetry(account, threads, view, d));
    return spl__watch_check(watch);
}

/* The maximum over the three consecutive parts of spl__describe. */
double spl__describe_bytes(const spl_sparse *view)
{
    const spl_convert_options sum = sum_of(view);
    bool square = view->rows == view->cols;
    spl_sparse summed = *view;
    summed.format = SPL_CSR;
    summed.offsets = summed.indices = NULL;
    summed.offset_type = sum.offset_type;
    summed.index_type = sum.index_type;
    double rows = spl__arrange_bytes(view, false, sum.offset_type, sum.index_type, false),
           columns = square ? 0 : spl__arrange_bytes(view, true, SPL_I64, SPL_I64, false);
    double once = spl__convert_bytes(view, &sum), nnz = (double)view->nnz;
    double both =
        !square ? 0
                : spl__counted_bytes(1, sizeof(spl_matrix)) +
                      spl__counted_bytes(nnz, spl__type_size(view->type)) +
                      spl__counted_bytes(nnz, spl__index_size(sum.index_type)) +
                      spl__counted_bytes((double)view->rows + 1, spl__index_size(sum.offset_type)) +
                      spl__convert_bytes(&summed, &flip);
    return fmax(rows + columns, fmax(once, both));
}

spl_status spl_describe(spl_context *context, const spl_sparse *matrix,
                        spl_description *description)
{
    spl_sparse view;
    spl_description d;
    spl__watched call;
    if (!context || !description)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "description" : "context");
    spl__account *account = spl__watched_begin(&call, context, "describe", 0);
    SPL__TRY(spl__view_take(account->watch, &view, matrix, "matrix"));
    int threads = spl__threads(context, 0);
    bool far = spl__is_far(&view);
    if (spl__estimate_pays(account, &view))
        spl__account_expect(account, (far ? spl__describe_far_bytes : spl__describe_bytes)(&view));
    SPL__TRY((far ? spl__describe_far : spl__describe)(account, threads, &view, &d));
    return spl__sized_write(description, &d, sizeof d, "description");
}
