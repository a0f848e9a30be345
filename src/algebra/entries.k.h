/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_operand.c, device_reduce.c and device_elementwise.c: a warp per row. */
#ifndef T
#ifndef SPL_ALGEBRA_ENTRIES_K_H
#define SPL_ALGEBRA_ENTRIES_K_H
#include "sparloom/algebra.h"

#include <stdint.h>

enum { ENTRIES_THREADS = 256, ENTRIES_PIECE = 4096 };

/* Rows whose columns ascend, equal ones added to one. Counts them, or writes them from begin[row]
 * on, where to_indices is given. begin: int64_t if `wide`, else int32_t. */
struct entries_distinct_args {
    int64_t rows;
    const void *offsets; /* P[rows + 1] */
    const int32_t *indices;
    const void *values;
    void *begin;
    int32_t wide;
    int32_t *to_indices;
    void *to_values;
};

/* Combines the entries of each row; without offsets, of each ENTRIES_PIECE of `count` entries.
 * `sums` is read in place of `values` where it is given: what `partial` got, one f64 or i64 per
 * row. Else `result` gets values, each rounded once. */
struct entries_reduce_args {
    int64_t rows, count;
    const void *offsets; /* P[rows + 1], or NULL */
    const void *values, *sums;
    void *partial, *result;
    int32_t monoid;
    int32_t whole; /* 1: one row of all entries */
};

/* Row i of C from those of A and B, whose columns ascend, each once. Counts, or writes as above. */
struct entries_merge_args {
    int64_t rows;
    const void *a_offsets, *b_offsets; /* P[rows + 1] */
    const int32_t *a_indices, *b_indices;
    const void *a_values, *b_values;
    int32_t positions, operation;
    void *begin; /* P[rows + 1] */
    int32_t *to_indices;
    void *to_values;
};
#endif
#else
#define IN_HALVES
#define IN_INTEGERS
#include "core/integer.h"

#include "algebra/monoid.h"
#include "algebra/operate.h"

/* ------------------------------------------------------------------------------ equal positions */

/* The sum of the entries from p on that are in the column of the first. */
DEVICE T FN(entries_sum)(const int32_t *indices, const T *values, int64_t p, int64_t end)
{
    const int32_t column = READ(&indices[p]);
    ACC sum = WIDEN(READ(&values[p]));
    for (p++; p < end && READ(&indices[p]) == column; p++)
        sum = SPL__PLUS(sum, WIDEN(READ(&values[p])));
    return NARROW(sum);
}

KERNEL(entries_distinct, ENTRIES_THREADS, args)
{
    const P *RESTRICT offsets = (const P *)args.offsets;
    const int64_t warps = BLOCKS * (THREADS / LANES);
    const lane_mask before = ((lane_mask)1 << LANE) - 1;
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t begin = READ(&offsets[row]), end = READ(&offsets[row + 1]);
        int64_t to = 0;
        if (args.to_indices)
            to =
                args.wide ? ((const int64_t *)args.begin)[row] : ((const int32_t *)args.begin)[row];
        for (int64_t first = begin; first < end; first += LANES) {
            const int64_t p = first + LANE;
            const bool leads =
                p < end && (p == begin || READ(&args.indices[p]) != READ(&args.indices[p - 1]));
            const lane_mask all = BALLOT(GROUP_MASK(LANES), leads);
            if (leads && args.to_indices) {
                const int64_t place = to + POPCOUNT(all & before);
                args.to_indices[place] = READ(&args.indices[p]);
                ((T *)args.to_values)[place] =
                    FN(entries_sum)(args.indices, (const T *)args.values, p, end);
            }
            to += POPCOUNT(all);
        }
        if (!args.to_indices && LANE == 0) {
            if (args.wide)
                ((int64_t *)args.begin)[row] = to;
            else
                ((int32_t *)args.begin)[row] = (int32_t)to;
        }
    }
}

/* ----------------------------------------------------------------------------------- reductions */

