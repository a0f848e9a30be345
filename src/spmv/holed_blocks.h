/* SPDX-License-Identifier: Apache-2.0 */
/* holed_blocks.h: whether A of an SpMV is made of dense blocks with few holes. */
#ifndef SPL_SPMV_HOLED_BLOCKS_H
#define SPL_SPMV_HOLED_BLOCKS_H

#include "plan/plan.h"

/* Sets holed_block_size and block_fill_a, 1 if there are none, or if nobody gains by them: on devices, for one execution, of rows as short as a diagonal's.
 * Cost: a sample of A's rows; where blocks are found, one look at all columns. */
void spl__spmv_find_blocks(spl_plan *plan);

/* Seconds of one thread for a place of A's blocks of that size, in a cache: what a row of blocks costs beside them is left out. */
double spl__spmv_place_seconds(const spl__machine *machine, double size);

#endif
