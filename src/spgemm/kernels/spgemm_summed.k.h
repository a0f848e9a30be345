/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for rows of C whose values are summed as their columns are found, and what tells whether
 * rows have few enough columns: a sample. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SUMMED_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SUMMED_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* Adds up products and columns of some rows of C = A*B, one per block, at equal distances: those of
 * more than SPGEMM_SORTED_PRODUCTS and at most SPGEMM_SUMMED_PRODUCTS products. */
struct spgemm_sample_columns_args {
    struct spgemm_find f; /* its structures */
    const int64_t *work;  /* [rows] */
    struct spgemm_sample *sample;
};

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_block_room.h"

#include "spgemm/kernels/spgemm_find_rows.h"

#include "spgemm/kernels/spgemm_sort_rows.h"

#include "spgemm/kernels/spgemm_slot_rows.h"

#include "spgemm/kernels/spgemm_summed_rows.h"

KERNEL_OF(struct spgemm_find, spgemm_summed_find, SPGEMM_FEW_REGISTERS, f)
{
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(sum_rows_of_bin)(&f, shared, found);
}

KERNEL(spgemm_sample_columns, SPGEMM_ROWS_THREADS, args)
{
    enum { SLOTS = 2 * SPGEMM_SUMMED_PRODUCTS };
    SHARED(int32_t, keys, SLOTS);
    SHARED(uint32_t, columns, 1);
    const int64_t row = BLOCK * args.f.s.rows / BLOCKS, work = args.work[row];
    const spgemm_team t = spgemm_team_of(THREADS, SPGEMM_ROW_LANES);
    spgemm_set set = spgemm_set_in((uint32_t *)keys, 0, (int32_t *)0, (int64_t *)0);
    if (work <= SPGEMM_SORTED_PRODUCTS || work > SPGEMM_SUMMED_PRODUCTS)
        return;
    set.keys = keys;
    set.slots = SLOTS;
    set.shift = args.f.layout.shift;
    if (THREAD == 0)
        columns[0] = 0;
    spgemm_clear_slots(&t, &set);
    FN(insert_all)(&set, &t, SPGEMM_SLOTS, &args.f, row);
    SYNC();
    for (int32_t slot = THREAD; slot < SLOTS; slot += THREADS)
        if (keys[slot] != -1)
            ATOMIC_ADD(&columns[0], 1);
    SYNC();
    if (THREAD > 0)
        return;
    ATOMIC_ADD(&args.sample->products, (uint64_t)work);
    ATOMIC_ADD(&args.sample->columns, (uint64_t)columns[0]);
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
