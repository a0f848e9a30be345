/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute the values of rows of C = alpha*A*B + beta*D whose columns are known, one
 * kernel per kind of lookup, and one for short rows with a thread each. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_VALUES_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_VALUES_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* values of all rows, one thread per row, in the order of A's and B's entries */
struct spgemm_ordered_values_args {
    struct spgemm_operands o;
    int32_t unsorted;
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_positions.h"

#include "spgemm/kernels/spgemm_value_rows.h"

#include "spgemm/kernels/spgemm_lane_rows.h"

#define SPGEMM_VALUES(kind, name)                                                                  \
    KERNEL_OF(struct spgemm_values, spgemm_##name##_values, SPGEMM_MOST_THREADS, v)                \
    {                                                                                              \
        SHARED_AT_LAUNCH(unsigned char, shared);                                                   \
        FN(compute_rows)(&v, shared, kind, true);                                                  \
    }
EACH_VALUE_KIND(SPGEMM_VALUES)
#undef SPGEMM_VALUES

KERNEL_OF(struct spgemm_values, spgemm_lane_values, SPGEMM_ROWS_THREADS, v)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_rows_alone)(&v, shared);
}

/* ---- in order ---- */

/* The position of `column` in a row: by binary search if the columns are sorted, else by a
 * linear one. The row must have it. */
DEVICE int64_t FN(position)(const int32_t *RESTRICT columns, int64_t count, int32_t column,
                            int unsorted)
{
    int64_t low = 0, high = count;
    while (unsorted && columns[low] != column)
        low++;
    while (!unsorted && high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

DEVICE void FN(ordered_row)(const struct spgemm_ordered_values_args *args, int64_t row, T alpha,
                            T beta)
{
    const P *a_offsets = (const P *)args->o.s.a_offsets,
            *b_offsets = (const P *)args->o.s.b_offsets;
    const P *d_offsets = (const P *)args->o.s.d_offsets;
    const I *a_columns = (const I *)args->o.s.a_columns,
            *b_columns = (const I *)args->o.s.b_columns;
    const int64_t begin = args->o.offsets[row], count = args->o.offsets[row + 1] - begin;
    T *const out = (T *)args->o.values + begin;
    for (int64_t i = 0; i < count; i++)
        out[i] = 0;
    for (P p = a_offsets[row]; alpha != 0 && p < a_offsets[row + 1]; p++)
        for (P q = b_offsets[a_columns[p]]; q < b_offsets[a_columns[p] + 1]; q++)
            out[FN(position)(args->o.columns + begin, count, b_columns[q], args->unsorted)] +=
                alpha * ((const T *)args->o.a_values)[p] * ((const T *)args->o.b_values)[q];
    for (P p = beta != 0 && d_offsets ? d_offsets[row] : 0;
         beta != 0 && d_offsets && p < d_offsets[row + 1]; p++)
        out[FN(position)(args->o.columns + begin, count, ((const I *)args->o.s.d_columns)[p],
                         args->unsorted)] += beta * ((const T *)args->o.d_values)[p];
}

KERNEL(spgemm_ordered_values, SPGEMM_ROWS_THREADS, args)
{
    const T alpha = SCALAR(T, args.o.scalars.alpha), beta = SCALAR(T, args.o.scalars.beta);
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.o.s.rows; row += BLOCKS * THREADS)
        FN(ordered_row)(&args, row, alpha, beta);
}

#endif
