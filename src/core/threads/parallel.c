/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/parallel.h"

#include "core/checked.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void spl__turn_await(const spl__turns *turns, int64_t block)
{
    while (atomic_load_explicit(&turns->next, memory_order_acquire) != block)
        sched_yield();
}

void spl__turn_pass(spl__turns *turns, int64_t block)
{
    atomic_store_explicit(&turns->next, block + 1, memory_order_release);
}

void spl__touch_pages(spl__watch *watch, int threads, void *memory, size_t bytes)
{
    enum { PAGE = 2 << 20, FEW = 2 };
    char *first = memory, *aligned = first + -(uintptr_t)first % PAGE;
    int64_t pages = aligned - first < (ptrdiff_t)bytes
                        ? (int64_t)((bytes - (size_t)(aligned - first) - 1) / PAGE + 1)
                        : 0;
    if (pages <= FEW)
        return;
    *first = 0;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static, 1)
    for (int64_t k = 0; k < pages; k++)
        if (spl__watch_goes_on(watch))
            aligned[k * PAGE] = 0;
}

void spl__copy_watched(spl__watch *watch, int threads, void *to, const void *from, size_t bytes)
{
    enum { PIECE = 1 << 18 };
    const int team = spl__threads_for_bytes((double)bytes, threads);
    int64_t pieces = (int64_t)(bytes / PIECE + (bytes % PIECE != 0));
#pragma omp parallel for num_threads(spl__team(team)) schedule(static)
    for (int64_t k = 0; k < pieces; k++) {
        size_t begin = (size_t)k * PIECE, end = begin + PIECE < bytes ? begin + PIECE : bytes;
        if (spl__watch_goes_on(watch))
            memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

/* The end of the block that begins at item `first` of a list. */
static int64_t end_in_list(const int64_t *prefix, const int64_t *list, int64_t items,
                           int64_t target, int64_t first)
{
    int64_t k = first, work = 0;
    while (k < items && work < target) {
        work += prefix[list[k] + 1] - prefix[list[k]] + 1;
        k++;
    }
    return k;
}

/* The same of all rows, by bisection. */
static int64_t end_in_rows(const int64_t *prefix, int64_t rows, int64_t target, int64_t first)
{
    int64_t low = first + 1, high = rows; /* the end is one of low..high */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (prefix[middle] - prefix[first] + (middle - first) >= target)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

/* Writes block ends if `begin` is not NULL; returns the number of blocks. */
static int64_t cut(const int64_t *prefix, const int64_t *list, int64_t items, int64_t target,
                   int64_t *begin)
{
    int64_t count = 0;
    for (int64_t end = 0; end < items;) {
        end = list ? end_in_list(prefix, list, items, target, end)
                   : end_in_rows(prefix, items, target, end);
        count++;
        if (begin)
            begin[count] = end;
    }
    return count;
}

spl_status spl__blocks_make(spl__account *account, const int64_t *prefix, const int64_t *list,
                            int64_t items, int64_t target, spl__blocks *blocks)
{
    blocks->count = cut(prefix, list, items, target, NULL);
    SPL__TRY(SPL__NEW(account, &blocks->begin, blocks->count + 1));
    blocks->begin[0] = 0;
    cut(prefix, list, items, target, blocks->begin);
    return SPL_OK;
}

void spl__blocks_keep_runs(spl__blocks *blocks, int64_t most,
                           bool (*continues)(const void *context, int64_t item),
                           const void *context)
{
    int64_t count = 0, items = blocks->begin[blocks->count];
    for (int64_t b = 1; b <= blocks->count; b++) {
        int64_t end = blocks->begin[b], last = spl__min_i64(items, end + most);
        while (end < last && continues(context, end))
            end++;
        if (end > blocks->begin[count])
            blocks->begin[++count] = end;
    }
    blocks->count = count;
}

void spl__blocks_free(spl__blocks *blocks)
{
    spl__free(blocks->begin);
    *blocks = (spl__blocks){0};
}
