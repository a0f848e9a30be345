/* SPDX-License-Identifier: Apache-2.0 */
/* product_export.c: copies C from the plan to the caller. */
#include "spgemm/gpu/device_product.h"

#include <string.h>

enum { MANY_ROWS = 100000 }; /* from so many rows on several threads pay */

void *spl__kept_values(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    if (c->device_c) /* staging always keeps an array on the device */
        return plan->problem.options.keep_result ? c->device_c->values.data : NULL;
    return c->values;
}

spl__product_terms spl__product_terms_of(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    return (spl__product_terms){c->capacity, c->bounded, spl__kept_values(plan) != NULL};
}

spl__product_state spl__product_state_of(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    return (spl__product_state){.nnz = spl__product_nnz(plan),
                                .known = c->known,
                                .bounded = c->bounded,
                                .keeps = spl__kept_values(plan) != NULL,
                                .computed = c->computed,
                                .offset_type = spl__result_offset_type(plan)};
}

/* ---- execute ---- */

/* Values that a device computes for an array on the host pass through an array of the plan. */
static spl_status execute_staged(spl_plan *plan, spl__call *call, void *values)
{
    const spl__device_array *device_array = &spl__product_of(plan)->device_c->values;
    call->values = device_array->data;
    SPL__TRY(spl__plan_enter(plan, NULL));
    spl_status status = spl__plan_execute_entered(plan, SPL__PHASE_numeric, call);
    if (status == SPL_OK)
        status =
            spl__queue_fetch(&plan->problem.queue, values, device_array->data, device_array->bytes);
    spl__plan_leave(plan);
    return status;
}

spl_status spl__product_execute(spl_plan *plan, const spl__call *call, void *values,
                                const spl_stream *stream)
{
    spl__call part_call = *call;
    part_call.values = values ? values : spl__kept_values(plan);
    if (values && plan->problem.staged)
        return execute_staged(plan, &part_call, values);
    return spl__plan_execute(plan, SPL__PHASE_numeric, &part_call, stream);
}

/* ---- export ---- */

static void export_offsets(const spl_plan *plan, void *offsets)
{
    const spl__product *c = spl__product_of(plan);
    spl_index type = spl__result_offset_type(plan);
    int64_t rows = plan->problem.rows, sum = 0;
    if (!c->lengths) {
#pragma omp parallel for num_threads(spl__team(plan->problem.threads))                             \
    schedule(static) if (rows > MANY_ROWS)
        for (int64_t i = 0; i <= rows; i++)
            spl__index_set(offsets, type, i, c->offsets[i]);
        return;
    }
    spl__index_set(offsets, type, 0, 0);
    for (int64_t i = 0; i < rows; i++) {
        sum += c->lengths[i];
        spl__index_set(offsets, type, i + 1, sum);
    }
}

/* Copies elements of `size` bytes; where a bound has left gaps, row by row without them. */
static void export_array(const spl_plan *plan, void *to, const void *from, size_t size)
{
    const spl__product *c = spl__product_of(plan);
    char *out = to;
    if (!c->lengths) {
        spl__copy_bytes(plan->problem.threads, to, from,
                        (size_t)c->offsets[plan->problem.rows] * size);
        return;
    }
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        size_t bytes = (size_t)c->lengths[i] * size;
        if (bytes > 0)
            memcpy(out, (const char *)from + (size_t)c->offsets[i] * size, bytes);
        out += bytes;
    }
}

spl_status spl__product_export(spl_plan *plan, void *offsets, void *indices, void *values,
                               const spl_stream *stream)
{
    const spl__product *c = spl__product_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    if (c->device_c) {
        SPL__TRY(spl__plan_turn(plan, stream));
        spl_status status = spl__device_product_export(plan, offsets, indices, values);
        spl__plan_mark(plan); /* a new execution must not overwrite values before they are copied */
        return status;
    }
    if (offsets)
        export_offsets(plan, offsets);
    if (indices)
        export_array(plan, indices, c->columns, spl__index_size(a->index_type));
    if (values)
        export_array(plan, values, c->values, spl__type_size(a->type));
    return SPL_OK;
}
