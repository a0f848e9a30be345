/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of device_narrow_values.c, and its result, which other kernels read. */
#ifndef T
#ifndef SPL_FORMAT_DEVICE_NARROW_VALUES_K_H
#define SPL_FORMAT_DEVICE_NARROW_VALUES_K_H
#include <stdint.h>

enum {
    DEVICE_NARROW_THREADS = 256,
    DEVICE_NARROW_MOST = 256, /* distinct values, coded in a byte */
    DEVICE_NARROW_SLOTS =
        4 *
        /* slots of the hash table: 2^10, at least half empty even if a block exceeds the limit
         * */
        DEVICE_NARROW_MOST,
    DEVICE_NARROW_HASH_SHIFT = 64 - 10,
    DEVICE_NARROW_SAMPLE = 4 /* entries per thread of the sample */
};

/* Forms of values. Any other number: unchanged. */
enum {
    DEVICE_NARROW_AS_THEY_ARE,
    DEVICE_NARROW_ONE,   /* all equal values[0]: nothing is stored */
    DEVICE_NARROW_CODED, /* values[code], one byte per entry */
    DEVICE_NARROW_F32    /* f64 that f32 represents exactly */
};

/* The result, on the device. Initially all bits are set. Values are bits of T, padded with
 * zeros. */
struct device_narrow_found {
    int32_t form, last; /* last: the number of the last distinct value */
    /* codable 0: too many distinct values; narrow 0: f32 does not represent all */
    uint32_t codable, narrow;
    int32_t arrived, unused;
    uint64_t values[DEVICE_NARROW_MOST];
    uint64_t keys[DEVICE_NARROW_SLOTS]; /* DEVICE_NARROW_EMPTY, or a value ... */
    uint8_t codes[DEVICE_NARROW_SLOTS]; /* ... that has this number */
};
#define DEVICE_NARROW_EMPTY UINT64_MAX

struct device_narrow_scan_args {
    int64_t count;
    const void *values; /* T[count] */
    struct device_narrow_found *found;
};
#endif
#else
#define IN_HALVES
#include "format/value_codes.h"

/* The findings of a thread block. */
typedef struct FN(values_seen) {
    uint64_t keys[DEVICE_NARROW_SLOTS];
    int32_t count;
    uint32_t codable, narrow;
} FN(values_seen);

/* Inserts the word into a hash table. Returns its slot if it is new, -1 if it was present, -2 if
 * the table is full. */
DEVICE int FN(values_put)(uint64_t *keys, uint64_t word)
{
    int slot = FN(value_slot)(word);
    for (int k = 0; k < DEVICE_NARROW_SLOTS; k++) {
        uint64_t stored = LOAD_VOLATILE(&keys[slot]);
        if (stored == DEVICE_NARROW_EMPTY) {
            stored = ATOMIC_CAS(&keys[slot], DEVICE_NARROW_EMPTY, word);
            if (stored == DEVICE_NARROW_EMPTY)
                return slot;
        }
        if (stored == word)
            return -1;
        slot = (slot + 1) % DEVICE_NARROW_SLOTS;
    }
    return -2;
}

/* After the limit is reached each thread adds at most one more value: the table has space for
 * those. */
DEVICE void FN(values_see)(T value, FN(values_seen) *seen)
{
    const uint64_t word = FN(value_word)(value);
    if (LOAD_VOLATILE(&seen->codable)) {
        const bool full =
            word == DEVICE_NARROW_EMPTY || (FN(values_put)(seen->keys, word) >= 0 &&
                                            ATOMIC_ADD(&seen->count, 1) >= DEVICE_NARROW_MOST);
        if (full)
            ATOMIC_EXCHANGE(&seen->codable, 0);
    }
    if (LOAD_VOLATILE(&seen->narrow) && !((double)(float)WIDEN(value) == (double)WIDEN(value)))
        ATOMIC_EXCHANGE(&seen->narrow, 0);
}

DEVICE bool FN(values_hopeful)(const FN(values_seen) *seen)
{
    return LOAD_VOLATILE(&seen->codable) || LOAD_VOLATILE(&seen->narrow);
}

/* Every block starts with the same sample of entries from all of the array; for most matrices
 * that decides. */
DEVICE void FN(values_sample)(int64_t count, const T *RESTRICT values, FN(values_seen) *seen)
{
    const int64_t sample = (int64_t)DEVICE_NARROW_SAMPLE * THREADS, step = count / sample;
    if (step == 0)
        return;
    for (int k = 0; k < DEVICE_NARROW_SAMPLE && FN(values_hopeful)(seen); k++)
        FN(values_see)(READ(&values[(k * (int64_t)THREADS + THREAD) * step]), seen);
}

/* Merges the block's findings into the common result. */
DEVICE void FN(values_join)(const FN(values_seen) *seen, struct device_narrow_found *found)
{
    for (int s = THREAD; s < DEVICE_NARROW_SLOTS && seen->codable && LOAD_VOLATILE(&found->codable);
         s += THREADS) {
        if (seen->keys[s] == DEVICE_NARROW_EMPTY)
            continue;
        const int slot = FN(values_put)(found->keys, seen->keys[s]);
        const int code = slot >= 0    ? ATOMIC_ADD(&found->last, 1) + 1
                         : slot == -1 ? 0
                                      : DEVICE_NARROW_MOST;
        if (code >= DEVICE_NARROW_MOST)
            ATOMIC_EXCHANGE(&found->codable, 0);
        else if (slot >= 0) {
            found->codes[slot] = (uint8_t)code;
            found->values[code] = seen->keys[s];
        }
    }
    if (THREAD == 0 && !seen->codable)
        ATOMIC_EXCHANGE(&found->codable, 0);
    if (THREAD == 0 && !seen->narrow)
        ATOMIC_EXCHANGE(&found->narrow, 0);
}

/* The last block to finish decides the form. */
DEVICE void FN(values_decide)(struct device_narrow_found *found)
{
    FENCE();
    SYNC();
    if (THREAD != 0 || ATOMIC_ADD(&found->arrived, 1) + 2 != BLOCKS)
        return;
    FENCE();
    const int32_t last = LOAD_VOLATILE(&found->last);
    if (LOAD_VOLATILE(&found->codable))
        found->form = last == 0 ? DEVICE_NARROW_ONE : DEVICE_NARROW_CODED;
    else if (LOAD_VOLATILE(&found->narrow))
        found->form = DEVICE_NARROW_F32;
}

DEVICE void FN(values_look)(int64_t count, const T *RESTRICT values,
                            struct device_narrow_found *found, FN(values_seen) *seen)
{
    for (int s = THREAD; s < DEVICE_NARROW_SLOTS; s += THREADS)
        seen->keys[s] = DEVICE_NARROW_EMPTY;
    if (THREAD == 0) {
        seen->count = 0;
        seen->codable = 1;
        seen->narrow = sizeof(T) > sizeof(float);
    }
    SYNC();
    FN(values_sample)(count, values, seen);
    SYNC();
    if (!FN(values_hopeful)(seen))
        return; /* the condition holds in all blocks */
    for (int64_t p = BLOCK * THREADS + THREAD; p < count && FN(values_hopeful)(seen);
         p += BLOCKS * THREADS)
        FN(values_see)(READ_ONCE(&values[p]), seen);
    SYNC();
    FN(values_join)(seen, found);
    FN(values_decide)(found);
}

KERNEL(device_narrow_scan, DEVICE_NARROW_THREADS, args)
{
    SHARED(FN(values_seen), seen, 1);
    FN(values_look)(args.count, (const T *)args.values, args.found, seen);
}
#endif
