/* SPDX-License-Identifier: Apache-2.0 */
/* row_lanes.h: lanes that sum up a row together. Part of the templates of kernel files: read once per combination of types, without a guard. */

/* y = alpha*sum + beta*y, without reading y if beta is 0 */
DEVICE void FN(store_row)(T *y, T sum, T alpha, T beta)
{
    *y = alpha * sum + (beta == 0 ? 0 : beta * *y);
}

/* The sum over a group of `width` lanes, in its first one. Every lane of the group takes part. */
DEVICE T FN(group_sum)(T sum, int width)
{
    for (int distance = width / 2; distance > 0; distance /= 2)
        sum += SHUFFLE_DOWN(GROUP_MASK(width), sum, distance, width);
    return sum;
}

/* This lane's share of `count` entries of a row, every width-th from `first` on; loads of several are under way together. */
enum { FN(ENTRIES_AT_ONCE) = 4 };
DEVICE T FN(entries_sum)(int64_t first, int64_t count, int width, const I *RESTRICT columns, const T *RESTRICT values,
                         const T *RESTRICT x)
{
    T sum = 0;
    for (int64_t p = first; p < count; p += FN(ENTRIES_AT_ONCE) * width) {
        I column[FN(ENTRIES_AT_ONCE)];
        T value[FN(ENTRIES_AT_ONCE)];
        UNROLL for (int u = 0; u < FN(ENTRIES_AT_ONCE); u++)
        {
            const bool inside = p + u * width < count;
            column[u] = inside ? READ_ONCE(&columns[p + u * width]) : -1;
            value[u] = inside ? READ_ONCE(&values[p + u * width]) : (T)0;
        }
        UNROLL for (int u = 0; u < FN(ENTRIES_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                sum += value[u] * READ(&x[column[u]]);
        }
    }
    return sum;
}
