/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/device_select.h"

#include "algebra/device_operand.h"
#include "algebra/select.k.h"
#include "core/types.h"
#include "structure/csr_survey.h"

typedef struct chooser {
    spl__queue queue;
    const spl_sparse *source;
    const spl_selection *s;
    struct select_entries_args args;
    spl__device_array listed, begin;
    spl_matrix *result;
} chooser;

/* The width of what says where entries begin. */
static spl_index width_of(const spl_sparse *m)
{
    return m->format == SPL_COO ? SPL_I64 : m->offset_type;
}

static spl_status launch(chooser *c)
{
    const spl_sparse *m = c->source;
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_kernel(&c->queue, "select_entries", m->type, width_of(m), &kernel));
    return SPL__LAUNCH(&c->queue, &c->args, kernel,
                       spl__blocks_for(&c->queue, c->args.units * c->queue.device->properties.lanes,
                                       SELECT_THREADS),
                       SELECT_THREADS);
}

static spl_status mark_rows(chooser *c, spl__account *account)
{
    uint8_t *listed;
    if (c->s->selector != SPL_SELECT_ROWS)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(&c->queue, c->source->rows, 1, &c->listed));
    SPL__TRY(SPL__NEW_ZERO(account, &listed, c->source->rows));
    for (int64_t k = 0; k < c->s->row_count; k++)
        listed[c->s->rows[k]] = 1;
    spl_status status = c->listed.data
                            ? spl__queue_copy(&c->queue, c->listed.data, listed, c->listed.bytes)
                            : SPL_OK;
    if (status == SPL_OK)
        status = spl__queue_wait(&c->queue);
    spl__free(listed);
    c->args.listed = c->listed.data;
    return status;
}

/* Where each unit's entries begin in the result, and their number. */
static spl_status count_kept(chooser *c, int64_t *kept)
{
    const spl_index type = width_of(c->source);
    SPL__TRY(spl__queue_alloc(&c->queue, c->args.units + 1, spl__index_size(type), &c->begin));
    c->args.begin = c->begin.data;
    SPL__TRY(launch(c));
    return spl__device_total(&c->queue, type, c->begin.data, c->args.units, kept);
}

static spl_status copy_kept(chooser *c, spl__account *account)
{
    spl_sparse header = *c->source;
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(mark_rows(c, account));
    SPL__TRY(count_kept(c, &header.nnz));
    SPL__TRY(spl__device_matrix_new(account, &c->queue, &header, &c->result));
    if (header.format != SPL_COO)
        SPL__TRY(spl__queue_copy(&c->queue, c->result->offsets, c->begin.data, c->begin.bytes));
    c->args.to_lines = c->result->offsets;
    c->args.to_indices = c->result->indices;
    c->args.to_values = c->result->values;
    if (header.nnz > 0)
        SPL__TRY(launch(c));
    return spl__device_matrix_settle(c->result, &c->queue);
}

spl_status spl__device_select(spl_context *context, spl__account *account, const spl_sparse *source,
                              const spl_selection *selection, spl_matrix **result)
{
    const bool coo = source->format == SPL_COO, by_columns = source->format == SPL_CSC;
    chooser c = {.source = source, .s = selection};
    spl__device *device;
    spl__row_survey survey;
    SPL__TRY(spl__operand_device(context, source, "source", &device));
    spl__queue_init(&c.queue, device, 0, spl__threads(context, 0));
    SPL__TRY(spl__device_survey(&c.queue, source, source, "source", SPL__LOOK_NO_FURTHER, &survey));
    c.args = (struct select_entries_args){.units = coo ? source->nnz / SELECT_PIECE +
                                                             (source->nnz % SELECT_PIECE > 0)
                                                   : by_columns ? source->cols
                                                                : source->rows,
                                          .nnz = source->nnz,
                                          .coordinates = coo,
                                          .by_columns = by_columns,
                                          .offsets = source->offsets,
                                          .indices = source->indices,
                                          .values = source->values,
                                          .selector = (int32_t)selection->selector,
                                          .invert = selection->invert,
                                          .diagonal = selection->diagonal,
                                          .threshold = selection->threshold};
    spl_status status = copy_kept(&c, account);
    spl__queue_free(&c.queue, &c.listed);
    spl__queue_free(&c.queue, &c.begin);
    if (status != SPL_OK) {
        spl_matrix_destroy(c.result);
        return status;
    }
    spl__matrix_move(c.result, &context->account);
    *result = c.result;
    return SPL_OK;
}
