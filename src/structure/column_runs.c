/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "structure/column_runs.h"

#include "core/combination.h"
#include "core/error.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"

#define SELF "structure/column_runs.c"
#include "core/each_type.h"

/* Writes the number of runs of each row to first[k], except for rows that equal the previous
 * one. */
typedef void (*count_fn)(spl__watch *watch, const spl_sparse *m, int threads,
                         const uint8_t *equals_previous, int64_t *first);
static const count_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE(count_runs);
typedef void (*fill_fn)(spl__watch *watch, const spl_sparse *m, int threads,
                        const uint8_t *equals_previous, spl__column_runs *runs);
static const fill_fn fill_kernels[SPL__COMBINATIONS] = SPL__TABLE(fill_runs);

/* Turns counts into begins; returns their sum. */
static int64_t position_runs(int64_t rows, const uint8_t *equals_previous, int64_t *first)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < rows; k++) {
        int64_t count = equals_previous[k] ? 0 : first[k];
        first[k] = equals_previous[k] ? first[k - 1] : sum;
        sum += count;
    }
    return sum;
}

spl_status spl__column_runs_make(spl__account *account, int threads, const spl_sparse *csr,
                                 const uint8_t *equals_previous, spl__column_runs *runs)
{
    int combination = spl__combination_of_structure(csr);
    spl__watch *watch = spl__account_watch(account);
    *runs = (spl__column_runs){0};
    SPL__TRY(SPL__NEW(account, &runs->first, csr->rows));
    count_kernels[combination](watch, csr, threads, equals_previous, runs->first);
    SPL__TRY(spl__watch_check(watch));
    runs->count = position_runs(csr->rows, equals_previous, runs->first);
    SPL__TRY(spl__alloc(account, runs->count, 2 * spl__index_size(csr->index_type), &runs->pairs));
    fill_kernels[combination](watch, csr, threads, equals_previous, runs);
    return spl__watch_check(watch);
}

void spl__column_runs_free(spl__column_runs *runs)
{
    spl__free(runs->first);
    spl__free(runs->pairs);
    *runs = (spl__column_runs){0};
}

#else

static void FN(count_runs)(spl__watch *watch, const spl_sparse *m, int threads,
                           const uint8_t *equals_previous, int64_t *first)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(m->nnz, threads))) schedule(static)
    for (int64_t k = 0; k < m->rows; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        int64_t count = offsets[k] < offsets[k + 1];
        for (P q = offsets[k] + 1; !equals_previous[k] && q < offsets[k + 1]; q++)
            count += columns[q] != columns[q - 1] + 1;
        first[k] = count;
    }
}

static void FN(fill_row)(const I *columns, int64_t count, I *restrict pair)
{
    for (int64_t q = 0, begin = 0; q < count; q++)
        if (q + 1 == count || columns[q + 1] != columns[q] + 1) {
            *pair++ = columns[begin];
            *pair++ = (I)(q + 1 - begin);
            begin = q + 1;
        }
}

static void FN(fill_runs)(spl__watch *watch, const spl_sparse *m, int threads,
                          const uint8_t *equals_previous, spl__column_runs *runs)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    I *pairs = runs->pairs;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(m->nnz, threads))) schedule(static)
    for (int64_t k = 0; k < m->rows; k++) {
        if (equals_previous[k] || offsets[k] == offsets[k + 1] || !spl__watch_goes_on_at(watch, k))
            continue;
        FN(fill_row)(columns + offsets[k], offsets[k + 1] - offsets[k], pairs + 2 * runs->first[k]);
    }
}

#endif
