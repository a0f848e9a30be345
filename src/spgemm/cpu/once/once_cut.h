/* SPDX-License-Identifier: Apache-2.0 */
/* once_cut.h: counts products of rows, or bounds them, and cuts the rows of C into blocks. A
 * template. */

/* offsets[i+1] = the products of row i, cut off if an offset cannot hold them: then they are too
 * many for this way. */
static SPL__APART void FN(count_products)(const spl__once_product *c, spl__once_worker *w)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    P *products = c->offsets;
    int64_t all = 0, bound = 0;
    P p = a_offsets[w->begin];
    for (int64_t i = w->begin; i < w->end; i++) {
        const P end = a_offsets[i + 1];
        int64_t work = 0;
        for (; p < end; p++) {
            work += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
            IN_TURN(work);
        }
        products[i + 1] = (P)work;
        all += work;
        bound += spl__min_i64(work, c->b->cols);
    }
    w->work = all;
    w->bound = bound;
}

/* A bound of them instead. */
static SPL__APART void FN(bound_products)(const spl__once_product *c, spl__once_worker *w)
{
    const P *a_offsets = c->a->offsets, longest = (P)c->longest;
    P *products = c->offsets;
    for (int64_t i = w->begin; i < w->end; i++)
        products[i + 1] = longest * (a_offsets[i + 1] - a_offsets[i]);
    w->work = w->bound = c->longest * (int64_t)(a_offsets[w->end] - a_offsets[w->begin]);
}

/* All products, where operands have few entries: a loop without rows, whose ends are not to be
 * predicted. */
static int64_t FN(few_products)(const spl__once_product *c)
{
    const P *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    int64_t all = 0;
    for (int64_t p = 0; p < c->a->nnz; p++)
        all += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
    return all;
}

/* In one block only long rows are told apart. */
static void FN(count)(const spl__once_product *c, spl__once_worker *w)
{
    const bool whole = w->begin == 0 && w->end == c->a->rows;
    if (whole && c->a->nnz < SPL__ONCE_WHOLE && !c->has_long_rows && !c->shifted) {
        w->work = w->bound = FN(few_products)(c);
        if (w->bound < SPL__ONCE_WHOLE)
            return;
    }
    if (c->longest)
        FN(bound_products)(c, w);
    else
        FN(count_products)(c, w);
}

/* The entries that rows may have, of so many products each. */
static inline int64_t FN(room_of)(const P *work, int64_t rows, int64_t cols)
{
    int64_t room = 0;
    for (int64_t i = 0; i < rows; i++)
        room += spl__min_i64((int64_t)work[i], cols);
    return room;
}

/* The row after the block that begins at row `first`, and the entries that it may have. */
static int64_t FN(end_of_block)(const spl__once_product *c, int64_t first, int64_t *room)
{
    enum { STRIDE = 64 }; /* rows that are looked at together, where the block goes on after them */
    const P *work = (const P *)c->offsets + 1;
    const int64_t rows = c->a->rows, cols = c->b->cols;
    int64_t i = first, sum = 0;
    for (; i + STRIDE < rows; i += STRIDE) {
        const int64_t next = FN(room_of)(work + i, STRIDE, cols);
        if (sum + next + i + STRIDE - 1 - first >= c->block)
            break;
        sum += next;
    }
    do
        sum += FN(room_of)(work + i, 1, cols);
    while (sum + i++ - first < c->block && i < rows);
    *room = sum;
    return i;
}

/* Blocks end where their rows can have as many entries, or are that many. A block that has all is
 * not cut. */
static SPL__APART void FN(cut)(spl__once_product *c)
{
    const int64_t rows = c->a->rows;
    int64_t *begin = c->begin;
    *begin = 0;
    if (begin == c->whole) {
        begin[1] = rows;
        c->room = c->bound;
        c->blocks = 1;
        return;
    }
    while (*begin < rows) {
        int64_t room;
        begin[1] = FN(end_of_block)(c, *begin, &room);
        c->room = spl__max_i64(c->room, room);
        begin++;
    }
    c->blocks = begin - c->begin;
}
