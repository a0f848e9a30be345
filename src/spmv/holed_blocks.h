/* SPDX-License-Identifier: Apache-2.0 */
/* holed_blocks.h: whether A of an SpMV consists of holed blocks with few holes. */
#ifndef SPL_SPMV_HOLED_BLOCKS_H
#define SPL_SPMV_HOLED_BLOCKS_H

#include "plan/plan.h"

enum { SPL__X_TAIL = 32 }; /* elements of x that kernels copy, since registers would exceed x */

/* Sets holed_block_size and block_fill_a: see spl__features_of_blocks. */
void spl__spmv_find_blocks(spl_plan *plan);

/* Seconds of one thread per slot of A's blocks of that size and type, in a cache, without the
 * constant cost per row of blocks. */
double spl__spmv_slot_seconds(const spl__machine *machine, spl_type type, double size);

#endif
