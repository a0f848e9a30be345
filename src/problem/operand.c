/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/operand.h"

#include "structure/device_widths.h"

static spl_status upload(spl__queue *queue, const void *from, int64_t count, size_t size,
                         spl__device_array *device_array)
{
    SPL__TRY(spl__queue_alloc(queue, count, size, device_array));
    return spl__queue_copy(queue, device_array->data, from, device_array->bytes);
}

spl_status spl__operand_upload(spl__queue *queue, spl__operand *o)
{
    const spl_sparse *h = &o->host;
    SPL__TRY(upload(queue, h->offsets, h->rows + 1, spl__index_size(h->offset_type),
                    &o->device_offsets));
    SPL__TRY(upload(queue, h->indices, h->nnz, spl__index_size(h->index_type), &o->device_indices));
    if (h->values)
        SPL__TRY(upload(queue, h->values, h->nnz, spl__type_size(h->type), &o->device_values));
    o->csr.place = queue->device->place;
    o->csr.offsets = o->device_offsets.data;
    o->csr.indices = o->device_indices.data;
    o->csr.values = o->device_values.data;
    return SPL_OK;
}

/* Dereferencing a pointer to other memory may make the device unusable for the whole process. */
static spl_status check_on_device(const spl__queue *queue, const char *name, const char *array_name,
                                  const void *array, int64_t count)
{
    if (count > 0 && !spl__device_holds(queue->device, array))
        return spl__fail(SPL_INVALID_ARGUMENT, "the %s of %s are not in the memory of %s",
                         array_name, name, queue->device->properties.name);
    return SPL_OK;
}

spl_status spl__operand_check_place(const spl__queue *queue, const spl_sparse *view,
                                    const char *name)
{
    SPL__TRY(check_on_device(queue, name, "offsets", view->offsets, spl__offsets_count(view)));
    SPL__TRY(check_on_device(queue, name, "indices", view->indices, view->nnz));
    return view->values ? check_on_device(queue, name, "values", view->values, view->nnz) : SPL_OK;
}

/* ---- widths: kernels read indices of 32 bits, and the plan's width of offsets ---- */

static spl_status check_dimension(const char *name, int64_t count, const char *counted)
{
    if (count > INT32_MAX)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s: %s %s are more than the 2^31-1 that devices number with 32 bits",
                         name, spl__thousands(count), counted);
    return SPL_OK;
}

/* Checks the dimensions that indices number, and those that the sort numbers if a copy in
 * another order is made. */
static spl_status check_dimensions(const spl_sparse *view, bool reordered, const char *name)
{
    if (reordered || view->format == SPL_CSC)
        SPL__TRY(check_dimension(name, view->rows, "rows"));
    return reordered || view->format == SPL_CSR ? check_dimension(name, view->cols, "columns")
                                                : SPL_OK;
}

/* *array = a copy of the 64-bit numbers in 32 bits. */
static spl_status narrow(spl__queue *queue, int64_t count, const void **array,
                         spl__device_array *device_array)
{
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int32_t), device_array));
    SPL__TRY(spl__device_narrow(queue, *array, count, device_array->data));
    *array = device_array->data;
    return SPL_OK;
}

static spl_status narrow_indices(spl__queue *queue, spl_sparse *view, spl__operand *o)
{
    if (view->index_type == SPL_I32)
        return SPL_OK;
    o->made_by = "copied with 32-bit indices";
    view->index_type = SPL_I32;
    if (view->format == SPL_COO)
        SPL__TRY(narrow(queue, view->nnz, &view->offsets, &o->device_offsets));
    return narrow(queue, view->nnz, &view->indices, &o->device_indices);
}

static spl_status widen_offsets(spl__queue *queue, spl_sparse *view, spl_index type,
                                spl__operand *o)
{
    int64_t count = spl__offsets_count(view);
    if (view->format == SPL_COO || view->offset_type == type)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int64_t), &o->device_offsets));
    SPL__TRY(spl__device_widen(queue, view->offsets, count, o->device_offsets.data));
    o->made_by = "copied with 64-bit offsets";
    view->offset_type = type;
    view->offsets = o->device_offsets.data;
    return SPL_OK;
}

/* ---- values ---- */

