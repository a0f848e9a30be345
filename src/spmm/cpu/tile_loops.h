/* SPDX-License-Identifier: Apache-2.0 */
/* tile_loops.h: macros and sizes of all SpMM kernels with tiles of C in registers. */
#ifndef SPL_SPMM_CPU_TILE_LOOPS_H
#define SPL_SPMM_CPU_TILE_LOOPS_H

#include "core/checked.h"
#include "core/half_lanes.h"

enum {
    PANEL_REGISTERS = 32,  /* columns of one task */
    PREFETCH_ENTRIES = 16, /* prefetch distance in rows of B, ... */
    PREFETCH_BYTES = 8192, /* ... or fewer, if that many bytes suffice */
    CACHE_LINE = 64
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL  /* clang unrolls these loops by itself; told to, it takes minutes with sanitizers  \
                 */
#else
#define UNROLL _Pragma("GCC unroll 24") /* early enough for the sums to be kept in registers */
#endif

/* Or compilers keep a pointer for each register of a row of B, and have too few for all. */
#define KEEP_POINTER(pointer) __asm__("" : "+r"(pointer))

/* Which registers of a tile are masked: none; those in its right half, because of fewer columns a
 * narrower tile would have been chosen; the first and the last. */
typedef enum spl__tile_masks { SPL__MASK_NONE, SPL__MASK_RIGHT, SPL__MASK_ENDS } spl__tile_masks;

/* What a loop over whole rows knows: see whole_rows.h. */
typedef enum spl__rows_kind {
    SPL__ROWS_ANY = 0,
    SPL__ROWS_PREFETCH = 1,
    SPL__ROWS_PARALLEL = 2,
    SPL__ROWS_EVEN = 4,
    SPL__ROWS_LONG = 8
} spl__rows_kind;

/* Whether the last columns of register t may not be the tile's. */
ALWAYS_INLINE bool spl__tile_cuts(spl__tile_masks masks, int t, int registers)
{
    return masks == SPL__MASK_RIGHT && t >= registers / 2;
}

#endif
