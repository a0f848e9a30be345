/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* select.c: a matrix with some of its entries. Entries are counted, then copied, in units: lines of
 * CSR and CSC, pieces of COO. */
#include "algebra/device_select.h"
#include "algebra/threshold.h"
#include "core/checked.h"
#include "core/combination.h"
#include "core/sized.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"
#include "matrix/matrix.h"
#include "sparloom/algebra.h"

#include <math.h>

enum { PIECE = 4096 };

typedef struct chooser {
    spl_selection s;
    uint8_t *listed; /* per row, of SPL_SELECT_ROWS */
    const spl_sparse *source;
    spl_matrix *result; /* NULL while entries are counted */
    int64_t *begin;     /* units + 1: where a unit's entries begin in the result */
    int64_t units;
} chooser;

static inline bool is_kept(const chooser *c, int64_t row, int64_t col, double value)
{
    bool kept = false;
    switch (c->s.selector) {
    case SPL_SELECT_LOWER:
        kept = col - row <= c->s.diagonal;
        break;
    case SPL_SELECT_UPPER:
        kept = col - row >= c->s.diagonal;
        break;
    case SPL_SELECT_DIAGONAL:
        kept = col - row == c->s.diagonal;
        break;
    case SPL_SELECT_AT_LEAST:
        kept = value >= c->s.threshold;
        break;
    case SPL_SELECT_AT_MOST:
        kept = value <= c->s.threshold;
        break;
    case SPL_SELECT_ROWS:
        kept = c->listed[row];
        break;
    }
    return kept != (c->s.invert != 0);
}

#define IN_HALVES
#define IN_INTEGERS
#define SELF "algebra/select.c"
#include "core/each_type.h"

/* Counts, or copies, the kept entries of a unit; returns their number. */
typedef int64_t (*unit_fn)(const chooser *c, int64_t unit);
static const unit_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(count_unit);
static const unit_fn copy_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(copy_unit);

static spl_status check_rows(const spl_selection *s, int64_t rows)
{
    if (s->row_count < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "selection: %lld rows", (long long)s->row_count);
    SPL__TRY(spl__check_array("selection", "rows", s->rows, s->row_count, sizeof *s->rows));
    for (int64_t k = 0; k < s->row_count; k++)
        if (s->rows[k] < 0 || s->rows[k] >= rows)
            return spl__fail(SPL_INVALID_ARGUMENT,
                             "selection: rows[%lld] is %lld, the matrix has %lld rows",
                             (long long)k, (long long)s->rows[k], (long long)rows);
    return SPL_OK;
}

static spl_status check_selection(const spl_selection *s, int64_t rows)
{
    if ((unsigned)s->selector - 1 >= SPL_SELECT_ROWS)
        return spl__fail(SPL_INVALID_ARGUMENT, "selection: %d is not a selector", (int)s->selector);
    if ((unsigned)s->invert > 1)
        return spl__fail(SPL_INVALID_ARGUMENT, "selection: invert is %d, not 0 or 1", s->invert);
    if (isnan(s->threshold))
        return spl__fail(SPL_INVALID_ARGUMENT, "selection: threshold is not a number");
    return s->selector == SPL_SELECT_ROWS ? check_rows(s, rows) : SPL_OK;
}

static int64_t count_units(const spl_sparse *m)
{
    return m->format == SPL_CSR   ? m->rows
           : m->format == SPL_CSC ? m->cols
                                  : m->nnz / PIECE + (m->nnz % PIECE > 0);
}

static void for_units(spl__watch *watch, int threads, const chooser *c, const unit_fn *kernels)
{
    unit_fn kernel = kernels[spl__combination(c->source->type, spl__offsets_type(c->source),
                                              c->source->index_type)];
    threads = spl__threads_for(c->source->nnz, threads);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t u = 0; u < c->units; u++)
        if (spl__watch_goes_on_at(watch, u)) {
            int64_t count = kernel(c, u);
            if (!c->result)
                c->begin[u + 1] = count;
        }
}

static spl_status mark_rows(spl__account *account, chooser *c)
{
    if (c->s.selector != SPL_SELECT_ROWS)
        return SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(account, &c->listed, c->source->rows));
    for (int64_t k = 0; k < c->s.row_count; k++)
        c->listed[c->s.rows[k]] = 1;
    return SPL_OK;
}