/* Updates values in the order of csr, where csr is read. */
static spl_status update_values(spl__watch *watch, spl__queue *queue, spl__operand *o,
                                const void *values)
{
    spl_sparse *h = &o->host;
    if (!h->format) {
        const bool gathers = o->arranged.from.data && values;
        o->csr.values = gathers ? o->device_values.data : values;
        return gathers ? spl__device_gather(queue, &o->arranged, values, o->device_values.data)
                       : SPL_OK;
    }
    h->values = o->values ? o->values : values;
    if (o->values)
        spl__gather(watch, o->values, h->type, values, h->type, o->arrangement.from, h->nnz);
    if (o->device_offsets.data)
        return h->values ? spl__queue_copy(queue, o->device_values.data, h->values,
                                           o->device_values.bytes)
                         : SPL_OK;
    o->csr = *h;
    return SPL_OK;
}

/* ---- order ---- */

/* Whether entries must be reordered: CSC is CSR of the transpose, for example. */
static bool is_reordered(const spl__operand *o)
{
    return o->source.format == SPL_COO || (o->source.format == SPL_CSC) != o->transposed;
}

/* Makes a copy in CSR of a checked view on the device. */
static spl_status copy_to_device(spl__queue *queue, spl__operand *o)
{
    const spl_sparse view = o->csr;
    SPL__TRY(spl__device_arrange(queue, &view, o->transposed, o->offset_type, &o->arranged));
    if (view.values)
        SPL__TRY(spl__queue_alloc(queue, view.nnz, spl__type_size(view.type), &o->device_values));
    o->csr = o->arranged.csr;
    o->made_by = o->transposed ? "transposed into a CSR copy" : "sorted by row into a CSR copy";
    SPL__TRY(update_values(NULL, queue, o, view.values));
    spl__queue_free(queue, &o->device_offsets); /* copies in other widths are no longer needed */
    spl__queue_free(queue, &o->device_indices);
    return spl__device_survey(queue, &o->csr, &o->csr, o->name, o->look, &o->survey);
}

spl_status spl__operand_borrow(spl__queue *queue, const spl_sparse *view, bool transpose,
                               spl_index offset_type, spl__operand *o)
{
    o->source = *view;
    o->transposed = transpose;
    o->offset_type = offset_type;
    o->csr = *view;
    SPL__TRY(check_dimensions(view, is_reordered(o), o->name));
    SPL__TRY(spl__operand_check_place(queue, view, o->name));
    SPL__TRY(narrow_indices(queue, &o->csr, o));
    return widen_offsets(queue, &o->csr, offset_type, o);
}

/* Whether the operand has the arrays of the first one, which is surveyed as stored. */
static bool is_twin(const spl__operand *first, const spl__operand *o)
{
    return o != first && o->source.offsets && !first->made_by && !is_reordered(first) &&
           spl__view_same_structure(&first->source, &o->source);
}

static spl_status survey_all(spl__queue *queue, spl__operand *const *operands, int count,
                             const spl__meanwhile *meanwhile)
{
    spl__survey_task tasks[SPL__MOST_SURVEYS] = {0};
    int n = 0;
    for (int k = 0; k < count; k++) {
        spl__operand *o = operands[k];
        if (!is_twin(operands[0], o))
            tasks[n++] =
                (spl__survey_task){&o->csr, &o->source, o->name,
                                   is_reordered(o) ? SPL__LOOK_NO_FURTHER : o->look, &o->survey};
    }
    return spl__device_surveys(queue, tasks, n, meanwhile);
}

spl_status spl__operands_settle(spl__queue *queue, spl__operand *const *operands, int count,
                                const spl__meanwhile *meanwhile)
{
    SPL__TRY(survey_all(queue, operands, count, meanwhile));
    for (int k = 0; k < count; k++)
        if (is_twin(operands[0], operands[k]))
            operands[k]->survey = operands[0]->survey;
    for (int k = 0; k < count; k++) {
        spl__operand *o = operands[k];
        if (is_reordered(o))
            SPL__TRY(copy_to_device(queue, o));
        else if (o->csr.format == SPL_CSC)
            o->csr = spl__view_csc_as_csr(&o->csr);
    }
    return SPL_OK;
}

void spl__operand_free(spl__queue *queue, spl__operand *operand)
{
    spl__queue_free(queue, &operand->device_offsets);
    spl__queue_free(queue, &operand->device_indices);
    spl__queue_free(queue, &operand->device_values);
    spl__queue_free(queue, &operand->device_fingerprint);
    spl__queue_free(queue, &operand->device_renumbered);
    spl__device_arrange_free(queue, &operand->arranged);
    spl__arrange_free(&operand->arrangement);
    spl__free(operand->values);
    spl__free(operand->renumbered);
    operand->values = operand->renumbered = NULL;
}

