/* SPDX-License-Identifier: Apache-2.0 */
/* take_word.h: takes the sums of 64 neighbouring columns out of a dense accumulator, in order. A
 * template, part of sum_row.h. No branch depends on which of the columns there are. */

#include "spgemm/cpu/rows/write_columns.h"

#ifdef __AVX512VL__

/* Writes the sums of the bits, and clears all; returns where writing ended. */
static inline T *FN(take_word)(uint64_t bits, ACC *dense, T *values)
{
    for (int k = 0; k < SPL__WORD_BITS; k += FN(LANES), bits >>= FN(LANES)) {
        const __mmask16 some = (__mmask16)(bits & ((1U << FN(LANES)) - 1));
        values += FN(store_some)(_mm512_loadu_si512(dense + k), some, values);
        _mm512_storeu_si512(dense + k, _mm512_setzero_si512());
    }
    return values;
}

#else

static inline T *FN(take_word)(uint64_t bits, ACC *restrict dense, T *restrict values)
{
    if (bits == UINT64_MAX) {
        for (int k = 0; k < SPL__WORD_BITS; k++)
            values[k] = dense[k];
        memset(dense, 0, SPL__WORD_BITS * sizeof(ACC));
        return values + SPL__WORD_BITS;
    }
    for (; bits; bits &= bits - 1) {
        const int bit = __builtin_ctzll(bits);
        *values++ = dense[bit];
        dense[bit] = 0;
    }
    return values;
}

#endif
