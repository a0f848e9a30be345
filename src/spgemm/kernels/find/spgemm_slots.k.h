/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that finds rows of C = A*B + D in hash tables of columns. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SLOTS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SLOTS_K_H
#include "spgemm/kernels/spgemm_structures.h"

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"

#include "spgemm/kernels/find/spgemm_sort_rows.h"

#include "spgemm/kernels/find/spgemm_slot_rows.h"

KERNEL_OF(struct spgemm_find, spgemm_slots_find, SPGEMM_FEW_REGISTERS, f)
{
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(int32_t, tables);
    FN(find_rows_in_slots)(&f, tables, found);
}
#endif
