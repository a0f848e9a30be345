/* SPDX-License-Identifier: Apache-2.0 */
/* semiring_rows.h: a template for methods by rows over any semiring: FN(multiply_rows), a
 * spl__row_range_fn. Rows that a mask leaves out cost a bit or a byte.
 *
 * The includer defines
 *     FN(rows)          the operands and the result,
 *     FN(rows_of)       which are made of a range's call,
 *     FN(compute_row)   which computes row i and returns its entries,
 *     FN(clear_row)     which makes row i what "add" makes of nothing,
 * the latter two for a semiring that is a constant where they are inlined, unless ONE_LOOP is
 * defined. */

static inline __attribute__((always_inline)) int64_t FN(multiply_over)(const spl__row_range *range,
                                                                       const int32_t semiring)
{
    const spl_row_mask *mask = range->call->rows;
    const bool clears = mask && mask->clear;
    FN(rows) rows = FN(rows_of)(range);
    int64_t work = 0;
    for (int64_t i = range->first; i < range->last; i++) {
        const int64_t next = spl__row_mask_next(mask, i, range->last);
        for (; clears && i < next; i++)
            FN(clear_row)(&rows, i, semiring);
        i = next;
        if (i < range->last)
            work += 1 + FN(compute_row)(&rows, i, semiring);
    }
    return work;
}

static int64_t FN(multiply_rows)(const spl__row_range *range)
{
    const int32_t semiring = range->problem->options.semiring;
    int64_t work = 0;
    if (semiring == SPL_PLUS_TIMES)
        work = FN(multiply_over)(range, SPL_PLUS_TIMES);
    else
#if defined(HALF) || defined(ONE_LOOP) /* for all: rare in 16 bits, and code is not free */
        work = FN(multiply_over)(range, semiring);
#else
        SPL__FOR_SEMIRING(ACC, semiring, work = FN(multiply_over)(range, S));
#endif
    return work;
}
