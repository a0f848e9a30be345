/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/cpu/once_rows.h"

#include "core/checked.h"
#include "core/threads/team.h"
#include "core/variant.h"
#include "machine/machine.h"
#include "matrix/matrix.h"
#include "spgemm/cpu/once_blocks.h"
#include "spgemm/cpu/rows/shifted_rows.h"
#include "spgemm/cpu/rows/sum_space.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define SELF "spgemm/cpu/once_rows.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_once, spl__once_pass, pass, SPL__V4)

#ifndef SPL__VARIANT

spl__once_pass spl__once_pass_of(const spl_sparse *a)
{
    return kernel(spl__combination(a->type, a->offset_type, a->index_type));
}

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

/* Within a loop that mostly has few turns: keeps compilers from making registers of them, which are
 * longer prepared than the loop takes. */
#ifndef IN_TURN
#define IN_TURN(number) __asm__("" : "+r"(number))
#endif

#include "spgemm/cpu/rows/order_row.h"
#include "spgemm/cpu/rows/place_row.h"
#ifdef __AVX512VL__
#include "spgemm/cpu/rows/repeat_row.h"
#else
#include "spgemm/cpu/rows/forget_rows.h"
#endif
#include "spgemm/cpu/rows/flat_row.h"
#include "spgemm/cpu/rows/scan_row.h"
#include "spgemm/cpu/rows/single_entries.h"

#include "spgemm/cpu/rows/sample_columns.h"

/* Whether most entries of some rows are near those at the same place in the row before: then rows
 * of B that they meet are consecutive, which processors foresee. */
static SPL__APART bool FN(goes_along)(const spl_sparse *m)
{
    enum { SAMPLES = 32, NEAR = 8 };
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int64_t near = 0, all = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t i = 1 + s * (m->rows - 2) / SAMPLES;
        for (P p = i < 1 ? 0 : offsets[i], q = p - offsets[i - 1]; p < offsets[i + 1]; p++, all++) {
            const P before = p - q;
            near += before < offsets[i] && columns[p] - columns[before] <= NEAR &&
                    columns[before] - columns[p] <= NEAR;
        }
    }
    return 2 * near >= all;
}

/* The length of the longest row. */
static SPL__APART int64_t FN(longest)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    P longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    return (int64_t)longest;
}

/* Columns from the first to the last of a row of C, in the mean of some evenly spaced rows, if rows
 * of B are in order. */
static SPL__APART double FN(mean_span)(const spl_sparse *a, const spl_sparse *b)
{
    enum { SAMPLES = 16 };
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    int64_t all = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t i = (2 * s + 1) * a->rows / (2 * SAMPLES);
        int64_t first = b->cols, end = 0;
        for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
            const P begin = b_offsets[a_columns[p]], after = b_offsets[a_columns[p] + 1];
            if (begin == after)
                continue;
            first = spl__min_i64(first, b_columns[begin]);
            end = spl__max_i64(end, b_columns[after - 1] + 1);
        }
        all += spl__max_i64(0, end - first);
    }
    return (double)all / SAMPLES;
}

/* Looks at A and B as a whole. */
static void FN(look)(spl__once_product *c)
{
    static const double REPEATED = 3.0 / 8; /* as in blocks of two, which plans multiply as such */
    enum {
        TIMES = 4,      /* the mean length of rows of B: what bounds may exceed products by */
        FEW_ROWS = 1024 /* pay for shapes only where nearly all have one in common */
    };
    const int64_t of_a = FN(longest)(c->a), of_b = FN(longest)(c->b);
    const double bytes = (double)c->b->nnz * (sizeof(T) + sizeof(I)),
                 most = (double)c->a->nnz * (double)of_b; /* products */
    const bool near = bytes <= spl__machine_cpu.near_bytes,
               holed = c->a->nnz < c->a->rows || c->b->nnz < c->b->rows;
    c->single = of_a == 1 && of_b == 1 && holed;
    c->repeats = most > spl__machine_cpu.once_repeated && spl__once_repeated(c->a) >= REPEATED;
    c->of_nodes =
        c->repeats || (most > spl__machine_cpu.once_flat_repeated && spl__once_is_of_nodes(c->a));
    if (most > SPL__FLAT_ROW * (double)c->a->rows)
        c->span = FN(mean_span)(c->a, c->b);
    c->shifted = c->a->rows > FEW_ROWS
                     ? spl__is_shifted(c->a) && spl__is_shifted(c->b)
                     : spl__is_shifted_mostly(c->a) && spl__is_shifted_mostly(c->b);
    /* One block learns nothing. */
    c->along = (near && most < SPL__ONCE_WHOLE) || c->a->rows == 1 || FN(goes_along)(c->a);
    c->ahead = !near && !c->along;
    c->has_long_rows = !spl__sum_is_sorted(of_a * of_b, c->b->cols);
    if (!c->has_long_rows && of_b * c->b->rows <= TIMES * c->b->nnz)
        c->longest = of_b;
}

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

/* Adds terms of a long row from p on, as long as rows of B have few entries; returns the term after
 * them. Apart, so that this loop keeps its registers. */
static SPL__APART P FN(add_short_terms)(const spl__once_product *c, const FN(accumulator) *sums,
                                        P p, P end, FN(marked) *marked)
{
    enum { FEW = 3 }; /* entries that are added without a call */
    const P *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    ACC *dense = sums->dense;
    FN(marked) own = *marked;
    for (; p < end; p++) {
        const P first = b_offsets[a_columns[p]], last = b_offsets[a_columns[p] + 1];
        if (last - first > FEW)
            break;
        const T scale = alpha * a_values[p];
        for (P q = first; q < last; q++) {
            const I column = b_columns[q];
            dense[column] += scale * b_values[q];
            FN(mark_next)(sums, column, &own);
        }
    }
    *marked = own;
    return p;
}

/* Row i of C, of up to `work` products or more than can be sorted, in order; returns its length. */
static SPL__APART int64_t FN(sum_row)(const spl__once_product *c, void *space, int64_t i,
                                      int64_t work, I *columns, T *values)
{
    const P *b_offsets = c->b->offsets, end = ((const P *)c->a->offsets)[i + 1];
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    FN(accumulator) sums = FN(begin_sums)(c->b->cols, work, space);
    FN(marked) marked = {0, 0, 0};
    for (P p = ((const P *)c->a->offsets)[i]; p < end; p++) {
        if (!sums.keys)
            p = FN(add_short_terms)(c, &sums, p, end, &marked);
        if (p == end)
            break;
        const P first = b_offsets[a_columns[p]], last = b_offsets[a_columns[p] + 1];
        FN(add_scaled)(&sums, b_columns + first, b_values + first, last - first,
                       alpha * a_values[p]);
    }
    FN(mark_word)(&sums, &marked);
    sums.top |= marked.top;
    const int64_t count = FN(end_row)(&sums, columns, values);
    FN(remember_row)(c->a, c->b, i, space, &sums, count);
    return count;
}

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

static void FN(pass)(spl__once_product *c, spl__once_stage next, spl__once_worker *w)
{
    if (next == SPL__ONCE_SAMPLE)
        FN(sample)(c);
    else if (next == SPL__ONCE_LOOK)
        FN(look)(c);
    else if (next == SPL__ONCE_COUNT)
        FN(count)(c, w);
    else if (next == SPL__ONCE_CUT)
        FN(cut)(c);
    else if (next == SPL__ONCE_FIND)
        FN(start_and_find)(c, w);
    else
        FN(order)(c, w);
}

#endif
