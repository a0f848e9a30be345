/* SPDX-License-Identifier: Apache-2.0 */
/* write_columns.h: writes the columns that a word of 64 bits stands for. A template, part of
 * take_word.h. No branch depends on which of them there are. */

#ifdef __AVX512VL__

/* Writes the columns of the bits, from `first` on. */
static inline void FN(write_columns)(uint64_t bits, I first, I *columns)
{
    enum { LANES = SPL__KEY_LANES * sizeof(int32_t) / sizeof(I) };
    const __m512i step = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int k = 0; k < SPL__WORD_BITS; k += LANES, bits >>= LANES) {
        const __mmask16 some = (__mmask16)(bits & ((1U << LANES) - 1)),
                        front = spl__first_lanes(__builtin_popcount(some));
        if (sizeof(I) == sizeof(int32_t))
            _mm512_mask_storeu_epi32(
                columns, front,
                _mm512_maskz_compress_epi32(
                    some, _mm512_add_epi32(step, _mm512_set1_epi32((int32_t)first + k))));
        else
            _mm512_mask_storeu_epi64(
                columns, (__mmask8)front,
                _mm512_maskz_compress_epi64(
                    (__mmask8)some,
                    _mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_castsi512_si256(step)),
                                     _mm512_set1_epi64((int64_t)first + k))));
        columns += __builtin_popcount(some);
    }
}

#else

static inline void FN(write_columns)(uint64_t bits, I first, I *columns)
{
    if (bits == UINT64_MAX)
        for (int k = 0; k < SPL__WORD_BITS; k++)
            columns[k] = first + (I)k;
    else
        for (; bits; bits &= bits - 1)
            *columns++ = first + (I)__builtin_ctzll(bits);
}

#endif
