/* SPDX-License-Identifier: Apache-2.0 */
/* dot.h: one row of CSR times x, in lanes. A template: T, ACC, I, P, FN
 * come from core/each_type.h. */

typedef T FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

/* values[l] * x[columns[l]] in lane l */
static inline FN(lanes) FN(products)(const T *values, const I *columns, const T *x)
{
    FN(lanes) a;
    memcpy(&a, values, sizeof a);
    spl__prefetch(values);
    spl__prefetch(columns);
    return a * SPL__GATHER(x, columns);
}

/* The sum of the lanes, as a tree. */
static inline ACC FN(sum_lanes)(FN(lanes) lanes)
{
    T part[sizeof lanes / sizeof(T)];
    memcpy(part, &lanes, sizeof lanes);
    for (unsigned half = sizeof lanes / sizeof(T) / 2; half > 0; half /= 2)
        for (unsigned l = 0; l < half; l++)
            part[l] += part[l + half];
    return part[0];
}

/* The same in the first `count` lanes, 0 in the others. */
static inline FN(lanes) FN(first_products)(const T *values, const I *columns, const T *x, P count)
{
    return SPL__LOAD_SOME(values, count) * SPL__GATHER_FIRST(x, columns, count);
}

/* Sum of values[p] * x[columns[p]] for begin <= p < end. Entries beyond whole registers are
 * multiplied in the first lanes of one; very few entries are added one by one. */
static SPL__INLINED ACC FN(dot)(const T *restrict values, const I *restrict columns,
                                const T *restrict x, P begin, P end)
{
    const P width = SPL__REGISTER_BYTES / sizeof(T), few = 4;
    ACC sum = 0;
    P p = begin;
    if (end - p > few || end - p >= width) {
        FN(lanes) first = {0}, second = {0};
        for (; end - p >= 2 * width; p += 2 * width) {
            first += FN(products)(values + p, columns + p, x);
            second += FN(products)(values + p + width, columns + p + width, x);
        }
        if (end - p >= width) {
            first += FN(products)(values + p, columns + p, x);
            p += width;
        }
        if (end - p > few) {
            second += FN(first_products)(values + p, columns + p, x, end - p);
            p = end;
        }
        sum = FN(sum_lanes)(first + second);
    }
    for (; p < end; p++)
        sum += values[p] * x[columns[p]];
    return sum;
}
