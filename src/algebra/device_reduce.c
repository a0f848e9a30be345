/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/device_reduce.h"

#include "algebra/device_operand.h"
#include "algebra/entries.k.h"
#include "structure/csr_survey.h"

static spl_status launch(spl__queue *queue, const spl_sparse *m,
                         const struct entries_reduce_args *args)
{
    return spl__device_rows_launch(queue, m, "entries_reduce", args->rows, args, sizeof *args);
}

/* Pieces, then the pieces' sums. */
static spl_status reduce_all(spl__queue *queue, const spl_sparse *m, spl_monoid monoid,
                             void *result)
{
    spl__device_array sums = {0};
    const int64_t pieces = m->nnz / ENTRIES_PIECE + (m->nnz % ENTRIES_PIECE > 0);
    struct entries_reduce_args args = {
        .rows = pieces, .count = m->nnz, .values = m->values, .monoid = (int32_t)monoid};
    SPL__TRY(spl__queue_alloc(queue, pieces, sizeof(double), &sums));
    args.partial = sums.data;
    spl_status status = launch(queue, m, &args);
    args = (struct entries_reduce_args){.rows = 1,
                                        .count = pieces,
                                        .sums = sums.data,
                                        .result = result,
                                        .monoid = (int32_t)monoid,
                                        .whole = 1};
    if (status == SPL_OK)
        status = launch(queue, m, &args);
    spl__queue_free(queue, &sums);
    return status;
}

static spl_status reduce_lines(spl__queue *queue, const spl_sparse *m, spl_monoid monoid,
                               bool by_columns, void *result)
{
    spl__device_lines lines;
    spl_status status = spl__device_lines_take(queue, m, by_columns, &lines);
    struct entries_reduce_args args = {.rows = lines.view.rows,
                                       .offsets = lines.view.offsets,
                                       .values = lines.view.values,
                                       .result = result,
                                       .monoid = (int32_t)monoid};
    if (status == SPL_OK)
        status = launch(queue, &lines.view, &args);
    spl__device_lines_free(queue, &lines);
    return status;
}

spl_status spl__device_reduce(spl_context *context, const spl_sparse *m, spl_monoid monoid,
                              spl_reduction reduction, void *result)
{
    spl__device *device;
    spl__queue queue;
    spl__row_survey survey;
    SPL__TRY(spl__operand_device(context, m, "matrix", &device));
    if (!spl__device_holds(device, result))
        return spl__fail(SPL_INVALID_ARGUMENT, "result is not in the memory of %s, where matrix is",
                         device->properties.name);
    spl__queue_init(&queue, device, 0, spl__threads(context, 0));
    SPL__TRY(spl__device_survey(&queue, m, m, "matrix", SPL__LOOK_NO_FURTHER, &survey));
    spl_status status =
        reduction == SPL_REDUCE_ALL
            ? reduce_all(&queue, m, monoid, result)
            : reduce_lines(&queue, m, monoid, reduction == SPL_REDUCE_COLUMNS, result);
    const spl_status waited = spl__queue_wait(&queue);
    return status == SPL_OK ? waited : status;
}
