/* SPDX-License-Identifier: Apache-2.0 */
/* sort_keys.h: sorts up to 256 keys of 32 bits in registers, without a branch that depends on them.
 *
 * A bitonic network over blocks of 16 lanes. In step `m` lane l is compared with lane l ^ m; the
 * lower one keeps the smaller key. Two sorted sequences are merged by comparing one with the
 * other in reverse (m = 15 within a block), then at distances 8, 4, 2, 1. Source: K. Batcher,
 * Sorting networks and their applications, AFIPS 1968. Insertion sort of few keys, and where vector
 * registers are missing. */
#ifndef SPL_SPGEMM_CPU_ROWS_SORT_KEYS_H
#define SPL_SPGEMM_CPU_ROWS_SORT_KEYS_H

#include <stdint.h>
#include <string.h>

/* SPL__FEW_KEYS are sorted everywhere, SPL__MOST_KEYS with AVX-512. */
enum { SPL__KEY_LANES = 16, SPL__FEW_KEYS = 64, SPL__MOST_KEYS = 256 };

static inline void spl__insert_keys(uint32_t *keys, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        uint32_t moving = keys[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1] > moving; j--)
            keys[j] = keys[j - 1];
        keys[j] = moving;
    }
}

/* Sorts two numbers without a branch. */
static inline void spl__order_keys(uint32_t *a, uint32_t *b)
{
    const uint32_t smaller = *a < *b ? *a : *b, larger = *a < *b ? *b : *a;
    *a = smaller;
    *b = larger;
}

/* Sorts up to four keys, without a branch that depends on them. */
static inline void spl__sort_four_keys(uint32_t *keys, int64_t count)
{
    uint32_t a = keys[0], b = count > 1 ? keys[1] : UINT32_MAX,
             c = count > 2 ? keys[2] : UINT32_MAX, d = count > 3 ? keys[3] : UINT32_MAX;
    spl__order_keys(&a, &b);
    spl__order_keys(&c, &d);
    spl__order_keys(&a, &c);
    spl__order_keys(&b, &d);
    spl__order_keys(&b, &c);
    keys[0] = a;
    keys[1] = b;
    keys[2] = c;
    keys[3] = d;
}

#if defined(__AVX512F__)

#include <immintrin.h>

/* Keys that insertion sorts faster: a block would wait for their stores, twenty cycles. */
enum { SPL__INSERTED_KEYS = 6 };

typedef uint32_t spl__keys __attribute__((vector_size(SPL__KEY_LANES * sizeof(uint32_t))));

static inline void spl__keys_meet(spl__keys a, spl__keys b, spl__keys *smaller, spl__keys *larger)
{
    *smaller = (spl__keys)_mm512_min_epu32((__m512i)a, (__m512i)b);
    *larger = (spl__keys)_mm512_max_epu32((__m512i)a, (__m512i)b);
}

#if defined(__clang__)
#define SPL__KEYS_PICK(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define SPL__KEYS_PICK(v, ...) __builtin_shuffle(v, (spl__keys){__VA_ARGS__})
#endif
/* The keys of lanes l ^ m. */
#define SPL__KEYS_FACE(v, m)                                                                       \
    SPL__KEYS_PICK(v, 0 ^ (m), 1 ^ (m), 2 ^ (m), 3 ^ (m), 4 ^ (m), 5 ^ (m), 6 ^ (m), 7 ^ (m),      \
                   8 ^ (m), 9 ^ (m), 10 ^ (m), 11 ^ (m), 12 ^ (m), 13 ^ (m), 14 ^ (m), 15 ^ (m))
/* A bit for lane l where l ^ m is lower. */
#define SPL__KEY_UPPER(l, m) ((__mmask16)(((l) ^ (m)) < (l)) << (l))
#define SPL__KEYS_UPPER(m)                                                                         \
    (SPL__KEY_UPPER(0, m) | SPL__KEY_UPPER(1, m) | SPL__KEY_UPPER(2, m) | SPL__KEY_UPPER(3, m) |   \
     SPL__KEY_UPPER(4, m) | SPL__KEY_UPPER(5, m) | SPL__KEY_UPPER(6, m) | SPL__KEY_UPPER(7, m) |   \
     SPL__KEY_UPPER(8, m) | SPL__KEY_UPPER(9, m) | SPL__KEY_UPPER(10, m) | SPL__KEY_UPPER(11, m) | \
     SPL__KEY_UPPER(12, m) | SPL__KEY_UPPER(13, m) | SPL__KEY_UPPER(14, m) |                       \
     SPL__KEY_UPPER(15, m))
#define SPL__KEYS_STEP(v, m)                                                                       \
    do {                                                                                           \
        const __m512i face_ = (__m512i)SPL__KEYS_FACE(v, m);                                       \
        v = (spl__keys)_mm512_mask_max_epu32(_mm512_min_epu32((__m512i)(v), face_),                \
                                             SPL__KEYS_UPPER(m), (__m512i)(v), face_);             \
    } while (0)

