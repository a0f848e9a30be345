/* SPDX-License-Identifier: Apache-2.0 */
/* csr_survey.h: checks a CSR structure on a device and measures its rows. */
#ifndef SPL_MATRIX_CSR_SURVEY_H
#define SPL_MATRIX_CSR_SURVEY_H

#include "device/device.h"

typedef struct spl__row_survey {
    double squares, longest, empty; /* sum of squares of row lengths, longest row, rows without entries */
} spl__row_survey;

/* `csr` is on the queue's device, has 32-bit columns, and its header is valid. Offsets and columns are read on the device, a few numbers come
 * back: waits once. SPL_INVALID_MATRIX with the place of the first fault; SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE. */
spl_status spl__csr_survey(spl__queue *queue, const spl_sparse *csr, const char *name, spl__row_survey *survey);
/* Checks coordinates with 32-bit indices in the same way. */
spl_status spl__coo_survey(spl__queue *queue, const spl_sparse *coo, const char *name);

#endif
