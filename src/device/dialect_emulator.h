/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_emulator.h: the dialect for a C11 compiler: every device thread is a fiber of
 * src/device/emulator. dialect.h defines its words. Operations that can be misused carry their
 * source location, which faults report.
 *
 * Only the types of the dialect are accepted, so that a kernel that compiles here also compiles
 * for GPUs. */
#ifndef SPL_DEVICE_DIALECT_EMULATOR_H
#define SPL_DEVICE_DIALECT_EMULATOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if SPL__LANES == 32
typedef uint32_t lane_mask;
#elif SPL__LANES == 64
typedef uint64_t lane_mask;
#else
#error "the emulator is built with -DSPL__LANES=32 or 64"
#endif

#define SPL__EMU_HIDDEN __attribute__((visibility("hidden")))
#define SPL__EMU_INLINE static inline __attribute__((unused))
#if defined(__SANITIZE_THREAD__)
#define SPL__EMU_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SPL__EMU_WATCHED 1
#endif
#endif

/* The identity and state of a device thread. */
typedef struct spl__emu_thread {
    int32_t thread, threads, lane, warp;
    int64_t block, blocks;
    /* decreased by every operation that may spin; below 0 another thread runs */
    int32_t patience;
    /* whether it has changed memory that other threads may wait for, since its last turn */
    int32_t changed;
} spl__emu_thread;

/* The entry of a kernel in this plug-in. */
typedef struct spl__emu_kernel {
    void (*run)(const void *args);
    int32_t most_threads;
} spl__emu_kernel;

/* The running device thread; constant from the viewpoint of a kernel. */
extern SPL__EMU_HIDDEN _Thread_local spl__emu_thread *spl__emu_self
    __attribute__((tls_model("initial-exec")));

#define SPL__EMU_LOCATION const char *file, int line
SPL__EMU_HIDDEN bool spl__emu_sync(SPL__EMU_LOCATION, bool mine);
SPL__EMU_HIDDEN void spl__emu_sync_warp(SPL__EMU_LOCATION, lane_mask mask);
SPL__EMU_HIDDEN uint64_t spl__emu_shuffle(SPL__EMU_LOCATION, lane_mask mask, uint64_t value,
                                          int from);
SPL__EMU_HIDDEN lane_mask spl__emu_ballot(SPL__EMU_LOCATION, lane_mask mask, int predicate);
SPL__EMU_HIDDEN void *spl__emu_shared(SPL__EMU_LOCATION, const char *array, size_t bytes);
SPL__EMU_HIDDEN void *spl__emu_shared_at_launch(void);
SPL__EMU_HIDDEN void spl__emu_yield(void);
SPL__EMU_HIDDEN void spl__emu_fence(void);
SPL__EMU_HIDDEN void spl__emu_see_fences(void);

/* ------------------------------------------------------------------------ functions and kernels */

#define RESTRICT restrict
#define UNROLL
#define DEVICE SPL__EMU_INLINE
#define KERNEL_OF(type, name, threads_, args)                                                      \
    static void FN(name)(const type args);                                                         \
    static void SPL__DIALECT_JOIN(FN(name), _run)(const void *arguments)                           \
    {                                                                                              \
        FN(name)(*(const type *)arguments);                                                        \
    }                                                                                              \
    static const spl__emu_kernel SPL__DIALECT_JOIN(FN(name), _entry) = {                           \
        SPL__DIALECT_JOIN(FN(name), _run), threads_};                                              \
    SPL__REGISTER_KERNEL(FN(name), &SPL__DIALECT_JOIN(FN(name), _entry), type)                     \
    static void FN(name)(const type args)

#define KERNEL_RESIDENT_OF(type, name, threads_, blocks, args) KERNEL_OF(type, name, threads_, args)

#define THREAD  (spl__emu_self->thread)
#define THREADS (spl__emu_self->threads)
#define BLOCK   (spl__emu_self->block)
#define BLOCKS  (spl__emu_self->blocks)
#define LANES   SPL__LANES
#define LANE    (spl__emu_self->lane)
#define WARP    (spl__emu_self->warp)

/* ------------------------------------------------------------------- shared memory and barriers */

