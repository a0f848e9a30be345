/* SPDX-License-Identifier: Apache-2.0 */
/* once_place.h: places rows of C, and learns whether a branch tells their new columns. A template,
 * after place_row.h and scan_row.h. */

/* A new row of places, which are cleared for the first one. */
static inline void FN(clear_places)(const spl__once_product *c, FN(places) *places)
{
    memset(places->positions, 0, (size_t)c->b->cols * sizeof *places->positions);
    places->next = 1;
}

/* Another row is learned from, or enough have been. */
static SPL__APART void FN(learn)(const spl__once_product *c, FN(places) *places)
{
    const spl__machine *m = &spl__machine_cpu;
    if (spl__foresight_row(places->foresight))
        places->telling =
            spl__foresight_pays(places->foresight,
                                (uint32_t)(c->along ? m->once_missed : m->once_waited))
                ? FN(BRANCH)
                : FN(SELECT);
}

/* Places row i to learn whether a branch pays, or scans it. */
static SPL__APART int64_t FN(place_otherwise)(const spl__once_product *c, FN(places) *places,
                                              int64_t i, FN(entries) to)
{
    enum { SCANNED = 2 * SPL__KEY_LANES }; /* entries from which sorting takes longer */
    const T alpha = *(const T *)c->alpha;
    if (places->telling == FN(LEARN))
        FN(learn)(c, places);
    const int64_t count = c->longest == 1
                              ? FN(place_singles)(places, c->a, c->b, i, alpha, to)
                              : FN(place_row)(places, c->a, c->b, i, alpha, to, c->ahead);
    if (c->scans && count > SCANNED)
        FN(scan_row)(places, count, to.columns, to.values);
    return count;
}

/* Places row i. Apart, so that the loop over rows that are copied or empty stays short. */
static SPL__APART int64_t FN(place)(const spl__once_product *c, FN(places) *places, int64_t i,
                                    I *columns, T *values)
{
    const T alpha = *(const T *)c->alpha;
    const FN(entries) to = {columns, values};
    if (places->next == 0)
        FN(clear_places)(c, places);
    if (places->telling == FN(LEARN) || c->scans)
        return FN(place_otherwise)(c, places, i, to);
    if (c->longest == 1)
        return FN(place_singles)(places, c->a, c->b, i, alpha, to);
    if (places->telling == FN(BRANCH))
        return FN(branch_row)(places, c->a, c->b, i, alpha, to, c->ahead);
    return c->ahead ? FN(select_row_ahead)(places, c->a, c->b, i, alpha, to)
                    : FN(select_row)(places, c->a, c->b, i, alpha, to);
}

/* Rows from row i on, as long as each has several terms, are placed with a branch; the first
 * becomes entry `found` of the block. Returns the row after them. Rows that are short take no call
 * each. */
static SPL__APART int64_t FN(branch_rows)(const spl__once_product *c, const spl__once_worker *w,
                                          FN(places) *places, int64_t i, int64_t found,
                                          int64_t *most)
{
    const P *a_offsets = c->a->offsets;
    P *offsets = c->offsets;
    const T alpha = *(const T *)c->alpha;
    FN(places) own = *places; /* in registers */
    int64_t longest = *most;
    for (; i < w->end && a_offsets[i + 1] - a_offsets[i] > 1; i++) {
        const FN(entries) to = {(I *)w->columns + found, (T *)w->values + found};
        const int64_t count =
            FN(place_terms_of)(&own, c->a, c->b, i, (ACC)alpha, to, false, FN(BRANCH));
        longest = spl__max_i64(longest, count);
        found += count;
        offsets[i + 1] = (P)found;
    }
    *places = own;
    *most = longest;
    return i;
}
