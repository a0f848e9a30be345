/* SPDX-License-Identifier: Apache-2.0 */
/* view_check.c: checks what the arrays of a view hold: offsets and indices. */
#include "core/checked.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "matrix/view.h"

#include <stdbool.h>

/* The least elements for which several threads pay; elements between polls of the watch. */
enum { PIECE = 1 << 16, AT_ONCE = 8 /* are checked as fast as one is elsewhere */ };

/* Whether an index is negative or above `last`: the sign of a difference tells. One pass without
 * branches, and without the comparison of unsigned integers that narrow instruction sets lack. */
static SPL__APART bool outside_32(const uint32_t *indices, int64_t count, uint32_t last)
{
    uint32_t signs = 0;
    for (int64_t p = 0; p < count; p++)
        signs |= indices[p] | (last - indices[p]);
    return signs >> 31;
}

static SPL__APART bool outside_64(const uint64_t *indices, int64_t count, uint64_t last)
{
    uint64_t signs = 0;
    for (int64_t p = 0; p < count; p++)
        signs |= indices[p] | (last - indices[p]);
    return signs >> 63;
}

bool spl__indices_within(const void *indices, spl_index type, int64_t from, int64_t count,
                         int64_t bound)
{
    const int64_t last = bound - 1;
    return !(type == SPL_I32 ? outside_32((const uint32_t *)indices + from, count,
                                          (uint32_t)spl__min_i64(last, INT32_MAX))
                             : outside_64((const uint64_t *)indices + from, count, (uint64_t)last));
}

/* Incomplete after a cancel. Few indices are looked at without a region of OpenMP, which would take
 * longer. */
static bool indices_fit(spl__watch *watch, int threads, const void *indices, spl_index type,
                        int64_t count, int64_t bound)
{
    bool some = false;
    if (count <= PIECE)
        return spl__indices_within(indices, type, 0, count, bound);
#pragma omp parallel for num_threads(spl__team(spl__threads_for(count / AT_ONCE, threads)))        \
    reduction(||                                                                                   \
              : some)
    for (int64_t p = 0; p < count; p += PIECE) {
        if (!spl__watch_goes_on(watch))
            continue;
        bool found = !spl__indices_within(indices, type, p, spl__min_i64(PIECE, count - p), bound);
        some = some || found;
    }
    return !some;
}

static int64_t first_misfit(const void *indices, spl_index type, int64_t count, int64_t bound)
{
    int64_t p = 0;
    while (p < count && spl__index_at(indices, type, p) >= 0 &&
           spl__index_at(indices, type, p) < bound)
        p++;
    return p;
}

static const char *line_name(const spl_sparse *v)
{
    return v->format == SPL_CSR ? "row" : "column";
}

spl_status spl__fail_offsets(const spl_sparse *v, const char *name, int64_t i, int64_t begin,
                             int64_t end)
{
    if (i == 0 && begin != 0)
        return spl__fail(SPL_INVALID_MATRIX, "%s: the first offset is %lld, not 0", name,
                         (long long)begin);
    if (begin > end || end > v->nnz)
        return spl__fail(
            SPL_INVALID_MATRIX, "%s: %s %lld: offsets go from %lld to %lld, nnz is %lld", name,
            line_name(v), (long long)i, (long long)begin, (long long)end, (long long)v->nnz);
    return spl__fail(SPL_INVALID_MATRIX, "%s: the last offset is %lld, nnz is %lld", name,
                     (long long)end, (long long)v->nnz);
}

spl_status spl__fail_index(const spl_sparse *v, const char *name, int64_t i, int64_t p,
                           int64_t index)
{
    bool csr = v->format == SPL_CSR;
    return spl__fail(SPL_INVALID_MATRIX, "%s: %s %lld, entry %lld: %s %lld is not in 0..%lld", name,
                     line_name(v), (long long)i, (long long)p, csr ? "column" : "row",
                     (long long)index, (long long)((csr ? v->cols : v->rows) - 1));
}

