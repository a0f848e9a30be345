/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/cpu/once_bundles.h"

#include "core/checked.h"
#include "core/variant.h"
#include "machine/machine.h"
#include "matrix/view.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/cpu/once_memory.h"
#include "spgemm/cpu/rows/block_terms.h"
#include "spgemm/cpu/rows/sort_keys.h"
#include "spgemm/product.h"
#include "structure/identical_rows.h"

#include <string.h>

/* The workspace of a worker: a bit for each column of C, zero between bundles; the position of each
 * column in a row; the sums of a bundle. */
static size_t bit_bytes(int64_t cols)
{
    return spl__in_lines((size_t)spl__words_of(cols) * sizeof(uint64_t));
}
static size_t position_bytes(int64_t cols, size_t index)
{
    return spl__in_lines((size_t)cols * index);
}

#define SELF "spgemm/cpu/once_bundles.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_once_bundles, spl__once_pass, pass, SPL__V4)

#ifndef SPL__VARIANT

size_t spl__bundles_space(const spl__once_product *c)
{
    return bit_bytes(c->b->cols) + position_bytes(c->b->cols, spl__index_size(c->a->index_type)) +
           (size_t)c->longest * SPL__MOST_ROWS_AT_ONCE * spl__type_size(c->a->type);
}

spl__once_pass spl__once_bundles_pass_of(const spl_sparse *a)
{
    return kernel(spl__combination(a->type, a->offset_type, a->index_type));
}

/* Whether enough rows of A repeat the one before: a few of them, in the middle, did. */
static bool repeats(const spl__once_product *c)
{
    static const double LEAST = 3.0 / 8;
    int64_t repeated = 0;
    for (int64_t i = 0; i < c->a->rows; i++)
        repeated += c->bundles.a_equals_previous[i];
    return (double)repeated >= LEAST * (double)c->a->rows;
}

static spl_status find(spl__account *account, spl__once_product *c)
{
    spl__bundles *own = &c->bundles;
    SPL__TRY(spl__identical_rows_mark(account, c->threads, c->a, &own->a_equals_previous));
    c->bundled = repeats(c);
    if (!c->bundled)
        return SPL_OK;
    if (spl__view_same_structure(c->a, c->b))
        own->b_equals_previous = own->a_equals_previous;
    else
        SPL__TRY(spl__identical_rows_mark(account, c->threads, c->b, &own->b_equals_previous));
    return spl__column_runs_make(account, c->threads, c->b, own->b_equals_previous, &own->runs);
}

spl_status spl__bundles_find(spl__account *account, spl__once_product *c)
{
    const spl_status status = find(account, c);
    c->bundled &= status == SPL_OK;
    if (!c->bundled)
        spl__bundles_free(c);
    return status;
}

void spl__bundles_free(spl__once_product *c)
{
    spl__bundles *own = &c->bundles;
    spl__column_runs_free(&own->runs);
    if (own->b_equals_previous != own->a_equals_previous)
        spl__free(own->b_equals_previous);
    spl__free(own->a_equals_previous);
    own->a_equals_previous = own->b_equals_previous = NULL;
}

#endif
#else

#include "spgemm/cpu/rows/block_factors.h"
#include "spgemm/cpu/rows/write_columns.h"

static inline FN(factors) FN(factors_of)(const spl__once_product *c)
{
    return (FN(factors)){c->a, c->b, c->bundles.b_equals_previous, &c->bundles.runs,
                         *(const T *)c->alpha};
}

/* ---- before rows are found ---- */

/* offsets[i+1] = the entries of distinct rows of B that row i meets. */
static SPL__APART void FN(count)(const spl__once_product *c, spl__once_worker *w)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    P *bounds = c->offsets;
    int64_t all = 0, bound = 0, of_row = 0;
    for (int64_t i = w->begin; i < w->end; i++) {
        if (i == w->begin || !c->bundles.a_equals_previous[i]) {
            const P end = a_offsets[i + 1];
            of_row = 0;
            for (P p = a_offsets[i]; p < end;) {
                const I k = a_columns[p];
                of_row += (int64_t)(b_offsets[k + 1] - b_offsets[k]);
                p += FN(rows_named)(a_columns + p, c->bundles.b_equals_previous,
                                    spl__min_i64((int64_t)(end - p), SPL__MOST_TERMS));
            }
        }
        const int64_t entries = spl__min_i64(of_row, c->b->cols);
        bounds[i + 1] = (P)entries;
        all += of_row;
        bound += entries;
    }
    w->work = all;
    w->bound = bound;
}

/* Blocks end behind a bundle, where their rows can have as many entries, or are that many. */
static SPL__APART void FN(cut)(spl__once_product *c)
{
    const P *bounds = (const P *)c->offsets + 1;
    const int64_t rows = c->a->rows;
    int64_t *begin = c->begin, room = 0, longest = 0;
    *begin = 0;
    for (int64_t i = 0; i < rows;) {
        const int64_t count =
            spl__identical_rows_count(c->bundles.a_equals_previous, i, SPL__MOST_ROWS_AT_ONCE);
        longest = spl__max_i64(longest, (int64_t)bounds[i]);
        room += count * (int64_t)bounds[i];
        i += count;
        if (i < rows && (c->whole == c->begin || room + i - *begin < c->block))
            continue;
        *++begin = i;
        c->room = spl__max_i64(c->room, room);
        room = 0;
    }
    c->longest = longest;
    c->blocks = begin - c->begin;
}

/* ---- rows ---- */

/* Columns from the lowest to before `end`. */
typedef struct FN(reach) {
    I lowest, end;
} FN(reach);

