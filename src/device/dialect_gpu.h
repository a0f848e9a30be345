/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_gpu.h: the dialect for nvcc and hipcc. dialect.h defines its words. */
#ifndef SPL_DEVICE_DIALECT_GPU_H
#define SPL_DEVICE_DIALECT_GPU_H

#ifdef __HIPCC__
#include <hip/hip_runtime.h>

#include <hip/hip_fp16.h>
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#define RESTRICT __restrict__
#define DEVICE   static __device__ __forceinline__
#define KERNEL_OF(type, name, most_threads, args)                                                  \
    SPL__KERNEL(type, name, __launch_bounds__(most_threads), args)
#ifdef __HIPCC__ /* in HIP this parameter means warps per execution unit */
#define KERNEL_RESIDENT_OF(type, name, most_threads, blocks, args)                                 \
    KERNEL_OF(type, name, most_threads, args)
#define SPL__KERNEL(type, name, bounds, args)                                                      \
    static __global__ void bounds FN(name)(const type args);                                       \
    SPL__REGISTER_KERNEL(FN(name), FN(name), type)                                                 \
    static __global__ void bounds FN(name)(const type args)
#else
#define KERNEL_RESIDENT_OF(type, name, most_threads, blocks, args)                                 \
    SPL__KERNEL(type, name, __launch_bounds__(most_threads, blocks), args)
#define SPL__KERNEL(type, name, bounds, args)                                                      \
    static __device__ __forceinline__ void SPL__DIALECT_JOIN(FN(name), _body)(const type &args);   \
    static __global__ void bounds FN(name)(const type args)                                        \
    {                                                                                              \
        spl__follow();                                                                             \
        SPL__DIALECT_JOIN(FN(name), _body)(args);                                                  \
    }                                                                                              \
    SPL__REGISTER_KERNEL(FN(name), FN(name), type)                                                 \
    static __device__ __forceinline__ void SPL__DIALECT_JOIN(FN(name), _body)(const type &args)

/* Kernels are launched while the one before them in the stream still runs (driver_cuda.cu). Here
 * they wait for its end, before they touch any memory, and let the next one come. */
static __device__ __forceinline__ void spl__follow()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif

#define THREAD  ((int)threadIdx.x)
#define THREADS ((int)blockDim.x)
#define BLOCK   ((int64_t)blockIdx.x)
#define BLOCKS  ((int64_t)gridDim.x)

#define SHARED(type, name, n) __shared__ type name[n]
#define SHARED_AT_LAUNCH(type, name)                                                               \
    extern __shared__ __align__(16) unsigned char spl__shared_at_launch[];                         \
    type *const name = reinterpret_cast<type *>(spl__shared_at_launch)
#define UNROLL         _Pragma("unroll")
#define SYNC()         __syncthreads()
#define SYNC_OR(p)     (__syncthreads_or(p) != 0)
#define FENCE()        __threadfence()
#define FENCE_SYSTEM() __threadfence_system()

#ifdef __HIPCC__
/* A wavefront runs in lock step; the wavefronts of GCN and CDNA, the DCU's too, have 64 lanes. HIP
 * 5 has no operations with masks. */
