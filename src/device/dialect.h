/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.h: the language of device kernels: what nvcc, hipcc and (for the emulator) a C compiler
 * all read the same way.
 *
 * A kernel file NAME.k.h is in the intersection of C11 and C++17 and has two parts. The first, read
 * by host code too, declares one struct of arguments per kernel; arrays are void pointers there, so
 * that one struct serves all types. The second, under #ifdef T, is the template: read once per
 * combination of types by each_kernel.h, inside plug-ins only.
 *
 *     DEVICE void FN(sum_rows)(int64_t rows, const T *RESTRICT x, T *RESTRICT y) { ... }
 *     KERNEL(sum_rows, 256, args) { FN(sum_rows)(args.rows, (const T *)args.x, (T *)args.y); }
 *
 * KERNEL(name, threads, args): the kernel FN(name) for blocks of at most `threads` threads, which
 * takes a struct name_args by value, here called args. It only unpacks: restrict on parameters of
 * the inner function gives read-only loads, on members of a struct it does not.
 *
 * KERNEL_RESIDENT(name, threads, blocks, args): one with so few registers that a multiprocessor
 * holds that many blocks.
 *
 * KERNEL_OF(type, name, threads, args), KERNEL_RESIDENT_OF(type, name, threads, blocks, args): the
 * same for one of several kernels that take the same struct, usually made from one list.
 *
 * THREAD, THREADS        this thread in its block, threads of the block
 * BLOCK, BLOCKS          this block in the grid (int64_t), blocks of the grid
 * LANES, LANE, WARP      threads of a warp (constant, 32 or 64), this thread in its warp, this
 *                        warp in its block
 * SHARED(type, name, n)  a shared array of n elements, n constant; not initialised
 * SHARED_AT_LAUNCH(type, name)
 *                        the dynamic shared memory of the launch
 * SYNC()                 barrier of all threads of the block that have not returned; all must be
 *                        at the same source line
 * SYNC_OR(p)             the same; returns whether p is true for any of them
 * GROUP_MASK(width)      the lanes of this lane's aligned group of `width` lanes, a power of two
 * SYNC_WARP(mask)        orders shared and global memory among the lanes of mask
 * SHUFFLE(mask, v, lane), SHUFFLE_XOR(mask, v, x), SHUFFLE_UP(mask, v, d, width),
 * SHUFFLE_DOWN(mask, v, d, width)
 *                        v of another lane of the warp; lanes whose source is outside their group
 *                        get their own v
 * BALLOT(mask, p)        a lane_mask: one bit per lane of mask, set if p is true there;
 *                        POPCOUNT(m), FIRST_BIT(m) of it
 * ATOMIC_ADD(p, v), ATOMIC_MAX(p, v), ATOMIC_OR(p, v), ATOMIC_CAS(p, old, v),
 * ATOMIC_EXCHANGE(p, v)
 *                        on int32_t, int64_t, uint32_t, uint64_t (add: also float and double; max:
 *                        not int64_t; or: only unsigned ones); v is converted to the type of *p;
 *                        returns the old value
 * ATOMIC_ADD_RELEASE(p, v)
 *                        of int32_t: a thread that reads the sum and then has a FENCE sees what
 *                        this thread wrote before. FENCE and ATOMIC_ADD have the same effect, but
 *                        invalidate the L1 cache
 * FENCE()                earlier writes of this thread become visible to any thread of the device
 *                        that sees its later ones
 * FENCE_SYSTEM()         the same for the host, and of memory that it shares
 * UNROLL                 before a loop with a constant number of iterations: unrolls it completely
 * READ(p)                *p of an array that no thread writes while the kernel runs, so that it may
 *                        be loaded early. RESTRICT should imply this, but nvcc loses it between
 *                        inlined functions; tools/read-only-loads.py checks the generated code
 * READ_RUN(to, from, n), WRITE_RUN(to, from, n)
 *                        n neighbours, a constant power of two, in pieces of up to 16 bytes, to
 *                        which the array's side is aligned. READ_RUN reads like READ; the other
 *                        side is an array of the thread
 * READ_ONCE(p)           READ of data that no thread reads again, so that it does not displace
 *                        others from L1: numbers, and unsigned integers of 8 and 16 bits
 * READ_ONCE_KEPT(p, keep)
 *                        READ_ONCE of a float or double that the next execution reads again: L2
 *                        keeps it if `keep`, else evicts it first. READ_ONCE on devices without
 *                        such a choice
 * WIDEN(x), NARROW(x)    conversion of a stored T to ACC, and back with rounding: see
 *                        core/each_type.h. READ, READ_ONCE, READ_RUN and WRITE_RUN accept 16-bit
 *                        floats, too
 * MULTIPLY_TILES(sums, a, lower, upper, n)
 *                        by all lanes of an aligned group of 32: adds to n tiles the products of
 *                        one tile of 16 rows and 8 columns with n tiles of 8 rows and 8 columns.
 *                        Lane 4g+t, t < 4, has of the first tile, of type T,
 *                        a[4] = (g,t), (g+8,t), (g,t+4), (g+8,t+4);
 *                        of the j-th of the others lower[j] = (t,g), upper[j] = (t+4,g);
 *                        of the sums, of type float,
 *                        sums[4j..] = (g,2t), (g,2t+1), (g+8,2t), (g+8,2t+1).
 *                        T is float, rounded to TF32 (11 significant bits) with a relative error of
 *                        at most 2^-11, though not to the nearest, or a 16-bit float; sums may
 *                        be truncated instead of rounded. n is constant. Devices without such
 *                        instructions (driver.h) use shuffles
 * LOAD_VOLATILE(p), STORE_VOLATILE(p, v)
 *                        for spinning on memory that another block writes
 *
 * Every lane named by a mask must execute the operation; masks must agree. No recursion, no
 * function pointers, no malloc. */
