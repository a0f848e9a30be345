/* SPDX-License-Identifier: Apache-2.0 */
/* tile_shape.h: sizes of tiles and kernel arguments that the two register-blocked SpMM methods
 * share besides the template.
 *
 * A method defines MOST_ROWS, the rows of C that one tile may cover, before it includes this. */
#ifndef SPL_SPMM_CPU_TILE_SHAPE_H
#define SPL_SPMM_CPU_TILE_SHAPE_H

#include "core/variant.h"
#include "spmm/cpu/tile_loops.h"
#include "spmm/cpu/tile_rows.h"

/* Registers per row of a tile; of 32 or 16 registers, the others hold the values of the rows and
 * a piece of B. */
#if defined(__AVX512F__)
enum { TILE_REGISTERS = MOST_ROWS == 1 ? 16 : 8 };
#else
enum {
    TILE_REGISTERS = MOST_ROWS == 1 || SPL__REGISTER_BYTES < 32 ? 8 : 4
}; /* the narrowest: see tile_rows.c */
#endif

enum { MOST_SUMS = 24 };

typedef void (*kernel_fn)(const spl__tile_rows *rows, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);

#endif
