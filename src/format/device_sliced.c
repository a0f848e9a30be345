/* SPDX-License-Identifier: Apache-2.0 */
#include "format/device_sliced.h"

#include "core/checked.h"
#include "core/types.h"
#include "format/device_sliced.k.h"
#include "matrix/device_row_order.h"

/* The most padding that sorting may leave, relative. */
#define SORTED_PADDING 0.03
enum { LEAST_WINDOW = 256, LARGEST_WINDOW = 8192 };

static int lanes_of(const spl__queue *queue)
{
    return queue->device->properties.lanes;
}

static int64_t slice_blocks(const spl__queue *queue, const spl__device_sliced *s)
{
    return spl__blocks_for(queue, (s->slices + 1) * lanes_of(queue), DEVICE_SLICED_THREADS);
}

static struct sliced_matrix matrix_of(const spl_sparse *csr, const spl__device_sliced *s)
{
    return (struct sliced_matrix){csr->rows,    s->slices,   s->limit,    csr->offsets,
                                  csr->indices, csr->values, s->rows.data};
}

/* ---- the order of rows ---- */

/* Within a window lengths descend from slice to slice, so its padding is less than one slice of
 * its longest row. */
static int64_t choose_window(const spl_sparse *csr, spl__slice_shape shape, int lanes)
{
    double spread = (double)spl__min_i64(shape.longest, shape.limit) * lanes;
    double mean = (double)csr->nnz / (double)spl__max_i64(1, csr->rows);
    int64_t window = LEAST_WINDOW;
    while (window < LARGEST_WINDOW && spread > SORTED_PADDING * mean * (double)window)
        window *= 2;
    return window;
}

static spl_status find_order(spl__queue *queue, const spl_sparse *csr, spl__device_sliced *s,
                             spl__device_row_order *order)
{
    const spl__kernel *kernel;
    struct sliced_keys_args args = {
        csr->rows,    order->count,     s->window,           s->limit,
        csr->offsets, order->keys.data, order->numbers.data,
    };
    SPL__TRY(spl__queue_kernel(queue, "sliced_keys", csr->type, csr->offset_type, &kernel));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel,
                         spl__blocks_for(queue, order->count, DEVICE_SLICED_THREADS),
                         DEVICE_SLICED_THREADS));
    return spl__device_row_order_sort(queue, (order->count / s->window + 1) * (s->limit + 1),
                                      order);
}

static spl_status sort_rows(spl__queue *queue, const spl_sparse *csr, spl__device_sliced *s)
{
    spl__device_row_order order;
    spl_status status = spl__device_row_order_begin(queue, s->slices * lanes_of(queue), &order);
    if (status == SPL_OK)
        status = find_order(queue, csr, s, &order);
    spl__device_row_order_end(queue, &order);
    s->rows = order.rows;
    return status;
}

/* ---- slices ---- */

/* Computes where slices begin, and the total of lines and bytes. */
static spl_status measure(spl__queue *queue, const spl_sparse *csr, spl__device_sliced *s)
{
    const spl__kernel *kernel;
    int64_t *begin = s->begin.data, *code_offsets = s->code_offsets.data;
    struct sliced_measure_args args = {matrix_of(csr, s), begin, code_offsets, s->rows.data};
    SPL__TRY(spl__queue_kernel(queue, "sliced_measure", csr->type, csr->offset_type, &kernel));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, begin, s->slices, NULL));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, code_offsets, s->slices, NULL));
    SPL__TRY(spl__queue_bring(queue, &s->lines, begin + s->slices, sizeof s->lines));
    return spl__queue_fetch(queue, &s->code_bytes, code_offsets + s->slices, sizeof s->code_bytes);
}

static spl_status allocate_slices(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                  spl__device_sliced *s)
{
    int lanes = lanes_of(queue);
    *s = (spl__device_sliced){.limit = limit,
                              .slices = csr->rows / lanes + (csr->rows % lanes != 0)};
    SPL__TRY(spl__queue_alloc(queue, s->slices + 1, sizeof(int64_t), &s->begin));
    return spl__queue_alloc(queue, s->slices + 1, sizeof(int64_t), &s->code_offsets);
}

