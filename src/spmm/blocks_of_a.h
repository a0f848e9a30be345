/* SPDX-License-Identifier: Apache-2.0 */
/* blocks_of_a.h: whether A of an SpMM consists of holed blocks with few holes, and the cost of
 * multiplying them. */
#ifndef SPL_SPMM_BLOCKS_OF_A_H
#define SPL_SPMM_BLOCKS_OF_A_H

#include "plan/plan.h"

/* Sets holed_block_size and block_fill_a: see spl__features_of_blocks. */
void spl__spmm_find_blocks(spl_plan *plan);

/* Seconds of one thread per slot of A's blocks of that size, times a row of B, without the
 * constant cost per row of blocks. */
double spl__spmm_slot_seconds(const spl_plan *plan, double size);

#endif
