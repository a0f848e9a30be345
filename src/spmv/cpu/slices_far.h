/* SPDX-License-Identifier: Apache-2.0 */
/* slices_far.h: slices of which all lines list their columns, in cache, values as they are.
 * A template: T, I, FN come from core/each_type.h, state from the method. Values and columns follow
 * one another from slice to slice. */

/* sums = those of `lines` lines in which all lanes have an entry: apart, so that the addresses of
 * the loop stay in registers. */
static SPL__APART void FN(gather_lines)(FN(lanes) *sums, const T *values, const I *columns,
                                        int64_t lines, const T *x)
{
    FN(lanes) sum[FN(REGISTERS)] = {{0}};
    for (; lines > 0; lines--, values += LANES, columns += LANES) {
#pragma GCC unroll 8
        for (int r = 0; r < FN(REGISTERS); r++)
            sum[r] += FN(load)(values, r) * SPL__GATHER(x, columns + r * FN(WIDTH));
    }
    memcpy(sums, sum, sizeof sum);
}

/* sums += a line in which the first `lanes` have an entry */
static SPL__INLINED void FN(add_gathered_first)(FN(lanes) *sums, const T *values, const I *columns,
                                                I lanes, const T *x)
{
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++, lanes -= FN(WIDTH), columns += FN(WIDTH)) {
        if (lanes >= FN(WIDTH))
            sums[r] += FN(load)(values, r) * SPL__GATHER(x, columns);
        else if (lanes > 0)
            sums[r] += FN(load)(values, r) * SPL__GATHER_FIRST(x, columns, lanes);
    }
}

/* y = alpha*A*x + beta*y for the slices k to end - 1. */
static SPL__APART void FN(far_slices)(const state *s, int64_t part, int64_t k, int64_t end,
                                      const spl__call *call)
{
    const int64_t *begin = s->sliced.begin, *full = s->sliced.full;
    const I *rows = s->sliced.rows, *codes = s->columns.codes;
    const T *x = call->x, alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    T *y = call->y;
    const FN(way) way = {false, false, DEVICE_NARROW_AS_THEY_ARE};
    const T *values = (const void *)FN(values_of)(s, part, begin[k], way);
    const I *columns = (const void *)(s->columns.listed + s->columns.code_offsets[k]);
    int64_t i = begin[k] / LANES;
    for (; k < end; k++) {
        const int64_t stop = begin[k + 1] / LANES, lines = full[k], whole = stop - i;
        FN(lanes) sums[FN(REGISTERS)];
        FN(gather_lines)(sums, values, columns, lines, x);
        values += lines * LANES, columns += lines * LANES;
        for (i += lines; i < stop; i++, values += LANES, columns += LANES)
            FN(add_gathered_first)(sums, values, columns, codes[i], x);
        FN(store_rows)(sums, alpha, beta, rows + k * LANES, lines == whole, y);
    }
}
