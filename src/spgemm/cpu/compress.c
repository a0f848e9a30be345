/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "spgemm/cpu/compress.h"

#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team_seconds.h"

#include <string.h>

#define SELF "spgemm/cpu/compress.c"
#include "core/each_type.h"

/* Counts each row's pairs into rows[k].end - rows[k].begin; -1 for a row that equals the
 * previous one. */
typedef void (*count_fn)(spl__watch *watch, const spl_sparse *m, const uint8_t *equals_previous,
                         int threads, spl__compressed *c);
static const count_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE(count_pairs);
typedef void (*fill_fn)(spl__watch *watch, const spl_sparse *m, int threads, spl__compressed *c);
static const fill_fn fill_kernels[SPL__COMBINATIONS] = SPL__TABLE(fill_pairs);

/* Turns counts into begins; rows that equal the previous one keep the mark begin > end for one
 * more pass. */
static int64_t position_rows(spl__compressed_row *rows, int64_t count)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t pairs = rows[k].end;
        rows[k].begin = sum;
        rows[k].end = sum + pairs;
        sum += spl__max_i64(0, pairs);
    }
    return sum;
}

static void share_rows(spl__compressed_row *rows, int64_t count)
{
    for (int64_t k = 1; k < count; k++)
        if (rows[k].end < rows[k].begin)
            rows[k] = rows[k - 1];
}

spl_status spl__compress(spl__account *account, const spl_sparse *m, const uint8_t *equals_previous,
                         int threads, spl__compressed *c)
{
    int combination = spl__combination_of_structure(m);
    spl__watch *watch = spl__account_watch(account);
    *c = (spl__compressed){0};
    SPL__TRY(SPL__NEW(account, &c->rows, m->rows));
    count_kernels[combination](watch, m, equals_previous, threads, c);
    SPL__TRY(spl__watch_check(watch));
    c->pairs = position_rows(c->rows, m->rows);
    SPL__TRY(spl__alloc(account, c->pairs, spl__index_size(m->index_type), &c->ids));
    SPL__TRY(SPL__NEW(account, &c->masks, c->pairs));
    fill_kernels[combination](watch, m, threads, c);
    SPL__TRY(spl__watch_check(watch));
    share_rows(c->rows, m->rows);
    return SPL_OK;
}

void spl__compressed_free(spl__compressed *c)
{
    spl__free(c->rows);
    spl__free(c->ids);
    spl__free(c->masks);
    *c = (spl__compressed){0};
}

#else

static void FN(count_pairs)(spl__watch *watch, const spl_sparse *m, const uint8_t *equals_previous,
                            int threads, spl__compressed *c)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(2 * m->nnz, threads)))             \
    schedule(static)
    for (int64_t k = 0; k < m->rows; k++) {
        if (!spl__watch_goes_on_at(watch, k))
            continue;
        int64_t pairs = equals_previous[k] ? -1 : 0;
        I last = -1;
        for (P q = offsets[k]; q < offsets[k + 1] && pairs >= 0; q++) {
            pairs += columns[q] >> SPL__WORD_SHIFT != last;
            last = columns[q] >> SPL__WORD_SHIFT;
        }
        c->rows[k].end = pairs;
    }
}

static void FN(fill_row)(const spl_sparse *m, int64_t k, spl__compressed *c)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    I *restrict ids = c->ids;
    spl__compressed_row row = {c->rows[k].begin, c->rows[k].end, INT64_MAX, -1};
    int64_t pair = row.begin - 1;
    for (P q = offsets[k]; q < offsets[k + 1]; q++) {
        I id = columns[q] >> SPL__WORD_SHIFT;
        if (pair < row.begin || ids[pair] != id) {
            ids[++pair] = id;
            c->masks[pair] = 0;
            row.lowest = spl__min_i64(row.lowest, id);
            row.highest = spl__max_i64(row.highest, id);
        }
        c->masks[pair] |= (uint64_t)1 << (columns[q] & (SPL__WORD_BITS - 1));
    }
    c->rows[k] = row;
}

static void FN(fill_pairs)(spl__watch *watch, const spl_sparse *m, int threads, spl__compressed *c)
{
#pragma omp parallel for num_threads(spl__team(spl__threads_for(4 * m->nnz, threads)))             \
    schedule(static)
    for (int64_t k = 0; k < m->rows; k++)
        if (spl__watch_goes_on_at(watch, k) && c->rows[k].end >= c->rows[k].begin)
            FN(fill_row)(m, k, c);
}

#endif
