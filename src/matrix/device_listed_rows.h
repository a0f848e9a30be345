/* SPDX-License-Identifier: Apache-2.0 */
/* device_listed_rows.h: the long rows of a matrix on a device, in a list, for kernels that compute
 * each of them by a whole block. */
#ifndef SPL_MATRIX_DEVICE_LISTED_ROWS_H
#define SPL_MATRIX_DEVICE_LISTED_ROWS_H

#include "device/device.h"

typedef struct spl__listed_rows {
    int64_t limit; /* rows of more entries are listed */
    int32_t count;
    spl__device_array list; /* uint32_t, in any order */
} spl__listed_rows;

/* Lists the rows of `csr`, of which the longest has `longest` entries. Waits once if that is more
 * than `limit`. spl__listed_rows_free must follow, also after failure. */
spl_status spl__listed_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                 double longest, spl__listed_rows *rows);
void spl__listed_rows_free(spl__queue *queue, spl__listed_rows *rows);

#endif