/* The last steps of every merge: sorts a bitonic block. */
static inline void spl__keys_settle(spl__keys *v)
{
    SPL__KEYS_STEP(*v, 8);
    SPL__KEYS_STEP(*v, 4);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
}

/* Each half by itself. */
static inline void spl__keys_sort_halves(spl__keys *v)
{
    SPL__KEYS_STEP(*v, 1);
    SPL__KEYS_STEP(*v, 3);
    SPL__KEYS_STEP(*v, 1);
    SPL__KEYS_STEP(*v, 7);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
}

static inline void spl__keys_sort_block(spl__keys *v)
{
    spl__keys_sort_halves(v);
    SPL__KEYS_STEP(*v, 15);
    SPL__KEYS_STEP(*v, 4);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
}

/* A bit for each of the first `count` lanes. */
static inline __mmask16 spl__first_lanes(int64_t count)
{
    return count >= SPL__KEY_LANES ? UINT16_MAX : (__mmask16)((1U << count) - 1);
}

/* The largest keys, which are sorted last. Loaded, for compilers make such a constant by an
 * instruction that waits for what was in the register before: on AMD rows then take turns, 20 ns
 * each instead of 4. */
static inline __m512i spl__last_keys(void)
{
    static const int32_t last[SPL__KEY_LANES] __attribute__((aligned(64))) = {
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const int32_t *from = last;
    __asm__("" : "+r"(from));
    return _mm512_load_si512(from);
}

/* Block b of so many keys; those that are missing are the largest. */
static inline spl__keys spl__keys_load(const uint32_t *keys, int64_t count, int b)
{
    const int64_t left = count - b * SPL__KEY_LANES;
    return (spl__keys)_mm512_mask_loadu_epi32(
        spl__last_keys(), spl__first_lanes(left > 0 ? left : 0), keys + b * SPL__KEY_LANES);
}

/* Compares block a with block b in reverse. */
static inline void spl__keys_fold(spl__keys *a, spl__keys *b)
{
    spl__keys_meet(*a, SPL__KEYS_FACE(*b, 15), a, b);
}

/* Merges two halves that are sorted. */
static inline __attribute__((always_inline)) void spl__keys_merge(spl__keys *v, int blocks)
{
#pragma GCC unroll 8
    for (int b = 0; b < blocks / 2; b++)
        spl__keys_fold(&v[b], &v[blocks - 1 - b]);
#pragma GCC unroll 3
    for (int distance = blocks / 4; distance > 0; distance /= 2)
#pragma GCC unroll 16
        for (int b = 0; b < blocks; b++)
            if (!(b & distance))
                spl__keys_meet(v[b], v[b + distance], &v[b], &v[b + distance]);
#pragma GCC unroll 16
    for (int b = 0; b < blocks; b++)
        spl__keys_settle(&v[b]);
}

static inline __attribute__((always_inline)) void spl__sort_key_blocks(uint32_t *keys,
                                                                       int64_t count, int blocks)
{
    spl__keys v[SPL__MOST_KEYS / SPL__KEY_LANES];
#pragma GCC unroll 16
    for (int b = 0; b < blocks; b++) {
        v[b] = spl__keys_load(keys, count, b);
        spl__keys_sort_block(&v[b]);
    }
#pragma GCC unroll 4
    for (int size = 2; size <= blocks; size *= 2)
#pragma GCC unroll 8
        for (int b = 0; b < blocks; b += size)
            spl__keys_merge(v + b, size);
    memcpy(keys, v, (size_t)blocks * sizeof *v);
}

/* Sorts keys[0..count). */
static inline void spl__sort_keys(uint32_t *keys, int64_t count)
{
    if (count <= SPL__INSERTED_KEYS)
        spl__insert_keys(keys, count);
    else if (count <= SPL__KEY_LANES)
        spl__sort_key_blocks(keys, count, 1);
    else if (count <= 2 * SPL__KEY_LANES)
        spl__sort_key_blocks(keys, count, 2);
    else if (count <= 4 * SPL__KEY_LANES)
        spl__sort_key_blocks(keys, count, 4);
    else if (count <= 8 * SPL__KEY_LANES)
        spl__sort_key_blocks(keys, count, 8);
    else
        spl__sort_key_blocks(keys, count, 16);
}

#else

static inline void spl__sort_keys(uint32_t *keys, int64_t count)
{
    spl__insert_keys(keys, count);
}

#endif

/* The same for lists that are often very short; there is room for four. */
static inline void spl__sort_list(uint32_t *list, int64_t count)
{
    if (count <= 4)
        spl__sort_four_keys(list, count);
    else
        spl__sort_keys(list, count);
}

#endif
