/* SPDX-License-Identifier: Apache-2.0 */
/* holed_operands.h: the structures of A, B and C = A*B + D in holed blocks of
 * features.holed_block_size rows and columns, shared by the symbolic and the numeric method.
 * They are made on first use. The plan keeps those that a numeric method uses. */
#ifndef SPL_SPGEMM_CPU_HOLED_OPERANDS_H
#define SPL_SPGEMM_CPU_HOLED_OPERANDS_H

#include "format/bsr.h"
#include "spgemm/product.h"

/* Structures without values; one with offsets exists. */
typedef struct spl__holed {
    spl__bsr a, b;
    bool square; /* b has the arrays of a */
    spl__bsr c;  /* 64-bit offsets */
    int users;   /* steps of the numeric phase */
} spl__holed;

/* Seconds of one thread to make the structures of A and B, and for a numeric method that of C
 * from its columns; 0 for those that exist or are expected to. */
double spl__holed_operands_seconds(const spl_plan *plan);
double spl__holed_seconds(const spl_plan *plan);

/* Makes the structures of A and B. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__holed_operands(spl_plan *plan);
/* Makes the offsets and columns of C from its blocks. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY. */
spl_status spl__holed_expand(spl_plan *plan);
/* For a numeric method: all three structures, once the columns of C are known and sorted.
 * spl__holed_release must follow, also after failure. */
spl_status spl__holed_take(spl_plan *plan, spl__holed **holed);
void spl__holed_release(spl_plan *plan);
/* Frees the structures that no numeric method uses. */
void spl__holed_drop(spl_plan *plan);
void spl__holed_free(spl_plan *plan);

#endif
