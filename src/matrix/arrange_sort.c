/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/arrange.h"

#include "core/checked.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"

#include <omp.h>
#include <string.h>

/* entries that one thread sorts alone; rows a thread takes at a time */
enum { ROWS = 64 };

typedef struct pair {
    int64_t column, from;
} pair;

static bool ascends(const spl_sparse *csr, int64_t begin, int64_t end)
{
    for (int64_t p = begin + 1; p < end; p++)
        if (spl__index_at(csr->indices, csr->index_type, p) <
            spl__index_at(csr->indices, csr->index_type, p - 1))
            return false;
    return true;
}

static void insertion_sort(pair *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        pair moving = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1].column > moving.column; j--)
            a[j] = a[j - 1];
        a[j] = moving;
    }
}

static void merge(const pair *left, int64_t left_count, const pair *right, int64_t right_count,
                  pair *out)
{
    int64_t i = 0, j = 0;
    while (i < left_count && j < right_count)
        *out++ = right[j].column < left[i].column ? right[j++] : left[i++];
    memcpy(out, left + i, (size_t)(left_count - i) * sizeof *left);
    memcpy(out + (left_count - i), right + j, (size_t)(right_count - j) * sizeof *right);
}

/* Stable bottom-up merge sort on runs made by insertion; the result is in `a`, `spare` has n
 * elements too. After a cancel it is nothing. */
static void merge_sort(spl__watch *watch, pair *a, pair *spare, int64_t n)
{
    enum { RUN = 24, LONG = 1 << 12 };
    for (int64_t i = 0; i < n && spl__watch_goes_on_at(watch, i / RUN); i += RUN)
        insertion_sort(a + i, spl__min_i64(RUN, n - i));
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            int64_t left = spl__min_i64(width, n - i), right = spl__min_i64(width, n - i - left);
            if (width < LONG || spl__watch_goes_on(watch))
                merge(a + i, left, a + i + left, right, spare + i);
        }
        memcpy(a, spare, (size_t)n * sizeof *a);
    }
}

/* Sorts entries begin..end of the arrangement, which owns its indices and `from`. */
static void sort_row(spl__watch *watch, spl__arrangement *a, int64_t begin, int64_t end, pair *work)
{
    int64_t n = end - begin;
    for (int64_t k = 0; k < n; k++)
        work[k] =
            (pair){spl__index_at(a->indices, a->csr.index_type, begin + k), a->from[begin + k]};
    merge_sort(watch, work, work + n, n);
    if (!spl__watch_goes_on(watch))
        return;
    for (int64_t k = 0; k < n; k++) {
        spl__index_set(a->indices, a->csr.index_type, begin + k, work[k].column);
        a->from[begin + k] = work[k].from;
    }
}

/* Longest row that is not sorted yet, 0 if there is none. */
static int64_t longest_unsorted(spl__watch *watch, const spl_sparse *csr, int threads)
{
    int64_t longest = 0;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(csr->nnz, threads)))               \
    reduction(max                                                                                  \
              : longest)
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t begin = spl__index_at(csr->offsets, csr->offset_type, i);
        int64_t end = spl__index_at(csr->offsets, csr->offset_type, i + 1);
        if (spl__watch_goes_on_at(watch, i) && end - begin > longest && !ascends(csr, begin, end))
            longest = end - begin;
    }
    return longest;
}

static spl_status own_entries(spl__account *account, spl__arrangement *a)
{
    spl__watch *watch = spl__account_watch(account);
    if (!a->indices) {
        SPL__TRY(spl__alloc(account, a->csr.nnz, spl__index_size(a->csr.index_type), &a->indices));
        spl__copy_indices(watch, a->indices, a->csr.index_type, a->csr.indices, a->csr.index_type,
                          a->csr.nnz);
        a->csr.indices = a->indices;
    }
    if (!a->from) {
        SPL__TRY(SPL__NEW(account, &a->from, a->csr.nnz));
        for (int64_t k = 0; k < a->csr.nnz && spl__watch_goes_on_at(watch, k); k++)
            a->from[k] = k;
    }
    return spl__watch_check(watch);
}

/* `work` has 2*longest pairs for each thread. */
static void sort_rows(spl__watch *watch, spl__arrangement *a, int threads, pair *work,
                      int64_t longest)
{
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, ROWS)
    for (int64_t i = 0; i < a->csr.rows; i++) {
        int64_t begin = spl__index_at(a->csr.offsets, a->csr.offset_type, i);
        int64_t end = spl__index_at(a->csr.offsets, a->csr.offset_type, i + 1);
        if (spl__watch_goes_on_at(watch, i) && !ascends(&a->csr, begin, end))
            sort_row(watch, a, begin, end, work + omp_get_thread_num() * 2 * longest);
    }
}

spl_status spl__arrange_sort(spl__account *account, int threads, spl__arrangement *a)
{
    spl__watch *watch = spl__account_watch(account);
    int64_t longest = longest_unsorted(watch, &a->csr, threads);
    SPL__TRY(spl__watch_check(watch));
    if (longest == 0)
        return SPL_OK;
    SPL__TRY(own_entries(account, a));
    pair *work = NULL;
    /* work stays below 2*nnz */
    threads = (int)spl__min_i64(spl__threads_for(a->csr.nnz, threads), a->csr.nnz / longest);
    spl_status status = SPL__NEW(account, &work, 2 * longest * threads);
    if (status == SPL_OVER_BUDGET && threads > 1) {
        threads = 1;
        status = SPL__NEW(account, &work, 2 * longest);
    }
    if (status != SPL_OK)
        return status;
    sort_rows(watch, a, threads, work, longest);
    spl__free(work);
    return spl__watch_check(watch);
}
