/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that places the rows of C once they have been counted: turns their lengths into
 * offsets and assigns rows to the bins of the numeric phase, in one launch. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_PLACE_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_PLACE_K_H
#include "spgemm/kernels/bins/spgemm_bins.k.h"

enum { SPGEMM_PLACE_THREADS = 1024 };

/* Each block has `part` rows, a multiple of its threads; blocks take their parts in the order in
 * which they begin, so that none waits for one that has not begun. */
struct spgemm_place_rows_args {
    int64_t rows, part;
    int64_t *numbers; /* [rows + 1]: lengths, then offsets */
    int64_t *total;
    int64_t *sums; /* [blocks] zero before: of each part, and 1 more */
    int32_t *next; /* zero before: the part that is taken next */
    /* bins.bins 0: rows are not assigned; else bins.offsets tells only that they are known */
    struct spgemm_bin_rows_args bins;
};
#endif
#else

#include "device/sum_before.h"
#include "device/tell_host.h"
#include "spgemm/kernels/bins/spgemm_bin_rows.h"

/* What a block shares. */
typedef struct FN(placing) {
    FN(bin_sums) bins;
    int64_t warps[SPGEMM_PLACE_THREADS / LANES];
    int64_t part;
    int32_t last;
} FN(placing);

/* Exclusive prefix sum over the threads of the block; *all: the sum. */
DEVICE int64_t FN(place_after)(int64_t number, int64_t *warps, int64_t *all)
{
    int64_t sum = number;
    SUM_LANES(int64_t, sum);
    SYNC(); /* what was there before has been read */
    if (LANE == LANES - 1)
        warps[WARP] = sum;
    SYNC();
    if (WARP == 0) {
        int64_t of_warp = LANE < SPGEMM_PLACE_THREADS / LANES ? warps[LANE] : 0;
        SUM_LANES(int64_t, of_warp);
        if (LANE < SPGEMM_PLACE_THREADS / LANES)
            warps[LANE] = of_warp;
    }
    SYNC();
    *all = warps[SPGEMM_PLACE_THREADS / LANES - 1];
    return sum - number + (WARP > 0 ? warps[WARP - 1] : 0);
}

/* The sum of the lengths from `begin` to `end`, whose rows are assigned. */
DEVICE int64_t FN(sum_part)(const struct spgemm_place_rows_args *args, int64_t begin, int64_t end,
                            FN(placing) *p)
{
    int64_t sum = 0, all;
    for (int64_t row = begin + THREAD; row < end; row += THREADS) {
        const int64_t length = args->numbers[row];
        sum += length;
        if (args->bins.bins > 0)
            FN(bin_row)(&args->bins, row, length, args->bins.work[row], args->bins.windows[row],
                        &p->bins);
    }
    FN(place_after)(sum, p->warps, &all);
    return all;
}

/* The sum of all parts before this one: waits until they are known. */
DEVICE int64_t FN(sum_before_part)(const struct spgemm_place_rows_args *args, int64_t part,
                                   FN(placing) *p)
{
    int64_t sum = 0, all;
    for (int64_t k = THREAD; k < part; k += THREADS) {
        int64_t known = 0;
        while (known == 0)
            known = LOAD_VOLATILE(&args->sums[k]);
        sum += known - 1;
    }
    FN(place_after)(sum, p->warps, &all);
    return all;
}

KERNEL(spgemm_place_rows, SPGEMM_PLACE_THREADS, args)
{
    SHARED(FN(placing), p, 1);
    FN(clear_bins)(&p->bins);
    if (THREAD == 0)
        p->part = ATOMIC_ADD(args.next, 1);
    SYNC();
    const int64_t part = p->part, begin = part * args.part,
                  end = args.rows - begin < args.part ? args.rows : begin + args.part;
    const int64_t own = FN(sum_part)(&args, begin, end, p);
    if (THREAD == 0)
        ATOMIC_EXCHANGE(&args.sums[part], own + 1);
    if (args.bins.bins > 0)
        FN(add_bins)(&args.bins, &p->bins);
    int64_t before = FN(sum_before_part)(&args, part, p), all;
    for (int64_t first = begin; first < end; first += THREADS, before += all) {
        const int64_t row = first + THREAD, length = row < end ? args.numbers[row] : 0,
                      place = before + FN(place_after)(length, p->warps, &all);
        if (row < end)
            args.numbers[row] = place;
    }
    if (THREAD == 0 && end == args.rows)
        args.numbers[end] = *args.total = before;
    spl__tell_host(&args.bins.tell, &p->last);
}
#endif
