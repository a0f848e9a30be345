/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/diagonal_slices.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team_seconds.h"

#define SELF "format/diagonal_slices.c"
#include "core/each_type.h"

typedef int32_t (*count_fn)(const spl_sparse *csr, int64_t first, int lanes, double fill);
typedef void (*list_fn)(const spl_sparse *csr, int64_t first, int lanes, void *indices,
                        uint16_t *masks);
static const count_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE(count_lines);
static const list_fn list_kernels[SPL__COMBINATIONS] = SPL__TABLE(list_lines);

int32_t spl__diagonal_lines_of(const spl_sparse *csr, int64_t first, int lanes, double fill)
{
    return count_kernels[spl__combination_of_structure(csr)](csr, first, lanes, fill);
}

void spl__diagonal_lines(spl__watch *watch, const spl_sparse *csr, int lanes, double fill,
                         int threads, int32_t *lines)
{
    const count_fn count = count_kernels[spl__combination_of_structure(csr)];
    const int64_t whole = csr->rows / lanes, all = (csr->rows + lanes - 1) / lanes;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(csr->nnz + csr->rows, threads)))   \
    schedule(static)
    for (int64_t g = 0; g < all; g++)
        if (spl__watch_goes_on_at(watch, g))
            lines[g] = g < whole ? count(csr, g * lanes, lanes, fill) : 0;
}

void spl__diagonal_lines_list(const spl_sparse *csr, int64_t first, int lanes, void *indices,
                              uint16_t *masks)
{
    list_kernels[spl__combination_of_structure(csr)](csr, first, lanes, indices, masks);
}

#else

/* Rows that are walked together, a diagonal at a time. */
typedef struct FN(walk) {
    const I *columns;
    int64_t next[SPL__DIAGONAL_LANES], end[SPL__DIAGONAL_LANES];
    I distance[SPL__DIAGONAL_LANES]; /* of the next entry, or beyond all */
    int64_t first;
    int lanes;
} FN(walk);

static const I FN(BEYOND) = sizeof(I) == 4 ? (I)INT32_MAX : (I)INT64_MAX;

static inline I FN(distance)(const FN(walk) *w, int r)
{
    return w->next[r] < w->end[r] ? (I)(w->columns[w->next[r]] - (w->first + r)) : FN(BEYOND);
}

static FN(walk) FN(start)(const spl_sparse *csr, int64_t first, int lanes)
{
    const P *offsets = csr->offsets;
    FN(walk) w = {.columns = csr->indices, .first = first, .lanes = lanes};
    for (int r = 0; r < lanes; r++) {
        w.next[r] = offsets[first + r];
        w.end[r] = offsets[first + r + 1];
        w.distance[r] = FN(distance)(&w, r);
    }
    return w;
}

/* Moves row r behind its entry; returns whether it goes on behind that. */
static inline bool FN(advance)(FN(walk) *w, int r)
{
    const I before = w->distance[r];
    w->next[r]++;
    w->distance[r] = FN(distance)(w, r);
    return w->distance[r] > before;
}

/* The lanes on the next diagonal, *distance, or 0 at the end; *ascends becomes false where a row
 * does not go on behind it. The lanes of a mask are gone through by their bits, since a branch for
 * each is foreseen in whole lines only: nine points with half of their entries took 1.7 times as
 * long. */
static inline unsigned FN(next_line)(FN(walk) *w, I *distance, bool *ascends)
{
    I least = FN(BEYOND);
    unsigned mask = 0, goes_on = 1;
    for (int r = 0; r < w->lanes; r++)
        least = w->distance[r] < least ? w->distance[r] : least;
    *distance = least;
    if (least == FN(BEYOND))
        return 0;
    for (int r = 0; r < w->lanes; r++)
        mask |= (unsigned)(w->distance[r] == least) << r;
    if (mask == (1U << w->lanes) - 1)
        for (int r = 0; r < w->lanes; r++)
            goes_on &= FN(advance)(w, r);
    else
        for (unsigned left = mask; left; left &= left - 1)
            goes_on &= FN(advance)(w, __builtin_ctz(left));
    *ascends &= goes_on;
    return mask;
}

static int32_t FN(count_lines)(const spl_sparse *csr, int64_t first, int lanes, double fill)
{
    const P *offsets = csr->offsets;
    const double most = (double)(offsets[first + lanes] - offsets[first]) / (fill * lanes);
    FN(walk) w = FN(start)(csr, first, lanes);
    bool ascends = true;
    I distance;
    int32_t lines = 0;
    for (; FN(next_line)(&w, &distance, &ascends); lines++)
        if (!ascends || lines + 1 > most)
            return 0;
    return lines;
}

static void FN(list_lines)(const spl_sparse *csr, int64_t first, int lanes, void *indices,
                           uint16_t *masks)
{
    FN(walk) w = FN(start)(csr, first, lanes);
    bool ascends = true;
    I distance, *line = indices;
    for (unsigned mask; (mask = FN(next_line)(&w, &distance, &ascends)) != 0; line += lanes) {
        *masks++ = (uint16_t)mask;
        for (int r = 0; r < lanes; r++)
            line[r] = mask >> r & 1 ? (I)(first + r + distance) : -1;
    }
}

#endif
