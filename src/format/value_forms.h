/* SPDX-License-Identifier: Apache-2.0 */
/* value_forms.h: in how few bytes the values of a matrix on a device can be stored, exactly: all
 * one value, up to 256 distinct ones, f64 that f32 holds. Bits count: -0 is not 0, and a NaN is no
 * number that f32 holds.
 *
 * What is found stays on the device, where new values are looked at without a wait; kernels read it
 * when they run. So a plan that was made for values of one form serves those of any. */
#ifndef SPL_FORMAT_VALUE_FORMS_H
#define SPL_FORMAT_VALUE_FORMS_H

#include "core/text.h"
#include "device/device.h"
#include "format/value_forms.k.h"

/* Whole numbers of 16 bits times 2^exponent: a form that the host alone knows (narrow_values.h). */
enum { SPL__VALUES_WHOLE = DEVICE_VALUES_F32 + 1 };

/* As the host knows it; zeros: as they are. */
typedef struct spl__value_form {
    int32_t form, distinct; /* DEVICE_VALUES_..., or SPL__VALUES_WHOLE; of DEVICE_VALUES_CODED */
    int32_t exponent;       /* of SPL__VALUES_WHOLE */
} spl__value_form;

/* Looks at the values of a sound matrix on the device. Waits once. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_values_survey(spl__queue *queue, const spl_sparse *csr,
                                     spl__value_form *form);
/* Bytes of each value, and that in words: "values: 2 distinct, 1 byte each". */
double spl__value_form_bytes(const spl__value_form *form, spl_type type);
void spl__value_form_explain(const spl__value_form *form, spl__text *text);

/* Room for what is found: a struct device_values_found. */
spl_status spl__device_values_alloc(spl__queue *queue, spl__device_array *found);
/* Enqueues the look. */
spl_status spl__device_values_look(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_array *found);

#endif
