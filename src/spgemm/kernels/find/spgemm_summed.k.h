/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for rows of C whose values are summed as their columns are found. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SUMMED_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SUMMED_K_H
#include "spgemm/kernels/spgemm_structures.h"

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"

#include "spgemm/kernels/find/spgemm_sort_rows.h"

#include "spgemm/kernels/find/spgemm_slot_rows.h"

#include "spgemm/kernels/find/spgemm_summed_rows.h"

KERNEL_OF(struct spgemm_find, spgemm_summed_find, SPGEMM_FEW_REGISTERS, f)
{
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(sum_rows_of_bin)(&f, shared, found);
}

/* Copies the sums of rows to C. */
KERNEL_OF(struct spgemm_values, spgemm_summed_values, SPGEMM_ROWS_THREADS, v)
{
    enum { AT_ONCE = 4, STRIDE = SPGEMM_ROW_LANES };
    const int64_t teams = THREADS / STRIDE;
    for (int64_t k = BLOCK * teams + THREAD / STRIDE; k < v.layout.list_count;
         k += BLOCKS * teams) {
        const int64_t row = spgemm_row_at(v.layout.list, k), begin = READ(&v.o.offsets[row]),
                      count = READ(&v.o.offsets[row + 1]) - begin;
        const T *const from = (const T *)v.sums.stash + READ(&v.sums.starts[row]);
        T *const to = (T *)v.o.values + begin;
        for (int64_t i = THREAD % STRIDE; i < count; i += AT_ONCE * STRIDE) {
            T sum[AT_ONCE];
            UNROLL
            for (int u = 0; u < AT_ONCE; u++)
                sum[u] = i + u * STRIDE < count ? READ(&from[i + u * STRIDE]) : (T)0;
            UNROLL
            for (int u = 0; u < AT_ONCE; u++)
                if (i + u * STRIDE < count)
                    to[i + u * STRIDE] = sum[u];
        }
    }
}
#endif
