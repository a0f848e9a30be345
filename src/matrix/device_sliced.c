/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_sliced.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/device_sliced.k.h"

/* Padding that is accepted for keeping the order of rows, in which neighbours read what lies side by side; and what sorting may leave. */
#define UNSORTED_PADDING 0.06
#define SORTED_PADDING   0.03
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

/* Between two slices that follow each other in a window lengths fall: padding of a window is below one slice as long as its longest row. */
static int64_t choose_window(const spl_sparse *csr, spl__slice_shape shape, int lanes)
{
    double spread = (double)spl__min_i64(shape.longest, shape.limit) * lanes;
    double mean = (double)csr->nnz / (double)spl__max_i64(1, csr->rows);
    int64_t window = LEAST_WINDOW;
    while (window < LARGEST_WINDOW && spread > SORTED_PADDING * mean * (double)window)
        window *= 2;
    return window;
}

static int bits_of(int64_t largest)
{
    int bits = 1;
    while (bits < 63 && largest >> bits)
        bits++;
    return bits;
}

typedef struct sorting {
    spl__device_array keys, sorted_keys, rows;
} sorting;

static spl_status sort(spl__queue *queue, const spl_sparse *csr, sorting *w, spl__device_sliced *s)
{
    const spl__kernel *kernel;
    int64_t places = s->slices * lanes_of(queue);
    SPL__TRY(spl__queue_alloc(queue, places, sizeof(int64_t), &w->keys));
    SPL__TRY(spl__queue_alloc(queue, places, sizeof(int64_t), &w->sorted_keys));
    SPL__TRY(spl__queue_alloc(queue, places, sizeof(int32_t), &w->rows));
    SPL__TRY(spl__queue_alloc(queue, places, sizeof(int32_t), &s->rows));
    struct sliced_keys_args args = {
        csr->rows, places, s->window, s->limit, csr->offsets, w->keys.data, w->rows.data,
    };
    SPL__TRY(spl__queue_kernel(queue, "sliced_keys", csr->type, csr->offset_type, &kernel));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, places, DEVICE_SLICED_THREADS),
                         DEVICE_SLICED_THREADS));
    spl__sort_pairs pairs = {.count = places,
                             .key_bytes = sizeof(int64_t),
                             .value_bytes = sizeof(int32_t),
                             .bits = bits_of((places / s->window + 1) * (s->limit + 1)),
                             .keys = w->keys.data,
                             .values = w->rows.data,
                             .sorted_keys = w->sorted_keys.data,
                             .sorted_values = s->rows.data};
    return spl__queue_sort(queue, &pairs);
}

static spl_status sort_rows(spl__queue *queue, const spl_sparse *csr, spl__device_sliced *s)
{
    sorting w = {0};
    spl_status status = sort(queue, csr, &w, s);
    spl__queue_free(queue, &w.keys);
    spl__queue_free(queue, &w.sorted_keys);
    spl__queue_free(queue, &w.rows);
    return status;
}

/* ---- slices ---- */

/* Where slices begin; how many lines and bytes they have in all. */
static spl_status measure(spl__queue *queue, const spl_sparse *csr, spl__device_sliced *s)
{
    const spl__kernel *kernel;
    int64_t *begin = s->begin.data, *at = s->at.data;
    struct sliced_measure_args args = {matrix_of(csr, s), begin, at, s->rows.data};
    SPL__TRY(spl__queue_kernel(queue, "sliced_measure", csr->type, csr->offset_type, &kernel));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS));
    SPL__TRY(spl__queue_scan(queue, SPL_I64, begin, s->slices + 1));
    SPL__TRY(spl__queue_scan(queue, SPL_I64, at, s->slices + 1));
    SPL__TRY(spl__queue_bring(queue, &s->lines, begin + s->slices, sizeof s->lines));
    return spl__queue_fetch(queue, &s->code_bytes, at + s->slices, sizeof s->code_bytes);
}

static bool keeps_order(const spl_sparse *csr, spl__slice_shape shape, const spl__device_sliced *s, int lanes)
{
    return shape.longest <= shape.limit && (double)(s->lines * lanes) <= (1 + UNSORTED_PADDING) * (double)csr->nnz;
}

static spl_status order_and_measure(spl__queue *queue, const spl_sparse *csr, spl__slice_shape shape,
                                    spl__device_sliced *s)
{
    int lanes = lanes_of(queue);
    s->slices = csr->rows / lanes + (csr->rows % lanes != 0);
    SPL__TRY(spl__queue_alloc(queue, s->slices + 1, sizeof(int64_t), &s->begin));
    SPL__TRY(spl__queue_alloc(queue, s->slices + 1, sizeof(int64_t), &s->at));
    if (shape.longest <= shape.limit)
        SPL__TRY(measure(queue, csr, s));
    if (keeps_order(csr, shape, s, lanes))
        return SPL_OK;
    s->window = choose_window(csr, shape, lanes);
    SPL__TRY(sort_rows(queue, csr, s));
    return measure(queue, csr, s);
}

spl_status spl__device_sliced_make(spl__queue *queue, const spl_sparse *csr, spl__slice_shape shape,
                                   spl__device_sliced *s)
{
    const spl__kernel *kernel;
    *s = (spl__device_sliced){.limit = shape.limit};
    SPL__TRY(order_and_measure(queue, csr, shape, s));
    SPL__TRY(spl__queue_alloc(queue, s->lines, sizeof(int32_t), &s->bases));
    SPL__TRY(spl__queue_alloc(queue, s->code_bytes, 1, &s->codes));
    SPL__TRY(spl__queue_alloc(queue, s->lines * lanes_of(queue), spl__type_size(csr->type), &s->values));
    struct sliced_codes_args args = {
        matrix_of(csr, s), s->begin.data, s->at.data, s->bases.data, s->codes.data,
    };
    SPL__TRY(spl__queue_kernel(queue, "sliced_codes", csr->type, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS);
}

spl_status spl__device_sliced_fill(spl__queue *queue, const spl_sparse *csr, const spl__device_sliced *s)
{
    const spl__kernel *kernel;
    struct sliced_values_args args = {matrix_of(csr, s), s->begin.data, s->values.data};
    SPL__TRY(spl__queue_kernel(queue, "sliced_values", csr->type, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, slice_blocks(queue, s), DEVICE_SLICED_THREADS);
}

void spl__device_sliced_free(spl__queue *queue, spl__device_sliced *s)
{
    spl__device_array *arrays[] = {&s->rows, &s->begin, &s->at, &s->bases, &s->codes, &s->values};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        spl__queue_free(queue, arrays[i]);
}
