/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_bin_rows.h: assigns rows of C to bins. Part of the templates of kernel files: read once
 * per combination of types, without a guard, after spgemm_bins.k.h. */

/* Shared memory of a window of `words` words of 32 columns, `length` of whose columns are in C. */
DEVICE int64_t FN(window_bytes)(const struct spgemm_bin_rows_args *args, int kind, int64_t length,
                                int64_t words, int rows)
{
    const int64_t sums = length * args->entry_bytes * rows;
    if (kind == SPGEMM_SPREAD)
        return (words / 2 + 1) * SPGEMM_SPREAD_BYTES;
    if (kind == SPGEMM_WINDOW)
        return words * args->word_bytes + sums;
    return (words / 32 + 2 + (words < length ? words : length)) * args->word_bytes + sums;
}

/* Whether the row has been summed, or, as long as C's rows are not known, whether it is expected to
 * have few enough columns for that. */
DEVICE bool FN(may_be_summed)(const struct spgemm_bin_rows_args *args, int64_t row, int64_t work)
{
    enum { EXPECTED = SPGEMM_SUMMED_COLUMNS / 4 * 3 };
    if (args->offsets)
        return args->sum_starts && args->sum_starts[row] >= 0;
    return args->sample && args->sample->products > 0 &&
           (uint64_t)work * args->sample->columns <= EXPECTED * args->sample->products;
}

/* Whether the bin accepts the row, which has at most `length` columns in a window of `words`
 * words. */
DEVICE bool FN(bin_takes)(const struct spgemm_bin_rows_args *args, int g, int64_t row,
                          int64_t length, int64_t work, int64_t words)
{
    const struct spgemm_bin *bin = &args->bin[g];
    const int rows = args->firsts ? READ(&args->firsts[row + 1]) - READ(&args->firsts[row]) : 1;
    if (work > bin->most_work)
        return false;
    if (bin->kind == SPGEMM_KEPT && !(args->kept_starts && args->kept_starts[row] >= 0))
        return false;
    if (bin->kind == SPGEMM_SUMMED && !FN(may_be_summed)(args, row, work))
        return false;
    if (bin->rows > 0 && rows > bin->rows)
        return false;
    if (bin->kind != SPGEMM_WINDOW && bin->kind != SPGEMM_SPREAD && bin->kind != SPGEMM_NESTED)
        return length <= bin->most;
    return FN(window_bytes)(args, bin->kind, length, words, rows) <= bin->most &&
           words <= bin->sparsest * length;
}

/* The length of the row, or its bound. */
DEVICE int64_t FN(length_of)(const struct spgemm_bin_rows_args *args, int64_t row, int64_t work)
{
    if (args->offsets)
        return args->offsets[row + 1] - args->offsets[row];
    return work < args->cols ? work : args->cols;
}

DEVICE int FN(bin_of_row)(const struct spgemm_bin_rows_args *args, int64_t row, int64_t length,
                          int64_t work, struct spgemm_window w)
{
    const int64_t words = work > 0 ? w.last / 32 - w.first / 32 + 1 : 0;
    int g = 0;
    while (g < args->bins - 1 && !FN(bin_takes)(args, g, row, length, work, words))
        g++;
    return g;
}

/* Sums of a block in 32 bits, which shared memory adds fast. */
typedef struct FN(bin_sums) {
    uint32_t rows[SPGEMM_MOST_BINS], work[SPGEMM_MOST_BINS], entries[SPGEMM_MOST_BINS];
    uint32_t longest[SPGEMM_MOST_BINS];
} FN(bin_sums);

DEVICE uint32_t FN(counted)(int64_t number)
{
    return (uint32_t)(number < SPGEMM_MOST_COUNTED ? number : SPGEMM_MOST_COUNTED);
}

/* sums: shared by the block, which must synchronise before it adds to them. */
DEVICE void FN(clear_bins)(FN(bin_sums) *sums)
{
    if (THREAD < SPGEMM_MOST_BINS)
        sums->rows[THREAD] = sums->work[THREAD] = sums->entries[THREAD] = sums->longest[THREAD] = 0;
}

/* Assigns a row of that length, work and window. */
DEVICE void FN(bin_row)(const struct spgemm_bin_rows_args *args, int64_t row, int64_t length,
                        int64_t work, struct spgemm_window window, FN(bin_sums) *sums)
{
    const P *a_offsets = (const P *)args->a_offsets;
    const int g = FN(bin_of_row)(args, row, length, work, window);
    args->bin_of[row] = (uint8_t)g;
    ATOMIC_ADD(&sums->rows[g], 1);
    ATOMIC_ADD(&sums->work[g], FN(counted)(work));
    ATOMIC_ADD(&sums->entries[g], FN(counted)(READ(&a_offsets[row + 1]) - READ(&a_offsets[row])));
    ATOMIC_MAX(&sums->longest[g], (uint32_t)length); /* at most the columns of C */
}

/* Adds the sums of the block to those of all, after it has synchronised. */
DEVICE void FN(add_bins)(const struct spgemm_bin_rows_args *args, const FN(bin_sums) *sums)
{
    if (THREAD >= args->bins || sums->rows[THREAD] == 0)
        return;
    ATOMIC_ADD(&args->sums->rows[THREAD], sums->rows[THREAD]);
    ATOMIC_ADD(&args->sums->work[THREAD], sums->work[THREAD]);
    ATOMIC_ADD(&args->sums->entries[THREAD], sums->entries[THREAD]);
    ATOMIC_MAX(&args->sums->longest[THREAD], sums->longest[THREAD]);
}

/* Assigns the rows of part `part` of `parts`, one per block. sums: shared by the block. */
DEVICE void FN(bin_rows)(const struct spgemm_bin_rows_args *args, int64_t part, int64_t parts,
                         FN(bin_sums) *sums)
{
    FN(clear_bins)(sums);
    SYNC();
    for (int64_t row = part * THREADS + THREAD; row < args->rows; row += parts * THREADS) {
        const int64_t work = args->work[row];
        FN(bin_row)(args, row, FN(length_of)(args, row, work), work, args->windows[row], sums);
    }
    SYNC();
    FN(add_bins)(args, sums);
}
