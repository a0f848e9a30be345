/* SPDX-License-Identifier: Apache-2.0 */
/* tile_shape.h: what the two register-blocked SpMM methods share apart from the template: sizes of tiles, and what their kernels are given.
 *
 * A method defines MOST_ROWS, the rows of C that one tile may cover, before it includes this. */
#ifndef SPL_SPMM_TILE_SHAPE_H
#define SPL_SPMM_TILE_SHAPE_H

#include "core/checked.h"
#include "core/half_lanes.h"
#include "core/variant.h"
#include "spmm/tile_rows.h"

/* Registers of a row in one tile: as many as leave room, among 32 registers or 16, for the values of the rows and a piece of B. */
#if defined(__AVX512F__)
enum { TILE_REGISTERS = MOST_ROWS == 1 ? 16 : 8 };
#else
enum { TILE_REGISTERS = MOST_ROWS == 1 || SPL__REGISTER_BYTES < 32 ? 8 : 4 }; /* the narrowest: see tile_rows.c */
#endif

enum {
    MOST_SUMS = 24,
    PANEL_REGISTERS = 32, /* columns of one task */
    AHEAD_ENTRIES = 16,   /* rows of B fetched before they are used, ... */
    AHEAD_BYTES = 8192,   /* ... or fewer, if so many bytes are enough */
    CACHE_LINE = 64
};

typedef void (*kernel_fn)(const spl__tile_rows *rows, int threads, const spl_sparse *a, const spl__call *call);

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL /* clang unrolls these loops by itself; told to, it takes minutes with sanitizers */
#else
#define UNROLL _Pragma("GCC unroll 24") /* early enough for the sums to become registers */
#endif

#endif
