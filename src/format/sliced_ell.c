/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/sliced_ell.h"

#include "core/checked.h"
#include "core/combination.h"
#include "matrix/arrange.h"

#include <stdlib.h>

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

/* Writes to `order` those rows of begin..end that form slices as they are (`lanes` neighbours of
 * equal length), and lists the others in `rest`. Returns the number of the others. */
static int64_t take_neighbours(const int64_t *lengths, int64_t begin, int64_t end, int lanes,
                               long_row *rest, int64_t *order)
{
    int64_t left = 0, run;
    for (int64_t i = begin; i < end; i += run) {
        for (run = 1; run < lanes && i + run < end && lengths[i + run] == lengths[i];)
            run++;
        for (int64_t r = i; r < i + run; r++)
            if (run == lanes)
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
static void sort_window(const int64_t *lengths, int64_t begin, int64_t end, int lanes,
                        long_row *scratch, int64_t *order)
{
    int64_t left = take_neighbours(lengths, begin, end, lanes, scratch, order + begin);
    sort_rest(scratch, left, order + end - left);
}

/* *order = all rows, window by window. */
static spl_status sort_rows(spl__account *account, const int64_t *lengths, int64_t rows, int lanes,
                            int64_t window, int64_t **order)
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
        sort_window(lengths, begin, spl__min_i64(begin + window, rows), lanes, scratch, *order);
    spl__free(scratch);
    return SPL_OK;
}

spl_status spl__sliced_ell_stored(spl__account *account, const int64_t *row_lengths, int64_t rows,
                                  int lanes, int64_t window, int64_t *stored)
{
    int64_t *order;
    SPL__TRY(sort_rows(account, row_lengths, rows, lanes, window, &order));
    *stored = 0;
    for (int64_t i = 0; i < rows; i += lanes)
        *stored += row_lengths[order[i]] * lanes;
    spl__free(order);
    return SPL_OK;
}

/* ---- making ---- */

static void list_slices(spl__sliced_ell *s, const int64_t *lengths, const int64_t *order)
{
    int64_t rows = s->shape.rows, lanes = s->lanes;
    s->begin[0] = 0;
    for (int64_t k = 0; k < s->slices; k++) {
        int64_t first = k * lanes, last = first + lanes - 1;
        s->begin[k + 1] = s->begin[k] + lengths[order[first]] * lanes;
        s->full[k] = last < rows ? lengths[order[last]] : 0;
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

static spl_status make(spl__account *account, const spl_sparse *csr, int64_t window,
                       spl__sliced_ell *s)
{
    int64_t *lengths = NULL, *order = NULL;
    SPL__TRY(spl__fits(csr->rows - 1, csr->index_type, "rows"));
    spl_status status = allocate_slices(account, s);
    if (status == SPL_OK)
        status = spl__row_lengths(account, csr, &lengths);
    if (status == SPL_OK)
        status = sort_rows(account, lengths, csr->rows, s->lanes, window, &order);
    if (status == SPL_OK)
        list_slices(s, lengths, order);
    spl__free(order);
    spl__free(lengths);
    if (status == SPL_OK)
        status =
            spl__alloc(account, s->begin[s->slices], spl__index_size(csr->index_type), &s->indices);
    if (status == SPL_OK)
        status = spl__alloc(account, s->begin[s->slices], spl__type_size(csr->type), &s->values);
    return status;
}

spl_status spl__sliced_ell_make(spl__account *account, const spl_sparse *csr, int lanes,
                                int64_t window, int threads, spl__sliced_ell *s)
{
    *s =
        (spl__sliced_ell){.shape = *csr, .lanes = lanes, .slices = (csr->rows + lanes - 1) / lanes};
    s->shape.offsets = s->shape.indices = s->shape.values = NULL;
    spl_status status = make(account, csr, window, s);
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
    *sliced = (spl__sliced_ell){0};
}

#else

static void FN(copy_structure)(spl__watch *watch, const spl__sliced_ell *s, const spl_sparse *csr,
                               int threads)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices, *rows = s->rows;
    const int lanes = s->lanes;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        int64_t width = (s->begin[k + 1] - s->begin[k]) / lanes;
        for (int r = 0; r < lanes; r++) {
            I row = rows[k * lanes + r], *lane = (I *)s->indices + s->begin[k] + r;
            int64_t length = row < 0 ? 0 : offsets[row + 1] - offsets[row];
            for (int64_t e = 0; e < width; e++)
                lane[e * lanes] = e < length ? columns[offsets[row] + e] : -1;
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
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t k = 0; k < s->slices; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
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
