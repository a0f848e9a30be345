/* SPDX-License-Identifier: Apache-2.0 */
/* row_lanes.h: lanes that sum up a row together. Part of the templates of kernel files: read once
 * per combination of types, without a guard. */

#include "device/scale_sum.h"

/* y = alpha*sum + beta*y, without reading y if beta is 0 */
DEVICE void FN(store_row)(T *y, ACC sum, ACC alpha, ACC beta)
{
    *y = NARROW(FN(scale_sum)(alpha, sum) + (beta == 0 ? 0 : beta * WIDEN(*y)));
}

/* The sum over a group of `width` lanes, in its first lane. Every lane of the group takes part. */
DEVICE ACC FN(group_sum)(ACC sum, int width)
{
    for (int distance = width / 2; distance > 0; distance /= 2)
        sum += SHUFFLE_DOWN(GROUP_MASK(width), sum, distance, width);
    return sum;
}

/* This lane's share of `count` entries of a row: every width-th from `first` on; several loads
 * overlap. `one_value`, a compile-time constant in all callers: values[0] is the value of all. */
enum { FN(ENTRIES_AT_ONCE) = 4 };
DEVICE ACC FN(entries_sum)(int64_t first, int64_t count, int width, const I *RESTRICT columns,
                           const T *RESTRICT values, const T *RESTRICT x, bool one_value)
{
    const T constant = one_value ? READ(values) : NARROW((ACC)0);
    ACC sum = 0;
    for (int64_t p = first; p < count; p += FN(ENTRIES_AT_ONCE) * width) {
        I column[FN(ENTRIES_AT_ONCE)];
        T value[FN(ENTRIES_AT_ONCE)];
        UNROLL for (int u = 0; u < FN(ENTRIES_AT_ONCE); u++)
        {
            const bool valid = p + u * width < count;
            column[u] = valid ? READ_ONCE(&columns[p + u * width]) : -1;
            value[u] = valid && !one_value ? READ_ONCE(&values[p + u * width]) : constant;
        }
        UNROLL for (int u = 0; u < FN(ENTRIES_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                sum += WIDEN(value[u]) * WIDEN(READ(&x[column[u]]));
        }
    }
    return sum;
}
