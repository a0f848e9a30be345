/* SPDX-License-Identifier: Apache-2.0 */
/* single_rows.h: the columns of one row of C = A*B where rows of B have one entry at most:
 * map_singles.h says where. A template: I, P, FN come from core/each_type.h.
 *
 * An empty row of B has the largest key, which no column has, and which is sorted last. */
#include "spgemm/cpu/rows/map_singles.h"
#include "spgemm/cpu/rows/sort_keys.h"

#ifndef SPL__NO_COLUMN
#define SPL__NO_COLUMN UINT32_MAX
#endif

/* The column of the only entry of each row of B, or SPL__NO_COLUMN; `map` has room for it, and is
 * written once. NULL without singles. */
static inline const uint32_t *FN(only_columns)(const spl_sparse *b, spl__single_rows singles,
                                               uint32_t *mapped, uint32_t *map)
{
    const P *offsets = b->offsets;
    const I *columns = b->indices;
    if (singles == SPL__NO_SINGLES)
        return NULL;
    if (singles == SPL__SINGLES)
        return (const uint32_t *)columns;
    for (int64_t k = 0; k < b->rows && !*mapped; k++)
        map[k] = offsets[k] < offsets[k + 1] ? (uint32_t)columns[offsets[k]] : SPL__NO_COLUMN;
    *mapped = 1;
    return map;
}

/* Lists the columns of rows[0..count) of B, each once; returns how many there are. */
static inline int64_t FN(list_singles)(const I *restrict rows, int64_t count,
                                       const uint32_t *restrict only, uint32_t now,
                                       uint32_t *restrict stamps, uint32_t *restrict list)
{
    int64_t listed = 0;
    for (int64_t k = 0; k < count; k++) {
        const uint32_t column = only[rows[k]];
        if (column == SPL__NO_COLUMN)
            continue;
        const bool first = stamps[column] != now;
        stamps[column] = now;
        list[listed] = column;
        listed += first;
    }
    return listed;
}

#ifdef __AVX512F__

/* Stores the keys of `some` lanes as columns. */
static inline void FN(store_keys)(I *out, __mmask16 some, spl__keys keys)
{
    const __m512i key = (__m512i)keys;
    if (sizeof(I) == sizeof(int32_t)) {
        _mm512_mask_storeu_epi32(out, some, key);
        return;
    }
    _mm512_mask_storeu_epi64(out, (__mmask8)some,
                             _mm512_cvtepu32_epi64(_mm512_castsi512_si256(key)));
    _mm512_mask_storeu_epi64(out + 8, (__mmask8)(some >> 8),
                             _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(key, 1)));
}

#endif

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define SPL__SINGLES_IN_REGISTERS

/* The columns of at most 8 rows of B in the lower half of a register, sorted. */
static inline spl__keys FN(gather_half)(const I *rows, int64_t count, const uint32_t *only)
{
    const __mmask8 some = (__mmask8)spl__first_lanes(count);
    const __m512i last = spl__last_keys();
    const __m256i from = sizeof(I) == sizeof(int32_t)
                             ? _mm256_maskz_loadu_epi32(some, rows)
                             : _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64(some, rows));
    const __m256i columns =
        _mm256_mmask_i32gather_epi32(_mm512_castsi512_si256(last), some, from, only, sizeof *only);
    spl__keys keys = (spl__keys)_mm512_inserti64x4(last, columns, 0);
    spl__keys_sort_halves(&keys);
    return keys;
}

/* Those of at most 16 rows, sorted, with repetitions; behind them SPL__NO_COLUMN. */
static inline spl__keys FN(gather_singles)(const I *rows, int64_t count, const uint32_t *only)
{
    const int half = SPL__KEY_LANES / 2;
    const __mmask16 some = spl__first_lanes(count);
    __m512i from;
    if (count <= half)
        return FN(gather_half)(rows, count, only);
    if (sizeof(I) == sizeof(int32_t)) {
        from = _mm512_maskz_loadu_epi32(some, rows);
    } else {
        const __m512i lower = _mm512_loadu_si512(rows),
                      upper = _mm512_maskz_loadu_epi64((__mmask8)(some >> half), rows + half);
        from = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(lower)),
                                  _mm512_cvtepi64_epi32(upper), 1);
    }
    spl__keys keys =
        (spl__keys)_mm512_mask_i32gather_epi32(spl__last_keys(), some, from, only, sizeof *only);
    spl__keys_sort_block(&keys);
    return keys;
}

/* Stores sorted keys, each once; returns how many there are. */
static inline int64_t FN(store_distinct)(I *out, spl__keys keys)
{
    const __m512i last = spl__last_keys(), key = (__m512i)keys,
                  before = _mm512_alignr_epi32(key, last, SPL__KEY_LANES - 1);
    const __mmask16 first =
        _mm512_mask_cmpneq_epi32_mask(_mm512_cmpneq_epi32_mask(key, last), key, before);
    const int64_t count = __builtin_popcount(first);
    FN(store_keys)(out, spl__first_lanes(count),
                   (spl__keys)_mm512_maskz_compress_epi32(first, key));
    return count;
}

#endif
