/* SPDX-License-Identifier: Apache-2.0 */
/* staging.h: dense operands on the host for a plan that computes on a device. */
#ifndef SPL_PROBLEM_STAGING_H
#define SPL_PROBLEM_STAGING_H

#include "matrix/lines.h"
#include "problem/problem.h"

/* Device memory for the right operand (x, B), the result (y, C) and a mask of its rows, and host
 * memory for lines with gaps between them. */
typedef struct spl__staging {
    spl__device_array right, result;
    spl__device_array rows; /* a byte for each, or words of bits */
    /* int64_t: the rows of B that win, of SpMM over min_ and max_ semirings */
    spl__device_array winners;
    void *lines;
} spl__staging;

/* Bytes on the host and, *device, on the device. */
double spl__staging_bytes(const spl__problem *problem, double *device);
/* Allocates these for the dense operands of `problem`; does nothing unless it is staged. On
 * failure spl__staging_free cleans up. */
spl_status spl__staging_make(spl__staging *staging, spl__problem *problem, spl__account *account);
void spl__staging_free(spl__staging *staging, spl__queue *queue);

/* Returns a dense matrix like `host`, without gaps, in `array`; stage_in also copies the
 * elements. */
spl_dense spl__stage_header(const spl__queue *queue, const spl_dense *host,
                            const spl__device_array *array);
spl_status spl__stage_in(spl__staging *staging, spl__queue *queue, const spl_dense *host,
                         const spl_dense *device_view);
/* Copies the mask's array to the device; *device_rows is the mask there. */
spl_status spl__stage_rows(const spl__staging *staging, spl__queue *queue, const spl_row_mask *host,
                           int64_t rows, spl_row_mask *device_rows);
/* Copies back and waits. */
spl_status spl__stage_out(spl__staging *staging, spl__queue *queue, const spl_dense *device_view,
                          const spl_dense *host);

#endif
