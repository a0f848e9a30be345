/* SPDX-License-Identifier: Apache-2.0 */
/* device_sliced.h: sliced ELL on a device: slices of as many rows as a warp has lanes, each as wide
 * as its longest row, columns compressed.
 *
 * Line k of a slice has entry k of its rows, one per lane: its values are at line*lanes + lane. A
 * line has a base, its least column. The slice determines the bytes per column in addition:
 *   0      lane r's column is base + r; all lanes have an entry
 *   1, 2   the column is base + code, unless all bits of the code are set: padding
 *   4      the code is the column, -1 is padding
 * Rows keep their order, or are sorted by falling length within windows, whichever takes fewer
 * bytes. Rows longer than a limit are in no slice.
 *
 * Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. Bishop, SIAM J. Sci. Comput. 36(5), 2014
 * (SELL-C-sigma); narrow columns: [S2], W. Tang et al., Accelerating sparse matrix-vector
 * multiplication on GPUs using bit-representation-optimized schemes, SC'13. */
#ifndef SPL_FORMAT_DEVICE_SLICED_H
#define SPL_FORMAT_DEVICE_SLICED_H

#include "device/device.h"
#include "format/device_narrow_values.h"

typedef struct spl__device_sliced {
    int64_t limit;                     /* the most entries of a row in a slice */
    int64_t slices, lines, code_bytes; /* totals */
    int64_t window;                    /* rows of a sorting window; 0: not sorted */
    /* int32_t[slices*lanes], -1: none; empty if rows have kept their order */
    spl__device_array rows;
    /* int64_t[slices+1]: first line and first byte of codes of each slice */
    spl__device_array begin, code_offsets;
    spl__device_array bases;  /* int32_t[lines] */
    spl__device_array codes;  /* bytes */
    spl__device_array values; /* T[lines*lanes], not initialised */
} spl__device_sliced;

/* Parameters of the choice of sorting. */
typedef struct spl__slice_shape {
    int64_t limit, longest; /* longer rows are left out; the length of the longest row */
} spl__slice_shape;

/* Makes the structure of a CSR matrix on the queue's device with 32-bit row numbers. Waits once,
 * twice if it sorts. Must be freed also after failure. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_DEVICE_FAILURE. */
spl_status spl__device_sliced_make(spl__queue *queue, const spl_sparse *csr, spl__slice_shape shape,
                                   spl__device_sliced *sliced);
/* Enqueues a copy of the values of the same matrix; padding becomes 0. */
spl_status spl__device_sliced_fill(spl__queue *queue, const spl_sparse *csr,
                                   const spl__device_sliced *sliced);
/* The same in the narrow form that was found: codes, f32, nothing, or unchanged; `team` warps
 * take the lines of a slice in turn. spl__device_sliced_allow_narrow allocates memory for any
 * form, and discards the stored values. */
spl_status spl__device_sliced_allow_narrow(spl__queue *queue, int team, spl__device_sliced *sliced);
spl_status spl__device_sliced_fill_narrow(spl__queue *queue, const spl_sparse *csr,
                                          const struct device_narrow_found *found, int team,
                                          const spl__device_sliced *sliced);
void spl__device_sliced_free(spl__queue *queue, spl__device_sliced *sliced);

#endif
