/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_select.c: the entries of a matrix that a selection keeps, in their order. */
#ifndef T
#ifndef SPL_ALGEBRA_SELECT_K_H
#define SPL_ALGEBRA_SELECT_K_H
#include "sparloom/algebra.h"

#include <stdint.h>

enum { SELECT_THREADS = 256, SELECT_PIECE = 2048 };

/* Units are lines of CSR or CSC, or pieces of SELECT_PIECE entries of COO. Counts the kept entries
 * of each, or copies them from begin[unit] on, where to_indices is given. */
struct select_entries_args {
    int64_t units, nnz;
    int32_t coordinates, by_columns;
    const void *offsets; /* P[units + 1], or int32_t[nnz] of COO */
    const int32_t *indices;
    const void *values;
    int32_t selector, invert;
    int64_t diagonal;
    double threshold;
    const uint8_t *listed; /* of each row, of SPL_SELECT_ROWS */
    void *begin;           /* P[units + 1] */
    int32_t *to_lines, *to_indices;
    void *to_values;
};
#endif
#else
#define IN_HALVES
#define IN_INTEGERS
#include "algebra/threshold.h"

#ifdef INTEGER
#define AS_REAL(value, threshold) spl__beside(value, threshold)
#else
#define AS_REAL(value, threshold) ((double)WIDEN(value))
#endif

DEVICE bool FN(select_keeps)(const struct select_entries_args *args, int64_t row, int64_t col,
                             int64_t p)
{
    const T *RESTRICT values = (const T *)args->values;
    bool kept = false;
    switch (args->selector) {
    case SPL_SELECT_LOWER:
        kept = col - row <= args->diagonal;
        break;
    case SPL_SELECT_UPPER:
        kept = col - row >= args->diagonal;
        break;
    case SPL_SELECT_DIAGONAL:
        kept = col - row == args->diagonal;
        break;
    case SPL_SELECT_AT_LEAST:
        kept = AS_REAL(READ(&values[p]), args->threshold) >= args->threshold;
        break;
    case SPL_SELECT_AT_MOST:
        kept = AS_REAL(READ(&values[p]), args->threshold) <= args->threshold;
        break;
    default:
        kept = READ(&args->listed[row]) != 0;
        break;
    }
    return kept != (args->invert != 0);
}

/* A warp per unit. */
DEVICE void FN(select_unit)(const struct select_entries_args *args, int64_t unit)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    const int32_t *RESTRICT lines = (const int32_t *)args->offsets;
    const bool coo = args->coordinates != 0;
    const int64_t begin = coo ? unit * SELECT_PIECE : (int64_t)READ(&offsets[unit]),
                  piece = begin + SELECT_PIECE < args->nnz ? begin + SELECT_PIECE : args->nnz,
                  end = coo ? piece : (int64_t)READ(&offsets[unit + 1]);
    const lane_mask before = ((lane_mask)1 << LANE) - 1;
    int64_t to = args->to_indices ? (int64_t)((const P *)args->begin)[unit] : 0;
    for (int64_t first = begin; first < end; first += LANES) {
        const int64_t p = first + LANE;
        const bool there = p < end;
        const int32_t index = there ? READ(&args->indices[p]) : 0;
        const int64_t line = coo && there ? READ(&lines[p]) : unit;
        const bool kept = there && FN(select_keeps)(args, args->by_columns ? index : line,
                                                    args->by_columns ? line : index, p);
        const lane_mask all = BALLOT(GROUP_MASK(LANES), kept);
        if (kept && args->to_indices) {
            const int64_t place = to + POPCOUNT(all & before);
            args->to_indices[place] = index;
            ((T *)args->to_values)[place] = READ(&((const T *)args->values)[p]);
            if (coo)
                args->to_lines[place] = (int32_t)line;
        }
        to += POPCOUNT(all);
    }
    if (!args->to_indices && LANE == 0)
        ((P *)args->begin)[unit] = (P)to;
}

KERNEL(select_entries, SELECT_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t unit = BLOCK * (THREADS / LANES) + WARP; unit < args.units; unit += warps)
        FN(select_unit)(&args, unit);
}

#undef AS_REAL
#endif
