/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_arrange.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/device_arrange.k.h"

/* Work arrays: the row of the result of each entry, before and after the sort, and the entries'
 * numbers before it. */
typedef struct sorting {
    spl__device_array rows, sorted_rows, numbers, lines;
} sorting;

static void free_sorting(spl__queue *queue, sorting *s)
{
    spl__queue_free(queue, &s->rows);
    spl__queue_free(queue, &s->sorted_rows);
    spl__queue_free(queue, &s->numbers);
    spl__queue_free(queue, &s->lines);
}

void spl__device_arrange_free(spl__queue *queue, spl__device_arrangement *a)
{
    spl__queue_free(queue, &a->offsets);
    spl__queue_free(queue, &a->indices);
    spl__queue_free(queue, &a->from);
}

static spl_status number_entries(spl__queue *queue, const spl_sparse *source, spl_index offset_type,
                                 const sorting *s)
{
    const spl__kernel *kernel; /* like all that look at structure, the same for all types */
    bool coordinates_given = source->format == SPL_COO;
    struct arrange_number_args args = {.lines_count =
                                           source->format == SPL_CSC ? source->cols : source->rows,
                                       .nnz = source->nnz,
                                       .offsets = coordinates_given ? NULL : source->offsets,
                                       .lines = s->lines.data,
                                       .numbers = s->numbers.data};
    SPL__TRY(spl__queue_kernel(queue, "arrange_number", SPL_F64, offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, source->nnz, DEVICE_ARRANGE_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_ARRANGE_THREADS);
}

/* Entries by rows. The sort spoils its sources, the caller's arrays among them would not do: they
 * are copied. */
static spl_status sort_entries(spl__queue *queue, const spl_sparse *csr, const int32_t *rows,
                               sorting *s, spl__device_array *from)
{
    size_t number = spl__index_size(csr->offset_type);
    SPL__TRY(spl__queue_alloc(queue, csr->nnz, sizeof(int32_t), &s->rows));
    SPL__TRY(spl__queue_alloc(queue, csr->nnz, sizeof(int32_t), &s->sorted_rows));
    SPL__TRY(spl__queue_alloc(queue, csr->nnz, number, from));
    SPL__TRY(spl__queue_copy(queue, s->rows.data, rows, s->rows.bytes));
    spl__sort_pairs pairs = {.count = csr->nnz,
                             .key_bytes = sizeof(int32_t),
                             .value_bytes = (int32_t)number,
                             .bits = spl__bits_of(csr->rows - 1),
                             .keys = s->rows.data,
                             .values = s->numbers.data,
                             .sorted_keys = s->sorted_rows.data,
                             .sorted_values = from->data};
    return spl__queue_sort(queue, &pairs);
}

static spl_status make_structure(spl__queue *queue, const int32_t *columns, const sorting *s,
                                 spl__device_arrangement *r)
{
    spl_sparse *csr = &r->csr;
    const spl__kernel *gather, *offsets;
    SPL__TRY(
        spl__queue_alloc(queue, csr->rows + 1, spl__index_size(csr->offset_type), &r->offsets));
    SPL__TRY(spl__queue_alloc(queue, csr->nnz, sizeof(int32_t), &r->indices));
    SPL__TRY(spl__queue_kernel(queue, "arrange_gather", SPL_F64, csr->offset_type, &gather));
    SPL__TRY(spl__queue_kernel(queue, "arrange_offsets", SPL_F64, csr->offset_type, &offsets));
    struct arrange_gather_args g = {csr->nnz, r->from.data, columns, r->indices.data};
    struct arrange_offsets_args o = {csr->rows, csr->nnz, s->sorted_rows.data, r->offsets.data};
    SPL__TRY(SPL__LAUNCH(queue, &g, gather,
                         spl__blocks_for(queue, csr->nnz, DEVICE_ARRANGE_THREADS),
                         DEVICE_ARRANGE_THREADS));
    csr->offsets = r->offsets.data;
    csr->indices = r->indices.data;
    return SPL__LAUNCH(queue, &o, offsets,
                       spl__blocks_for(queue, csr->rows + 1, DEVICE_ARRANGE_THREADS),
                       DEVICE_ARRANGE_THREADS);
}

static spl_status arrange(spl__queue *queue, const spl_sparse *source, bool transpose, sorting *s,
                          spl__device_arrangement *r)
{
    bool given = source->format == SPL_COO;
    SPL__TRY(
        spl__queue_alloc(queue, source->nnz, spl__index_size(r->csr.offset_type), &s->numbers));
    if (!given)
        SPL__TRY(spl__queue_alloc(queue, source->nnz, sizeof(int32_t), &s->lines));
    SPL__TRY(number_entries(queue, source, r->csr.offset_type, s));
    const int32_t *lines = given ? source->offsets : s->lines.data, *minor = source->indices;
    bool lines_are_rows = (source->format != SPL_CSC) != transpose;
    SPL__TRY(sort_entries(queue, &r->csr, lines_are_rows ? lines : minor, s, &r->from));
    return make_structure(queue, lines_are_rows ? minor : lines, s, r);
}

spl_status spl__device_arrange(spl__queue *queue, const spl_sparse *source, bool transpose,
                               spl_index offset_type, spl__device_arrangement *result)
{
    sorting s = {0};
    *result = (spl__device_arrangement){.csr = *source};
    result->csr.format = SPL_CSR;
    result->csr.offset_type = offset_type;
    result->csr.rows = transpose ? source->cols : source->rows;
    result->csr.cols = transpose ? source->rows : source->cols;
    result->csr.values = NULL;
    spl_status status = arrange(queue, source, transpose, &s, result);
    free_sorting(queue, &s);
    return status;
}

spl_status spl__device_gather(spl__queue *queue, const spl__device_arrangement *a,
                              const void *values, void *to)
{
    const spl__kernel *kernel; /* by size: values are only moved */
    const bool half = spl__type_is_half(a->csr.type);
    const spl_type type = spl__type_size(a->csr.type) == 4 ? SPL_F32 : SPL_F64;
    struct arrange_values_args args = {a->csr.nnz, a->from.data, values, to};
    SPL__TRY(spl__queue_kernel(queue, half ? "arrange_halves" : "arrange_values", type,
                               a->csr.offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, args.count, DEVICE_ARRANGE_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, DEVICE_ARRANGE_THREADS);
}