#define LANES 64
typedef uint64_t lane_mask;
#define POPCOUNT(m)  __popcll(m)
#define FIRST_BIT(m) (__ffsll((unsigned long long)(m)) - 1)
#define SYNC_WARP(mask)                                                                            \
    ((void)(mask), __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"),                          \
     __builtin_amdgcn_wave_barrier())
#define SHUFFLE(mask, v, lane)          ((void)(mask), __shfl((v), (lane), LANES))
#define SHUFFLE_XOR(mask, v, x)         ((void)(mask), __shfl_xor((v), (x), LANES))
#define SHUFFLE_UP(mask, v, d, width)   ((void)(mask), __shfl_up((v), (d), (width)))
#define SHUFFLE_DOWN(mask, v, d, width) ((void)(mask), __shfl_down((v), (d), (width)))
#define BALLOT(mask, p)                 (__ballot(p) & (mask))
#else
#define LANES                           32
typedef uint32_t lane_mask;
#define POPCOUNT(m)                     __popc(m)
#define FIRST_BIT(m)                    (__ffs((int)(m)) - 1)
#define SYNC_WARP(mask)                 __syncwarp(mask)
#define SHUFFLE(mask, v, lane)          __shfl_sync((mask), (v), (lane), LANES)
#define SHUFFLE_XOR(mask, v, x)         __shfl_xor_sync((mask), (v), (x), LANES)
#define SHUFFLE_UP(mask, v, d, width)   __shfl_up_sync((mask), (v), (d), (width))
#define SHUFFLE_DOWN(mask, v, d, width) __shfl_down_sync((mask), (v), (d), (width))
#define BALLOT(mask, p)                 __ballot_sync((mask), (p))
#endif

#define LANE ((int)(threadIdx.x % LANES))
#define WARP ((int)(threadIdx.x / LANES))
#define GROUP_MASK(width)                                                                          \
    ((width) == LANES ? ~(lane_mask)0                                                              \
                      : (((lane_mask)1 << (width)) - 1) << (LANE / (width) * (width)))

#ifdef __HIPCC__
#define READ(p)                 (*(p))
#define READ_ONCE(p)            spl__read_once(p)
#define READ_ONCE_KEPT(p, keep) ((void)(keep), spl__read_once(p))
#else
#define READ(p)                 spl__read(p)
#define READ_ONCE(p)            spl__read_once(p)
#define READ_ONCE_KEPT(p, keep) spl__read_once_kept((p), (keep))
#endif
#define LOAD_VOLATILE(p)         spl__load_volatile(p)
#define STORE_VOLATILE(p, v)     spl__store_volatile((p), (v))
#define ATOMIC_ADD(p, v)         spl__atomic_add((p), (v))
#define ATOMIC_ADD_RELEASE(p, v) spl__atomic_add_release((p), (v))
#define ATOMIC_MAX(p, v)         spl__atomic_max((p), (v))
#define ATOMIC_OR(p, v)          spl__atomic_or((p), (v))
#define ATOMIC_CAS(p, old, v)    spl__atomic_cas((p), (old), (v))
#define ATOMIC_EXCHANGE(p, v)    spl__atomic_exchange((p), (v))

#define READ_RUN(to, from, n)  spl__read_run((to), (from), (n))
#define WRITE_RUN(to, from, n) spl__write_run((to), (from), (n))

/* The value argument takes the pointer's type, as in C: ATOMIC_ADD(&count64, 1) adds
 * a 64-bit one. */
template <typename V> struct spl__same {
    typedef V type;
};
template <typename V> static __device__ __forceinline__ V spl__load_volatile(const V *p)
{
    return *(const volatile V *)p;
}
template <typename V>
static __device__ __forceinline__ void spl__store_volatile(V *p, typename spl__same<V>::type v)
{
    *(volatile V *)p = v;
}

/* ---- 16-bit floats: the toolkits' conversions, except where a shift suffices ---- */

static __device__ __forceinline__ float spl__f16_widen(spl__f16 x)
{
    return __half2float(__ushort_as_half(x.bits));
}
static __device__ __forceinline__ spl__f16 spl__f16_narrow(float x)
{
    const spl__f16 narrow = {__half_as_ushort(__float2half_rn(x))};
    return narrow;
}
static __device__ __forceinline__ float spl__bf16_widen(spl__bf16 x)
{
    return __uint_as_float((uint32_t)x.bits << 16);
}
static __device__ __forceinline__ spl__bf16 spl__bf16_narrow(float x)
{
#ifdef __HIPCC__ /* the names differ between versions of HIP */
    const uint32_t bits = __float_as_uint(x), last_bit = bits >> 16 & 1;
    const spl__bf16 narrow = {(uint16_t)((bits & 0x7fffffff) > 0x7f800000
                                             ? bits >> 16 | 0x40
                                             : (bits + 0x7fff + last_bit) >> 16)};
#else
    const spl__bf16 narrow = {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
#endif
    return narrow;
}

/* A 16-bit float is read as its bits. */
#define SPL__READ_HALF(type, name, load)                                                           \
    static __device__ __forceinline__ type name(const type *p)                                     \
    {                                                                                              \
        const type x = {load(&p->bits)};                                                           \
        return x;                                                                                  \
    }
#ifdef __HIPCC__
template <typename V> static __device__ __forceinline__ V spl__read_once(const V *p)
{
    return __builtin_nontemporal_load(p);
}
SPL__READ_HALF(spl__f16, spl__read_once, __builtin_nontemporal_load)
SPL__READ_HALF(spl__bf16, spl__read_once, __builtin_nontemporal_load)
#else
template <typename V> static __device__ __forceinline__ V spl__read(const V *p)
{
    return __ldg(p);
}
SPL__READ_HALF(spl__f16, spl__read, __ldg)
SPL__READ_HALF(spl__bf16, spl__read, __ldg)
#endif

/* n is constant after inlining: one branch remains, and the arrays become registers. */
#define SPL__RUN_OF(word, copy)                                                                    \
    if (n * sizeof(V) % sizeof(word) == 0) {                                                       \
        UNROLL for (int i = 0; i < n * (int)sizeof(V) / (int)sizeof(word); i++)                    \
        {                                                                                          \
            copy(word)                                                                             \
        }                                                                                          \
        return;                                                                                    \
    }
#define SPL__READ_WORD(word)                                                                       \
    const word w = READ(reinterpret_cast<const word *>(from) + i);                                 \
    memcpy(to + i * (int)(sizeof(word) / sizeof(V)), &w, sizeof w);
#define SPL__WRITE_WORD(word)                                                                      \
    word w;                                                                                        \
    memcpy(&w, from + i * (int)(sizeof(word) / sizeof(V)), sizeof w);                              \
    reinterpret_cast<word *>(to)[i] = w;
template <typename V>
static __device__ __forceinline__ void spl__read_run(V *to, const V *from, int n)
{
    SPL__RUN_OF(uint4, SPL__READ_WORD)
    SPL__RUN_OF(uint2, SPL__READ_WORD)
    SPL__RUN_OF(unsigned, SPL__READ_WORD)
    *to = READ(from);
}
template <typename V>
static __device__ __forceinline__ void spl__write_run(V *to, const V *from, int n)
{
    SPL__RUN_OF(uint4, SPL__WRITE_WORD)
    SPL__RUN_OF(uint2, SPL__WRITE_WORD)
    SPL__RUN_OF(unsigned, SPL__WRITE_WORD)
    *to = *from;
}
#undef SPL__RUN_OF
#undef SPL__READ_WORD
#undef SPL__WRITE_WORD

#ifndef __HIPCC__
/* Bypasses L1, to leave it to gathered vectors; cached in L2, where small matrices stay between
 * executions. */
#define SPL__READ_ONCE(type, word, as, constraint)                                                 \
    static __device__ __forceinline__ type spl__read_once(const type *p)                           \
    {                                                                                              \
        as v;                                                                                      \
        asm("ld.global.nc.L1::no_allocate." word " %0, [%1];" : constraint(v) : "l"(p));           \
        return (type)v;                                                                            \
    }
SPL__READ_ONCE(uint8_t, "u8", uint32_t, "=r")
SPL__READ_ONCE(uint16_t, "u16", uint16_t, "=h")
SPL__READ_ONCE(int32_t, "s32", int32_t, "=r")
SPL__READ_ONCE(int64_t, "s64", int64_t, "=l")
SPL__READ_ONCE(float, "f32", float, "=f")
SPL__READ_ONCE(double, "f64", double, "=d")
#undef SPL__READ_ONCE
SPL__READ_HALF(spl__f16, spl__read_once, spl__read_once)
SPL__READ_HALF(spl__bf16, spl__read_once, spl__read_once)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define SPL__READ_ONCE_KEPT(type, word, constraint)                                                \
    static __device__ __forceinline__ type spl__read_once_kept(const type *p, bool keep)           \
    {                                                                                              \
        type v;                                                                                    \
        uint64_t policy;                                                                           \
        if (keep)                                                                                  \
            asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));           \
        else                                                                                       \
            asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));            \
        asm("ld.global.nc.L1::no_allocate.L2::cache_hint." word " %0, [%1], %2;"                   \
            : constraint(v)                                                                        \
            : "l"(p), "l"(policy));                                                                \
        return v;                                                                                  \
    }
