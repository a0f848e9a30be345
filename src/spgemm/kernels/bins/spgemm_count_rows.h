/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_count_rows.h: counts the work of rows of C, and assigns them to bins meanwhile. Part of
 * the templates of kernel files: read once per combination of types, without a guard, after
 * spgemm_bin_rows.h, spgemm_later.h and spgemm_row_sums.h. */

/* Whether nobody needs the work that would be counted ahead, as far as surveys tell: an operand has
 * a fault, they consist of blocks, most rows of A equal the one before, rows of B are not in order,
 * or rows of C are so short that one bin suits all. */
DEVICE bool FN(is_in_vain)(const struct spgemm_ahead *ahead)
{
    const struct csr_survey *a = ahead->a, *b = ahead->b;
    return a && ((a->bad_row | a->bad_entry | b->bad_row | b->bad_entry) != 0 || a->block > 1 ||
                 2 * a->identical.repeated > a->identical.sampled || b->descents != b->at_starts ||
                 a->longest * b->longest <= ahead->alike);
}

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
    /* a flag beside the pointer: compilers copy arguments whose address may be another */
    bool assigns;
    const struct spgemm_bin_rows_args *bins;
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
    if (noting->assigns)
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

/* Counts the rows of part `part` of `parts`, one per block, and notes them. */
DEVICE void FN(count_rows)(const struct spgemm_count_work_args *args, int64_t part, int64_t parts,
                           FN(noting) *noting, FN(shared_work) *shared)
{
    const P *a_offsets = (const P *)args->s.a_offsets;
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    if (THREAD == 0) {
        shared->sums = noting->found;
        shared->later.count = 0;
    }
    SYNC();
    for (int64_t row = part * teams + THREAD / SPGEMM_ROW_LANES; row < args->s.rows;
         row += parts * teams) {
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

/* Assigns the rows that count_rows has counted in the same part, in a pass of its own. */
DEVICE void FN(bin_counted)(const struct spgemm_bin_rows_args *args, int64_t part, int64_t parts,
                            FN(bin_sums) *sums)
{
    const int64_t teams = THREADS / SPGEMM_ROW_LANES;
    for (int64_t k = THREAD, first; first = (k / teams * parts + part) * teams, first < args->rows;
         k += THREADS) {
        const int64_t row = first + k % teams;
        if (row < args->rows)
            FN(bin_row)(args, row, FN(length_of)(args, row, args->work[row]), args->work[row],
                        args->windows[row], sums);
    }
}