/* Sets the bits of `count` columns from `first` on. */
static inline void FN(set_run)(uint64_t *bits, uint64_t first, uint64_t count)
{
    const uint64_t last = first + count - 1, from = UINT64_MAX << first % SPL__WORD_BITS,
                   to = UINT64_MAX >> (SPL__WORD_BITS - 1 - last % SPL__WORD_BITS);
    uint64_t *word = bits + first / SPL__WORD_BITS, *end = bits + last / SPL__WORD_BITS;
    if (word == end) {
        *word |= from & to;
        return;
    }
    *word |= from;
    while (++word < end)
        *word = UINT64_MAX;
    *end |= to;
}

/* Sets the bits of the runs of a row of B, which has entries. Returns the lowest and the highest
 * column that `reach` and they have. Apart, so that this loop keeps its registers. */
static SPL__APART FN(reach) FN(set_runs)(const I *restrict pair, int64_t length, FN(reach) reach,
                                         uint64_t *restrict bits)
{
    do {
        const I first = pair[0], count = pair[1];
        FN(set_run)(bits, (uint64_t)first, (uint64_t)count);
        reach.lowest = first < reach.lowest ? first : reach.lowest;
        reach.end = first + count > reach.end ? first + count : reach.end;
        length -= count;
        pair += 2;
    } while (length > 0);
    return reach;
}

/* Lists the columns of row i of C, in order; returns their number. */
static SPL__APART int64_t FN(list_columns)(const FN(factors) *f, uint64_t *bits, int64_t i,
                                           I *columns)
{
    const P *a_offsets = f->a->offsets, *b_offsets = f->b->offsets, end = a_offsets[i + 1];
    const I *a_columns = f->a->indices, *before = columns;
    FN(reach) reach = {(I)f->b->cols, 0};
    for (P p = a_offsets[i]; p < end;) {
        const I k = a_columns[p];
        const int64_t length = (int64_t)(b_offsets[k + 1] - b_offsets[k]);
        if (length > 0)
            reach = FN(set_runs)((const I *)f->runs->pairs + 2 * f->runs->first[k], length, reach,
                                 bits);
        p += FN(rows_named)(a_columns + p, f->b_equals_previous,
                            spl__min_i64((int64_t)(end - p), SPL__MOST_TERMS));
    }
    for (I first = reach.lowest / SPL__WORD_BITS * SPL__WORD_BITS; first < reach.end;
         first += SPL__WORD_BITS) {
        uint64_t *word = bits + first / SPL__WORD_BITS;
        if (*word == 0)
            continue;
        FN(write_columns)(*word, first, columns);
        columns += __builtin_popcountll(*word);
        *word = 0;
    }
    return columns - before;
}

#define RUN_LANES 1
#include "spgemm/cpu/rows/bundle_rows.h"
#define RUN_LANES 2
#include "spgemm/cpu/rows/bundle_rows.h"
#define RUN_LANES 4
#include "spgemm/cpu/rows/bundle_rows.h"
#define RUN_LANES 8
#include "spgemm/cpu/rows/bundle_rows.h"

/* Values of rows i to i + rows - 1 of C, of `count` columns. */
static void FN(find_values)(const FN(factors) *f, const FN(bundle) *at, int64_t rows, T *values)
{
    if (rows == 1)
        FN(find_bundle_1)(f, at, 1, values);
    else if (rows == 2)
        FN(find_bundle_2)(f, at, 2, values);
    else if (rows <= 4)
        FN(find_bundle_4)(f, at, rows, values);
    else
        FN(find_bundle_8)(f, at, rows, values);
}

/* Rows of a block, one behind the other. */
static SPL__APART void FN(find)(const spl__once_product *c, spl__once_worker *w)
{
    const FN(factors) f = FN(factors_of)(c);
    const size_t of_bits = bit_bytes(c->b->cols),
                 of_positions = position_bytes(c->b->cols, sizeof(I));
    uint64_t *bits = w->space;
    FN(bundle) at = {(I *)((char *)w->space + of_bits), (char *)w->space + of_bits + of_positions,
                     0, NULL, 0};
    P *offsets = c->offsets;
    I *columns = w->columns;
    int64_t found = 0;
    if (!w->cleared)
        memset(bits, 0, of_bits);
    w->cleared = true;
    for (int64_t i = w->begin, rows; i < w->end; i += rows) {
        rows = spl__identical_rows_count(c->bundles.a_equals_previous, i, SPL__MOST_ROWS_AT_ONCE);
        at.i = i;
        at.columns = columns + found;
        at.count = FN(list_columns)(&f, bits, i, columns + found);
        FN(find_values)(&f, &at, rows, (T *)w->values + found);
        for (int64_t l = 0; l < rows; l++, found += at.count) {
            if (l > 0)
                memcpy(columns + found, at.columns, (size_t)at.count * sizeof(I));
            offsets[i + l + 1] = (P)(found + at.count);
        }
    }
    w->found = found;
}

/* Moves a block to C. */
static void FN(order)(const spl__once_product *c, const spl__once_worker *w)
{
    P *offsets = c->offsets;
    if (w->found > 0) { /* else C may have no arrays */
        memcpy((I *)c->columns + w->first, w->columns, (size_t)w->found * sizeof(I));
        memcpy((T *)c->values + w->first, w->values, (size_t)w->found * sizeof(T));
    }
    for (int64_t i = w->begin; w->first > 0 && i < w->end; i++)
        offsets[i + 1] += (P)w->first;
    if (w->begin == 0)
        offsets[0] = 0;
}

static void FN(pass)(spl__once_product *c, spl__once_stage next, spl__once_worker *w)
{
    if (next == SPL__ONCE_COUNT)
        FN(count)(c, w);
    else if (next == SPL__ONCE_CUT)
        FN(cut)(c);
    else if (next == SPL__ONCE_FIND)
        FN(find)(c, w);
    else
        FN(order)(c, w);
}

#endif
