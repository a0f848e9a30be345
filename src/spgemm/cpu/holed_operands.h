/* SPDX-License-Identifier: Apache-2.0 */
/* holed_operands.h: the structures of A, B and C = A*B + D in dense blocks that have holes, of
 * features.holed_block_size rows and columns: what the symbolic and the numeric method for such
 * blocks share. Who needs one first makes it. The plan keeps what a numeric method uses. */
#ifndef SPL_SPGEMM_CPU_HOLED_OPERANDS_H
#define SPL_SPGEMM_CPU_HOLED_OPERANDS_H

#include "format/bsr.h"
#include "spgemm/product.h"

/* None has values; what is there has offsets. */
typedef struct spl__holed {
    spl__bsr a, b;
    bool square; /* b is a copy of a, which has the arrays */
    spl__bsr c;  /* 64-bit offsets */
    int users;   /* steps of the numeric phase */
} spl__holed;

/* Seconds of one thread to make the structures of A and B, and for a numeric method C's from its
 * columns, too: 0 for what is there or expected. */
double spl__holed_operands_seconds(const spl_plan *plan);
double spl__holed_seconds(const spl_plan *plan);

/* Makes the structures of A and B. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__holed_operands(spl_plan *plan);
/* Makes the offsets and columns of C from its blocks. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY. */
spl_status spl__holed_expand(spl_plan *plan);
/* For a numeric method: all three, once the columns of C are known and sorted. Whatever is
 * returned, spl__holed_release follows. */
spl_status spl__holed_take(spl_plan *plan, spl__holed **holed);
void spl__holed_release(spl_plan *plan);
/* Frees what no numeric method uses. */
void spl__holed_drop(spl_plan *plan);
void spl__holed_free(spl_plan *plan);

#endif
