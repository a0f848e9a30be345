/* SPDX-License-Identifier: Apache-2.0 */
/* once_find.h: finds the rows of a block, each as those of its kind are. A template, after those of
 * all kinds: a further one is added here. */

/* Row i of C where rows repeat others, or some are long; returns its length. */
static SPL__APART int64_t FN(find_row)(const spl__once_product *c, FN(places) *places, void *space,
                                       int64_t i, I *columns, T *values)
{
    const int64_t work = (int64_t)((const P *)c->offsets)[i + 1];
    const T alpha = *(const T *)c->alpha;
    if (c->shifted) {
        const int64_t count = FN(repeat_row)(c->a, c->b, alpha, i, space, columns, values);
        return count >= 0 ? count : FN(sum_row)(c, space, i, work, columns, values);
    }
    return c->places_all || spl__sum_is_sorted(work, c->b->cols)
               ? FN(place)(c, places, i, columns, values)
               : FN(sum_row)(c, space, i, work, columns, values);
}

/* Rows of C, one behind the other: those of one term copied from B, and what is not in order then,
 * and only that, placed. offsets[i+1] is then where row i ends in the block. */
static SPL__APART void FN(find)(const spl__once_product *c, spl__once_worker *w, FN(places) *places)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    P *offsets = c->offsets;
    I *columns = w->columns;
    T *values = w->values;
    const bool plain = !c->shifted && (!c->has_long_rows || c->places_all),
               together = plain && !c->scans && !c->ahead && c->longest != 1;
    int64_t found = 0, most = 0;
    for (int64_t i = w->begin, end = w->end; i < end; i++) {
        const P p = a_offsets[i], terms = a_offsets[i + 1] - p;
        int64_t count = 0;
        bool whole = terms == 0;
        if (terms > 1 && together && places->telling == FN(BRANCH)) {
            const int64_t after = FN(branch_rows)(c, w, places, i, found, &most);
            found = (int64_t)offsets[after];
            i = after - 1;
            continue;
        }
        if (terms == 1) {
            const P begin = b_offsets[a_columns[p]];
            count = (int64_t)(b_offsets[a_columns[p] + 1] - begin);
            if (count == 1) {
                const int64_t after = FN(copy_entries)(c, w, i, found);
                found += after - i;
                most = spl__max_i64(most, 1);
                i = after - 1;
                continue;
            }
            whole = count <= c->b->cols &&
                    FN(copy_row)(b_columns + begin, b_values + begin, count, alpha * a_values[p],
                                 columns + found, values + found);
        }
        if (!whole) {
            if (terms == 1 && count <= c->b->cols)
                memset(values + found, 0, (size_t)count * sizeof(T));
            count = plain ? FN(place)(c, places, i, columns + found, values + found)
                          : FN(find_row)(c, places, w->space, i, columns + found, values + found);
        }
        found += count;
        most = spl__max_i64(most, count);
        offsets[i + 1] = (P)found;
    }
    w->most = most;
    w->found = found;
}

/* Finds a block, and whether branches will pay from then on. */
static SPL__APART void FN(find_and_learn)(const spl__once_product *c, spl__once_worker *w,
                                          FN(places) *places)
{
    spl__foresight foresight;
    spl__foresight_start(&foresight, c->work);
    places->telling = FN(LEARN);
    places->foresight = &foresight;
    FN(find)(c, w, places);
    w->foresees = places->telling == FN(BRANCH);
}

/* Rows of C where it is narrow: in order. */
static SPL__APART void FN(find_flat)(const spl__once_product *c, spl__once_worker *w)
{
    const FN(accumulator) sums = FN(begin_sums)(c->b->cols, INT64_MAX, w->space);
    const FN(flat) row = {sums.dense, (uint8_t *)w->positions};
    P *offsets = c->offsets;
    const size_t marks = (size_t)(c->b->cols + SPL__MARKS - 1) / SPL__MARKS * SPL__MARKS;
    const T alpha = *(const T *)c->alpha;
    I *columns = w->columns;
    T *values = w->values;
    int64_t found = 0;
    if (!w->cleared)
        memset(row.met, 0, marks); /* they are looked at so many at a time */
    w->cleared = true;
    for (int64_t i = w->begin; i < w->end; i++) {
        found += c->windowed
                     ? FN(window_row)(&row, c->a, c->b, i, alpha, columns + found, values + found)
                     : FN(flat_row)(&row, c->a, c->b, i, alpha, columns + found, values + found);
        offsets[i + 1] = (P)found;
    }
    w->found = found;
}

/* Whether rows have so few products, and what they meet is so far, that ends of rows are foreseen
 * less than new columns: rows of 4 products took 144 us with a branch and 115 without, of 9 as long
 * with as without, one thread of an AMD EPYC, 2026-11-29. */
static bool FN(is_brief)(const spl__once_product *c)
{
    enum { FEW = 6 };
    return c->ahead && c->work < FEW * c->a->rows;
}

/* Finds a block; values are zero before. */
static void FN(start_and_find)(const spl__once_product *c, spl__once_worker *w)
{
    enum { BLOCKS = 64 }; /* one of so many is learned from */
    if (c->flat) {
        FN(find_flat)(c, w);
        return;
    }
    if (c->single) {
        FN(find_single_entries)(c, w);
        return;
    }
    if (!w->cleared)
        memset(w->values, 0, (size_t)c->room * sizeof(T));
    w->cleared = true;
    FN(places) places = {.positions = w->positions,
                         .next = w->next,
                         .copy = w->copy,
                         .at = w->at,
                         .telling = w->foresees ? FN(BRANCH) : FN(SELECT)};
    if (spl__foresight_is_worth(c->work) && !FN(is_brief)(c) && w->own % BLOCKS == 1)
        FN(find_and_learn)(c, w, &places);
    else
        FN(find)(c, w, &places);
    w->next = places.next;
}
