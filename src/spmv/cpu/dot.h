/* SPDX-License-Identifier: Apache-2.0 */
/* dot.h: one row of CSR times x, in four sums. A template: T, ACC, I, P, FN come from
 * core/each_type.h.
 *
 * Entry k of a row belongs to sum k % 4. The last group of four, full or not, is multiplied as a
 * whole and masked, so that the only branch that a row's length decides is the number of groups:
 * where lengths vary, a mispredicted branch costs as much as twenty entries. A masked lane reads
 * an entry of the next row, and the element of x that this entry references.
 *
 * x is read by four loads: they take .19 ns an entry where the instruction that gathers takes .46
 * (f64; f32 .18 and .38; one thread of an AMD EPYC of family 26), and are no slower elsewhere. */

/* Whether the arrays of a matrix are read from memory, not from a cache. */
static inline bool FN(is_far)(const spl_sparse *a)
{
    const int64_t far = 2 << 20;
    return a->nnz > far / (int64_t)(sizeof(T) + sizeof(I));
}

#ifdef __AVX__
typedef T FN(group) __attribute__((vector_size(4 * sizeof(T))));

#define SPL__DOT_MASK(type)                                                                        \
    {                                                                                              \
        (type) - 1, (type)-1, (type)-1, (type)-1, 0, 0, 0, 0                                       \
    }

/* Clears all but the first `count` lanes, 0 <= count <= 4. Groups are passed by address: in code
 * for processors without registers of that size a value would have another calling convention. */
static SPL__INLINED void FN(keep_first)(FN(group) *lanes, int64_t count)
{
    static const int64_t wide[] = SPL__DOT_MASK(int64_t);
    static const int32_t narrow[] = SPL__DOT_MASK(int32_t);
    typedef int64_t wide_mask __attribute__((vector_size(4 * sizeof(int64_t))));
    typedef int32_t narrow_mask __attribute__((vector_size(4 * sizeof(int32_t))));
    if (sizeof(T) == sizeof(double)) {
        wide_mask bits, mask;
        memcpy(&bits, lanes, sizeof *lanes);
        memcpy(&mask, wide + 4 - count, sizeof mask);
        bits &= mask;
        memcpy(lanes, &bits, sizeof *lanes);
    } else {
        narrow_mask bits, mask;
        memcpy(&bits, lanes, sizeof *lanes);
        memcpy(&mask, narrow + 4 - count, sizeof mask);
        bits &= mask;
        memcpy(lanes, &bits, sizeof *lanes);
    }
}
#undef SPL__DOT_MASK

/* values[l] * x[columns[l]] in lane l */
static SPL__INLINED void FN(products)(const T *values, const I *columns, const T *x, FN(group) *to)
{
    FN(group) a;
    memcpy(&a, values, sizeof a);
    *to = a * (FN(group)){x[columns[0]], x[columns[1]], x[columns[2]], x[columns[3]]};
}

/* The same for fewer than four entries behind which the arrays may end. */
static __attribute__((noinline)) void FN(last_products)(const T *values, const I *columns,
                                                        const T *x, int64_t count, T *products)
{
    for (int64_t k = 0; k < 4; k++)
        products[k] = k < count ? values[k] * x[columns[k]] : 0;
}

/* Sum of values[p] * x[columns[p]] for begin <= p < end; the arrays have `all` entries. `far` is a
 * compile-time constant in all callers: prefetches take a fifth of the time in cache. */
static SPL__INLINED ACC FN(dot)(const T *restrict values, const I *restrict columns,
                                const T *restrict x, P begin, P end, P all, const bool far)
{
    FN(group) sum = {0}, group;
    P p = begin;
    for (; end - p > 4; p += 4) {
        if (far)
            spl__prefetch(values + p);
        if (far)
            spl__prefetch(columns + p);
        FN(products)(values + p, columns + p, x, &group);
        sum += group;
    }
    if (__builtin_expect(all - p >= 4, 1)) {
        FN(products)(values + p, columns + p, x, &group);
        FN(keep_first)(&group, end - p);
    } else {
        T products[4];
        FN(last_products)(values + p, columns + p, x, end - p, products);
        memcpy(&group, products, sizeof group);
    }
    sum += group;
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

#else

/* The same without registers of four values, in which compilers would keep groups in memory: three
 * times as long. */
static SPL__INLINED ACC FN(dot)(const T *restrict values, const I *restrict columns,
                                const T *restrict x, P begin, P end, P all, const bool far)
{
    ACC first = 0, second = 0, third = 0, fourth = 0;
    P p = begin;
    (void)all, (void)far;
    for (; end - p >= 4; p += 4) {
        first += values[p] * x[columns[p]];
        second += values[p + 1] * x[columns[p + 1]];
        third += values[p + 2] * x[columns[p + 2]];
        fourth += values[p + 3] * x[columns[p + 3]];
    }
    if (end - p > 2)
        third += values[p + 2] * x[columns[p + 2]];
    if (end - p > 1)
        second += values[p + 1] * x[columns[p + 1]];
    if (end - p > 0)
        first += values[p] * x[columns[p]];
    return (first + third) + (second + fourth);
}
#endif
