/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpGEMM that survey rows: windows of columns, work of rows of C; and the compression
 * of B. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_ROWS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_ROWS_K_H
#include "spgemm/kernels/bins/spgemm_bins.k.h"
#include "spgemm/kernels/spgemm_structures.h"

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

struct spgemm_count_work_args {
    struct spgemm_structures s;
    /* NULL: columns ascend, so the first and the last one give the window */
    const struct spgemm_window *of_b, *of_d;
    int64_t *work;                 /* [rows] */
    struct spgemm_window *windows; /* [rows] of C */
    int64_t *kept_starts;          /* [rows], they become -1; NULL: there are none */
    struct spgemm_work *sums;
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

/* ---- sums over rows ---- */

/* A partial reduction over the entries of a row. */
typedef struct FN(row_sum) {
    int64_t amount;
    struct spgemm_window window;
} FN(row_sum);

DEVICE FN(row_sum) FN(empty_sum)(void)
{
    FN(row_sum) s;
    s.amount = 0;
    s.window.first = INT32_MAX;
    s.window.last = -1;
    return s;
}

DEVICE void FN(widen)(FN(row_sum) *s, int64_t amount, struct spgemm_window w)
{
    s->amount += amount;
    s->window.first = w.first < s->window.first ? w.first : s->window.first;
    s->window.last = w.last > s->window.last ? w.last : s->window.last;
}

/* The reduction over a group of lanes; all of them get the result. */
DEVICE FN(row_sum) FN(sum_of_lanes)(FN(row_sum) s, int width)
{
    for (int x = width / 2; x > 0; x /= 2) {
        struct spgemm_window w;
        const int64_t amount = SHUFFLE_XOR(GROUP_MASK(width), s.amount, x);
        w.first = SHUFFLE_XOR(GROUP_MASK(width), s.window.first, x);
        w.last = SHUFFLE_XOR(GROUP_MASK(width), s.window.last, x);
        FN(widen)(&s, amount, w);
    }
    return s;
}

/* The reduction over the block; thread 0 gets the result. */
DEVICE FN(row_sum) FN(sum_of_block)(FN(row_sum) s, FN(row_sum) *warps)
{
    s = FN(sum_of_lanes)(s, LANES);
    if (LANE == 0)
        warps[WARP] = s;
    SYNC();
    for (int w = 1; THREAD == 0 && w < THREADS / LANES; w++)
        FN(widen)(&s, warps[w].amount, warps[w].window);
    SYNC();
    return s;
}

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

/* The window of a row of B or D from entry `begin` to `end`. */
DEVICE struct spgemm_window FN(window_of)(const struct spgemm_window *RESTRICT known,
                                          const I *RESTRICT columns, int64_t row, P begin, P end)
{
    struct spgemm_window w = SPGEMM_NO_WINDOW;
    if (known)
        return known[row];
    if (begin < end) {
        w.first = READ(&columns[begin]);
        w.last = READ(&columns[end - 1]);
    }
    return w;
}

/* The work and window of every stride-th entry of A's row. */
DEVICE FN(row_sum) FN(look_at_products)(const struct spgemm_count_work_args *args, int64_t row,
                                        int from, int stride)
{
    const P *a_offsets = (const P *)args->s.a_offsets, *b_offsets = (const P *)args->s.b_offsets;
    const P *d_offsets = (const P *)args->s.d_offsets, end = READ(&a_offsets[row + 1]);
    const I *a_columns = (const I *)args->s.a_columns;
    FN(row_sum) s = FN(empty_sum)();
    if (d_offsets && from == 0) {
        const P begin = READ(&d_offsets[row]), length = READ(&d_offsets[row + 1]) - begin;
        FN(widen)(
            &s, length,
            FN(window_of)(args->of_d, (const I *)args->s.d_columns, row, begin, begin + length));
    }
    for (P p = READ(&a_offsets[row]) + from; p < end; p += stride) {
        const I k = READ(&a_columns[p]);
        const P begin = READ(&b_offsets[k]), length = READ(&b_offsets[k + 1]) - begin;
        FN(widen)(
            &s, length,
            FN(window_of)(args->of_b, (const I *)args->s.b_columns, k, begin, begin + length));
    }
    return s;
}

/* Where a thread's rows are noted. */
typedef struct FN(noting) {
    struct spgemm_work found;
    const struct spgemm_bin_rows_args *bins; /* NULL: rows are not assigned */
    FN(bin_sums) *bin_sums;
} FN(noting);

/* Stores the results of a row and adds them to the thread's sums. */
DEVICE void FN(note_work)(const struct spgemm_count_work_args *args, int64_t row, FN(row_sum) s,
                          FN(noting) *noting)
{
    struct spgemm_work *const found = &noting->found;
    const uint64_t work = (uint64_t)s.amount;
    args->work[row] = s.amount;
    args->windows[row] = s.window;
    if (args->kept_starts)
        args->kept_starts[row] = -1;
    found->products += work;
    found->bound += s.amount < args->s.cols ? work : (uint64_t)args->s.cols;
    found->longest = work > found->longest ? work : found->longest;
    found->span += work > 0 ? (uint64_t)((int64_t)s.window.last - s.window.first + 1) : 0;
    if (noting->bins)
        FN(bin_row)(noting->bins, row, FN(length_of)(noting->bins, row, s.amount), s.amount,
                    s.window, noting->bin_sums);
}

/* Adds a warp's sums to the global ones. */
DEVICE void FN(add_work)(struct spgemm_work found, struct spgemm_work *sums)
{
    for (int x = LANES / 2; x > 0; x /= 2) {
        const uint64_t longest = SHUFFLE_XOR(GROUP_MASK(LANES), found.longest, x);
        found.products += SHUFFLE_XOR(GROUP_MASK(LANES), found.products, x);
        found.bound += SHUFFLE_XOR(GROUP_MASK(LANES), found.bound, x);
        found.span += SHUFFLE_XOR(GROUP_MASK(LANES), found.span, x);
        found.longest = longest > found.longest ? longest : found.longest;
    }
    if (LANE != 0)
        return;
    ATOMIC_ADD(&sums->products, found.products);
    ATOMIC_ADD(&sums->bound, found.bound);
    ATOMIC_ADD(&sums->span, found.span);
    ATOMIC_MAX(&sums->longest, found.longest);
}

/* What the block shares while rows are counted. */
typedef struct FN(shared_work) {
    struct spgemm_work sums;
    FN(row_sum) warps[SPGEMM_ROWS_THREADS / LANES];
    spgemm_later later;
} FN(shared_work);

/* Counts the block's rows, and notes them. */
DEVICE void FN(count_rows)(const struct spgemm_count_work_args *args, FN(noting) *noting,
                           FN(shared_work) *shared)
{
    const P *a_offsets = (const P *)args->s.a_offsets;
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    if (THREAD == 0) {
        shared->sums = noting->found;
        shared->later.count = 0;
    }
    SYNC();
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_ROW_LANES; row < args->s.rows;
         row += BLOCKS * teams) {
        if (spgemm_wait(&shared->later, row, READ(&a_offsets[row + 1]) - READ(&a_offsets[row])))
            continue;
        FN(row_sum) s = FN(look_at_products)(args, row, LANE % SPGEMM_ROW_LANES, SPGEMM_ROW_LANES);
        s = FN(sum_of_lanes)(s, SPGEMM_ROW_LANES);
        if (LANE % SPGEMM_ROW_LANES == 0)
            FN(note_work)(args, row, s, noting);
    }
    SYNC();
    for (int64_t k = 0; k < spgemm_rows_waiting(&shared->later); k++) {
        const int64_t row = shared->later.rows[k];
        const FN(row_sum) partial = FN(look_at_products)(args, row, THREAD, THREADS);
        const FN(row_sum) s = FN(sum_of_block)(partial, shared->warps);
        if (THREAD == 0)
            FN(note_work)(args, row, s, noting);
    }
    FN(add_work)(noting->found, &shared->sums);
    SYNC();
    if (THREAD > 0)
        return;
    ATOMIC_ADD(&args->sums->products, shared->sums.products);
    ATOMIC_ADD(&args->sums->bound, shared->sums.bound);
    ATOMIC_ADD(&args->sums->span, shared->sums.span);
    ATOMIC_MAX(&args->sums->longest, shared->sums.longest);
}

KERNEL(spgemm_count_work, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(shared_work), shared, 1);
    FN(noting) noting = {{0, 0, 0, 0}, 0, 0};
    FN(count_rows)(&args, &noting, shared);
}

KERNEL(spgemm_count_and_bin, SPGEMM_ROWS_THREADS, args)
{
    SHARED(FN(shared_work), shared, 1);
    SHARED(FN(bin_sums), sums, 1);
    SHARED(int32_t, last, 1);
    FN(noting) noting = {{0, 0, 0, 0}, &args.bins, sums};
    FN(clear_bins)(sums);
    FN(count_rows)(&args.count, &noting, shared);
    FN(add_bins)(&args.bins, sums);
    spl__tell_host(&args.bins.tell, last);
}
#endif
