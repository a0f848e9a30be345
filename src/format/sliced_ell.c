/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/sliced_ell.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team_seconds.h"
#include "format/diagonal_slices.h"
#include "matrix/arrange.h"

#include <stdlib.h>
#include <string.h>

#define SELF "format/sliced_ell.c"
#include "core/each_type.h"

typedef void (*copy_fn)(spl__watch *watch, const spl__sliced_ell *sliced, const spl_sparse *csr,
                        int threads);
static const copy_fn copy_structure[SPL__COMBINATIONS] = SPL__TABLE(copy_structure);
static const copy_fn copy_values[SPL__COMBINATIONS] = SPL__TABLE(copy_values);

static int combination(const spl_sparse *s)
{
    return spl__combination(s->type, s->offset_type, s->index_type);
}

/* ---- rows in slices: neighbours of equal length, then by descending length; within windows,
 * stable ---- */

enum { CLASSES = 256 }; /* lengths from CLASSES - 1 on are one class, sorted by comparison */

typedef struct long_row {
    int64_t length, row;
} long_row;

static int descending(const void *a, const void *b)
{
    const long_row *x = a, *y = b;
    return x->length != y->length ? (x->length < y->length ? 1 : -1)
                                  : (x->row > y->row) - (x->row < y->row);
}

/* What slices are made of. */
typedef struct row_facts {
    const int64_t *lengths;
    const int32_t *lines; /* of `lanes` neighbours each, see format/diagonal_slices.h; or NULL */
    int lanes;
} row_facts;

static bool on_diagonals(const row_facts *f, int64_t row)
{
    return f->lines && f->lines[row / f->lanes] > 0;
}

/* Appends the rows of begin..end in slices on diagonals. */
static int64_t *take_diagonals(const row_facts *f, int64_t begin, int64_t end, int64_t *order)
{
    for (int64_t i = begin; i < end; i++)
        if (on_diagonals(f, i))
            *order++ = i;
    return order;
}

/* Writes to `order` those other rows of begin..end that form slices as they are (`lanes`
 * neighbours of equal length), and lists what is left in `rest`. Returns the number of the latter.
 */
static int64_t take_neighbours(const row_facts *f, int64_t begin, int64_t end, long_row *rest,
                               int64_t *order)
{
    const int64_t *lengths = f->lengths;
    int64_t left = 0, run;
    for (int64_t i = begin; i < end; i += run) {
        run = 1;
        if (on_diagonals(f, i))
            continue;
        while (run < f->lanes && i + run < end && lengths[i + run] == lengths[i] &&
               !on_diagonals(f, i + run))
            run++;
        for (int64_t r = i; r < i + run; r++)
            if (run == f->lanes)
                *order++ = r;
            else
                rest[left++] = (long_row){lengths[r], r};
    }
    return left;
}

/* order = the `count` rows of `rest`, longest first; overwrites `rest`. */
static void sort_rest(long_row *rest, int64_t count, int64_t *order)
{
    int64_t next[CLASSES + 1] = {0}, longs = 0;
    for (int64_t k = 0; k < count; k++)
        next[CLASSES - 1 - spl__min_i64(rest[k].length, CLASSES - 1) + 1]++;
    for (int c = 0; c < CLASSES; c++)
        next[c + 1] += next[c];
    for (int64_t k = 0; k < count; k++) {
        order[next[CLASSES - 1 - spl__min_i64(rest[k].length, CLASSES - 1)]++] = rest[k].row;
        if (rest[k].length >= CLASSES - 1)
            rest[longs++] = rest[k];
    }
    if (longs > 0)
        qsort(rest, (size_t)longs, sizeof *rest, descending);
    for (int64_t k = 0; k < longs; k++)
        order[k] = rest[k].row;
}

/* order[begin..end) = rows begin..end in sorted order; `scratch` has the size of a window. */
static void sort_window(const row_facts *f, int64_t begin, int64_t end, long_row *scratch,
                        int64_t *order)
{
    int64_t *next = take_diagonals(f, begin, end, order + begin);
    int64_t left = take_neighbours(f, begin, end, scratch, next);
    sort_rest(scratch, left, order + end - left);
}

/* *order = all rows, window by window. */
static spl_status sort_rows(spl__account *account, const row_facts *f, int64_t rows, int64_t window,
                            int64_t **order)
{
    long_row *scratch;
    SPL__TRY(SPL__NEW(account, order, rows));
    spl_status status = SPL__NEW(account, &scratch, spl__min_i64(rows, window));
    if (status != SPL_OK) {
        spl__free(*order);
        *order = NULL;
        return status;
    }
    for (int64_t begin = 0; begin < rows; begin += window)
        sort_window(f, begin, spl__min_i64(begin + window, rows), scratch, *order);
    spl__free(scratch);
    return SPL_OK;
}

