/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that counts the work of rows of C and samples some, to tell how many of their products
 * meet, and assigns rows to bins, in one launch. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SAMPLE_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SAMPLE_K_H
#include "spgemm/kernels/bins/spgemm_rows.k.h"
#include "spgemm/kernels/spgemm_structures.h"

/* Adds up products and columns of `rows` rows of C = A*B, one per block, at equal distances: those
 * of more than `least` and at most SPGEMM_SUMMED_PRODUCTS products. */
struct spgemm_sample_columns_args {
    struct spgemm_find f; /* its structures */
    int64_t rows, least;
    struct spgemm_sample *sample;
};

/* The first blocks sample a row each, the others count rows and assign them to bins: after the
 * sample, if bins.sample says that they need it. Then the first are those that begin first. */
struct spgemm_count_and_sample_args {
    struct spgemm_count_work_args count;
    struct spgemm_bin_rows_args bins; /* bins.bins 0: rows are not assigned */
    struct spgemm_sample_columns_args sample;
    int32_t *begun, *sampled; /* zero before: blocks that have begun, rows that are sampled */
};

#endif
#else

#include "device/tell_host.h"
#include "spgemm/kernels/bins/spgemm_later.h"

#include "spgemm/kernels/bins/spgemm_bin_rows.h"

#include "spgemm/kernels/bins/spgemm_row_sums.h"

#include "spgemm/kernels/bins/spgemm_count_rows.h"

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/find/spgemm_block_room.h"

#include "spgemm/kernels/find/spgemm_find_rows.h"

#include "spgemm/kernels/find/spgemm_slots.h"

enum { FN(SAMPLE_SLOTS) = 2 * SPGEMM_SUMMED_PRODUCTS };

/* What a block shares. */
typedef struct FN(sampling) {
    int32_t keys[FN(SAMPLE_SLOTS)];
    uint32_t columns;
    int32_t begun, last;
    int64_t work;
} FN(sampling);

/* Adds a row of that many products to the sample. */
DEVICE void FN(add_sample)(const struct spgemm_sample_columns_args *args, int64_t row, int64_t work,
                           FN(sampling) *shared)
{
    const spgemm_team t = spgemm_team_of(THREADS, SPGEMM_ROW_LANES);
    spgemm_set set = spgemm_set_in((uint32_t *)shared->keys, 0, (int32_t *)0, (int64_t *)0);
    set.keys = shared->keys;
    set.slots = FN(SAMPLE_SLOTS);
    set.shift = args->f.layout.shift;
    if (THREAD == 0)
        shared->columns = 0;
    spgemm_clear_slots(&t, &set);
    FN(insert_all)(&set, &t, SPGEMM_SLOTS, &args->f, row);
    SYNC();
    for (int32_t slot = THREAD; slot < FN(SAMPLE_SLOTS); slot += THREADS)
        if (shared->keys[slot] != -1)
            ATOMIC_ADD(&shared->columns, 1);
    SYNC();
    if (THREAD > 0)
        return;
    ATOMIC_ADD(&args->sample->products, (uint64_t)work);
    ATOMIC_ADD(&args->sample->columns, (uint64_t)shared->columns);
}

/* The row of sample `number`, whose work the block counts itself. */
DEVICE void FN(sample_row)(const struct spgemm_count_and_sample_args *args, int64_t number,
                           FN(sampling) *shared, FN(row_sum) *warps)
{
    const int64_t row = number * args->count.s.rows / args->sample.rows;
    const FN(row_sum) s =
        FN(sum_of_block)(FN(look_at_products)(&args->count, row, THREAD, THREADS), warps);
    if (THREAD == 0)
        shared->work = s.amount;
    SYNC();
    if (shared->work > args->sample.least && shared->work <= SPGEMM_SUMMED_PRODUCTS)
        FN(add_sample)(&args->sample, row, shared->work, shared);
    if (THREAD == 0)
        ATOMIC_ADD_RELEASE(args->sampled, 1);
}

/* Waits until all rows are sampled: their blocks have begun. */
DEVICE void FN(await_sample)(const struct spgemm_count_and_sample_args *args)
{
    while (THREAD == 0 && LOAD_VOLATILE(args->sampled) < (int32_t)args->sample.rows)
        ;
    SYNC();
    FENCE();
}

KERNEL(spgemm_count_and_sample, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(sampling), sampling, 1);
    SHARED(FN(shared_work), shared, 1);
    SHARED(FN(bin_sums), sums, 1);
    const bool assigns = args.bins.bins > 0, waits = assigns && args.bins.sample;
    FN(noting) noting = {{0, 0, 0, 0}, assigns && !waits, &args.bins, sums};
    const bool is_in_vain = FN(is_in_vain)(&args.count.ahead);
    if (THREAD == 0)
        sampling->begun = waits && !is_in_vain ? ATOMIC_ADD(args.begun, 1) : (int32_t)BLOCK;
    FN(clear_bins)(sums);
    SYNC();
    const int64_t part = sampling->begun - args.sample.rows, parts = BLOCKS - args.sample.rows;
    if (is_in_vain) {
        SYNC(); /* for all blocks alike */
    } else if (part < 0) {
        FN(sample_row)(&args, sampling->begun, sampling, shared->warps);
    } else {
        FN(count_rows)(&args.count, part, parts, &noting, shared);
        if (waits) {
            FN(await_sample)(&args);
            FN(bin_counted)(&args.bins, part, parts, sums);
        }
        SYNC();
        if (assigns)
            FN(add_bins)(&args.bins, sums);
    }
    spl__tell_host(&args.bins.tell, &sampling->last);
}
#endif
