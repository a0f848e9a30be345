/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpGEMM that survey rows: windows of columns, work of rows of C; and the compression
 * of B. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_ROWS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_ROWS_K_H
#include "spgemm/kernels/bins/spgemm_bins.k.h"
#include "spgemm/kernels/spgemm_structures.h"
#include "structure/csr_survey.k.h"

/* Computes the window of each row of a CSR structure and the number of words of 32 columns that
 * it touches. *disorder becomes 1 if the columns of some row are not strictly ascending; then
 * the numbers of words are wrong. windows and words may be NULL. */
struct spgemm_find_windows_args {
    int64_t rows;
    const void *offsets, *columns;
    struct spgemm_window *windows; /* [rows] */
    void *words;                   /* P[rows] */
    uint64_t *all_words;           /* their sum */
    uint32_t *disorder;
};

/* Writes the pairs of every row, in any order. */
struct spgemm_compress_args {
    int64_t rows;
    const void *offsets, *columns, *pair_offsets;
    struct spgemm_pair *pairs;
};

/* The sum and the maximum over rows of work (products + entries of D); `bound`: the sum with
 * each row limited to cols; `span`: the sum of the widths of windows. */
struct spgemm_work {
    uint64_t products, longest, bound, span;
};

/* Rows are counted before the host knows that the operands are sound: kernels look at what their
 * surveys have found. */
struct spgemm_ahead {
    const struct csr_survey *a, *b; /* complete; NULL: the operands have been checked */
    uint64_t alike;                 /* rows of at most so many products are not counted */
};

struct spgemm_count_work_args {
    struct spgemm_structures s;
    /* NULL: columns ascend, so the first and the last one give the window */
    const struct spgemm_window *of_b, *of_d;
    int64_t *work;                 /* [rows] */
    struct spgemm_window *windows; /* [rows] of C */
    int64_t *kept_starts;          /* [rows], they become -1; NULL: there are none */
    struct spgemm_work *sums;
    struct spgemm_ahead ahead;
};

/* The same, and assigns rows to bins. */
struct spgemm_count_and_bin_args {
    struct spgemm_count_work_args count;
    struct spgemm_bin_rows_args bins; /* of the same work and windows; C is not known */
};
#endif
#else

#include "device/tell_host.h"
#include "spgemm/kernels/bins/spgemm_later.h"

#include "spgemm/kernels/bins/spgemm_bin_rows.h"

#include "spgemm/kernels/bins/spgemm_row_sums.h"

#include "spgemm/kernels/bins/spgemm_count_rows.h"

/* ---- windows ---- */

/* Surveys every stride-th entry of a row, from number `from` on. *ascends becomes false if an
 * entry is not greater than the one before it. */
DEVICE FN(row_sum) FN(look_at_columns)(const P *RESTRICT offsets, const I *RESTRICT columns,
                                       int64_t row, int from, int stride, bool *ascends)
{
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]);
    FN(row_sum) s = FN(empty_sum)();
    for (P p = begin + from; p < end; p += stride) {
        struct spgemm_window w;
        w.first = w.last = READ(&columns[p]);
        const int32_t previous = p > begin ? READ(&columns[p - 1]) : -1;
        *ascends = *ascends && previous < w.first;
        FN(widen)(&s, p == begin || previous / 32 != w.first / 32, w);
    }
    return s;
}

DEVICE void FN(note_window)(const struct spgemm_find_windows_args *args, int64_t row, FN(row_sum) s)
{
    if (args->windows)
        args->windows[row] = s.window;
    if (args->words)
        ((P *)args->words)[row] = (P)s.amount;
}

