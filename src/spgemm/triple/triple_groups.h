/* SPDX-License-Identifier: Apache-2.0 */
/* triple_groups.h: sums += factor*row of P, four entries at a time in lanes: half the instructions
 * of the loop that it takes the place of, for f64 and columns of 32 bits, with AVX-512. Lanes
 * behind the end of the row read nothing, and add to sums that nobody reads.
 *
 * Values of C of Poisson with an interpolation of GAMG (32,768 rows, 3.5 entries in a row of P),
 * one thread of a Xeon, least of many times: 4.6 ms, then 4.0, 2026-11-28. */
#ifndef SPL_SPGEMM_TRIPLE_TRIPLE_GROUPS_H
#define SPL_SPGEMM_TRIPLE_TRIPLE_GROUPS_H

#include "core/lanes.h"

enum { SPL__GROUP = 4 }; /* entries of a row of P at a time */

/* `spare` is the first of SPL__GROUP sums that nobody reads. False: not built for these types and
 * instructions. */
#define SPL__ADD_GROUPS(columns, values, count, factor, spare, sums)                               \
    _Generic((sums), double * : spl__add_groups_f64, default : spl__add_no_groups)(                \
        columns, values, count, (double)(factor), spare, sums, sizeof *(columns))

static SPL__INLINED bool spl__add_no_groups(const void *columns, const void *values, int64_t count,
                                            double factor, int64_t spare, void *sums, size_t index)
{
    (void)columns, (void)values, (void)count, (void)factor, (void)spare, (void)sums, (void)index;
    return false;
}

#ifdef __AVX512VL__
static SPL__INLINED bool spl__add_groups_f64(const void *columns, const void *values, int64_t count,
                                             double factor, int64_t spare, void *to, size_t index)
{
    const __m128i spares = _mm_add_epi32(_mm_set1_epi32((int)spare), _mm_setr_epi32(0, 1, 2, 3));
    const __m256d factors = _mm256_set1_pd(factor);
    const int32_t *column = columns;
    const double *value = values;
    double *sums = to;
    if (index != sizeof *column)
        return false;
    for (int64_t q = 0; q < count; q += SPL__GROUP) {
        const __mmask8 some = (__mmask8)(spl__first_lanes(count - q) & 15);
        const __m256d products = _mm256_mul_pd(_mm256_maskz_loadu_pd(some, value + q), factors);
        const __m128i at = _mm_mask_loadu_epi32(spares, some, column + q);
        const __m128d low = _mm256_castpd256_pd128(products),
                      high = _mm256_extractf128_pd(products, 1);
        const uint64_t first = (uint64_t)_mm_cvtsi128_si64(at),
                       last = (uint64_t)_mm_extract_epi64(at, 1);
        sums[(uint32_t)first] += low[0];
        sums[first >> 32] += low[1];
        sums[(uint32_t)last] += high[0];
        sums[last >> 32] += high[1];
    }
    return true;
}
#else
#define spl__add_groups_f64 spl__add_no_groups
#endif

#endif
