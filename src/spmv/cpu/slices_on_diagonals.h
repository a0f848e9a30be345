/* SPDX-License-Identifier: Apache-2.0 */
/* slices_on_diagonals.h: slices of consecutive rows of which all lines are on a diagonal, with and
 * without holes. A template: T, I, FN come from core/each_type.h, state from the method.
 *
 * Lines follow one another from slice to slice, and what a slice needs is in local variables: in
 * cache a slice of few lines takes 20 cycles. Positions without an entry read nothing of x. */

/* sums += the line of values at `line` times x at the same distances */
static SPL__INLINED void FN(add_whole)(FN(lanes) *sums, const char *line, const T *x, T scale,
                                       const FN(way) way)
{
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++)
        sums[r] += FN(value)(line, r, way.form, scale) * FN(load)(x, r);
}

/* The same for the lanes of `mask`, which have an entry. If all values are equal, the others have
 * that value too, but their products must be 0 even if it is Inf. */
static SPL__INLINED void FN(add_holed)(FN(lanes) *sums, const char *line, const T *x, unsigned mask,
                                       T scale, const FN(way) way)
{
#pragma GCC unroll 8
    for (int r = 0; r < FN(REGISTERS); r++, mask >>= FN(WIDTH)) {
        const FN(lanes) value =
            way.one_line ? FN(masked_line)(line, r, mask) : FN(value)(line, r, way.form, scale);
        sums[r] += value * SPL__LOAD_MASKED(x + r * FN(WIDTH), mask);
    }
}

/* x at a distance that need not be a position of x: holes are there. */
static SPL__INLINED const T *FN(shifted)(const T *x, int64_t distance)
{
    return (const T *)((uintptr_t)x + (uintptr_t)distance * sizeof(T));
}

/* y = alpha*A*x + beta*y for the slices k to end - 1. */
static SPL__INLINED void FN(multiply_on_diagonals)(const state *s, int64_t part, int64_t k,
                                                   int64_t end, const spl__call *call,
                                                   const FN(way) way)
{
    const int64_t *begin = s->sliced.begin, step = FN(step)(way);
    const unsigned char *kinds = s->columns.kinds;
    const uint16_t *masks = s->sliced.masks;
    const I *rows = s->sliced.rows, *codes = s->columns.codes;
    const T *x = call->x, alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    const T scale = (T)s->scale;
    T *y = call->y;
    const char *line = FN(values_of)(s, part, begin[k], way);
    int64_t i = begin[k] / LANES;
    for (; k < end; k++) {
        const int64_t stop = begin[k + 1] / LANES,
                      first = s->in_order ? k * LANES : rows[k * LANES];
        FN(lanes) sums[FN(REGISTERS)] = {{0}};
        for (; kinds[k] == SPL__SLICE_WHOLE && i < stop; i++, line += step) {
            FN(fetch_line)(line, FN(shifted)(x, first + codes[i]), way);
            FN(add_whole)(sums, line, FN(shifted)(x, first + codes[i]), scale, way);
        }
        for (; i < stop; i++, line += step) {
            FN(fetch_line)(line, FN(shifted)(x, first + codes[i]), way);
            FN(add_holed)(sums, line, FN(shifted)(x, first + codes[i]), masks[i], scale, way);
        }
        if (way.prefetch)
            spl__prefetch_near(y + first);
        FN(store_consecutive)(sums, alpha, beta, y + first);
    }
}
