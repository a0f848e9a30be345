/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for joint launches of several row bins, some blocks each: in small products a launch
 * per bin takes longer than its rows. They compute what those of spgemm_sort.k.h,
 * spgemm_find.k.h and spgemm_values.k.h do. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SEVERAL_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SEVERAL_K_H
#include "spgemm/kernels/spgemm_structures.h"

struct spgemm_several_find_args {
    struct spgemm_find f;
    struct spgemm_several several;
};
struct spgemm_several_values_args {
    struct spgemm_values v;
    struct spgemm_several several;
};

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"
#include "spgemm/kernels/spgemm_positions.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"
#include "spgemm/kernels/find/spgemm_sort_rows.h"

#include "spgemm/kernels/find/spgemm_slot_rows.h"

#include "spgemm/kernels/spgemm_value_rows.h"

/* The bin that the block computes. */
DEVICE struct spgemm_teams FN(bin_of_block)(const struct spgemm_several *several)
{
    int g = 0;
    while (g < several->bins - 1 && BLOCK >= several->bin[g + 1].first_block)
        g++;
    return several->bin[g];
}

KERNEL_RESIDENT(spgemm_several_find, SPGEMM_MOST_THREADS, SPGEMM_SEVERAL_RESIDENT, args)
{
    SHARED(int32_t, counts, SPGEMM_MOST_THREADS / SPGEMM_LEAST_WIDTH);
    SHARED(int32_t, words, SPGEMM_FIND_MOST_TEAMS);
    SHARED(int64_t, positions, SPGEMM_FIND_MOST_TEAMS);
    SHARED(spgemm_found, found, 1);
    SHARED_AT_LAUNCH(uint32_t, bits);
    struct spgemm_find f = args.f;
    f.layout = FN(bin_of_block)(&args.several);
    if (f.layout.kind == SPGEMM_SORT)
        FN(find_by_sorting)(&f, (int32_t *)bits, found);
    else if (f.layout.kind == SPGEMM_SLOTS)
        FN(find_rows_in_slots)(&f, (int32_t *)bits, found);
    else if (f.layout.kind == SPGEMM_WINDOW)
        FN(find_in_windows)(&f, bits, counts, positions, found);
    else
        FN(find_in_tables)(&f, (int32_t *)bits, counts, words, positions, false);
}

KERNEL_RESIDENT(spgemm_several_values, SPGEMM_MOST_THREADS, SPGEMM_SEVERAL_RESIDENT, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    struct spgemm_values v = args.v;
    v.layout = FN(bin_of_block)(&args.several);
    if (v.layout.kind == SPGEMM_KEPT)
        FN(compute_rows)(&v, shared, SPGEMM_KEPT, false);
    else if (v.layout.kind == SPGEMM_WINDOW)
        FN(compute_rows)(&v, shared, SPGEMM_WINDOW, false);
    else if (v.layout.kind == SPGEMM_SPREAD)
        FN(compute_rows)(&v, shared, SPGEMM_SPREAD, false);
    else if (v.layout.kind == SPGEMM_CHAIN)
        FN(compute_rows)(&v, shared, SPGEMM_CHAIN, false);
    else
        FN(compute_rows)(&v, shared, SPGEMM_HASH, false);
}
#endif
