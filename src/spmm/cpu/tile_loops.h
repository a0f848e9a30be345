/* SPDX-License-Identifier: Apache-2.0 */
/* tile_loops.h: what all SpMM kernels that keep tiles of C in registers are written with. */
#ifndef SPL_SPMM_CPU_TILE_LOOPS_H
#define SPL_SPMM_CPU_TILE_LOOPS_H

#include "core/checked.h"
#include "core/half_lanes.h"

enum {
    PANEL_REGISTERS = 32, /* columns of one task */
    AHEAD_ENTRIES = 16,   /* rows of B fetched before they are used, ... */
    AHEAD_BYTES = 8192,   /* ... or fewer, if so many bytes are enough */
    CACHE_LINE = 64
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL  /* clang unrolls these loops by itself; told to, it takes minutes with sanitizers  \
                 */
#else
#define UNROLL _Pragma("GCC unroll 24") /* early enough for the sums to become registers */
#endif

/* Register t of a tile is whole if all of the tile is, or if it lies in the left half: a narrower
 * tile would serve otherwise. */
#define WHOLE(t) (whole || (t) < registers / 2)

#endif