spl_status spl__sliced_ell_stored(spl__account *account, const int64_t *row_lengths, int64_t rows,
                                  int lanes, int64_t window, int64_t *stored)
{
    const row_facts facts = {row_lengths, NULL, lanes};
    int64_t *order;
    SPL__TRY(sort_rows(account, &facts, rows, window, &order));
    *stored = 0;
    for (int64_t i = 0; i < rows; i += lanes)
        *stored += row_lengths[order[i]] * lanes;
    spl__free(order);
    return SPL_OK;
}

/* What `count` neighbours from row `first` on are stored in, at most a window of them; adds their
 * entries to *entries. */
static int64_t stored_in_window(const spl_sparse *csr, int64_t first, int64_t count,
                                int64_t *entries)
{
    int64_t lengths[SPL__SLICE_WINDOW], order[SPL__SLICE_WINDOW], stored = 0;
    long_row scratch[SPL__SLICE_WINDOW];
    for (int64_t i = 0, begin = spl__index_at(csr->offsets, csr->offset_type, first); i < count;
         i++) {
        const int64_t end = spl__index_at(csr->offsets, csr->offset_type, first + i + 1);
        lengths[i] = end - begin;
        *entries += end - begin;
        begin = end;
    }
    sort_window(&(row_facts){lengths, NULL, SPL__SLICE_LANES}, 0, count, scratch, order);
    for (int64_t i = 0; i < count; i += SPL__SLICE_LANES)
        stored += lengths[order[i]] * SPL__SLICE_LANES;
    return stored;
}

double spl__sliced_ell_fill_sampled(const spl_sparse *csr)
{
    enum { WINDOWS = 64 };
    const int64_t all = (csr->rows + SPL__SLICE_WINDOW - 1) / SPL__SLICE_WINDOW,
                  windows = spl__min_i64(WINDOWS, all);
    int64_t stored = 0, entries = 0;
    for (int64_t w = 0; w < windows; w++) {
        const int64_t first = all * (2 * w + 1) / (2 * windows) * SPL__SLICE_WINDOW;
        stored += stored_in_window(csr, first, spl__min_i64(SPL__SLICE_WINDOW, csr->rows - first),
                                   &entries);
    }
    return stored > 0 ? (double)entries / (double)stored : 1;
}

/* ---- making ---- */

/* Whether neighbours are on diagonals, but not on all positions. */
static bool have_holes(const row_facts *f, int64_t first)
{
    bool holes = false;
    for (int r = 0; on_diagonals(f, first) && r < f->lanes; r++)
        holes = holes || f->lengths[first + r] < f->lines[first / f->lanes];
    return holes;
}

static void list_slices(spl__sliced_ell *s, const row_facts *f, const int64_t *order)
{
    int64_t rows = s->shape.rows, lanes = s->lanes;
    s->begin[0] = 0;
    for (int64_t k = 0; k < s->slices; k++) {
        int64_t first = k * lanes, last = first + lanes - 1;
        bool holes = have_holes(f, order[first]);
        int64_t width = holes ? f->lines[order[first] / lanes] : f->lengths[order[first]];
        s->begin[k + 1] = s->begin[k] + width * lanes;
        s->full[k] = holes ? SPL__ON_DIAGONALS : last < rows ? f->lengths[order[last]] : 0;
        s->on_diagonals += holes;
        for (int64_t i = first; i <= last; i++)
            spl__index_set(s->rows, s->shape.index_type, i, i < rows ? order[i] : -1);
    }
}

static spl_status allocate_slices(spl__account *account, spl__sliced_ell *s)
{
    SPL__TRY(SPL__NEW(account, &s->begin, s->slices + 1));
    SPL__TRY(SPL__NEW(account, &s->full, s->slices));
    return spl__alloc(account, s->slices * s->lanes, spl__index_size(s->shape.index_type),
                      &s->rows);
}

/* *lines = the diagonals of neighbours, if some neighbours have them. */
static spl_status find_diagonals(spl__account *account, const spl_sparse *csr, double fill,
                                 int threads, const spl__sliced_ell *s, int32_t **lines)
{
    if (fill > 1)
        return SPL_OK;
    SPL__TRY(SPL__NEW(account, lines, s->slices));
    spl__diagonal_lines(spl__account_watch(account), csr, s->lanes, fill, threads, *lines);
    return spl__watch_check(spl__account_watch(account));
}

static spl_status allocate_entries(spl__account *account, const spl_sparse *csr, spl__sliced_ell *s)
{
    const int64_t stored = s->begin[s->slices];
    SPL__TRY(spl__alloc(account, stored, spl__index_size(csr->index_type), &s->indices));
    SPL__TRY(spl__alloc(account, stored, spl__type_size(csr->type), &s->values));
    return s->on_diagonals > 0 ? SPL__NEW(account, &s->masks, stored / s->lanes) : SPL_OK;
}