SPL__READ_ONCE_KEPT(float, "f32", "=f")
SPL__READ_ONCE_KEPT(double, "f64", "=d")
#undef SPL__READ_ONCE_KEPT
#else
template <typename V> static __device__ __forceinline__ V spl__read_once_kept(const V *p, bool keep)
{
    (void)keep;
    return spl__read_once(p);
}
#endif
#endif
#undef SPL__READ_HALF

/* ---- products of tiles ---- */

#define MULTIPLY_TILES(sums, a, lower, upper, n)                                                   \
    spl__multiply_tiles((sums), (a), (lower), (upper), (n))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* The instruction ignores the last 13 bits. With 1/2 to 1 unit of what is left added before, the
 * error is at most 2^-11 of the number, as if it were rounded to the nearest, and numbers of TF32
 * stay what they are. One instruction; cvt.rna.tf32 is three on Hopper, two thirds of what
 * a tile took. */
static __device__ __forceinline__ uint32_t spl__tf32(float x)
{
    return __float_as_uint(__fmul_rn(x, 1 + 0x1p-11f));
}
static __device__ __forceinline__ void
spl__multiply_tiles(float *sums, const float *a, const float *lower, const float *upper, int n)
{
    const uint32_t a0 = spl__tf32(a[0]), a1 = spl__tf32(a[1]), a2 = spl__tf32(a[2]),
                   a3 = spl__tf32(a[3]);
    UNROLL for (int j = 0; j < n; j++)
    {
        float *const c = sums + 4 * j;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, "
                     "{%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(spl__tf32(lower[j])),
                       "r"(spl__tf32(upper[j])));
    }
}
/* The instruction for 16-bit floats takes neighbouring entries where that for TF32 takes entries
 * four apart. Both factors are permuted in the same way, so the sums are the same. */