#define SHARED(type, name, n)                                                                      \
    static const char name##_array = 0;                                                            \
    type *const name =                                                                             \
        (type *)spl__emu_shared(__FILE__, __LINE__, &name##_array, sizeof(type) * (n))
#define SHARED_AT_LAUNCH(type, name) type *const name = (type *)spl__emu_shared_at_launch()
#define SYNC()                       ((void)spl__emu_sync(__FILE__, __LINE__, false))
#define SYNC_OR(p)                   spl__emu_sync(__FILE__, __LINE__, (p))
#define SYNC_WARP(mask)              spl__emu_sync_warp(__FILE__, __LINE__, (mask))

/* ---------------------------------------------------------------------------------------- lanes */

#define POPCOUNT(m)       __builtin_popcountll((uint64_t)(lane_mask)(m))
#define FIRST_BIT(m)      (__builtin_ffsll((long long)(lane_mask)(m)) - 1)
#define GROUP_MASK(width) spl__emu_group_mask(width)
#define BALLOT(mask, p)   spl__emu_ballot(__FILE__, __LINE__, (mask), !!(p))

#define SHUFFLE(mask, v, lane_)       SPL__EMU_SHUFFLE((mask), (v), (lane_) & (LANES - 1))
#define SHUFFLE_XOR(mask, v, x)       SPL__EMU_SHUFFLE((mask), (v), (LANE ^ (x)) & (LANES - 1))
#define SHUFFLE_UP(mask, v, d, width) SPL__EMU_SHUFFLE((mask), (v), spl__emu_lane_up((d), (width)))
#define SHUFFLE_DOWN(mask, v, d, width)                                                            \
    SPL__EMU_SHUFFLE((mask), (v), spl__emu_lane_down((d), (width)))

SPL__EMU_INLINE lane_mask spl__emu_group_mask(int width)
{
    return width == LANES ? ~(lane_mask)0 : (((lane_mask)1 << width) - 1) << (LANE / width * width);
}
SPL__EMU_INLINE int spl__emu_lane_up(int distance, int width)
{
    return LANE % width >= distance ? LANE - distance : LANE;
}
SPL__EMU_INLINE int spl__emu_lane_down(int distance, int width)
{
    return LANE % width + distance < width ? LANE + distance : LANE;
}

/* --------------------------------------------------------------------------------------- memory */

#define FENCE()                  spl__emu_fence()
#define FENCE_SYSTEM()           spl__emu_fence()
#define READ(p)                  (*(p))
#define READ_ONCE(p)             (*(p))
#define READ_ONCE_KEPT(p, keep)  ((void)(keep), *(p))
#define LOAD_VOLATILE(p)         SPL__EMU_OF_NUMBER(*(p), spl__emu_load)(p)
#define STORE_VOLATILE(p, v)     SPL__EMU_OF_NUMBER(*(p), spl__emu_store)((p), (v))
#define ATOMIC_ADD(p, v)         SPL__EMU_OF_NUMBER(*(p), spl__emu_add)((p), (v))
#define ATOMIC_ADD_RELEASE(p, v) (spl__emu_fence(), ATOMIC_ADD((p), (v)))
#define ATOMIC_EXCHANGE(p, v)    SPL__EMU_OF_INTEGER(*(p), spl__emu_exchange)((p), (v))
#define ATOMIC_CAS(p, old, v)    SPL__EMU_OF_INTEGER(*(p), spl__emu_cas)((p), (old), (v))
#define ATOMIC_MAX(p, v)                                                                           \
    _Generic(*(p), int32_t                                                                         \
             : spl__emu_max_i32, uint32_t                                                          \
             : spl__emu_max_u32, uint64_t                                                          \
             : spl__emu_max_u64)((p), (v))
#define ATOMIC_OR(p, v)                                                                            \
    _Generic(*(p), uint32_t : spl__emu_or_u32, uint64_t : spl__emu_or_u64)((p), (v))

#define READ_RUN(to, from, n)  memcpy((to), (from), (size_t)(n) * sizeof *(to))
#define WRITE_RUN(to, from, n) memcpy((to), (from), (size_t)(n) * sizeof *(to))

/* Loads spin more often than atomics do. */
enum { SPL__EMU_COST_OF_LOAD = 16, SPL__EMU_COST_OF_ATOMIC = 1 };

/* Called before an operation on memory that other threads change: the thread may have to wait
 * for one of them. */
SPL__EMU_INLINE void spl__emu_may_spin(int32_t cost)
{
    if ((spl__emu_self->patience -= cost) < 0)
        spl__emu_yield();
}

/* Called after such an operation: writes of other threads before their FENCE are visible from
 * here on. */
SPL__EMU_INLINE void spl__emu_saw(int changed)
{
    spl__emu_self->changed |= changed;
#ifdef SPL__EMU_WATCHED
    spl__emu_see_fences();
#endif
}

/* ------------------------------------------------------------------------ one function per type */

#define SPL__EMU_OF_INTEGER(v, function)                                                           \
    _Generic((v), int32_t                                                                          \
             : function##_i32, uint32_t                                                            \
             : function##_u32, int64_t                                                             \
             : function##_i64, uint64_t                                                            \
             : function##_u64)
#define SPL__EMU_OF_NUMBER(v, function)                                                            \
    _Generic((v), int32_t                                                                          \
             : function##_i32, uint32_t                                                            \
             : function##_u32, int64_t                                                             \
             : function##_i64, uint64_t                                                            \
             : function##_u64, float                                                               \
             : function##_f32, double                                                              \
             : function##_f64)
#define SPL__EMU_SHUFFLE(mask, v, from)                                                            \
    SPL__EMU_OF_NUMBER((v), spl__emu_shuffle)(__FILE__, __LINE__, (mask), (v), (from))

#define SPL__EMU_NUMBER(tag, type)                                                                 \
    SPL__EMU_INLINE type spl__emu_shuffle_##tag(SPL__EMU_LOCATION, lane_mask mask, type v,         \
                                                int from)                                          \
    {                                                                                              \
        uint64_t bits = 0;                                                                         \
        memcpy(&bits, &v, sizeof v);                                                               \
        bits = spl__emu_shuffle(file, line, mask, bits, from);                                     \
        memcpy(&v, &bits, sizeof v);                                                               \
        return v;                                                                                  \
    }                                                                                              \
    SPL__EMU_INLINE type spl__emu_load_##tag(const type *p)                                        \
    {                                                                                              \
        type v;                                                                                    \
        spl__emu_may_spin(SPL__EMU_COST_OF_LOAD);                                                  \
        __atomic_load(p, &v, __ATOMIC_RELAXED);                                                    \
        spl__emu_saw(0);                                                                           \
        return v;                                                                                  \
    }                                                                                              \
    SPL__EMU_INLINE void spl__emu_store_##tag(type *p, type v)                                     \
    {                                                                                              \
        __atomic_store(p, &v, __ATOMIC_RELAXED);                                                   \
        spl__emu_self->changed = 1;                                                                \
    }

/* A compare-and-swap loop: the processor has instructions for few of these operations. */
#define SPL__EMU_UPDATE(operation, tag, type, new_value)                                           \
    SPL__EMU_INLINE type spl__emu_##operation##_##tag(type *p, type v)                             \
    {                                                                                              \
        type old, new;                                                                             \
        spl__emu_may_spin(SPL__EMU_COST_OF_ATOMIC);                                                \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                  \
        do                                                                                         \
            new = (new_value);                                                                     \
        while (!__atomic_compare_exchange(p, &old, &new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));  \
        spl__emu_saw(old != new);                                                                  \
        return old;                                                                                \
    }

#define SPL__EMU_INTEGER(tag, type)                                                                \
    SPL__EMU_NUMBER(tag, type)                                                                     \
    SPL__EMU_UPDATE(exchange, tag, type, v)                                                        \
    SPL__EMU_INLINE type spl__emu_add_##tag(type *p, type v)                                       \
    {                                                                                              \
        spl__emu_may_spin(SPL__EMU_COST_OF_ATOMIC);                                                \
        const type old =                                                                           \
            __atomic_fetch_add(p, v, __ATOMIC_RELAXED); /* wraps around, for both signs */         \
        spl__emu_saw(v != 0);                                                                      \
        return old;                                                                                \
    }                                                                                              \
    SPL__EMU_INLINE type spl__emu_cas_##tag(type *p, type old, type v)                             \
    {                                                                                              \
        spl__emu_may_spin(SPL__EMU_COST_OF_ATOMIC);                                                \
        const int done =                                                                           \
            __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);        \
        spl__emu_saw(old == v ? 0 : done);                                                         \
        return old;                                                                                \
    }

SPL__EMU_INTEGER(i32, int32_t)
SPL__EMU_INTEGER(u32, uint32_t)
SPL__EMU_INTEGER(i64, int64_t)
SPL__EMU_INTEGER(u64, uint64_t)
SPL__EMU_NUMBER(f32, float)
SPL__EMU_NUMBER(f64, double)
SPL__EMU_UPDATE(add, f32, float, old + v)
SPL__EMU_UPDATE(add, f64, double, old + v)
SPL__EMU_UPDATE(max, i32, int32_t, old > v ? old : v)
SPL__EMU_UPDATE(max, u32, uint32_t, old > v ? old : v)
SPL__EMU_UPDATE(max, u64, uint64_t, old > v ? old : v)
SPL__EMU_UPDATE(or, u32, uint32_t, old | v)
SPL__EMU_UPDATE(or, u64, uint64_t, old | v)

/* ---------------------------------------------------------------------------- products of tiles */

#include "device/exchange_tiles.h"
#define MULTIPLY_TILES(sums, a, lower, upper, n)                                                   \
    _Generic(*(a), float                                                                           \
             : spl__emu_tiles_f32, spl__f16                                                        \
             : spl__emu_tiles_f16, spl__bf16                                                       \
             : spl__emu_tiles_bf16)((sums), (a), (lower), (upper), (n))
#define SPL__EMU_TILES(name, type, widen)                                                          \
    SPL__EMU_INLINE void name(float *sums, const type *a, const type *lower, const type *upper,    \
                              int n)                                                               \
    {                                                                                              \
        SPL__EXCHANGE_TILES(widen)                                                                 \
    }
SPL__EMU_TILES(spl__emu_tiles_f32, float, spl__tf32_nearest)
SPL__EMU_TILES(spl__emu_tiles_f16, spl__f16, spl__f16_widen)
SPL__EMU_TILES(spl__emu_tiles_bf16, spl__bf16, spl__bf16_widen)
#undef SPL__EMU_TILES

#undef SPL__EMU_NUMBER
#undef SPL__EMU_INTEGER
#undef SPL__EMU_UPDATE

#endif
