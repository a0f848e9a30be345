/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that sample rows of C, to tell how many of their products meet: by themselves, and
 * beside the bins of the symbolic phase, which saves a launch where these do not need the sample.
 */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SAMPLE_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SAMPLE_K_H
#include "spgemm/kernels/bins/spgemm_bins.k.h"
#include "spgemm/kernels/spgemm_structures.h"

/* Adds up products and columns of some rows of C = A*B, one per block, at equal distances: those of
 * more than `least` and at most SPGEMM_SUMMED_PRODUCTS products. */
struct spgemm_sample_columns_args {
    struct spgemm_find f; /* its structures */
    const int64_t *work;  /* [rows] */
    int64_t least;
    struct spgemm_sample *sample;
};

/* The first `sampling` blocks sample a row each, the others assign rows to bins. */
struct spgemm_bin_and_sample_args {
    struct spgemm_bin_rows_args bins;
    struct spgemm_sample_columns_args sample;
    int64_t sampling;
};

#endif
#else

#include "device/tell_host.h"
#include "spgemm/kernels/bins/spgemm_bin_rows.h"

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"

#include "spgemm/kernels/find/spgemm_slots.h"

enum { FN(SAMPLE_SLOTS) = 2 * SPGEMM_SUMMED_PRODUCTS };

/* The row of sample `number` of `numbers`. keys: SAMPLE_SLOTS of them, columns: one, both shared by
 * the block. */
DEVICE void FN(sample_row)(const struct spgemm_sample_columns_args *args, int64_t number,
                           int64_t numbers, int32_t *keys, uint32_t *columns)
{
    const int64_t row = number * args->f.s.rows / numbers, work = args->work[row];
    const spgemm_team t = spgemm_team_of(THREADS, SPGEMM_ROW_LANES);
    spgemm_set set = spgemm_set_in((uint32_t *)keys, 0, (int32_t *)0, (int64_t *)0);
    if (work <= args->least || work > SPGEMM_SUMMED_PRODUCTS)
        return;
    set.keys = keys;
    set.slots = FN(SAMPLE_SLOTS);
    set.shift = args->f.layout.shift;
    if (THREAD == 0)
        columns[0] = 0;
    spgemm_clear_slots(&t, &set);
    FN(insert_all)(&set, &t, SPGEMM_SLOTS, &args->f, row);
    SYNC();
    for (int32_t slot = THREAD; slot < FN(SAMPLE_SLOTS); slot += THREADS)
        if (keys[slot] != -1)
            ATOMIC_ADD(&columns[0], 1);
    SYNC();
    if (THREAD > 0)
        return;
    ATOMIC_ADD(&args->sample->products, (uint64_t)work);
    ATOMIC_ADD(&args->sample->columns, (uint64_t)columns[0]);
}

KERNEL(spgemm_sample_columns, SPGEMM_ROWS_THREADS, args)
{
    SHARED(int32_t, keys, FN(SAMPLE_SLOTS));
    SHARED(uint32_t, columns, 1);
    FN(sample_row)(&args, BLOCK, BLOCKS, keys, columns);
}

KERNEL(spgemm_bin_and_sample, SPGEMM_ROWS_THREADS, args)
{
    SHARED(int32_t, keys, FN(SAMPLE_SLOTS));
    SHARED(uint32_t, columns, 1);
    SHARED(FN(bin_sums), sums, 1);
    SHARED(int32_t, last, 1);
    if (BLOCK < args.sampling)
        FN(sample_row)(&args.sample, BLOCK, args.sampling, keys, columns);
    else
        FN(bin_rows)(&args.bins, BLOCK - args.sampling, BLOCKS - args.sampling, sums);
    spl__tell_host(&args.bins.tell, last);
}
#endif
