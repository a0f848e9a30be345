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
    operand->csr = operand->arrangement.csr;
    operand->made_by = reason_of_copy(view, operand);
    if (operand->arrangement.from)
        SPL__TRY(spl__alloc(account, view->nnz, spl__type_size(view->type), &operand->values));
    spl__operand_update(operand, view->values);
    return SPL_OK;
}

void spl__operand_free(spl__operand *operand)
{
    spl__arrange_free(&operand->arrangement);
    spl__free(operand->values);
    operand->values = NULL;
}

void spl__operand_update(spl__operand *operand, const void *values)
{
    const spl_sparse *csr = &operand->csr;
    operand->source.values = values;
    operand->csr.values = operand->values ? operand->values : values;
    if (operand->values)
        spl__gather(operand->values, csr->type, values, csr->type, operand->arrangement.from, csr->nnz);
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
