/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "structure/identical_rows.h"

#include "core/combination.h"
#include "core/error.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"

#include <stdbool.h>

#define SELF "structure/identical_rows.c"
#include "core/each_type.h"

typedef void (*mark_fn)(spl__watch *watch, int threads, const spl_sparse *csr, uint8_t *flags);
static const mark_fn mark_table[SPL__COMBINATIONS] = SPL__TABLE(mark);

typedef bool (*equals_previous_fn)(const spl_sparse *csr, int64_t i);
static const equals_previous_fn equals_previous_table[SPL__COMBINATIONS] =
    SPL__TABLE(row_equals_previous);

static equals_previous_fn equals_previous_of(const spl_sparse *csr)
{
    return equals_previous_table[spl__combination_of_structure(csr)];
}

spl_status spl__identical_rows_mark(spl__account *account, int threads, const spl_sparse *csr,
                                    uint8_t **equals_previous)
{
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(SPL__NEW(account, equals_previous, csr->rows + 1));
    uint8_t *flags = *equals_previous;
    flags[0] = flags[csr->rows] = 0;
    mark_table[spl__combination_of_structure(csr)](watch, threads, csr, flags);
    return spl__watch_check(watch);
}

/* Divides a run of `rows` rows into pieces. */
static void cut_run(int64_t rows, int most, uint8_t *runs)
{
    while (rows > 0) {
        int64_t pieces = (rows + most - 1) / most, piece = (rows + pieces - 1) / pieces;
        *runs = (uint8_t)piece;
        runs += piece;
        rows -= piece;
    }
}

void spl__identical_rows_find(const spl_sparse *csr, int64_t first, int64_t last, int most,
                              uint8_t *runs)
{
    const equals_previous_fn equals_previous = equals_previous_of(csr);
    for (int64_t i = first, end; i < last; i = end) {
        end = i + 1;
        while (end < last && equals_previous(csr, end))
            end++;
        cut_run(end - i, most, runs + i);
    }
}

#else
#include "structure/row_equals_previous.h"

/* flags[i]: whether row i equals the one before, from the second row on. */
static void FN(mark)(spl__watch *watch, int threads, const spl_sparse *csr, uint8_t *flags)
{
#pragma omp parallel for num_threads(spl__team(spl__threads_for(csr->nnz, threads)))               \
    schedule(static)
    for (int64_t i = 1; i < csr->rows; i++)
        flags[i] = spl__watch_goes_on_at(watch, i) && FN(row_equals_previous)(csr, i);
}

#endif