KERNEL(spgemm_find_windows, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(row_sum), warps, SPGEMM_ROWS_THREADS / LANES);
    SHARED(spgemm_later, later, 1);
    const P *offsets = (const P *)args.offsets;
    const I *columns = (const I *)args.columns;
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    FN(row_sum) all = FN(empty_sum)();
    bool ascends = true;
    if (THREAD == 0)
        later->count = 0;
    SYNC();
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_ROW_LANES; row < args.rows;
         row += BLOCKS * teams) {
        if (spgemm_wait(later, row, READ(&offsets[row + 1]) - READ(&offsets[row])))
            continue;
        FN(row_sum) s = FN(look_at_columns)(offsets, columns, row, LANE % SPGEMM_ROW_LANES,
                                            SPGEMM_ROW_LANES, &ascends);
        all.amount += s.amount;
        s = FN(sum_of_lanes)(s, SPGEMM_ROW_LANES);
        if (LANE % SPGEMM_ROW_LANES == 0)
            FN(note_window)(&args, row, s);
    }
    SYNC();
    for (int64_t k = 0; k < spgemm_rows_waiting(later); k++) {
        const FN(row_sum) partial =
            FN(look_at_columns)(offsets, columns, later->rows[k], THREAD, THREADS, &ascends);
        const FN(row_sum) s = FN(sum_of_block)(partial, warps);
        all.amount += partial.amount;
        if (THREAD == 0)
            FN(note_window)(&args, later->rows[k], s);
    }
    if (!ascends)
        ATOMIC_OR(args.disorder, 1);
    all = FN(sum_of_block)(all, warps);
    if (THREAD == 0 && args.all_words)
        ATOMIC_ADD(args.all_words, (uint64_t)all.amount);
}

/* The pair of the word whose first entry is p: at most 32 entries. */
DEVICE struct spgemm_pair FN(pair_from)(const I *RESTRICT columns, P p, P end)
{
    struct spgemm_pair pair;
    pair.word = READ(&columns[p]) / 32;
    pair.bits = 0;
    for (; p < end && READ(&columns[p]) / 32 == pair.word; p++)
        pair.bits |= 1u << (READ(&columns[p]) % 32);
    return pair;
}

/* Compresses every stride-th entry of a row. `used`, shared by the threads of the row: pairs
 * written so far. */
DEVICE void FN(compress_columns)(const struct spgemm_compress_args *args, int64_t row, int from,
                                 int stride, uint32_t *used)
{
    const P *offsets = (const P *)args->offsets;
    const I *columns = (const I *)args->columns;
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]),
            to = ((const P *)args->pair_offsets)[row];
    for (P p = begin + from; p < end; p += stride)
        if (p == begin || READ(&columns[p - 1]) / 32 != READ(&columns[p]) / 32)
            args->pairs[to + (P)ATOMIC_ADD(used, 1)] = FN(pair_from)(columns, p, end);
}

KERNEL(spgemm_compress, SPGEMM_ROWS_THREADS, args)
{
    SHARED(uint32_t, used, SPGEMM_ROWS_THREADS / SPGEMM_ROW_LANES);
    SHARED(spgemm_later, later, 1);
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    uint32_t *const counter = used + THREAD / SPGEMM_ROW_LANES;
    if (THREAD == 0)
        later->count = 0;
    SYNC();
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_ROW_LANES; row < args.rows;
         row += BLOCKS * teams) {
        const P *offsets = (const P *)args.offsets;
        if (spgemm_wait(later, row, READ(&offsets[row + 1]) - READ(&offsets[row])))
            continue;
        if (LANE % SPGEMM_ROW_LANES == 0)
            *counter = 0;
        SYNC_WARP(GROUP_MASK(SPGEMM_ROW_LANES));
        FN(compress_columns)(&args, row, LANE % SPGEMM_ROW_LANES, SPGEMM_ROW_LANES, counter);
        SYNC_WARP(GROUP_MASK(SPGEMM_ROW_LANES));
    }
    SYNC();
    for (int64_t k = 0; k < spgemm_rows_waiting(later); k++) {
        if (THREAD == 0)
            used[0] = 0;
        SYNC();
        FN(compress_columns)(&args, later->rows[k], THREAD, THREADS, used);
        SYNC();
    }
}

/* ---- work ---- */

KERNEL(spgemm_count_work, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(shared_work), shared, 1);
    FN(noting) noting = {{0, 0, 0, 0}, false, 0, 0};
    if (FN(is_in_vain)(&args.ahead))
        return;
    FN(count_rows)(&args, BLOCK, BLOCKS, &noting, shared);
}

KERNEL(spgemm_count_and_bin, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(shared_work), shared, 1);
    SHARED(FN(bin_sums), sums, 1);
    SHARED(int32_t, last, 1);
    FN(noting) noting = {{0, 0, 0, 0}, true, &args.bins, sums};
    FN(clear_bins)(sums);
    if (!FN(is_in_vain)(&args.count.ahead)) {
        FN(count_rows)(&args.count, BLOCK, BLOCKS, &noting, shared);
        FN(add_bins)(&args.bins, sums);
    }
    spl__tell_host(&args.bins.tell, last);
}
#endif