static spl_status make(spl__account *account, const spl_sparse *csr, int64_t window, double fill,
                       int threads, spl__sliced_ell *s)
{
    int64_t *lengths = NULL, *order = NULL;
    int32_t *lines = NULL;
    SPL__TRY(spl__fits(csr->rows - 1, csr->index_type, "rows"));
    spl_status status = allocate_slices(account, s);
    if (status == SPL_OK)
        status = spl__row_lengths(account, csr, &lengths);
    if (status == SPL_OK)
        status = find_diagonals(account, csr, fill, threads, s, &lines);
    const row_facts facts = {lengths, lines, s->lanes};
    if (status == SPL_OK)
        status = sort_rows(account, &facts, csr->rows, window, &order);
    if (status == SPL_OK)
        list_slices(s, &facts, order);
    spl__free(order);
    spl__free(lines);
    spl__free(lengths);
    return status == SPL_OK ? allocate_entries(account, csr, s) : status;
}

spl_status spl__sliced_ell_make(spl__account *account, const spl_sparse *csr, int lanes,
                                int64_t window, double fill, int threads, spl__sliced_ell *s)
{
    *s =
        (spl__sliced_ell){.shape = *csr, .lanes = lanes, .slices = (csr->rows + lanes - 1) / lanes};
    s->shape.offsets = s->shape.indices = s->shape.values = NULL;
    spl_status status = make(account, csr, window, fill, threads, s);
    if (status == SPL_OK)
        copy_structure[combination(csr)](spl__account_watch(account), s, csr, threads);
    else
        spl__sliced_ell_free(s);
    return status;
}

void spl__sliced_ell_fill(spl__watch *watch, spl__sliced_ell *sliced, const spl_sparse *csr,
                          int threads)
{
    copy_values[combination(csr)](watch, sliced, csr, threads);
}

void spl__sliced_ell_free(spl__sliced_ell *sliced)
{
    spl__free(sliced->begin);
    spl__free(sliced->full);
    spl__free(sliced->rows);
    spl__free(sliced->indices);
    spl__free(sliced->values);
    spl__free(sliced->masks);
    *sliced = (spl__sliced_ell){0};
}

#else

static void FN(copy_structure)(spl__watch *watch, const spl__sliced_ell *s, const spl_sparse *csr,
                               int threads)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices, *rows = s->rows;
    const int lanes = s->lanes;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->begin[s->slices], threads)))    \
    schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        if (s->full[k] == SPL__ON_DIAGONALS) {
            spl__diagonal_lines_list(csr, rows[k * lanes], lanes, (I *)s->indices + s->begin[k],
                                     s->masks + s->begin[k] / lanes);
            continue;
        }
        int64_t width = (s->begin[k + 1] - s->begin[k]) / lanes;
        for (int r = 0; r < lanes; r++) {
            I row = rows[k * lanes + r], *lane = (I *)s->indices + s->begin[k] + r;
            int64_t length = row < 0 ? 0 : offsets[row + 1] - offsets[row];
            for (int64_t e = 0; e < width; e++)
                lane[e * lanes] = e < length ? columns[offsets[row] + e] : -1;
        }
    }
}

/* The values of a slice on diagonals: entries of a row are in its lines in order. */
static void FN(copy_diagonals)(const spl__sliced_ell *s, const spl_sparse *csr, int64_t k)
{
    const int lanes = s->lanes;
    const uint16_t *masks = s->masks + s->begin[k] / lanes;
    const int64_t width = (s->begin[k + 1] - s->begin[k]) / lanes;
    const P *offsets = (const P *)csr->offsets + ((const I *)s->rows)[k * lanes];
    const T *values = csr->values;
    T *line = (T *)s->values + s->begin[k];
    P next[SPL__DIAGONAL_LANES];
    memcpy(next, offsets, (size_t)lanes * sizeof *next);
    memset(line, 0, (size_t)(width * lanes) * sizeof *line);
    for (int64_t e = 0; e < width; e++, line += lanes) {
        const bool whole = masks[e] == (1U << lanes) - 1;
        for (int r = 0; whole && r < lanes; r++)
            line[r] = values[next[r]++];
        for (unsigned left = whole ? 0 : masks[e]; left; left &= left - 1) {
            const int r = __builtin_ctz(left);
            line[r] = values[next[r]++];
        }
    }
}

static void FN(copy_values)(spl__watch *watch, const spl__sliced_ell *s, const spl_sparse *csr,
                            int threads)
{
    const P *offsets = csr->offsets;
    const I *rows = s->rows;
    const T *values = csr->values;
    const int lanes = s->lanes;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(s->begin[s->slices], threads)))    \
    schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        if (s->full[k] == SPL__ON_DIAGONALS) {
            FN(copy_diagonals)(s, csr, k);
            continue;
        }
        int64_t width = (s->begin[k + 1] - s->begin[k]) / lanes;
        for (int r = 0; r < lanes; r++) {
            I row = rows[k * lanes + r];
            T *lane = (T *)s->values + s->begin[k] + r;
            int64_t length = row < 0 ? 0 : offsets[row + 1] - offsets[row];
            for (int64_t e = 0; e < width; e++)
                lane[e * lanes] = e < length ? values[offsets[row] + e] : 0;
        }
    }
}

#endif
