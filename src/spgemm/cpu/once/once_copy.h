/* SPDX-License-Identifier: Apache-2.0 */
/* once_copy.h: rows of C of one term each, which are rows of B, scaled. A template. */

/* A row of one term is a row of B, scaled. False if that is not in order, or not without
 * duplicates. */
static bool FN(copy_row)(const I *restrict columns, const T *restrict values, int64_t count,
                         T scale, I *restrict to_columns, T *restrict to_values)
{
    bool ascends = true;
    for (int64_t k = 0; k < count; k++) {
        ascends &= k == 0 || columns[k] > columns[k - 1];
        to_columns[k] = columns[k];
        to_values[k] = scale * values[k];
    }
    return ascends;
}

/* Rows from row i on, as long as each has one entry, of one term, as in products of diagonals; the
 * first becomes entry `found` of the block. Returns the row after them. */
static int64_t FN(copy_entries)(const spl__once_product *c, const spl__once_worker *w, int64_t i,
                                int64_t found)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    P *offsets = c->offsets;
    I *columns = w->columns;
    T *values = w->values;
    for (; i < w->end && a_offsets[i + 1] - a_offsets[i] == 1; i++) {
        const P p = a_offsets[i], q = b_offsets[a_columns[p]];
        if (b_offsets[a_columns[p] + 1] - q != 1)
            break;
        columns[found] = b_columns[q];
        values[found] = alpha * a_values[p] * b_values[q];
        offsets[i + 1] = (P)++found;
    }
    return i;
}
