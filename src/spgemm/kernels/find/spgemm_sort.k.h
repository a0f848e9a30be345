/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that finds the columns of short rows of C = A*B + D by sorting. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SORT_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SORT_K_H
#include "spgemm/kernels/spgemm_structures.h"
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_sort_rows.h"

KERNEL_OF(struct spgemm_find, spgemm_sort_find, SPGEMM_MOST_THREADS, f)
{
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(int32_t, keys);
    FN(find_by_sorting)(&f, keys, found);
}
#endif
