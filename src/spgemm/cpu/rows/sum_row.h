/* SPDX-License-Identifier: Apache-2.0 */
/* sum_row.h: adds up a row of C, whose columns come out in order. A template: T, ACC, I, FN come
 * from core/each_type.h. FN(begin_sums), FN(add_scaled) for each term, FN(end_row): see
 * collect_rows.h. The includer includes spgemm/cpu/rows/sum_space.h.
 *
 * A row of up to 64 products, with AVX-512 256, is expanded; keys of column and position are sorted
 * in registers (sort_keys.h) and neighbours of equal column added up (join_lanes.h). The position
 * makes the sort stable: the terms of a sum keep their order.
 *
 * A longer row uses a dense accumulator as wide as C, all zero between rows. With every product its
 * column's bit is set in a bitmap, the byte of the bitmap's word in an array of marks, and one of
 * the 64 bits of `top`, each of which covers a stretch of marks. Traversing from `top` down to the
 * bits gives the columns in order; touched elements are cleared on the way. Marks are bytes because
 * a store has no dependency, whereas OR-ing a bit into a recently written word waits for that
 * store. */

typedef struct FN(accumulator) {
    uint32_t *keys; /* NULL: a long row */
    T *terms;
    int64_t count;
    ACC *dense;
    uint64_t *bits;
    uint8_t *marks;
    uint64_t top;
    int shift;
    int position_bits; /* of a key */
} FN(accumulator);

static inline FN(accumulator) FN(begin_sums)(int64_t cols, int64_t work, void *workspace)
{
    spl__sum_head *head = workspace;
    int64_t words = spl__words_of(cols);
    uint32_t *keys = (uint32_t *)(head + 1);
    T *terms = (T *)(keys + SPL__KEY_ROOM);
    ACC *dense = terms + SPL__KEY_ROOM;
    uint64_t *bits = (uint64_t *)(dense + words * SPL__WORD_BITS);
    uint8_t *marks = (uint8_t *)(bits + words);
    if (spl__sum_is_sorted(work, cols))
        return (FN(accumulator)){
            .keys = keys, .terms = terms, .position_bits = spl__position_bits(cols)};
    if (!head->cleared) {
        memset(dense, 0, (size_t)((char *)(marks + spl__marks_of(cols)) - (char *)dense));
        head->cleared = true;
    }
    return (FN(accumulator)){NULL, terms, 0, dense, bits, marks, 0, spl__top_shift(cols), 0};
}

/* ---- short rows ---- */

#ifdef __AVX512VL__
#include "spgemm/cpu/rows/join_lanes.h"
#endif

static inline void FN(expand)(FN(accumulator) *sums, const I *restrict columns,
                              const T *restrict values, int64_t count, ACC scale)
{
    const int bits = sums->position_bits;
    uint32_t *restrict keys = sums->keys + sums->count, position = (uint32_t)sums->count;
    T *restrict terms = sums->terms + sums->count;
    sums->count += count;
    for (int64_t k = 0; k < count; k++) {
        keys[k] = (uint32_t)columns[k] << bits | (position + (uint32_t)k);
        terms[k] = scale * values[k];
    }
}

/* Adds up terms of equal column; returns the number of columns. Every term is stored, the last
 * of a column finally: no branch to predict. */
static inline int64_t FN(join_terms)(const FN(accumulator) *sums, I *restrict columns,
                                     T *restrict values)
{
    const uint32_t *restrict keys = sums->keys,
                             positions = ((uint32_t)1 << sums->position_bits) - 1;
    const T *restrict terms = sums->terms;
    uint32_t last = UINT32_MAX;
    int64_t position = -1;
    ACC sum = 0;
#ifdef __AVX512VL__
    if (sizeof(I) == sizeof(int32_t) && sums->count > SPL__FEW_KEYS)
        return FN(join_lanes)(keys, sums->position_bits, terms, sums->count, (int32_t *)columns,
                              values);
#endif
    for (int64_t k = 0; k < sums->count; k++) {
        uint32_t column = keys[k] >> sums->position_bits;
        ACC term = terms[keys[k] & positions];
        sum = (column == last ? sum : 0) + term;
        position += column != last;
        last = column;
        values[position] = sum;
        if (columns)
            columns[position] = (I)column;
    }
    return position + 1;
}

/* ---- long rows ---- */

/* Columns that come in runs: each word is marked once. Else an OR would wait for the store of the
 * one before, some five cycles. */
