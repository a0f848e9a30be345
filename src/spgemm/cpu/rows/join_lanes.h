/* SPDX-License-Identifier: Apache-2.0 */
/* join_lanes.h: adds up terms of equal column in AVX-512, once keys are sorted. Part of the
 * template sum_row.h, for columns of 32 bits.
 *
 * A lane whose column is its neighbour's goes on with that one's sum: a step for all lanes that are
 * second in their column, one for all third ones. How often columns meet costs a step, not a branch
 * for each term. A sum's terms are added in the order of their positions, one after the other. */

enum { FN(LANES) = SPL__KEY_LANES * sizeof(float) / sizeof(T) };

/* The terms at the positions of so many keys. */
static inline __m512i FN(gather_terms)(const uint32_t *keys, uint32_t positions, const T *terms)
{
    if (sizeof(T) == sizeof(float)) {
        const __m512i at =
            _mm512_and_si512(_mm512_loadu_si512(keys), _mm512_set1_epi32((int)positions));
        return _mm512_i32gather_epi32(at, terms, sizeof(float));
    }
    const __m256i at = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)keys),
                                        _mm256_set1_epi32((int)positions));
    return _mm512_i32gather_epi64(at, terms, sizeof(double));
}

/* `sums` where lanes are not `some`, else the sum of the lane below and the lane's term. */
static inline __m512i FN(go_on)(__m512i sums, __m512i below, __mmask16 some, __m512i terms)
{
    if (sizeof(T) == sizeof(float)) {
        const __m512 last = _mm512_castsi512_ps(_mm512_alignr_epi32(sums, below, 15));
        return _mm512_castps_si512(
            _mm512_mask_add_ps(_mm512_castsi512_ps(sums), some, last, _mm512_castsi512_ps(terms)));
    }
    const __m512d last = _mm512_castsi512_pd(_mm512_alignr_epi64(sums, below, 7));
    return _mm512_castpd_si512(_mm512_mask_add_pd(_mm512_castsi512_pd(sums), (__mmask8)some, last,
                                                  _mm512_castsi512_pd(terms)));
}

/* Writes the lanes that are `some`, one after the other; returns how many. */
static inline int64_t FN(store_some)(__m512i lanes, __mmask16 some, T *to)
{
    const int64_t count = __builtin_popcount(some);
    const __mmask16 first = spl__first_lanes(count);
    if (sizeof(T) == sizeof(float))
        _mm512_mask_storeu_epi32(to, first, _mm512_maskz_compress_epi32(some, lanes));
    else
        _mm512_mask_storeu_epi64(to, (__mmask8)first,
                                 _mm512_maskz_compress_epi64((__mmask8)some, lanes));
    return count;
}

/* Writes the columns of sorted keys, each once, unless `columns` is NULL. starts[b] has a bit for
 * each key of block b that begins a column. Returns their number. */
static inline int64_t FN(list_columns)(const uint32_t *keys, int bits, int64_t count,
                                       int32_t *columns, __mmask16 *starts)
{
    __m512i before = _mm512_set1_epi32(-1);
    int64_t found = 0;
    for (int64_t k = 0; k < count; k += SPL__KEY_LANES) {
        const __m512i column = _mm512_srli_epi32(_mm512_loadu_si512(keys + k), (unsigned)bits);
        const __mmask16 start = _mm512_mask_cmpneq_epi32_mask(
            spl__first_lanes(count - k), column, _mm512_alignr_epi32(column, before, 15));
        const int64_t some = __builtin_popcount(start);
        if (columns)
            _mm512_mask_storeu_epi32(columns + found, spl__first_lanes(some),
                                     _mm512_maskz_compress_epi32(start, column));
        starts[k / SPL__KEY_LANES] = start;
        before = column;
        found += some;
    }
    starts[(count + SPL__KEY_LANES - 1) / SPL__KEY_LANES] = 1; /* what ends the last column */
    return found;
}

static inline int64_t FN(join_lanes)(const uint32_t *keys, int bits, const T *terms, int64_t count,
                                     int32_t *columns, T *values)
{
    __mmask16 starts[SPL__MOST_KEYS / SPL__KEY_LANES + 1];
    const int64_t found = FN(list_columns)(keys, bits, count, columns, starts);
    __m512i sums = _mm512_setzero_si512();
    for (int64_t k = 0; k < count; k += FN(LANES)) {
        const int64_t block = k / SPL__KEY_LANES, lane = k % SPL__KEY_LANES;
        /* of these lanes and the one after */
        const uint32_t start = ((uint32_t)starts[block + 1] << 16 | starts[block]) >> lane;
        const __mmask16 all = (__mmask16)(spl__first_lanes(count - k) & ((1U << FN(LANES)) - 1)),
                        same = (__mmask16)(all & ~start);
        const __m512i below = sums, term = FN(gather_terms)(keys + k, (1U << bits) - 1, terms);
        __mmask16 step = (__mmask16)(same & ~(same << 1));
        sums = FN(go_on)(term, below, step, term);
        while ((step = (__mmask16)(same & (step << 1))) != 0)
            sums = FN(go_on)(sums, below, step, term);
        /* padding behind the last key begins a column, too */
        const uint32_t next = count - k <= FN(LANES) ? start | 1U << (count - k) : start;
        values += FN(store_some)(sums, (__mmask16)(all & (next >> 1)), values);
    }
    return found;
}
