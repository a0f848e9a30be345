/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/operand.h"

static const char *reason_of_copy(const spl_sparse *view, const spl__operand *o)
{
    if (o->arrangement.from)
        return view->format == SPL_COO ? "sorted by row into a CSR copy" : "transposed into a CSR copy";
    if (view->format == SPL_COO)
        return "row offsets added to coordinates in row order";
    if (o->arrangement.offsets || o->arrangement.indices)
        return "indices widened in a copy";
    return NULL;
}

spl_status spl__operand_prepare(spl__account *account, int threads, const spl_sparse *view, bool transpose,
                                spl_index offset_type, spl_index index_type, spl__operand *operand)
{
    operand->source = *view;
    SPL__TRY(spl__arrange(account, threads, view, transpose, offset_type, index_type, &operand->arrangement));
    operand->host = operand->arrangement.csr;
    operand->csr = operand->host;
    operand->made_by = reason_of_copy(view, operand);
    if (operand->arrangement.from)
        SPL__TRY(spl__alloc(account, view->nnz, spl__type_size(view->type), &operand->values));
    return spl__operand_update(NULL, operand, view->values);
}

static spl_status upload(spl__queue *queue, const void *from, int64_t count, size_t size, spl__device_array *there)
{
    SPL__TRY(spl__queue_alloc(queue, count, size, there));
    return spl__queue_copy(queue, there->data, from, there->bytes);
}

spl_status spl__operand_upload(spl__queue *queue, spl__operand *o)
{
    const spl_sparse *h = &o->host;
    SPL__TRY(upload(queue, h->offsets, h->rows + 1, spl__index_size(h->offset_type), &o->offsets_there));
    SPL__TRY(upload(queue, h->indices, h->nnz, spl__index_size(h->index_type), &o->indices_there));
    SPL__TRY(upload(queue, h->values, h->nnz, spl__type_size(h->type), &o->values_there));
    o->csr.place = queue->device->place;
    o->csr.offsets = o->offsets_there.data;
    o->csr.indices = o->indices_there.data;
    o->csr.values = o->values_there.data;
    return SPL_OK;
}

/* A device that follows a pointer to elsewhere may be lost for the whole process. */
static spl_status check_there(const spl__queue *queue, const char *name, const char *what, const void *array,
                              int64_t count)
{
    if (count > 0 && !spl__device_holds(queue->device, array))
        return spl__fail(SPL_INVALID_ARGUMENT, "the %s of %s are not in the memory of %s", what, name,
                         queue->device->properties.name);
    return SPL_OK;
}

static spl_status check_all_there(const spl__queue *queue, const spl_sparse *view, const char *name)
{
    SPL__TRY(check_there(queue, name, "offsets", view->offsets, spl__offsets_count(view)));
    SPL__TRY(check_there(queue, name, "indices", view->indices, view->nnz));
    return check_there(queue, name, "values", view->values, view->nnz);
}

/* Kernels read columns of 32 bits and the plan's width of offsets. */
static spl_status check_widths(const spl_sparse *view, spl_index offset_type, const char *name)
{
    if (view->index_type == SPL_I32 && (view->format == SPL_COO || view->offset_type == offset_type))
        return SPL_OK;
    return spl__fail(
        SPL_UNSUPPORTED, "%s is on a device: its indices have %s bits, its offsets %s; 32 and %s are built", name,
        spl__index_name(view->index_type), spl__index_name(view->offset_type), spl__index_name(offset_type));
}

/* A copy in CSR of a checked view on the device. */
static spl_status copy_there(spl__queue *queue, const spl_sparse *view, bool transpose, spl_index offset_type,
                             spl__operand *o)
{
    SPL__TRY(spl__device_arrange(queue, view, transpose, offset_type, &o->arranged));
    SPL__TRY(spl__queue_alloc(queue, view->nnz, spl__type_size(view->type), &o->values_there));
    o->csr = o->arranged.csr;
    o->made_by = transpose ? "transposed into a CSR copy" : "sorted by row into a CSR copy";
    SPL__TRY(spl__operand_update(queue, o, view->values));
    return spl__csr_survey(queue, &o->csr, o->name, &o->survey);
}

spl_status spl__operand_borrow(spl__queue *queue, const spl_sparse *view, bool transpose, spl_index offset_type,
                               spl__operand *o)
{
    spl_sparse as_csr = view->format == SPL_CSC ? spl__view_csc_as_csr(view) : *view;
    bool flip = (view->format == SPL_CSC) != transpose; /* the arrays are CSR of the transpose of what is wanted */
    o->source = *view;
    SPL__TRY(check_widths(view, offset_type, o->name));
    SPL__TRY(check_all_there(queue, view, o->name));
    if (view->format == SPL_COO)
        SPL__TRY(spl__coo_survey(queue, view, o->name));
    else
        SPL__TRY(spl__csr_survey(queue, &as_csr, o->name, &o->survey));
    if (view->format == SPL_COO || flip)
        return copy_there(queue, view, transpose, offset_type, o);
    o->csr = as_csr;
    return SPL_OK;
}

void spl__operand_free(spl__queue *queue, spl__operand *operand)
{
    spl__queue_free(queue, &operand->offsets_there);
    spl__queue_free(queue, &operand->indices_there);
    spl__queue_free(queue, &operand->values_there);
    spl__device_arrange_free(queue, &operand->arranged);
    spl__arrange_free(&operand->arrangement);
    spl__free(operand->values);
    operand->values = NULL;
}

spl_status spl__operand_update(spl__queue *queue, spl__operand *o, const void *values)
{
    spl_sparse *h = &o->host;
    o->source.values = values;
    if (!h->format) {
        o->csr.values = o->arranged.from.data ? o->values_there.data : values;
        return o->arranged.from.data ? spl__device_gather(queue, &o->arranged, values, o->values_there.data) : SPL_OK;
    }
    h->values = o->values ? o->values : values;
    if (o->values)
        spl__gather(o->values, h->type, values, h->type, o->arrangement.from, h->nnz);
    if (o->offsets_there.data)
        return spl__queue_copy(queue, o->values_there.data, h->values, o->values_there.bytes);
    o->csr = *h;
    return SPL_OK;
}

static uint64_t structure_print(const spl_sparse *s)
{
    size_t offsets = (size_t)spl__offsets_count(s) * spl__index_size(spl__offsets_type(s));
    uint64_t print = spl__fingerprint(0, s->offsets, offsets);
    return spl__fingerprint(print, s->indices, (size_t)s->nnz * spl__index_size(s->index_type));
}

static uint64_t values_print(const spl_sparse *s)
{
    return spl__fingerprint(0, s->values, (size_t)s->nnz * spl__type_size(s->type));
}

void spl__operand_mark(spl__operand *operand)
{
    operand->structure_print = structure_print(&operand->source);
    operand->values_print = values_print(&operand->source);
}

spl_status spl__operand_compare(const spl__operand *operand)
{
    if (operand->structure_print != structure_print(&operand->source))
        return spl__fail(SPL_STALE, "%s: offsets or indices changed since the plan was made", operand->name);
    if (operand->values_print != values_print(&operand->source))
        return spl__fail(SPL_STALE, "%s: values changed without spl_plan_update_values", operand->name);
    return SPL_OK;
}
