/* SPDX-License-Identifier: Apache-2.0 */
#include "format/device_narrow_values.h"

#include "core/types.h"

#include <stddef.h>

spl_status spl__device_narrow_alloc(spl__queue *queue, spl__device_array *found)
{
    return spl__queue_alloc(queue, 1, sizeof(struct device_narrow_found), found);
}

spl_status spl__device_narrow_scan(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_array *found)
{
    const spl__kernel *kernel;
    struct device_narrow_scan_args args = {csr->nnz, csr->values, found->data};
    SPL__TRY(spl__queue_kernel(queue, "device_narrow_scan", csr->type, csr->offset_type, &kernel));
    SPL__TRY(spl__queue_fill(queue, found->data, UINT8_MAX, found->bytes));
    return SPL__LAUNCH(queue, &args, kernel,
                       spl__blocks_at_once(queue, csr->nnz, DEVICE_NARROW_THREADS),
                       DEVICE_NARROW_THREADS);
}

static spl_status look_and_fetch(spl__queue *queue, const spl_sparse *csr,
                                 const spl__device_array *found, spl__narrow_form *form)
{
    int32_t head[2]; /* form, last */
    SPL__TRY(spl__device_narrow_scan(queue, csr, found));
    SPL__TRY(spl__queue_fetch(queue, head, found->data, sizeof head));
    if (head[0] > DEVICE_NARROW_AS_THEY_ARE)
        *form = (spl__narrow_form){.form = head[0],
                                   .distinct = head[0] == DEVICE_NARROW_CODED ? head[1] + 1 : 0};
    return SPL_OK;
}
_Static_assert(offsetof(struct device_narrow_found, last) == sizeof(int32_t),
               "form and last come first");

spl_status spl__device_narrow_survey(spl__queue *queue, const spl_sparse *csr,
                                     spl__narrow_form *form)
{
    spl__device_array found;
    *form = (spl__narrow_form){0};
    SPL__TRY(spl__device_narrow_alloc(queue, &found));
    spl_status status = look_and_fetch(queue, csr, &found, form);
    spl__queue_free(queue, &found);
    return status;
}

double spl__narrow_form_bytes(const spl__narrow_form *form, spl_type type)
{
    switch (form->form) {
    case DEVICE_NARROW_ONE:
        return 0;
    case DEVICE_NARROW_CODED:
        return 1;
    case DEVICE_NARROW_F32:
        return sizeof(float);
    case SPL__VALUES_WHOLE:
        return sizeof(int16_t);
    default:
        return (double)spl__type_size(type);
    }
}

void spl__narrow_form_explain(const spl__narrow_form *form, spl__text *text)
{
    if (form->form == DEVICE_NARROW_ONE)
        spl__text_add(text, "; values: all the same, none read");
    else if (form->form == DEVICE_NARROW_CODED)
        spl__text_add(text, "; values: %d distinct, 1 byte each", (int)form->distinct);
    else if (form->form == DEVICE_NARROW_F32)
        spl__text_add(text, "; values: f32 holds all of them, 4 bytes each");
    else if (form->form == SPL__VALUES_WHOLE)
        spl__text_add(text, "; values: whole numbers times 2^%d, 2 bytes each",
                      (int)form->exponent);
}
