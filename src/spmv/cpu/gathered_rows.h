/* SPDX-License-Identifier: Apache-2.0 */
/* gathered_rows.h: rows of CSR times x, each in eight sums, for processors with AVX-512 on which
 * gathers pay. A template: T, I, P, FN come from core/each_type.h.
 *
 * Entry k of a row belongs to sum k % 8; the last eight, full or not, are masked. The sums of eight
 * rows are added up together, by a tree of shuffles, and y is read and written eight at a time.
 * Sixteen sums of f32 take longer on rows of up to 40 entries: their last gather is half empty. */
#if defined(SPL__EIGHT_LANES)

typedef T FN(eight) __attribute__((vector_size(8 * sizeof(T))));

/* The eight sums of values[p] * x[columns[p]] for begin <= p < end. */
static SPL__INLINED void FN(gathered_sums)(const T *values, const I *columns, const T *x, P begin,
                                           P end, const bool far, FN(eight) *to)
{
    FN(eight) sum = {0};
    P p = begin;
    for (; end - p > 8; p += 8) {
        if (far)
            spl__prefetch(values + p);
        if (far)
            spl__prefetch(columns + p);
        sum += SPL__EIGHT(load, T, 0xff, values + p) *
               SPL__EIGHT(gather, T, 0xff, columns + p, sizeof(I), x);
    }
    const __mmask8 mask = (__mmask8)((1U << (end - p)) - 1);
    *to = sum + SPL__EIGHT(load, T, mask, values + p) *
                    SPL__EIGHT(gather, T, mask, columns + p, sizeof(I), x);
}

/* y = alpha*A*x + beta*y for `count` rows from row i on, at most 8. `far` is a compile-time
 * constant in all callers, `count` in one. */
static SPL__INLINED void FN(gathered_eight)(const spl_sparse *a, const spl__call *call, int64_t i,
                                            int64_t count, const bool far)
{
    const P *offsets = (const P *)a->offsets + i;
    const T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    const __mmask8 rows = (__mmask8)((1U << count) - 1);
    T *y = (T *)call->y + i;
    FN(eight) sums[8];
    P p = offsets[0];
#pragma GCC unroll 8
    for (int64_t r = 0; r < 8; r++) {
        const P end = r < count ? offsets[r + 1] : p;
        FN(gathered_sums)(a->values, a->indices, call->x, p, end, far, &sums[r]);
        p = end;
    }
    FN(eight) total = alpha * SPL__EIGHT(add, T, sums);
    if (beta != 0)
        total += beta * SPL__EIGHT(load, T, rows, y);
    SPL__EIGHT(store, T, y, rows, total);
}

static SPL__INLINED void FN(gathered_rows)(const spl_sparse *a, const spl__call *call,
                                           int64_t first, int64_t last, const bool far)
{
    int64_t i = first;
    for (; last - i >= 8; i += 8)
        FN(gathered_eight)(a, call, i, 8, far);
    if (i < last)
        FN(gathered_eight)(a, call, i, last - i, far);
}

#endif
