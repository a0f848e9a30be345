/* SPDX-License-Identifier: Apache-2.0 */
/* Test kernels: atomics of all types, blocks that wait for each other, plain work for streams. */
#ifndef T
#ifndef SPARLOOM_TEST_DEVICE_WORDS_K_H
#define SPARLOOM_TEST_DEVICE_WORDS_K_H
#include <stdint.h>

enum { DEVICE_WORDS_THREADS = 256 };

/* One word of each type, from 0: all threads of the grid apply the atomics to it. */
typedef struct device_words {
    int32_t add_i32, max_i32, cas_i32;
    uint32_t add_u32, max_u32, or_u32, exchange_u32;
    int64_t add_i64, exchange_i64, cas_i64;
    uint64_t add_u64, max_u64, or_u64, cas_u64;
    float add_f32;
    double add_f64;
} device_words;
struct atomics_args {
    void *words; /* device_words */
};

/* sums[b] = sum of 1 + b over blocks up to b: each block waits for the one before, in the order of
 * a ticket. */
struct look_back_args {
    void *sums, *flags; /* int64_t[blocks], int32_t[blocks] of 0 */
    void *ticket;       /* int32_t[1] of 0 */
};

/* sums[b] = sum of 1 + c over blocks c from b on: each block waits for the next. */
struct look_ahead_args {
    void *sums, *flags; /* int64_t[blocks], int32_t[blocks] of 0 */
};

/* counts[r] = threads of all blocks that saw SYNC_OR be true in round r, in which only thread
 * votes[r], if there is one, says so. */
struct any_args {
    int64_t rounds;
    const void *votes; /* int32_t[rounds] */
    void *counts;      /* int32_t[rounds] of 0 */
};

/* y[i] = y[i]*factor + add, for i < count. */
struct affine_args {
    int64_t count;
    void *y; /* T[count] */
    double factor, add;
};
#endif
#else

KERNEL(atomics, DEVICE_WORDS_THREADS, args)
{
    device_words *w = (device_words *)args.words;
    const int me = (int)(BLOCK * THREADS) + THREAD;
    ATOMIC_ADD(&w->add_i32, -1);
    ATOMIC_ADD(&w->add_u32, 2);
    ATOMIC_ADD(&w->add_i64, -(INT64_C(1) << 40));
    ATOMIC_ADD(&w->add_u64, UINT64_C(1) << 40);
    ATOMIC_ADD(&w->add_f32, 0.5f);
    ATOMIC_ADD(&w->add_f64, 0.25);
    ATOMIC_MAX(&w->max_i32, me - 5);
    ATOMIC_MAX(&w->max_u32, (uint32_t)me + 0x80000000u);
    ATOMIC_MAX(&w->max_u64, (uint64_t)me << 40);
    ATOMIC_OR(&w->or_u32, (uint32_t)1 << me % 32);
    ATOMIC_OR(&w->or_u64, (uint64_t)1 << me % 64);
    ATOMIC_EXCHANGE(&w->exchange_u32, 77);
    ATOMIC_EXCHANGE(&w->exchange_i64, -(INT64_C(1) << 50));
    for (int32_t old = LOAD_VOLATILE(&w->cas_i32), was;
         (was = ATOMIC_CAS(&w->cas_i32, old, old + 3)) != old;)
        old = was;
    for (int64_t old = 0, was; (was = ATOMIC_CAS(&w->cas_i64, old, old - 3)) != old;)
        old = was;
    for (uint64_t old = 0, was; (was = ATOMIC_CAS(&w->cas_u64, old, old + 5)) != old;)
        old = was;
}

/* Decoupled look-back in its simplest form (Merrill, Garland, "Single-pass parallel prefix scan
 * with decoupled look-back", 2016). */
KERNEL(look_back, DEVICE_WORDS_THREADS, args)
{
    int64_t *sums = (int64_t *)args.sums;
    int32_t *flags = (int32_t *)args.flags, *ticket = (int32_t *)args.ticket;
    SHARED(int32_t, drawn, 1);
    if (THREAD == 0)
        drawn[0] = ATOMIC_ADD(ticket, 1);
    SYNC();
    const int32_t me = drawn[0];
    if (THREAD > 0)
        return;
    while (me > 0 && LOAD_VOLATILE(&flags[me - 1]) == 0)
        ;
    sums[me] = (me > 0 ? sums[me - 1] : 0) + 1 + me;
    FENCE();
    STORE_VOLATILE(&flags[me], 1);
}

/* The next block, which must be resident at the same time. */
KERNEL(look_ahead, DEVICE_WORDS_THREADS, args)
{
    int64_t *sums = (int64_t *)args.sums;
    int32_t *flags = (int32_t *)args.flags;
    if (THREAD > 0)
        return;
    while (BLOCK + 1 < BLOCKS && LOAD_VOLATILE(&flags[BLOCK + 1]) == 0)
        ;
    sums[BLOCK] = (BLOCK + 1 < BLOCKS ? sums[BLOCK + 1] : 0) + 1 + BLOCK;
    FENCE();
    ATOMIC_EXCHANGE(&flags[BLOCK], 1);
}

KERNEL(any, DEVICE_WORDS_THREADS, args)
{
    for (int64_t r = 0; r < args.rounds; r++)
        if (SYNC_OR(((const int32_t *)args.votes)[r] == THREAD))
            ATOMIC_ADD(&((int32_t *)args.counts)[r], 1);
}

KERNEL(affine, DEVICE_WORDS_THREADS, args)
{
    T *y = (T *)args.y;
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.count; i += BLOCKS * THREADS)
        y[i] = (T)(y[i] * (T)args.factor + (T)args.add);
}
#endif
