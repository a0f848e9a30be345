/* SPDX-License-Identifier: Apache-2.0 */
/* device_narrow_values.h: the least bytes in which the values of a matrix on a device can be stored
 * exactly: all values equal, up to 256 distinct ones, f64 that f32 represents. Values are compared
 * by bits: -0 differs from 0, and f32 represents no NaN.
 *
 * The result stays on the device, where new values are scanned without a wait; kernels read it
 * when they run. So a plan that was made for values of one form is correct for all. */
#ifndef SPL_FORMAT_DEVICE_NARROW_VALUES_H
#define SPL_FORMAT_DEVICE_NARROW_VALUES_H

#include "core/text.h"
#include "device/device.h"
#include "format/device_narrow_values.k.h"

/* 16-bit integers times 2^exponent: a form of the host only (narrow_values.h). */
enum { SPL__VALUES_WHOLE = DEVICE_NARROW_F32 + 1 };

/* The form, for the host; all zero: unchanged values. */
typedef struct spl__narrow_form {
    /* form: DEVICE_NARROW_... or SPL__VALUES_WHOLE; distinct: for DEVICE_NARROW_CODED */
    int32_t form, distinct;
    int32_t exponent; /* for SPL__VALUES_WHOLE */
} spl__narrow_form;

/* Scans the values of a valid matrix on the device. Waits once. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__device_narrow_survey(spl__queue *queue, const spl_sparse *csr,
                                     spl__narrow_form *form);
/* The bytes per value, and a text: "values: 2 distinct, 1 byte each". */
double spl__narrow_form_bytes(const spl__narrow_form *form, spl_type type);
void spl__narrow_form_explain(const spl__narrow_form *form, spl__text *text);

/* Allocates the result: a struct device_narrow_found. */
spl_status spl__device_narrow_alloc(spl__queue *queue, spl__device_array *found);
/* Enqueues the scan. */
spl_status spl__device_narrow_scan(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_array *found);

#endif