static void write_offsets(const chooser *c)
{
    const spl_sparse *view = &c->result->view;
    for (int64_t u = 0; view->format != SPL_COO && u <= c->units; u++)
        spl__index_set(c->result->offsets, view->offset_type, u, c->begin[u]);
}

static spl_status copy_kept(spl__account *account, int threads, chooser *c, spl_matrix **result)
{
    spl__watch *watch = spl__account_watch(account);
    spl_sparse header = *c->source;
    SPL__TRY(mark_rows(account, c));
    SPL__TRY(SPL__NEW_ZERO(account, &c->begin, c->units + 1));
    for_units(watch, threads, c, count_kernels);
    SPL__TRY(spl__watch_check(watch));
    for (int64_t u = 0; u < c->units; u++)
        c->begin[u + 1] += c->begin[u];
    header.nnz = c->begin[c->units];
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_new(account, &header, &c->result));
    *result = c->result;
    write_offsets(c);
    for_units(watch, threads, c, copy_kernels);
    return spl__watch_check(watch);
}

spl_status spl_select(spl_context *context, const spl_sparse *source,
                      const spl_selection *selection, spl_matrix **result)
{
    spl_sparse view;
    chooser c = {.source = &view};
    spl_matrix *m = NULL;
    spl__watched call;
    if (!context || !selection || !result)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !context     ? "context"
                         : !selection ? "selection"
                                      : "result");
    SPL__TRY(spl__sized_read(&c.s, sizeof c.s, selection, "spl_selection"));
    spl__account *account = spl__watched_begin(&call, context, "select", 0);
    if (source && source->place.kind != SPL_HOST) {
        SPL__TRY(spl__view_read_anywhere(&view, source, "source"));
        SPL__TRY(check_selection(&c.s, view.rows));
        return spl__device_select(context, account, &view, &c.s, result);
    }
    SPL__TRY(spl__view_take(account->watch, &view, source, "source"));
    SPL__TRY(check_selection(&c.s, view.rows));
    c.units = count_units(&view);
    spl_status status = copy_kept(account, spl__threads(context, 0), &c, &m);
    spl__free(c.listed);
    spl__free(c.begin);
    if (status != SPL_OK) {
        spl_matrix_destroy(m);
        return status;
    }
    spl__matrix_move(m, &context->account);
    *result = m;
    return SPL_OK;
}

#else
#ifdef INTEGER
#define AS_REAL(value, threshold) spl__beside(value, threshold)
#else
#define AS_REAL(value, threshold) ((double)WIDEN(value))
#endif

/* Calls for the kept entries: the number of one in the source, and that of those before. */
static inline int64_t FN(visit)(const chooser *c, int64_t unit, bool copies)
{
    const spl_sparse *m = c->source;
    const P *offsets = m->offsets;
    const I *indices = m->indices, *coordinates = m->offsets;
    const T *values = m->values;
    const bool coo = m->format == SPL_COO, by_columns = m->format == SPL_CSC;
    int64_t begin = coo ? unit * PIECE : offsets[unit],
            end = coo ? spl__min_i64(begin + PIECE, m->nnz) : offsets[unit + 1], kept = 0;
    int64_t first = copies ? c->begin[unit] : 0;
    for (int64_t p = begin; p < end; p++) {
        int64_t line = coo ? coordinates[p] : unit;
        if (!is_kept(c, by_columns ? indices[p] : line, by_columns ? line : indices[p],
                     AS_REAL(values[p], c->s.threshold)))
            continue;
        if (copies) {
            ((I *)c->result->indices)[first + kept] = indices[p];
            ((T *)c->result->values)[first + kept] = values[p];
            if (coo)
                ((I *)c->result->offsets)[first + kept] = coordinates[p];
        }
        kept++;
    }
    return kept;
}

static int64_t FN(count_unit)(const chooser *c, int64_t unit)
{
    return FN(visit)(c, unit, false);
}

static int64_t FN(copy_unit)(const chooser *c, int64_t unit)
{
    return FN(visit)(c, unit, true);
}

#undef AS_REAL

#endif