static inline void FN(mark_runs)(FN(accumulator) *sums, const I *restrict columns, int64_t count)
{
    for (int64_t k = 0; k < count;) {
        const I word = columns[k] >> SPL__WORD_SHIFT;
        uint64_t bits = 0;
        for (; k < count && columns[k] >> SPL__WORD_SHIFT == word; k++)
            bits |= (uint64_t)1 << (columns[k] & (SPL__WORD_BITS - 1));
        sums->bits[word] |= bits;
        sums->marks[word] = 1;
        sums->top |= (uint64_t)1 << (word >> (sums->shift - SPL__WORD_SHIFT));
    }
}

static inline bool FN(has_runs)(const I *columns, int64_t count)
{
    enum { RUN = 4 }; /* columns of a word from which branches that tell words apart pay */
    const int64_t span = count >= RUN ? (int64_t)columns[count - 1] - columns[0] : 0;
    return span >= RUN - 1 && span < count * (SPL__WORD_BITS / RUN);
}

/* Whether columns follow each other without a gap. */
static inline bool FN(is_stretch)(const I *columns, int64_t count)
{
    if ((int64_t)columns[count - 1] - columns[0] != count - 1)
        return false;
    const I first = columns[0];
    I differs = 0;
    for (int64_t k = 0; k < count; k++)
        differs |= columns[k] ^ (first + (I)k);
    return differs == 0;
}

/* Columns of one word that have been met since others were, and `top`. */
typedef struct FN(marked) {
    I word;
    uint64_t bits, top;
} FN(marked);

static inline void FN(mark_word)(const FN(accumulator) *sums, FN(marked) *marked)
{
    if (marked->bits == 0)
        return;
    sums->bits[marked->word] |= marked->bits;
    sums->marks[marked->word] = 1;
    marked->top |= (uint64_t)1 << (marked->word >> (sums->shift - SPL__WORD_SHIFT));
}

/* Marks a column. A word is marked when another one follows: where columns follow each other, each
 * would wait for the mark of the one before. */
static inline void FN(mark_next)(const FN(accumulator) *sums, I column, FN(marked) *marked)
{
    const I word = column >> SPL__WORD_SHIFT;
    if (word != marked->word) {
        FN(mark_word)(sums, marked);
        marked->word = word;
        marked->bits = 0;
    }
    marked->bits |= (uint64_t)1 << (column & (SPL__WORD_BITS - 1));
}

/* Marks columns, and adds scale * values[k] unless `values` is NULL, in the same loop: a column is
 * read once. */
static inline void FN(mark)(FN(accumulator) *sums, const I *restrict columns,
                            const T *restrict values, int64_t count, ACC scale)
{
    ACC *restrict dense = sums->dense;
    uint64_t *restrict bits = sums->bits, top = sums->top;
    uint8_t *restrict marks = sums->marks;
    int shift = sums->shift;
    for (int64_t k = 0; k < count; k++) {
        I column = columns[k];
        bits[column >> SPL__WORD_SHIFT] |= (uint64_t)1 << (column & (SPL__WORD_BITS - 1));
        marks[column >> SPL__WORD_SHIFT] = 1;
        top |= (uint64_t)1 << (column >> shift);
        if (values)
            dense[column] += scale * values[k];
    }
    sums->top = top;
}

/* Not inlined, so that the code for short rows keeps its registers. */
static __attribute__((noinline)) void FN(accumulate)(FN(accumulator) *sums,
                                                     const I *restrict columns,
                                                     const T *restrict values, int64_t count,
                                                     ACC scale)
{
    ACC *restrict dense = sums->dense;
    if (!FN(has_runs)(columns, count)) {
        FN(mark)(sums, columns, values, count, scale);
        return;
    }
    FN(mark_runs)(sums, columns, count);
    if (FN(is_stretch)(columns, count)) {
        dense += columns[0];
        for (int64_t k = 0; k < count; k++)
            dense[k] += scale * values[k];
        return;
    }
    for (int64_t k = 0; k < count; k++)
        dense[columns[k]] += scale * values[k];
}

/* The output position of a row's columns and values. */
typedef struct FN(exit) {
    I *columns; /* NULL: columns are known */
    T *values;
} FN(exit);

/* Writes the numbers of the bits, beginning with `first`, to `to`; returns how many. Four at a
 * time, needed or not: how many bits a word has is not to be predicted. */
