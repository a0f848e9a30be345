/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that finds the columns of short rows of C = A*B + D by sorting. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SORT_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SORT_K_H
#include "spgemm/kernels/spgemm_structures.h"

struct spgemm_sort_find_args {
    struct spgemm_find f;
};
#endif
#else

#include "spgemm/kernels/spgemm_team.h"

#include "spgemm/kernels/spgemm_room.h"

#include "spgemm/kernels/spgemm_sort_rows.h"

KERNEL(spgemm_sort_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(FN(found), found, 1);
    FN(find_by_sorting)(&args.f, found);
}
#endif
