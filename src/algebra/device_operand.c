/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/device_operand.h"

#include "algebra/entries.k.h"
#include "core/types.h"
#include "matrix/view.h"

spl_status spl__operand_device(spl_context *context, const spl_sparse *m, const char *name,
                               spl__device **device)
{
    *device = spl__device_at(context, m->place);
    if (!*device)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is on no device of the context", name);
    const void *const arrays[] = {m->offsets, m->indices, m->values};
    for (int k = 0; k < 3; k++)
        if ((k == 0 ? spl__offsets_count(m) : m->nnz) > 0 && !spl__device_holds(*device, arrays[k]))
            return spl__fail(SPL_INVALID_ARGUMENT, "%s: its arrays are not in the memory of %s",
                             name, (*device)->properties.name);
    if (m->index_type != SPL_I32)
        return spl__fail(SPL_UNSUPPORTED, "%s: 64-bit indices on a device", name);
    return SPL_OK;
}

spl_status spl__device_total(spl__queue *queue, spl_index type, void *lengths, int64_t count,
                             int64_t *total)
{
    const size_t size = spl__index_size(type);
    int32_t narrow = 0;
    SPL__TRY(spl__queue_offsets(queue, type, lengths, count, NULL));
    const void *last = (const char *)lengths + (size_t)count * size;
    SPL__TRY(spl__queue_fetch(queue, type == SPL_I64 ? (void *)total : &narrow, last, size));
    *total = type == SPL_I64 ? *total : narrow;
    return SPL_OK;
}

/* `m` or its transpose in CSR, in the stable order of its rows. */
static spl_status arrange(spl__queue *queue, const spl_sparse *m, bool transpose,
                          spl__device_lines *lines)
{
    const spl_index type = m->format != SPL_COO ? m->offset_type /* which the arrangement reads */
                           : m->nnz > INT32_MAX ? SPL_I64
                                                : SPL_I32;
    SPL__TRY(spl__device_arrange(queue, m, transpose, type, &lines->arrangement));
    SPL__TRY(spl__queue_alloc(queue, m->nnz, spl__type_size(m->type), &lines->values));
    if (m->nnz > 0)
        SPL__TRY(spl__device_gather(queue, &lines->arrangement, m->values, lines->values.data));
    lines->view = lines->arrangement.csr;
    lines->view.values = lines->values.data;
    return SPL_OK;
}

spl_status spl__device_lines_take(spl__queue *queue, const spl_sparse *m, bool transpose,
                                  spl__device_lines *lines)
{
    *lines = (spl__device_lines){.view = *m};
    if (m->format != (transpose ? SPL_CSC : SPL_CSR))
        return arrange(queue, m, transpose, lines);
    lines->view.format = SPL_CSR;
    lines->view.rows = transpose ? m->cols : m->rows;
    lines->view.cols = transpose ? m->rows : m->cols;
    return SPL_OK;
}

spl_status spl__device_rows_launch(spl__queue *queue, const spl_sparse *csr, const char *name,
                                   int64_t rows, const void *args, size_t bytes)
{
    spl__launch launch = {
        .blocks = spl__blocks_for(queue, rows * queue->device->properties.lanes, ENTRIES_THREADS),
        .threads = ENTRIES_THREADS,
        .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, csr->type, csr->offset_type, &launch.kernel));
    return spl__queue_launch(queue, &launch, bytes);
}

/* Sums equal positions of sorted rows, and gives offsets their type. */
static spl_status unite_equal(spl__queue *queue, const spl_sparse *sorted, spl_index offset_type,
                              spl__device_lines *lines)
{
    struct entries_distinct_args args = {.rows = sorted->rows,
                                         .offsets = sorted->offsets,
                                         .indices = sorted->indices,
                                         .values = sorted->values,
                                         .wide = offset_type == SPL_I64};
    int64_t nnz = 0;
    SPL__TRY(
        spl__queue_alloc(queue, sorted->rows + 1, spl__index_size(offset_type), &lines->offsets));
    args.begin = lines->offsets.data;
    SPL__TRY(
        spl__device_rows_launch(queue, sorted, "entries_distinct", args.rows, &args, sizeof args));
    SPL__TRY(spl__device_total(queue, offset_type, lines->offsets.data, sorted->rows, &nnz));
    SPL__TRY(spl__queue_alloc(queue, nnz, sizeof(int32_t), &lines->indices));
    SPL__TRY(spl__queue_alloc(queue, nnz, spl__type_size(sorted->type), &lines->values));
    args.to_indices = lines->indices.data;
    args.to_values = lines->values.data;
    if (nnz > 0)
        SPL__TRY(spl__device_rows_launch(queue, sorted, "entries_distinct", args.rows, &args,
                                         sizeof args));
    lines->view = *sorted;
    lines->view.offset_type = offset_type;
    lines->view.nnz = nnz;
    lines->view.offsets = lines->offsets.data;
    lines->view.indices = lines->indices.data;
    lines->view.values = lines->values.data;
    return SPL_OK;
}

/* Columns of a row ascend where rows are made from columns in their order. */
spl_status spl__device_lines_normalise(spl__queue *queue, const spl_sparse *m, bool ascends,
                                       spl_index offset_type, spl__device_lines *lines)
{
    spl__device_lines columns = {.view = *m}, rows = {.view = *m};
    *lines = (spl__device_lines){.view = *m};
    if (m->format == SPL_CSR && m->offset_type == offset_type && ascends)
        return SPL_OK;
    const bool sorted = m->format == SPL_CSR && ascends;
    spl_status status = sorted ? SPL_OK : spl__device_lines_take(queue, m, true, &columns);
    if (status == SPL_OK && !sorted) /* the transpose of a matrix that is given by columns */
        status = arrange(queue, &columns.view, true, &rows);
    if (status == SPL_OK)
        status = unite_equal(queue, &rows.view, offset_type, lines);
    spl__device_lines_free(queue, &columns);
    spl__device_lines_free(queue, &rows);
    return status;
}

void spl__device_lines_free(spl__queue *queue, spl__device_lines *lines)
{
    spl__device_arrange_free(queue, &lines->arrangement);
    spl__queue_free(queue, &lines->offsets);
    spl__queue_free(queue, &lines->indices);
    spl__queue_free(queue, &lines->values);
}