static inline int64_t FN(list_bits)(uint64_t bits, I first, I *restrict to)
{
    enum { AT_ONCE = SPL__LISTED_AT_ONCE };
    static const uint64_t highest = (uint64_t)1 << (SPL__WORD_BITS - 1); /* one bit at least */
    const int64_t count = __builtin_popcountll(bits);
    for (int64_t k = 0; k < count; k += AT_ONCE)
        for (int j = 0; j < AT_ONCE; j++) {
            to[k + j] = (I)(first + __builtin_ctzll(bits | highest));
            bits &= bits - 1;
        }
    return count;
}

/* Takes the sums of listed columns out of the accumulator. */
static inline void FN(take_sums)(const FN(accumulator) *sums, const I *restrict listed,
                                 int64_t count, FN(exit) *out)
{
    ACC *restrict dense = sums->dense;
    T *restrict values = out->values;
    for (int64_t k = 0; k < count; k++) {
        values[k] = dense[listed[k]];
        dense[listed[k]] = 0;
    }
    out->values += count;
    if (out->columns) {
        memcpy(out->columns, listed, (size_t)count * sizeof(I));
        out->columns += count;
    }
}

#include "spgemm/cpu/rows/take_word.h"

/* Empties a word with so many columns that looking at all takes less than listing them. */
static inline void FN(empty_full_word)(const FN(accumulator) *sums, I word, FN(exit) *out)
{
    const I first = (I)(word << SPL__WORD_SHIFT);
    const uint64_t bits = sums->bits[word];
    out->values = FN(take_word)(bits, sums->dense + first, out->values);
    if (out->columns) {
        FN(write_columns)(bits, first, out->columns);
        out->columns += __builtin_popcountll(bits);
    }
}

/* Empties the words that are marked, of a group that begins with word `first`. */
static inline void FN(empty_words)(const FN(accumulator) *sums, uint64_t marked, int64_t first,
                                   FN(exit) *out)
{
    enum { LISTED = 4 * SPL__WORD_BITS, FULL = 12 };
    I words[SPL__WORD_BITS + SPL__LISTED_AT_ONCE],
        listed[LISTED + SPL__WORD_BITS + SPL__LISTED_AT_ONCE];
    const int64_t count = FN(list_bits)(marked, (I)first, words);
    int64_t columns = 0;
    for (int64_t k = 0; k < count; k++) {
        const I word = words[k];
        const bool full = __builtin_popcountll(sums->bits[word]) >= FULL;
        if (!full)
            columns +=
                FN(list_bits)(sums->bits[word], (I)(word << SPL__WORD_SHIFT), listed + columns);
        if (full || columns >= LISTED || k == count - 1) {
            FN(take_sums)(sums, listed, columns, out);
            columns = 0;
        }
        if (full)
            FN(empty_full_word)(sums, word, out);
        sums->bits[word] = 0;
    }
}

static __attribute__((noinline)) int64_t FN(unpack)(const FN(accumulator) *sums, I *columns,
                                                    T *values)
{
    FN(exit) out = {columns, values};
    int shift = sums->shift - SPL__WORD_SHIFT;
    for (uint64_t top = sums->top; top; top &= top - 1) {
        int64_t stretch = __builtin_ctzll(top);
        for (int64_t mark = stretch << shift; mark < (stretch + 1) << shift; mark += SPL__MARKS) {
            uint64_t marked = spl__take_marks(sums->marks + mark);
            if (marked)
                FN(empty_words)(sums, marked, mark, &out);
        }
    }
    return out.values - values;
}

/* ---- both ---- */

/* Adds columns without values, where alpha or beta is zero. */
static __attribute__((noinline)) void FN(add_zeros)(FN(accumulator) *sums, const I *columns,
                                                    int64_t count)
{
    static const T zero = 0;
    if (!sums->keys)
        FN(mark)(sums, columns, NULL, count, 0);
    for (int64_t k = 0; sums->keys && k < count; k++)
        FN(expand)(sums, columns + k, &zero, 1, 0);
}

static inline void FN(add_scaled)(FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    if (!values)
        FN(add_zeros)(sums, columns, count);
    else if (sums->keys)
        FN(expand)(sums, columns, values, count, scale);
    else
        FN(accumulate)(sums, columns, values, count, scale);
}

static inline int64_t FN(end_row)(const FN(accumulator) *sums, I *columns, T *values)
{
    if (!sums->keys)
        return FN(unpack)(sums, columns, values);
    spl__sort_keys(sums->keys, sums->count);
    return FN(join_terms)(sums, columns, values);
}
