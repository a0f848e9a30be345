/* SPDX-License-Identifier: Apache-2.0 */
/* slice_lanes.h: the rows of a slice of sliced ELL in registers. A template: T, I, FN come from
 * core/each_type.h. */

enum { FN(WIDTH) = SPL__REGISTER_BYTES / sizeof(T), FN(REGISTERS) = SPL__SLICE_LANES / FN(WIDTH) };

typedef T FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

/* Register r of a line of values. */
static inline FN(lanes) FN(load)(const T *line, int r)
{
    FN(lanes) a;
    memcpy(&a, line + r * FN(WIDTH), sizeof a);
    return a;
}

/* y = alpha*sums + beta*y for consecutive rows from `to` on */
static inline void FN(store_consecutive)(const FN(lanes) *sums, T alpha, T beta, T *to)
{
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++) {
        FN(lanes) result = alpha * sums[r];
        if (beta != 0)
            result += beta * FN(load)(to, r);
        memcpy(to + r * FN(WIDTH), &result, sizeof result);
    }
}

/* The same for arbitrary rows of a slice; rows below 0 end an incomplete slice. */
static inline void FN(store_scattered)(const FN(lanes) *sums, T alpha, T beta, const I *rows, T *y)
{
    T result[SPL__SLICE_LANES];
    int count = SPL__SLICE_LANES;
    while (count > 0 && rows[count - 1] < 0)
        count--;
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++) {
        FN(lanes) scaled = alpha * sums[r];
        memcpy(result + r * FN(WIDTH), &scaled, sizeof scaled);
    }
    if (beta == 0)
        for (int r = 0; r < count; r++)
            y[rows[r]] = result[r];
    else
        for (int r = 0; r < count; r++)
            y[rows[r]] = result[r] + beta * y[rows[r]];
}

/* The same for rows in any order; those of equal length ascend, and may be consecutive. */
static inline void FN(store_rows)(const FN(lanes) *sums, T alpha, T beta, const I *rows, bool equal,
                                  T *y)
{
    if (equal && rows[SPL__SLICE_LANES - 1] - rows[0] == SPL__SLICE_LANES - 1)
        FN(store_consecutive)(sums, alpha, beta, y + rows[0]);
    else
        FN(store_scattered)(sums, alpha, beta, rows, y);
}
