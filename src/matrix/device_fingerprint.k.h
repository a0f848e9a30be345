/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of device_fingerprint.c. */
#ifndef T
#ifndef SPL_MATRIX_DEVICE_FINGERPRINT_K_H
#define SPL_MATRIX_DEVICE_FINGERPRINT_K_H
#include <stdint.h>

enum { DEVICE_FINGERPRINT_THREADS = 256 };

struct device_fingerprint_args {
    int64_t words;
    uint64_t salt;
    const void *array; /* uint32_t[words] */
    uint64_t *sum;     /* incremented */
};
#endif
#else

/* Spreads every bit over all others: the finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood,
 * OOPSLA 2014). */
DEVICE uint64_t FN(fingerprint_mix)(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A sum over words, each mixed with its position: it depends on the order of words, but not on
 * the order of additions. */
DEVICE void FN(print_words)(int64_t words, uint64_t salt, const uint32_t *RESTRICT array,
                            uint64_t *sum)
{
    uint64_t own_sum = 0;
    for (int64_t i = BLOCK * THREADS + THREAD; i < words; i += BLOCKS * THREADS) {
        const uint64_t position = FN(fingerprint_mix)((uint64_t)i * 0x9e3779b97f4a7c15u + salt);
        own_sum += FN(fingerprint_mix)(position ^ READ(&array[i]));
    }
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        own_sum += SHUFFLE_XOR(GROUP_MASK(LANES), own_sum, distance);
    if (LANE == 0)
        ATOMIC_ADD(sum, own_sum);
}

KERNEL(device_fingerprint, DEVICE_FINGERPRINT_THREADS, args)
{
    FN(print_words)(args.words, args.salt, (const uint32_t *)args.array, args.sum);
}
#endif