spl_status spl__fail_position(const spl_sparse *v, const char *name, int64_t p, int64_t row,
                              int64_t col)
{
    return spl__fail(
        SPL_INVALID_MATRIX, "%s: entry %lld: position (%lld,%lld) is not in a %lld x %lld matrix",
        name, (long long)p, (long long)row, (long long)col, (long long)v->rows, (long long)v->cols);
}

static int descents_32(const int32_t *offsets, int64_t lines)
{
    int descents = 0;
    for (int64_t i = 0; i < lines; i++)
        descents |= offsets[i + 1] < offsets[i];
    return descents;
}

static int descents_64(const int64_t *offsets, int64_t lines)
{
    int descents = 0;
    for (int64_t i = 0; i < lines; i++)
        descents |= offsets[i + 1] < offsets[i];
    return descents;
}

static int descents(const void *offsets, spl_index type, int64_t from, int64_t lines)
{
    return type == SPL_I32 ? descents_32((const int32_t *)offsets + from, lines)
                           : descents_64((const int64_t *)offsets + from, lines);
}

static bool offsets_ascend(int threads, const void *offsets, spl_index type, int64_t lines)
{
    enum { LINES = 1 << 14 };
    int found = 0;
    if (lines <= LINES)
        return !descents(offsets, type, 0, lines);
#pragma omp parallel for num_threads(spl__team(spl__threads_for(lines / AT_ONCE, threads)))        \
    reduction(|                                                                                    \
              : found)
    for (int64_t i = 0; i < lines; i += LINES)
        found |= descents(offsets, type, i, spl__min_i64(LINES, lines - i));
    return !found;
}

/* Offsets start at 0, never decrease, end at nnz. */
spl_status spl__view_check_offsets(int threads, const spl_sparse *v, const char *name)
{
    int64_t lines = spl__offsets_count(v) - 1, begin = spl__index_at(v->offsets, v->offset_type, 0);
    if (begin != 0)
        return spl__fail_offsets(v, name, 0, begin, begin);
    if (spl__index_at(v->offsets, v->offset_type, lines) == v->nnz &&
        offsets_ascend(threads, v->offsets, v->offset_type, lines))
        return SPL_OK;
    for (int64_t i = 0; i < lines; i++) {
        int64_t end = spl__index_at(v->offsets, v->offset_type, i + 1);
        if (end < begin || end > v->nnz)
            return spl__fail_offsets(v, name, i, begin, end);
        begin = end;
    }
    return begin == v->nnz ? SPL_OK : spl__fail_offsets(v, name, lines, begin, begin);
}

static spl_status check_compressed(spl__watch *watch, int threads, const spl_sparse *v,
                                   const char *name)
{
    int64_t bound = v->format == SPL_CSR ? v->cols : v->rows, i = 0;
    SPL__TRY(spl__view_check_offsets(threads, v, name));
    if (indices_fit(watch, threads, v->indices, v->index_type, v->nnz, bound))
        return SPL_OK;
    int64_t p = first_misfit(v->indices, v->index_type, v->nnz, bound);
    while (spl__index_at(v->offsets, v->offset_type, i + 1) <= p)
        i++;
    return spl__fail_index(v, name, i, p, spl__index_at(v->indices, v->index_type, p));
}

static spl_status check_coordinates(spl__watch *watch, int threads, const spl_sparse *v,
                                    const char *name)
{
    if (indices_fit(watch, threads, v->offsets, v->index_type, v->nnz, v->rows) &&
        indices_fit(watch, threads, v->indices, v->index_type, v->nnz, v->cols))
        return SPL_OK;
    int64_t p = spl__min_i64(first_misfit(v->offsets, v->index_type, v->nnz, v->rows),
                             first_misfit(v->indices, v->index_type, v->nnz, v->cols));
    return spl__fail_position(v, name, p, spl__index_at(v->offsets, v->index_type, p),
                              spl__index_at(v->indices, v->index_type, p));
}

spl_status spl__view_check(spl__watch *watch, int threads, const spl_sparse *view, const char *name)
{
    SPL__TRY((view->format == SPL_COO ? check_coordinates : check_compressed)(watch, threads, view,
                                                                              name));
    return spl__watch_check(watch);
}