#ifndef SPL_DEVICE_DIALECT_H
#define SPL_DEVICE_DIALECT_H

#include "core/half.h"
#include "device/driver.h"

#include <stdbool.h>

#define SPL__DIALECT_JOIN_(a, b) a##b
#define SPL__DIALECT_JOIN(a, b)  SPL__DIALECT_JOIN_(a, b)
#define SPL__DIALECT_TEXT_(a)    #a
#define SPL__DIALECT_TEXT(a)     SPL__DIALECT_TEXT_(a)

#if defined(__CUDACC__) || defined(__HIPCC__)
#include "device/dialect_gpu.h"
#else
#include "device/dialect_emulator.h"
#endif

#define KERNEL(name, threads, args) KERNEL_OF(struct name##_args, name, threads, args)
#define KERNEL_RESIDENT(name, threads, blocks, args)                                               \
    KERNEL_RESIDENT_OF(struct name##_args, name, threads, blocks, args)

/* A kernel's registration in its plug-in: each kernel has a node, which is linked in before
 * main. */
typedef struct spl__kernel_node {
    spl__kernel kernel;
    struct spl__kernel_node *next;
    uint64_t known_on; /* for the driver: one bit per device on which it has been prepared */
} spl__kernel_node;

#ifdef __cplusplus
extern "C" {
#endif
extern spl__kernel_node *spl__kernel_nodes;
#ifdef __cplusplus
}
#endif

#define SPL__REGISTER_KERNEL(function, entry_point, type)                                          \
    static spl__kernel_node SPL__DIALECT_JOIN(function, _node) = {                                 \
        {SPL__DIALECT_TEXT(function), (const void *)entry_point, sizeof(type), 0, 0}, 0, 0};       \
    __attribute__((constructor)) static void SPL__DIALECT_JOIN(function, _register)(void)          \
    {                                                                                              \
        SPL__DIALECT_JOIN(function, _node).next = spl__kernel_nodes;                               \
        spl__kernel_nodes = &SPL__DIALECT_JOIN(function, _node);                                   \
    }

#endif
