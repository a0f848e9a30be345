/* SPDX-License-Identifier: Apache-2.0 */
/* once_order.h: moves a block to C, its rows in order. A template, after order_row.h and
 * scan_row.h. */

/* Sorts a row to where C has it. */
static inline void FN(sort_row)(const spl__once_product *c, void *space, const I *columns,
                                const T *values, int64_t count, I *to_columns, T *to_values)
{
    const bool is_short = spl__sum_is_sorted(count, c->b->cols);
    if (c->scans ? FN(is_ascending)(columns, count) : !is_short && !c->places_all) {
        memcpy(to_columns, columns, (size_t)count * sizeof(I));
        memcpy(to_values, values, (size_t)count * sizeof(T));
    } else if (is_short) {
        FN(order_row)(columns, values, count, spl__position_bits(c->b->cols), to_columns,
                      to_values);
    } else {
        FN(accumulator) sums = FN(begin_sums)(c->b->cols, INT64_MAX, space);
        FN(accumulate)(&sums, columns, values, count, 1);
        FN(unpack)(&sums, to_columns, to_values);
    }
}

/* Sorts rows of a block. Those already in order come out of it as they are. */
static SPL__APART void FN(sort_rows)(const spl__once_product *c, const spl__once_worker *w,
                                     I *to_columns, T *to_values)
{
    const P *offsets = c->offsets;
    const int column_bits = spl__bits_of(c->b->cols - 1);
    P begin = 0;
    for (int64_t i = w->begin; i < w->end; begin = offsets[i]) {
        const I *columns = (const I *)w->columns + begin;
        const T *values = (const T *)w->values + begin;
        const int64_t sorted =
            FN(order_together)(offsets + i + 1, w->end - i, begin, column_bits, columns, values,
                               to_columns + begin, to_values + begin);
        if (sorted == 0)
            FN(sort_row)(c, w->space, columns, values, (int64_t)(offsets[i + 1] - begin),
                         to_columns + begin, to_values + begin);
        i += sorted > 0 ? sorted : 1;
    }
}

/* Moves a block to C, in order. */
static void FN(order)(spl__once_product *c, spl__once_worker *w)
{
    P *offsets = c->offsets;
    I *to_columns = (I *)c->columns + w->first;
    T *to_values = (T *)c->values + w->first;
    const size_t found = (size_t)w->found;
    if (found > 0 && (c->unsorted || c->shifted || c->flat || w->most <= 1)) {
        memcpy(to_columns, w->columns, found * sizeof(I));
        memcpy(to_values, w->values, found * sizeof(T));
    } else
        FN(sort_rows)(c, w, to_columns, to_values);
    if (!c->flat)
        memset(w->values, 0, found * sizeof(T));
    for (int64_t i = w->begin; w->first > 0 && i < w->end; i++)
        offsets[i + 1] += (P)w->first;
    if (w->begin == 0)
        offsets[0] = 0;
}
