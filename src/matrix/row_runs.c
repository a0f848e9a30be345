/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "matrix/row_runs.h"

#include "core/checked.h"
#include "core/combination.h"

#include <stdbool.h>

enum { WINDOWS = 64, WINDOW_ROWS = 16 };

#define SELF "matrix/row_runs.c"
#include "core/each_type.h"

typedef bool (*repeats_fn)(const spl_sparse *csr, int64_t i);
static const repeats_fn repeats_table[SPL__COMBINATIONS] = SPL__TABLE(row_repeats);

static repeats_fn repeats_of(const spl_sparse *csr)
{
    return repeats_table[spl__combination(csr->type, csr->offset_type, csr->index_type)];
}

double spl__row_runs_sample(const spl_sparse *csr)
{
    const repeats_fn repeats = repeats_of(csr);
    const int64_t step = spl__max_i64(WINDOW_ROWS, csr->rows / WINDOWS);
    int64_t entries = 0, repeated = 0;
    for (int64_t begin = 0; begin < csr->rows; begin += step)
        for (int64_t i = begin; i < spl__min_i64(begin + WINDOW_ROWS, csr->rows); i++) {
            int64_t length =
                spl__index_at(csr->offsets, csr->offset_type, i + 1) - spl__index_at(csr->offsets, csr->offset_type, i);
            entries += length;
            repeated += i > 0 && repeats(csr, i) ? length : 0;
        }
    return entries > 0 ? (double)repeated / (double)entries : 0;
}

/* Pieces of a run of `rows` rows. */
static void cut_run(int64_t rows, int most, uint8_t *runs)
{
    while (rows > 0) {
        int64_t pieces = (rows + most - 1) / most, piece = (rows + pieces - 1) / pieces;
        *runs = (uint8_t)piece;
        runs += piece;
        rows -= piece;
    }
}

void spl__row_runs_find(const spl_sparse *csr, int64_t first, int64_t last, int most, uint8_t *runs)
{
    const repeats_fn repeats = repeats_of(csr);
    for (int64_t i = first, end; i < last; i = end) {
        end = i + 1;
        while (end < last && repeats(csr, end))
            end++;
        cut_run(end - i, most, runs + i);
    }
}

#else
#include "matrix/row_repeats.h"
#endif
