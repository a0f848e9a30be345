/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpGEMM that assign rows of C to bins, and copy stashed columns to C. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_BINS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_BINS_K_H
#include "device/tell.h"
#include "spgemm/kernels/spgemm_structures.h"

/* Per bin, initially zero: the number of rows, the longest row, and sums of work and of
 * entries of A, of which a row counts for SPGEMM_MOST_COUNTED at most. */
struct spgemm_bin_sums {
    /* used: rows listed so far */
    uint32_t rows[SPGEMM_MOST_BINS], used[SPGEMM_MOST_BINS];
    uint64_t work[SPGEMM_MOST_BINS], entries[SPGEMM_MOST_BINS], longest[SPGEMM_MOST_BINS];
    int32_t arrived, unused; /* spl__tell */
};
enum { SPGEMM_MOST_COUNTED = 1 << 14 };

/* Assigns each row to the first bin that accepts it: see spgemm_bin. */
struct spgemm_bin_rows_args {
    int64_t rows, cols;
    const void *a_offsets;
    const int64_t *work;                /* [rows] */
    const int64_t *offsets;             /* of C; NULL: not known yet, lengths are bounded by work */
    const int64_t *kept_starts;         /* spgemm_kept.starts */
    const int64_t *sum_starts;          /* spgemm_sums.starts; NULL: no rows are summed */
    const struct spgemm_sample *sample; /* NULL: none was taken */
    const struct spgemm_window *windows;
    /* shared memory of a window, per word of 32 columns and per column of C */
    int32_t word_bytes, entry_bytes;
    /* [rows + 1] NULL: no merged rows; else row i represents the rows firsts[i] to firsts[i + 1]
     * - 1 */
    const int32_t *firsts;
    int32_t bins;
    struct spgemm_bin bin[SPGEMM_MOST_BINS];
    uint8_t *bin_of; /* [rows] */
    struct spgemm_bin_sums *sums;
    spl__tell tell; /* what the host waits for, the sums among it */
};

/* Lists the rows, bin by bin. */
struct spgemm_list_rows_args {
    int64_t rows;
    const uint8_t *bin_of;
    struct spgemm_bin_sums *sums;
    uint32_t *list; /* [rows] */
};

/* Copies stashed columns to C, and offsets. */
struct spgemm_settle_args {
    int64_t rows;
    const int64_t *starts; /* [rows], -1: not stashed */
    const int32_t *stash;
    const int64_t *offsets;
    int32_t *columns;
    int32_t *narrow;  /* [rows + 1] the offsets in 32 bits; NULL: not requested */
    int32_t in_order; /* all rows were sorted in order, by teams that have several rows in a warp */
};
#endif
#else

#include "device/tell_host.h"
#include "spgemm/kernels/bins/spgemm_later.h"

#include "spgemm/kernels/bins/spgemm_bin_rows.h"

/* ---- bins ---- */

KERNEL(spgemm_bin_rows, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(bin_sums), sums, 1);
    SHARED(int32_t, last, 1);
    FN(bin_rows)(&args, BLOCK, BLOCKS, sums);
    spl__tell_host(&args.tell, last);
}

KERNEL(spgemm_list_rows, SPGEMM_ROWS_THREADS, args)
{
    SHARED(uint32_t, counts, SPGEMM_MOST_BINS);
    SHARED(uint32_t, positions, SPGEMM_MOST_BINS);
    uint32_t first = 0; /* begin of this thread's bin in the list */
    for (int g = 0; g < THREAD && THREAD < SPGEMM_MOST_BINS; g++)
        first += args.sums->rows[g];
    for (int64_t start = BLOCK * THREADS; start < args.rows; start += BLOCKS * THREADS) {
        const int64_t row = start + THREAD;
        const int g = row < args.rows ? READ(&args.bin_of[row]) : 0;
        uint32_t rank = 0;
        if (THREAD < SPGEMM_MOST_BINS)
            counts[THREAD] = 0;
        SYNC();
        if (row < args.rows)
            rank = ATOMIC_ADD(&counts[g], 1);
        SYNC();
        if (THREAD < SPGEMM_MOST_BINS && counts[THREAD] > 0)
            positions[THREAD] = first + ATOMIC_ADD(&args.sums->used[THREAD], counts[THREAD]);
        SYNC();
        if (row < args.rows)
            args.list[positions[g] + rank] = (uint32_t)row;
    }
}

/* ---- columns ---- */

