/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* reduce.c: values combined by a monoid: all of them, or those of each row or column. Lines of the
 * format are combined by several threads, a line by one; across lines one thread goes through the
 * entries in order. */
#include "algebra/device_reduce.h"
#include "core/checked.h"
#include "core/combination.h"
#include "core/integer.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"
#include "matrix/lines.h"
#include "matrix/view.h"
#include "sparloom/algebra.h"

enum { PIECE = 65536 };

/* Sums are of f64, or i64 for integers, which wrap as narrower ones do. */
typedef union sum {
    double real;
    int64_t whole;
} sum;

/* How entries are put together. */
typedef enum grouping { ALL, LINES, ACROSS } grouping;

typedef struct work {
    const spl_sparse *m;
    spl_monoid monoid;
    grouping grouping;
    bool by_rows; /* of COO, ACROSS: the first coordinate counts */
    sum *sums;
    int64_t count;
    int threads;
    spl__watch *watch;
} work;

/* Pieces of all entries, one sum each, become one. */
static int64_t pieces_of(const work *w)
{
    return w->grouping == ALL ? w->m->nnz / PIECE + 1 : w->count;
}

#define IN_HALVES
#define IN_INTEGERS
#define SELF "algebra/reduce.c"
#include "core/each_type.h"

typedef spl_status (*reduce_fn)(const work *w, void *result);
static const reduce_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(reduce);

static grouping grouping_of(const spl_sparse *m, spl_reduction reduction)
{
    if (reduction == SPL_REDUCE_ALL)
        return ALL;
    bool along = m->format == (reduction == SPL_REDUCE_ROWS ? SPL_CSR : SPL_CSC);
    return along ? LINES : ACROSS;
}

static int64_t length_of(const spl_sparse *m, spl_reduction reduction)
{
    return reduction == SPL_REDUCE_ALL ? 1 : reduction == SPL_REDUCE_ROWS ? m->rows : m->cols;
}

static spl_status reduce_view(spl__account *account, work *w, void *result)
{
    w->watch = spl__account_watch(account);
    SPL__TRY(SPL__NEW(account, &w->sums, pieces_of(w)));
    spl_status status =
        kernels[spl__combination(w->m->type, spl__offsets_type(w->m), w->m->index_type)](w, result);
    spl__free(w->sums);
    return status;
}

static spl_status check_request(const spl_sparse *m, spl_monoid monoid, spl_reduction reduction,
                                const void *result)
{
    if ((unsigned)monoid - 1 >= SPL_MAX)
        return spl__fail(SPL_INVALID_ARGUMENT, "%d is not a monoid", (int)monoid);
    if ((unsigned)reduction - 1 >= SPL_REDUCE_COLUMNS)
        return spl__fail(SPL_INVALID_ARGUMENT, "%d is not a reduction", (int)reduction);
    int64_t length = length_of(m, reduction);
    size_t size = spl__type_size(spl__type_of_sums(m->type));
    SPL__TRY(spl__check_array(NULL, "result", result, length, size));
    const spl__lines lines = spl__lines_of_array(result, length, size);
    return spl__check_apart_from(&lines, "result", m, "matrix");
}

spl_status spl_reduce(spl_context *context, const spl_sparse *matrix, spl_monoid monoid,
                      spl_reduction reduction, void *result)
{
    spl_sparse view;
    spl__watched call;
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    spl__account *account = spl__watched_begin(&call, context, "reduce", 0);
    if (matrix && matrix->place.kind != SPL_HOST) {
        SPL__TRY(spl__view_read_anywhere(&view, matrix, "matrix"));
        SPL__TRY(check_request(&view, monoid, reduction, result));
        return spl__device_reduce(context, &view, monoid, reduction, result);
    }
    SPL__TRY(spl__view_take(account->watch, &view, matrix, "matrix"));
    SPL__TRY(check_request(&view, monoid, reduction, result));
    work w = {.m = &view,
              .monoid = monoid,
              .grouping = grouping_of(&view, reduction),
              .by_rows = view.format == SPL_COO && reduction == SPL_REDUCE_ROWS,
              .count = length_of(&view, reduction),
              .threads = spl__threads(context, 0)};
    return reduce_view(account, &w, result);
}

#else

#include "algebra/monoid.h"

#ifdef INTEGER
#define MEMBER whole
#else
#define MEMBER real
#endif

static SUM FN(reduce_piece)(const work *w, int64_t begin, int64_t end)
{
    const T *values = w->m->values;
    SUM all = FN(identity)(w->monoid);
    for (int64_t p = begin; p < end; p++)
        all = FN(combine)(w->monoid, all, (SUM)WIDEN(values[p]));
    return all;
}

/* Adds each entry to the sum of its index; of COO by rows, of its row. */
static void FN(reduce_across)(const work *w)
{
    const I *numbers = w->by_rows ? w->m->offsets : w->m->indices;
    const T *values = w->m->values;
    for (int64_t k = 0; k < w->count; k++)
        w->sums[k].MEMBER = FN(identity)(w->monoid);
    for (int64_t p = 0; p < w->m->nnz && spl__watch_goes_on_at(w->watch, p); p++) {
        SUM *at = &w->sums[numbers[p]].MEMBER;
        *at = FN(combine)(w->monoid, *at, (SUM)WIDEN(values[p]));
    }
}

static void FN(reduce_along)(const work *w)
{
    const P *offsets = w->m->offsets;
    int64_t units = pieces_of(w), nnz = w->m->nnz;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(nnz, w->threads))) schedule(static)
    for (int64_t u = 0; u < units; u++)
        if (spl__watch_goes_on_at(w->watch, u))
            w->sums[u].MEMBER =
                w->grouping == ALL
                    ? FN(reduce_piece)(w, u * PIECE, spl__min_i64((u + 1) * PIECE, nnz))
                    : FN(reduce_piece)(w, offsets[u], offsets[u + 1]);
}

static spl_status FN(reduce)(const work *w, void *result)
{
    if (w->grouping == ACROSS)
        FN(reduce_across)(w);
    else
        FN(reduce_along)(w);
    SPL__TRY(spl__watch_check(w->watch));
    for (int64_t k = 1; w->grouping == ALL && k < pieces_of(w); k++)
        w->sums[0].MEMBER = FN(combine)(w->monoid, w->sums[0].MEMBER, w->sums[k].MEMBER);
    for (int64_t k = 0; k < w->count; k++)
        ((ACC *)result)[k] = (ACC)w->sums[k].MEMBER;
    return SPL_OK;
}

#undef SUM
#undef MEMBER

#endif
