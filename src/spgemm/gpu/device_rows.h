/* SPDX-License-Identifier: Apache-2.0 */
/* device_rows.h: the state of numeric methods that have their own kernels for row bins. */
#ifndef SPL_SPGEMM_GPU_DEVICE_ROWS_H
#define SPL_SPGEMM_GPU_DEVICE_ROWS_H

#include "spgemm/gpu/bins/row_bins.h"
#include "spgemm/gpu/device_product.h"

typedef struct spl__row_kernels {
    spl__row_shapes shapes;
    spl__row_bins bins;
    const spl__kernel *kernels[SPGEMM_MOST_GROUPS]; /* NULL: no rows */
    spl__device_array extra;                        /* an array of the method's own */
} spl__row_kernels;

/* The parameters of the launch for a bin. */
typedef struct spl__bin_launch {
    const spl__kernel *kernel;
    const spl__row_shape *shape;
    const uint32_t *list;
    int64_t list_count, longest;
    double row_of_b;
} spl__bin_launch;

/* Bins the rows of C by their known lengths and looks up the kernel of each bin. */
spl_status spl__row_kernels_prepare(spl__step *step, const spl__row_shapes *shapes,
                                    spl__team_bytes bytes_of,
                                    const char *(*kernel_of)(const spl__row_shape *shape));
spl__bin_launch spl__row_kernels_launch(const spl__row_kernels *rows, int g);
void spl__row_kernels_explain(const spl__step *step, spl__text *text);
void spl__row_kernels_destroy(spl__step *step);

#endif