spl_status spl__operand_update(spl__watch *watch, spl__queue *queue, spl__operand *o,
                               const spl_sparse *view)
{
    spl__view_move_structure(&o->host, &o->source, view);
    spl__view_move_structure(&o->csr, &o->source, view);
    o->source.offsets = view->offsets;
    o->source.indices = view->indices;
    o->source.values = view->values;
    return update_values(watch, queue, o, view->values);
}

static const char *reason_of_copy(const spl_sparse *view, const spl__operand *o)
{
    if (o->arrangement.from)
        return view->format == SPL_COO ? "sorted by row into a CSR copy"
                                       : "transposed into a CSR copy";
    if (view->format == SPL_COO)
        return "row offsets added to coordinates in row order";
    if (o->arrangement.offsets || o->arrangement.indices)
        return "indices widened in a copy";
    return NULL;
}

spl_status spl__operand_prepare(spl__account *account, int threads, const spl_sparse *view,
                                bool transpose, spl_index offset_type, spl_index index_type,
                                spl__operand *operand)
{
    operand->source = *view;
    SPL__TRY(spl__arrange(account, threads, view, transpose, offset_type, index_type,
                          &operand->arrangement));
    operand->host = operand->arrangement.csr;
    operand->csr = operand->host;
    operand->made_by = reason_of_copy(view, operand);
    if (operand->arrangement.from && view->values)
        SPL__TRY(spl__alloc(account, view->nnz, spl__type_size(view->type), &operand->values));
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(spl__operand_update(watch, NULL, operand, view));
    return spl__watch_check(watch);
}

/* ---- noticing changes ---- */

static spl__fingerprints fingerprints_on_host(const spl_sparse *s)
{
    size_t offsets = (size_t)spl__offsets_count(s) * spl__index_size(spl__offsets_type(s));
    uint64_t structure = spl__fingerprint(0, s->offsets, offsets);
    return (spl__fingerprints){
        spl__fingerprint(structure, s->indices, (size_t)s->nnz * spl__index_size(s->index_type)),
        s->values ? spl__fingerprint(0, s->values, (size_t)s->nnz * spl__type_size(s->type)) : 0};
}

static spl_status make_fingerprints(spl__queue *queue, const spl__operand *o,
                                    const spl_sparse *view, spl__fingerprints *fingerprints)
{
    if (o->device_fingerprint.data)
        return spl__device_fingerprint(queue, view, o->device_fingerprint.data, fingerprints);
    *fingerprints = fingerprints_on_host(view);
    return SPL_OK;
}

spl_status spl__operand_watch(spl__queue *queue, spl__operand *o)
{
    if (!o->source.format)
        return SPL_OK;
    if (o->source.place.kind != SPL_HOST)
        SPL__TRY(spl__queue_alloc(queue, 1, sizeof(spl__fingerprints), &o->device_fingerprint));
    return make_fingerprints(queue, o, &o->source, &o->fingerprints);
}

spl_status spl__operand_accept(spl__queue *queue, const spl__operand *o, const spl_sparse *view,
                               spl__fingerprints *fingerprints)
{
    const spl_sparse *s = &o->source;
    bool same =
        view->offsets == s->offsets && view->indices == s->indices && view->values == s->values;
    if (!same && s->place.kind != SPL_HOST)
        SPL__TRY(spl__operand_check_place(queue, view, o->name));
    if (!fingerprints)
        return SPL_OK;
    SPL__TRY(make_fingerprints(queue, o, view, fingerprints));
    if (o->fingerprints.structure != fingerprints->structure)
        return spl__fail(
            SPL_STALE, "%s: offsets or indices are not those that the plan was made for", o->name);
    return SPL_OK;
}

spl_status spl__operand_compare(spl__queue *queue, spl__operand *o)
{
    spl__fingerprints now;
    SPL__TRY(make_fingerprints(queue, o, &o->source, &now));
    if (o->fingerprints.structure != now.structure)
        return spl__fail(SPL_STALE, "%s: offsets or indices changed since the plan was made",
                         o->name);
    if (o->fingerprints.values != now.values)
        return spl__fail(SPL_STALE, "%s: values changed without spl_plan_update_values", o->name);
    return SPL_OK;
}
