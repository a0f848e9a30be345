/* SPDX-License-Identifier: Apache-2.0 */
/* sort_keys.h: sorts up to 64 keys of 32 bits in registers, without a branch that depends on them.
 *
 * A bitonic network over blocks of 16 lanes. In step `m` lane l is compared with lane l ^ m; the
 * lower one keeps the smaller key. Two sorted sequences are merged by comparing one with the
 * other in reverse (m = 15 within a block), then at distances 8, 4, 2, 1. Source: K. Batcher,
 * Sorting networks and their applications, AFIPS 1968. Insertion sort of few keys, and where vector
 * registers are missing. */
#ifndef SPL_SPGEMM_CPU_SORT_KEYS_H
#define SPL_SPGEMM_CPU_SORT_KEYS_H

#include <stdint.h>
#include <string.h>

enum { SPL__KEY_LANES = 16, SPL__MOST_KEYS = 64 };

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

#if defined(__AVX512F__)

#include <immintrin.h>

/* Keys that insertion sorts faster: a block would wait for their stores, twenty cycles. */
enum { SPL__FEW_KEYS = 6 };

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
/* All bits of lane l where l ^ m is lower. */
#define SPL__KEY_UPPER(l, m) (((l) ^ (m)) < (l) ? UINT32_MAX : 0)
#define SPL__KEYS_UPPER(m)                                                                         \
    (spl__keys)                                                                                    \
    {                                                                                              \
        SPL__KEY_UPPER(0, m), SPL__KEY_UPPER(1, m), SPL__KEY_UPPER(2, m), SPL__KEY_UPPER(3, m),    \
            SPL__KEY_UPPER(4, m), SPL__KEY_UPPER(5, m), SPL__KEY_UPPER(6, m),                      \
            SPL__KEY_UPPER(7, m), SPL__KEY_UPPER(8, m), SPL__KEY_UPPER(9, m),                      \
            SPL__KEY_UPPER(10, m), SPL__KEY_UPPER(11, m), SPL__KEY_UPPER(12, m),                   \
            SPL__KEY_UPPER(13, m), SPL__KEY_UPPER(14, m), SPL__KEY_UPPER(15, m)                    \
    }
#define SPL__KEYS_STEP(v, m)                                                                       \
    do {                                                                                           \
        spl__keys smaller_, larger_;                                                               \
        spl__keys_meet(v, SPL__KEYS_FACE(v, m), &smaller_, &larger_);                              \
        v = (smaller_ & ~SPL__KEYS_UPPER(m)) | (larger_ & SPL__KEYS_UPPER(m));                     \
    } while (0)

/* The last steps of every merge: sorts a bitonic block. */
static inline void spl__keys_settle(spl__keys *v)
{
    SPL__KEYS_STEP(*v, 8);
    SPL__KEYS_STEP(*v, 4);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
}

static inline void spl__keys_sort_block(spl__keys *v)
{
    SPL__KEYS_STEP(*v, 1);
    SPL__KEYS_STEP(*v, 3);
    SPL__KEYS_STEP(*v, 1);
    SPL__KEYS_STEP(*v, 7);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
    SPL__KEYS_STEP(*v, 15);
    SPL__KEYS_STEP(*v, 4);
    SPL__KEYS_STEP(*v, 2);
    SPL__KEYS_STEP(*v, 1);
}

/* Compares block a with block b in reverse. */
static inline void spl__keys_fold(spl__keys *a, spl__keys *b)
{
    spl__keys_meet(*a, SPL__KEYS_FACE(*b, 15), a, b);
}

static inline void spl__keys_merge_two(spl__keys *v)
{
    spl__keys_fold(&v[0], &v[1]);
    spl__keys_settle(&v[0]);
    spl__keys_settle(&v[1]);
}

static inline void spl__keys_merge_four(spl__keys *v)
{
    spl__keys_fold(&v[0], &v[3]);
    spl__keys_fold(&v[1], &v[2]);
    for (int half = 0; half < 4; half += 2)
        spl__keys_meet(v[half], v[half + 1], &v[half], &v[half + 1]);
    for (int block = 0; block < 4; block++)
        spl__keys_settle(&v[block]);
}

/* Fills the array for up to SPL__MOST_KEYS keys with the largest key, so that missing ones are
 * sorted last. */
static inline void spl__keys_start(uint32_t *keys)
{
    const spl__keys none = ~(spl__keys){0};
    for (int block = 0; block < SPL__MOST_KEYS / SPL__KEY_LANES; block++)
        memcpy(keys + block * SPL__KEY_LANES, &none, sizeof none);
}

static inline __attribute__((always_inline)) void spl__sort_key_blocks(uint32_t *keys, int blocks)
{
    spl__keys v[4];
    memcpy(v, keys, (size_t)blocks * sizeof *v);
    for (int b = 0; b < blocks; b++)
        spl__keys_sort_block(&v[b]);
    for (int b = 0; b + 1 < blocks; b += 2)
        spl__keys_merge_two(v + b);
    if (blocks == 4)
        spl__keys_merge_four(v);
    memcpy(keys, v, (size_t)blocks * sizeof *v);
}

/* Sorts keys[0..count). */
static inline void spl__sort_keys(uint32_t *keys, int64_t count)
{
    if (count <= SPL__FEW_KEYS)
        spl__insert_keys(keys, count);
    else if (count <= SPL__KEY_LANES)
        spl__sort_key_blocks(keys, 1);
    else if (count <= 2 * SPL__KEY_LANES)
        spl__sort_key_blocks(keys, 2);
    else
        spl__sort_key_blocks(keys, 4);
}

#else

static inline void spl__keys_start(uint32_t *keys)
{
    (void)keys;
}

static inline void spl__sort_keys(uint32_t *keys, int64_t count)
{
    spl__insert_keys(keys, count);
}

#endif

#endif