/* Copies every stride-th column of a row, from number `from` on. */
DEVICE void FN(settle_row)(const struct spgemm_settle_args *args, int64_t row, int from, int stride)
{
    enum { AT_ONCE = 4 };
    const int64_t start = READ(&args->starts[row]), begin = READ(&args->offsets[row]);
    const int64_t count = start < 0 ? 0 : READ(&args->offsets[row + 1]) - begin;
    for (int64_t first = from; first < count; first += (int64_t)AT_ONCE * stride) {
        int32_t column[AT_ONCE];
        UNROLL
        for (int u = 0; u < AT_ONCE; u++)
            column[u] =
                first + u * stride < count ? READ(&args->stash[start + first + u * stride]) : 0;
        UNROLL
        for (int u = 0; u < AT_ONCE; u++)
            if (first + u * stride < count)
                args->columns[begin + first + u * stride] = column[u];
    }
}

/* Copies the columns of the warp's rows, one per lane from `first` on, in one piece; false: they
 * are not as consecutive in the stash as in C, or too many for a warp. Rows that one block sorted
 * are. */
DEVICE bool FN(settle_together)(const struct spgemm_settle_args *args, int64_t first)
{
    enum { AT_ONCE = 4 };
    const int64_t row = first + LANE,
                  last = args->rows - first < LANES ? args->rows : first + LANES,
                  begin = READ(&args->offsets[first]), count = READ(&args->offsets[last]) - begin,
                  shift = READ(&args->starts[first]) - begin;
    bool apart = false;
    if (row < last) {
        const int64_t start = READ(&args->starts[row]), own = READ(&args->offsets[row]);
        apart = start < 0 || (start - own != shift && READ(&args->offsets[row + 1]) > own);
    }
    if (BALLOT(GROUP_MASK(LANES), apart))
        return false;
    for (int64_t k = LANE; k < count; k += AT_ONCE * LANES) {
        int32_t column[AT_ONCE];
        UNROLL
        for (int u = 0; u < AT_ONCE; u++)
            column[u] =
                k + u * LANES < count ? READ(&args->stash[begin + shift + k + u * LANES]) : 0;
        UNROLL
        for (int u = 0; u < AT_ONCE; u++)
            if (k + u * LANES < count)
                args->columns[begin + k + u * LANES] = column[u];
    }
    return true;
}

/* Copies the columns of rows that were sorted in order, one per lane of each warp. */
DEVICE void FN(settle_in_order)(const struct spgemm_settle_args *args)
{
    enum { TEAMS = LANES / SPGEMM_ROW_LANES };
    for (int64_t first = (BLOCK * (THREADS / LANES) + WARP) * LANES; first < args->rows;
         first += BLOCKS * THREADS) {
        if (FN(settle_together)(args, first))
            continue;
        for (int64_t row = first + LANE / SPGEMM_ROW_LANES; row < args->rows && row < first + LANES;
             row += TEAMS)
            FN(settle_row)(args, row, THREAD % SPGEMM_ROW_LANES, SPGEMM_ROW_LANES);
    }
}

/* Each block has an equal range of rows. */
KERNEL(spgemm_settle, SPGEMM_ROWS_THREADS, args)
{
    SHARED(spgemm_later, later, 1);
    const int64_t each = (args.rows + BLOCKS - 1) / BLOCKS, first = BLOCK * each;
    const int64_t end = first + each < args.rows ? first + each : args.rows;
    if (THREAD == 0)
        later->count = 0;
    const int64_t last = first < end && end == args.rows ? end : end - 1; /* of its offsets */
    for (int64_t i = first + THREAD; args.narrow && i <= last; i += THREADS)
        args.narrow[i] = (int32_t)READ(&args.offsets[i]);
    if (args.in_order) {
        FN(settle_in_order)(&args);
        return;
    }
    SYNC();
    for (int64_t row = first + THREAD / SPGEMM_ROW_LANES; row < end;
         row += THREADS / SPGEMM_ROW_LANES)
        if (!spgemm_wait(later, row, READ(&args.offsets[row + 1]) - READ(&args.offsets[row])))
            FN(settle_row)(&args, row, THREAD % SPGEMM_ROW_LANES, SPGEMM_ROW_LANES);
    SYNC();
    for (int64_t k = 0; k < spgemm_rows_waiting(later); k++)
        FN(settle_row)(&args, later->rows[k], THREAD, THREADS);
}
#endif