static int64_t bytes_of(const spl__queue *queue, const spl_sparse *csr, const spl__device_sliced *s)
{
    int64_t line = lanes_of(queue) * (int64_t)spl__type_size(csr->type) + (int64_t)sizeof(int32_t);
    return s->lines * line + s->code_bytes + (int64_t)s->rows.bytes;
}

/* Tries sorted rows, if that takes fewer bytes. Only then there is a list of rows, from which
 * long ones can be left out. */
static spl_status try_sorted(spl__queue *queue, const spl_sparse *csr, spl__slice_shape shape,
                             spl__device_sliced *s)
{
    spl__device_sliced sorted;
    spl_status status = allocate_slices(queue, csr, shape.limit, &sorted);
    sorted.window = choose_window(csr, shape, lanes_of(queue));
    if (status == SPL_OK)
        status = sort_rows(queue, csr, &sorted);
    if (status == SPL_OK)
        status = measure(queue, csr, &sorted);
    bool left_out = shape.longest > shape.limit;
    if (status == SPL_OK && (left_out || bytes_of(queue, csr, &sorted) < bytes_of(queue, csr, s))) {
        spl__device_sliced unsorted = *s;
        *s = sorted;
        sorted = unsorted;
    }
    spl__device_sliced_free(queue, &sorted);
    return status;
}

/* Rows keep their order unless sorting saves bytes, because neighbouring rows read neighbouring
 * elements of x. */
static spl_status order_and_measure(spl__queue *queue, const spl_sparse *csr,
                                    spl__slice_shape shape, spl__device_sliced *s)
{
    *s = (spl__device_sliced){0};
    if (shape.longest <= shape.limit) {
        SPL__TRY(allocate_slices(queue, csr, shape.limit, s));
        SPL__TRY(measure(queue, csr, s));
        if (s->lines * lanes_of(queue) == csr->nnz)
            return SPL_OK;
    }
    return try_sorted(queue, csr, shape, s);
}

spl_status spl__device_sliced_make(spl__queue *queue, const spl_sparse *csr, spl__slice_shape shape,
                                   spl__device_sliced *s)
{
    const spl__kernel *kernel;
    SPL__TRY(order_and_measure(queue, csr, shape, s));
    SPL__TRY(spl__queue_alloc(queue, s->lines, sizeof(int32_t), &s->bases));
    SPL__TRY(spl__queue_alloc(queue, s->code_bytes, 1, &s->codes));
    SPL__TRY(
        spl__queue_alloc(queue, s->lines * lanes_of(queue), spl__type_size(csr->type), &s->values));
    struct sliced_codes_args args = {
        matrix_of(csr, s), s->begin.data, s->code_offsets.data, s->bases.data, s->codes.data,
    };
    SPL__TRY(spl__queue_kernel(queue, "sliced_codes", csr->type, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS);
}

spl_status spl__device_sliced_fill(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_sliced *s)
{
    const spl__kernel *kernel;
    struct sliced_values_args args = {matrix_of(csr, s), s->begin.data, s->values.data};
    SPL__TRY(spl__queue_kernel(queue, "sliced_values", csr->type, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS);
}

spl_status spl__device_sliced_allow_narrow(spl__queue *queue, int team, spl__device_sliced *s)
{
    int64_t words = SLICED_WORDS_FROM(s->lines, s->slices, team) * lanes_of(queue);
    if ((size_t)words * sizeof(uint32_t) <= s->values.bytes)
        return SPL_OK;
    spl__queue_free(queue, &s->values);
    return spl__queue_alloc(queue, words, sizeof(uint32_t), &s->values);
}

spl_status spl__device_sliced_fill_narrow(spl__queue *queue, const spl_sparse *csr,
                                          const struct device_narrow_found *found, int team,
                                          const spl__device_sliced *s)
{
    const spl__kernel *kernel;
    struct sliced_narrow_values_args args = {
        {matrix_of(csr, s), s->begin.data, s->values.data}, found, team};
    SPL__TRY(
        spl__queue_kernel(queue, "sliced_narrow_values", csr->type, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS);
}

void spl__device_sliced_free(spl__queue *queue, spl__device_sliced *s)
{
    spl__device_array *arrays[] = {&s->rows,  &s->begin, &s->code_offsets,
                                   &s->bases, &s->codes, &s->values};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        spl__queue_free(queue, arrays[i]);
}
