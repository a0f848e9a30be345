/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "format/rvs.h"

#include "core/combination.h"
#include "core/threads/team_seconds.h"
#include "matrix/arrange.h"

/* The threads that copy the rows of a block: 1 where waking others takes longer. */
static int threads_of(const spl__rvs_block *b, int threads)
{
    const double row = 2e-9, entry = 1e-9, rows = (double)(b[1].first - b->first);
    return spl__threads_worth(rows * (row + entry * (double)b->length), threads);
}

#define SELF "format/rvs.c"
#include "core/each_type.h"

typedef void (*list_fn)(const spl__rvs *rvs, const int64_t *lengths, int64_t *next);
typedef void (*copy_fn)(spl__watch *watch, const spl__rvs *rvs, const spl_sparse *csr, int threads);
static const list_fn list_rows[SPL__COMBINATIONS] = SPL__TABLE(list_rows);
static const copy_fn copy_structure[SPL__COMBINATIONS] = SPL__TABLE(copy_structure);
static const copy_fn copy_values[SPL__COMBINATIONS] = SPL__TABLE(copy_values);

static int combination(const spl_sparse *s)
{
    return spl__combination(s->type, s->offset_type, s->index_type);
}

/* Makes the table of blocks from the distribution function. */
static spl_status make_blocks(spl__account *account, const spl__distribution *d, spl__rvs *rvs)
{
    int64_t empty = d->count > 0 && d->lengths[0] == 0 ? 1 : 0;
    rvs->count = d->count - empty;
    SPL__TRY(SPL__NEW(account, &rvs->blocks, rvs->count + 1));
    int64_t row = empty ? d->row_counts[0] : 0, entry = 0;
    for (int64_t b = 0; b < rvs->count; b++) {
        rvs->blocks[b] = (spl__rvs_block){d->lengths[b + empty], row, entry};
        row += d->row_counts[b + empty];
        entry += d->row_counts[b + empty] * d->lengths[b + empty];
    }
    rvs->blocks[rvs->count] = (spl__rvs_block){0, row, entry};
    return SPL_OK;
}

/* Writes rvs->rows; next[m] is the position of the next row of m entries. */
static spl_status make_list(spl__account *account, const spl__distribution *d,
                            const int64_t *lengths, spl__rvs *rvs)
{
    int64_t *next, longest = d->count > 0 ? d->lengths[d->count - 1] : 0;
    SPL__TRY(SPL__NEW(account, &next, longest + 1));
    next[0] = 0;
    for (int64_t b = 0; b < rvs->count; b++)
        next[rvs->blocks[b].length] = rvs->blocks[b].first;
    list_rows[combination(&rvs->shape)](rvs, lengths, next);
    spl__free(next);
    return SPL_OK;
}

static spl_status make(spl__account *account, const spl_sparse *csr, const int64_t *lengths,
                       const spl__distribution *d, spl__rvs *rvs)
{
    SPL__TRY(make_blocks(account, d, rvs));
    SPL__TRY(spl__alloc(account, csr->rows, spl__index_size(csr->index_type), &rvs->rows));
    SPL__TRY(make_list(account, d, lengths, rvs));
    SPL__TRY(spl__alloc(account, csr->nnz, spl__index_size(csr->index_type), &rvs->indices));
    return spl__alloc(account, csr->nnz, spl__type_size(csr->type), &rvs->values);
}

spl_status spl__rvs_make(spl__account *account, const spl_sparse *csr, int threads, spl__rvs *rvs)
{
    int64_t *lengths = NULL;
    spl__distribution d = {0};
    *rvs = (spl__rvs){.shape = *csr};
    rvs->shape.offsets = rvs->shape.indices = rvs->shape.values = NULL;
    SPL__TRY(spl__fits(csr->rows - 1, csr->index_type, "rows"));
    spl_status status = spl__row_lengths(account, csr, &lengths);
    if (status == SPL_OK)
        status = spl__distribution_make(account, lengths, csr->rows, &d);
    if (status == SPL_OK)
        status = make(account, csr, lengths, &d, rvs);
    if (status == SPL_OK)
        copy_structure[combination(csr)](spl__account_watch(account), rvs, csr, threads);
    else
        spl__rvs_free(rvs);
    spl__distribution_free(&d);
    spl__free(lengths);
    return status;
}

void spl__rvs_fill(spl__watch *watch, spl__rvs *rvs, const spl_sparse *csr, int threads)
{
    copy_values[combination(csr)](watch, rvs, csr, threads);
}

void spl__rvs_free(spl__rvs *rvs)
{
    spl__free(rvs->blocks);
    spl__free(rvs->rows);
    spl__free(rvs->indices);
    spl__free(rvs->values);
    *rvs = (spl__rvs){0};
}

#else

static void FN(list_rows)(const spl__rvs *rvs, const int64_t *lengths, int64_t *next)
{
    for (int64_t i = 0; i < rvs->shape.rows; i++)
        ((I *)rvs->rows)[next[lengths[i]]++] = (I)i;
}

static void FN(copy_structure)(spl__watch *watch, const spl__rvs *rvs, const spl_sparse *csr,
                               int threads)
{
    const P *offsets = csr->offsets;
    const I *columns = csr->indices, *rows = rvs->rows;
    for (const spl__rvs_block *b = rvs->blocks, *last = b + rvs->count; b < last; b++) {
        int64_t begin = b->first, end = b[1].first;
#pragma omp parallel for num_threads(spl__team(threads_of(b, threads))) schedule(static)
        for (int64_t r = begin; r < end; r++)
            for (int64_t k = 0; k < b->length && spl__watch_goes_on_at(watch, r - begin); k++)
                ((I *)rvs->indices)[b->first_entry + (r - begin) * b->length + k] =
                    columns[offsets[rows[r]] + k];
    }
}

static void FN(copy_values)(spl__watch *watch, const spl__rvs *rvs, const spl_sparse *csr,
                            int threads)
{
    const P *offsets = csr->offsets;
    const I *rows = rvs->rows;
    const T *values = csr->values;
    for (const spl__rvs_block *b = rvs->blocks, *last = b + rvs->count; b < last; b++) {
        int64_t begin = b->first, end = b[1].first;
#pragma omp parallel for num_threads(spl__team(threads_of(b, threads))) schedule(static)
        for (int64_t r = begin; r < end; r++)
            for (int64_t k = 0; k < b->length && spl__watch_goes_on_at(watch, r - begin); k++)
                ((T *)rvs->values)[b->first_entry + (r - begin) * b->length + k] =
                    values[offsets[rows[r]] + k];
    }
}

#endif
