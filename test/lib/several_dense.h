/* SPDX-License-Identifier: Apache-2.0 */
/* several_dense.h: dense operands of plans of several processors, on the host and on the device
 * that holds the matrix. */
#ifndef TEST_LIB_SEVERAL_DENSE_H
#define TEST_LIB_SEVERAL_DENSE_H

#include "lib/several.h"

typedef struct several_dense {
    test_dense b, c, before;
    spl_dense device_b, device_c;
} several_dense;

/* B, and C, which is NaN if beta is 0. */
several_dense several_dense_of(const on_device *s, const spmm_run *run);
void several_dense_free(const on_device *s, several_dense *o);
/* The current C on the device is right. */
void several_dense_expect(const on_device *s, const spmm_run *run, several_dense *o);
/* An SpMV. */
spmm_run several_vector_run(const resident *a, spl_options options, test_scalars scalars);

#endif