#define SPL__MULTIPLY_HALVES(type, word)                                                           \
    static __device__ __forceinline__ void spl__multiply_tiles(                                    \
        float *sums, const type *a, const type *lower, const type *upper, int n)                   \
    {                                                                                              \
        const uint32_t a0 = a[0].bits | (uint32_t)a[2].bits << 16,                                 \
                       a1 = a[1].bits | (uint32_t)a[3].bits << 16;                                 \
        UNROLL for (int j = 0; j < n; j++)                                                         \
        {                                                                                          \
            float *const c = sums + 4 * j;                                                         \
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." word "." word                     \
                         ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "                                     \
                         "{%0,%1,%2,%3};"                                                          \
                         : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                          \
                         : "r"(a0), "r"(a1), "r"(lower[j].bits | (uint32_t)upper[j].bits << 16));  \
        }                                                                                          \
    }
SPL__MULTIPLY_HALVES(spl__f16, "f16")
SPL__MULTIPLY_HALVES(spl__bf16, "bf16")
#undef SPL__MULTIPLY_HALVES
#else
#include "device/exchange_tiles.h"
static __device__ __forceinline__ float spl__tile_value(float x)
{
    return spl__tf32_nearest(x);
}
static __device__ __forceinline__ float spl__tile_value(spl__f16 x)
{
    return spl__f16_widen(x);
}
static __device__ __forceinline__ float spl__tile_value(spl__bf16 x)
{
    return spl__bf16_widen(x);
}
template <typename V>
static __device__ __forceinline__ void spl__multiply_tiles(float *sums, const V *a, const V *lower,
                                                           const V *upper, int n)
{
    SPL__EXCHANGE_TILES(spl__tile_value)
}
#endif

/* __threadfence, which orders both loads and stores, invalidates L1 (MEMBAR and CCTL.IVALL);
 * this is a single MEMBAR. */
static __device__ __forceinline__ int32_t spl__atomic_add_release(int32_t *p, int32_t v)
{
#ifdef __HIPCC__
    return __hip_atomic_fetch_add(p, v, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#else
    int32_t previous;
    asm volatile("atom.add.release.gpu.global.s32 %0, [%1], %2;"
                 : "=r"(previous)
                 : "l"(p), "r"(v)
                 : "memory");
    return previous;
#endif
}

/* The toolkits define atomics for (unsigned) long long; int64_t is long. */
#define SPL__WORD unsigned long long
#define SPL__ATOMIC(word, type, function, as)                                                      \
    static __device__ __forceinline__ type spl__atomic_##word(type *p, type v)                     \
    {                                                                                              \
        return (type)function((as *)p, (as)v);                                                     \
    }
SPL__ATOMIC(add, int32_t, atomicAdd, int)
SPL__ATOMIC(add, uint32_t, atomicAdd, unsigned)
SPL__ATOMIC(add, int64_t, atomicAdd, SPL__WORD) /* two's complement: the same bits */
SPL__ATOMIC(add, uint64_t, atomicAdd, SPL__WORD)
SPL__ATOMIC(add, float, atomicAdd, float)
SPL__ATOMIC(add, double, atomicAdd, double)
SPL__ATOMIC(max, int32_t, atomicMax, int)
SPL__ATOMIC(max, uint32_t, atomicMax, unsigned)
SPL__ATOMIC(max, uint64_t, atomicMax, SPL__WORD)
SPL__ATOMIC(or, uint32_t, atomicOr, unsigned)
SPL__ATOMIC(or, uint64_t, atomicOr, SPL__WORD)
SPL__ATOMIC(exchange, int32_t, atomicExch, int)
SPL__ATOMIC(exchange, uint32_t, atomicExch, unsigned)
SPL__ATOMIC(exchange, int64_t, atomicExch, SPL__WORD)
SPL__ATOMIC(exchange, uint64_t, atomicExch, SPL__WORD)
#define SPL__ATOMIC_CAS(type, as)                                                                  \
    static __device__ __forceinline__ type spl__atomic_cas(type *p, type old, type v)              \
    {                                                                                              \
        return (type)atomicCAS((as *)p, (as)old, (as)v);                                           \
    }
SPL__ATOMIC_CAS(int32_t, int)
SPL__ATOMIC_CAS(uint32_t, unsigned)
SPL__ATOMIC_CAS(int64_t, SPL__WORD)
SPL__ATOMIC_CAS(uint64_t, SPL__WORD)
#undef SPL__ATOMIC
#undef SPL__ATOMIC_CAS
#undef SPL__WORD

#endif