KERNEL(entries_reduce, ENTRIES_THREADS, args)
{
    const P *RESTRICT offsets = (const P *)args.offsets;
    const spl_monoid monoid = (spl_monoid)args.monoid;
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        int64_t begin = row * ENTRIES_PIECE, end = begin + ENTRIES_PIECE;
        SUM all = FN(identity)(monoid);
        if (args.whole || (!offsets && end > args.count))
            end = args.count;
        if (offsets) {
            begin = READ(&offsets[row]);
            end = READ(&offsets[row + 1]);
        }
        for (int64_t p = begin + LANE; p < end; p += LANES)
            all = FN(combine)(monoid, all,
                              args.sums ? READ(&((const SUM *)args.sums)[p])
                                        : (SUM)WIDEN(READ(&((const T *)args.values)[p])));
        for (int half = LANES / 2; half > 0; half /= 2)
            all = FN(combine)(monoid, all, SHUFFLE_XOR(GROUP_MASK(LANES), all, half));
        if (LANE == 0 && args.partial)
            ((SUM *)args.partial)[row] = all;
        else if (LANE == 0)
            ((ACC *)args.result)[row] = (ACC)all;
    }
}

/* -------------------------------------------------------------------------- element by element */

/* A row of one operand. */
struct FN(entries_row) {
    const int32_t *indices;
    const T *values;
    int64_t length;
};

DEVICE struct FN(entries_row) FN(entries_row_of)(const void *offsets, const int32_t *indices,
                                                 const void *values, int64_t row)
{
    struct FN(entries_row) r;
    const int64_t begin = READ(&((const P *)offsets)[row]);
    r.indices = indices + begin;
    r.values = (const T *)values + begin;
    r.length = (int64_t)READ(&((const P *)offsets)[row + 1]) - begin;
    return r;
}

/* How many columns of the row are less. */
DEVICE int64_t FN(entries_less)(const struct FN(entries_row) *row, int32_t column)
{
    int64_t low = 0, high = row->length;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (READ(&row->indices[middle]) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entries of `own`, of A or (then only those that A has not, for a union) of B; `to`: where
 * C's row begins. An entry's place is the number of entries of C before it: of its own row, of the
 * other one, less those that both have. Returns how many were kept. */
DEVICE int64_t FN(entries_merge_row)(const struct entries_merge_args *args,
                                     const struct FN(entries_row) *own,
                                     const struct FN(entries_row) *other, bool of_a, int64_t to)
{
    const lane_mask lower = ((lane_mask)1 << LANE) - 1;
    int64_t common_before = 0, kept_before = 0;
    for (int64_t first = 0; first < own->length; first += LANES) {
        const int64_t p = first + LANE;
        const bool there = p < own->length;
        const int32_t column = there ? READ(&own->indices[p]) : 0;
        const int64_t q = there ? FN(entries_less)(other, column) : 0;
        const bool common = there && q < other->length && READ(&other->indices[q]) == column;
        const bool kept = args->positions == SPL_UNION          ? there && (of_a || !common)
                          : args->positions == SPL_INTERSECTION ? common
                                                                : there && !common;
        const lane_mask both = BALLOT(GROUP_MASK(LANES), common),
                        all = BALLOT(GROUP_MASK(LANES), kept);
        if (kept && args->to_indices) {
            const int64_t place = to + (args->positions == SPL_UNION
                                            ? p + q - (common_before + POPCOUNT(both & lower))
                                            : kept_before + POPCOUNT(all & lower));
            const T value = READ(&own->values[p]);
            args->to_indices[place] = column;
            ((T *)args->to_values)[place] =
                common ? NARROW(FN(operate)((spl_operation)args->operation, WIDEN(value),
                                            WIDEN(READ(&other->values[q]))))
                       : value;
        }
        common_before += POPCOUNT(both);
        kept_before += POPCOUNT(all);
    }
    return kept_before;
}

KERNEL(entries_merge, ENTRIES_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    P *const begin = (P *)args.begin;
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const struct FN(entries_row) a = FN(entries_row_of)(args.a_offsets, args.a_indices,
                                                            args.a_values, row),
                                     b = FN(entries_row_of)(args.b_offsets, args.b_indices,
                                                            args.b_values, row);
        const int64_t to = args.to_indices ? (int64_t)begin[row] : 0;
        int64_t length = FN(entries_merge_row)(&args, &a, &b, true, to);
        if (args.positions == SPL_UNION)
            length += FN(entries_merge_row)(&args, &b, &a, false, to);
        if (!args.to_indices && LANE == 0)
            begin[row] = (P)length;
    }
}

#undef SUM
#endif
