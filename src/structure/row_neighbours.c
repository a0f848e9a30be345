/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "structure/row_neighbours.h"

#include "core/checked.h"
#include "core/combination.h"

/* The entries of the sampled rows, and those that the previous row predicts. */
typedef struct sums {
    int64_t entries, repeated, shifted;
} sums;

enum { STRETCHES = 64, STRETCH_ROWS = 32 };

#define SELF "structure/row_neighbours.c"
#include "core/each_type.h"

typedef void (*sample_fn)(const spl_sparse *a, int64_t begin, int64_t end, sums *s);
static const sample_fn sample_kernels[SPL__COMBINATIONS] = SPL__TABLE(sample_rows);

static double share(int64_t part, int64_t total)
{
    return total > 0 ? (double)part / (double)total : 0;
}

spl__row_neighbours spl__row_neighbours_of(const spl_sparse *a)
{
    const sample_fn sample = sample_kernels[spl__combination_of_structure(a)];
    int64_t stretches = spl__min_i64(STRETCHES, a->rows / STRETCH_ROWS + (a->rows > 0));
    sums s = {0};
    for (int64_t k = 0; k < stretches; k++) {
        int64_t begin = a->rows / stretches * k;
        sample(a, begin, spl__min_i64(begin + STRETCH_ROWS, a->rows), &s);
    }
    return (spl__row_neighbours){share(s.repeated, s.entries), share(s.shifted, s.entries)};
}

#else

#include "structure/row_equals_previous.h"

/* The entries of row i on the same diagonals as the entries at the same positions of row i - 1. */
static int64_t FN(shifted)(const spl_sparse *a, int64_t i)
{
    const P *offsets = a->offsets;
    const I *row = (const I *)a->indices + offsets[i],
            *before = (const I *)a->indices + offsets[i - 1];
    int64_t length = offsets[i + 1] - offsets[i], count = 0;
    if (length != offsets[i] - offsets[i - 1])
        return 0;
    for (int64_t k = 0; k < length; k++)
        count += row[k] - 1 == before[k];
    return count;
}

/* Compares each of the rows begin + 1..end with the previous one. */
static void FN(sample_rows)(const spl_sparse *a, int64_t begin, int64_t end, sums *s)
{
    const P *offsets = a->offsets;
    for (int64_t i = begin + 1; i < end; i++) {
        int64_t length = offsets[i + 1] - offsets[i];
        s->entries += length;
        s->repeated += FN(row_equals_previous)(a, i) ? length : 0;
        s->shifted += FN(shifted)(a, i);
    }
}

#endif
