/* SPDX-License-Identifier: Apache-2.0 */
/* flat_row.h: adds up a row of a narrow C, of which a good part of all columns are entries. A
 * template, after sum_row.h.
 *
 * A product is added to a sum for each column, and sets a byte there: stores that wait for nothing,
 * and no branch to predict. The sums are taken out in order, 64 columns at a time. So a row is
 * neither sorted nor are its columns told apart as they are met. Rows of B whose columns follow
 * each other are added by whole registers.
 *
 * Cost: per product a load and two stores; per 64 columns of C a look. */

/* The sums of a row, and of each column whether it was met: both are zero between rows. */
typedef struct FN(flat) {
    ACC *sums;
    uint8_t *met;
} FN(flat);

static inline void FN(add_flat)(const FN(flat) *row, const I *restrict columns,
                                const T *restrict values, int64_t count, ACC scale)
{
    enum { STRETCH = 16 }; /* entries from which a look whether they are one pays */
    ACC *restrict sums = row->sums;
    uint8_t *restrict met = row->met;
    if (count >= STRETCH && FN(is_stretch)(columns, count)) {
        sums += columns[0];
        for (int64_t k = 0; k < count; k++)
            sums[k] += scale * values[k];
        memset(met + columns[0], 1, (size_t)count);
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        const I column = columns[k];
        sums[column] += scale * values[k];
        met[column] = 1;
    }
}

/* Takes the entries out, in order; returns how many. */
static inline int64_t FN(take_flat)(const FN(flat) *row, int64_t begin, int64_t end, I *columns,
                                    T *values)
{
    enum { FULL = 8 }; /* entries of a word from which looking at all takes less than listing */
    const T *before = values;
    for (int64_t first = begin; first < end; first += SPL__WORD_BITS) {
        uint64_t bits = spl__take_marks(row->met + first);
        const int count = __builtin_popcountll(bits);
        if (count >= FULL) {
            FN(write_columns)(bits, (I)first, columns);
            values = FN(take_word)(bits, row->sums + first, values);
            columns += count;
        } else {
            for (; bits; bits &= bits - 1) {
                const int64_t column = first + __builtin_ctzll(bits);
                *columns++ = (I)column;
                *values++ = row->sums[column];
                row->sums[column] = 0;
            }
        }
    }
    return values - before;
}

/* Row i of alpha*A*B; returns its length. */
static SPL__APART int64_t FN(flat_row)(const FN(flat) *row, const spl_sparse *a,
                                       const spl_sparse *b, int64_t i, T alpha, I *columns,
                                       T *values)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        const P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        FN(add_flat)(row, b_columns + begin, b_values + begin, (int64_t)(end - begin),
                     (ACC)(alpha * a_values[p]));
    }
    return FN(take_flat)(row, 0, b->cols, columns, values);
}

/* The same where rows of B are in order. */
static SPL__APART int64_t FN(window_row)(const FN(flat) *row, const spl_sparse *a,
                                         const spl_sparse *b, int64_t i, T alpha, I *columns,
                                         T *values)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    int64_t first = b->cols, last = 0;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        const P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        if (begin == end)
            continue;
        first = spl__min_i64(first, b_columns[begin]);
        last = spl__max_i64(last, b_columns[end - 1]);
        FN(add_flat)(row, b_columns + begin, b_values + begin, (int64_t)(end - begin),
                     (ACC)(alpha * a_values[p]));
    }
    return FN(take_flat)(row, first / SPL__WORD_BITS * SPL__WORD_BITS, last + 1, columns, values);
}
