/* SPDX-License-Identifier: Apache-2.0 */
/* stable_sort.h: sorts elements by column, equal columns keep their order. A template: I and FN
 * come from core/each_type.h, and the includer defines
 *
 *   ELEMENT        type of an element
 *   COLUMN(e)      its column
 *   SORT(name)     the function's name: FN(sort_columns) is made by #define SORT(name)
 * FN(name##_columns)
 *
 * all of which are undefined at the end. Short rows use insertion sort, others a radix sort with
 * as many passes as the range of their columns needs. */

static inline void SORT(insertion)(ELEMENT *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        ELEMENT moving = a[i];
        int64_t j = i;
        for (; j > 0 && COLUMN(a[j - 1]) > COLUMN(moving); j--)
            a[j] = a[j - 1];
        a[j] = moving;
    }
}

/* One pass of a least-significant-digit radix sort. */
static inline void SORT(scatter)(const ELEMENT *restrict from, ELEMENT *restrict to, int64_t n,
                                 I smallest, int shift)
{
    int64_t digit_begin[SPL__DIGITS] = {0}, sum = 0;
    for (int64_t k = 0; k < n; k++)
        digit_begin[((uint64_t)(COLUMN(from[k]) - smallest) >> shift) & (SPL__DIGITS - 1)]++;
    for (int digit = 0; digit < SPL__DIGITS; digit++) {
        int64_t count = digit_begin[digit];
        digit_begin[digit] = sum;
        sum += count;
    }
    for (int64_t k = 0; k < n; k++)
        to[digit_begin[((uint64_t)(COLUMN(from[k]) - smallest) >> shift) & (SPL__DIGITS - 1)]++] =
            from[k];
}

/* Sorts a[0..n) with n elements of scratch. */
static inline void SORT(sort)(ELEMENT *a, int64_t n, ELEMENT *scratch)
{
    if (n <= SPL__SHORT_ROW) {
        SORT(insertion)(a, n);
        return;
    }
    I smallest = COLUMN(a[0]), largest = COLUMN(a[0]);
    for (int64_t k = 1; k < n; k++) {
        smallest = COLUMN(a[k]) < smallest ? COLUMN(a[k]) : smallest;
        largest = COLUMN(a[k]) > largest ? COLUMN(a[k]) : largest;
    }
    ELEMENT *from = a, *to = scratch;
    for (int shift = 0; shift < 64 && (uint64_t)(largest - smallest) >> shift;
         shift += SPL__DIGIT_BITS) {
        SORT(scatter)(from, to, n, smallest, shift);
        ELEMENT *swap = from;
        from = to;
        to = swap;
    }
    for (int64_t k = 0; from != a && k < n; k++)
        a[k] = from[k];
}

#undef ELEMENT
#undef COLUMN
#undef SORT
