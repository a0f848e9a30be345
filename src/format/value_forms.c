/* SPDX-License-Identifier: Apache-2.0 */
#include "format/value_forms.h"

#include "core/types.h"

#include <stddef.h>

spl_status spl__device_values_alloc(spl__queue *queue, spl__device_array *found)
{
    return spl__queue_alloc(queue, 1, sizeof(struct device_values_found), found);
}

spl_status spl__device_values_look(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_array *found)
{
    const spl__kernel *kernel;
    struct device_values_look_args args = {csr->nnz, csr->values, found->data};
    SPL__TRY(spl__queue_kernel(queue, "device_values_look", csr->type, csr->offset_type, &kernel));
    SPL__TRY(spl__queue_fill(queue, found->data, UINT8_MAX, found->bytes));
    return SPL__LAUNCH(queue, &args, kernel,
                       spl__blocks_at_once(queue, csr->nnz, DEVICE_VALUES_THREADS),
                       DEVICE_VALUES_THREADS);
}

static spl_status look_and_fetch(spl__queue *queue, const spl_sparse *csr,
                                 const spl__device_array *found, spl__value_form *form)
{
    int32_t head[2]; /* form, last */
    SPL__TRY(spl__device_values_look(queue, csr, found));
    SPL__TRY(spl__queue_fetch(queue, head, found->data, sizeof head));
    if (head[0] > DEVICE_VALUES_AS_THEY_ARE)
        *form = (spl__value_form){.form = head[0],
                                  .distinct = head[0] == DEVICE_VALUES_CODED ? head[1] + 1 : 0};
    return SPL_OK;
}
_Static_assert(offsetof(struct device_values_found, last) == sizeof(int32_t),
               "form and last come first");

spl_status spl__device_values_survey(spl__queue *queue, const spl_sparse *csr,
                                     spl__value_form *form)
{
    spl__device_array found;
    *form = (spl__value_form){0};
    SPL__TRY(spl__device_values_alloc(queue, &found));
    spl_status status = look_and_fetch(queue, csr, &found, form);
    spl__queue_free(queue, &found);
    return status;
}

double spl__value_form_bytes(const spl__value_form *form, spl_type type)
{
    switch (form->form) {
    case DEVICE_VALUES_ONE:
        return 0;
    case DEVICE_VALUES_CODED:
        return 1;
    case DEVICE_VALUES_F32:
        return sizeof(float);
    case SPL__VALUES_WHOLE:
        return sizeof(int16_t);
    default:
        return (double)spl__type_size(type);
    }
}

void spl__value_form_explain(const spl__value_form *form, spl__text *text)
{
    if (form->form == DEVICE_VALUES_ONE)
        spl__text_add(text, "; values: all the same, none read");
    else if (form->form == DEVICE_VALUES_CODED)
        spl__text_add(text, "; values: %d distinct, 1 byte each", (int)form->distinct);
    else if (form->form == DEVICE_VALUES_F32)
        spl__text_add(text, "; values: f32 holds all of them, 4 bytes each");
    else if (form->form == SPL__VALUES_WHOLE)
        spl__text_add(text, "; values: whole numbers times 2^%d, 2 bytes each",
                      (int)form->exponent);
}
