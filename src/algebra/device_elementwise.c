/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/device_elementwise.h"

#include "algebra/device_operand.h"
#include "algebra/entries.k.h"
#include "core/types.h"
#include "matrix/matrix.h"
#include "structure/csr_survey.h"

typedef struct merge {
    spl__queue queue;
    spl__device_lines a, b;
    struct entries_merge_args args;
    spl__device_array begin;
    spl_matrix *result;
} merge;

static spl_status launch(merge *m)
{
    return spl__device_rows_launch(&m->queue, &m->a.view, "entries_merge", m->args.rows, &m->args,
                                   sizeof m->args);
}

/* Both operands in CSR, columns of a row ascending, each once. */
static spl_status take(merge *m, const spl_sparse *a, const spl_sparse *b, spl_index offset_type)
{
    spl__row_survey of_a = {0}, of_b = {0};
    SPL__TRY(spl__device_survey(&m->queue, a, a, "A", SPL__LOOK_NO_FURTHER, &of_a));
    SPL__TRY(spl__device_survey(&m->queue, b, b, "B", SPL__LOOK_NO_FURTHER, &of_b));
    SPL__TRY(spl__device_lines_normalise(&m->queue, a, of_a.ascends, offset_type, &m->a));
    return spl__device_lines_normalise(&m->queue, b, of_b.ascends, offset_type, &m->b);
}

static spl_status merge_rows(merge *m, spl__account *account)
{
    const spl_sparse *a = &m->a.view, *b = &m->b.view;
    spl_sparse header = *a;
    m->args.rows = a->rows;
    m->args.a_offsets = a->offsets;
    m->args.a_indices = a->indices;
    m->args.a_values = a->values;
    m->args.b_offsets = b->offsets;
    m->args.b_indices = b->indices;
    m->args.b_values = b->values;
    SPL__TRY(spl__queue_alloc(&m->queue, a->rows + 1, spl__index_size(a->offset_type), &m->begin));
    m->args.begin = m->begin.data;
    SPL__TRY(launch(m));
    SPL__TRY(spl__device_total(&m->queue, a->offset_type, m->begin.data, a->rows, &header.nnz));
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__device_matrix_new(account, &m->queue, &header, &m->result));
    SPL__TRY(spl__queue_copy(&m->queue, m->result->offsets, m->begin.data, m->begin.bytes));
    m->args.to_indices = m->result->indices;
    m->args.to_values = m->result->values;
    if (header.nnz > 0)
        SPL__TRY(launch(m));
    return spl__device_matrix_settle(m->result, &m->queue);
}

spl_status spl__device_elementwise(spl_context *context, spl__account *account, const spl_sparse *a,
                                   const spl_sparse *b, spl_positions positions,
                                   spl_operation operation, spl_index offset_type, spl_matrix **c)
{
    merge m = {.args = {.positions = (int32_t)positions, .operation = (int32_t)operation}};
    spl__device *device, *of_b;
    SPL__TRY(spl__operand_device(context, a, "A", &device));
    SPL__TRY(spl__operand_device(context, b, "B", &of_b));
    if (of_b != device)
        return spl__fail(SPL_INVALID_ARGUMENT, "A and B are on different devices");
    spl__queue_init(&m.queue, device, 0, spl__threads(context, 0));
    spl_status status = take(&m, a, b, offset_type);
    if (status == SPL_OK)
        status = merge_rows(&m, account);
    spl__device_lines_free(&m.queue, &m.a);
    spl__device_lines_free(&m.queue, &m.b);
    spl__queue_free(&m.queue, &m.begin);
    if (status != SPL_OK) {
        spl_matrix_destroy(m.result);
        return status;
    }
    spl__matrix_move(m.result, &context->account);
    *c = m.result;
    return SPL_OK;
}
