/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h: failing inside parallel regions, and cutting rows into blocks of equal work. */
#ifndef SPL_CORE_PARALLEL_H
#define SPL_CORE_PARALLEL_H

#include "core/context.h"

#include <stdatomic.h>
#include <stdbool.h>

/* The first failure among the threads of a region, with its detail (which is thread-local where it
 * happened). */
typedef struct spl__failure {
    atomic_int status;
    spl__kept_failure kept;
} spl__failure;

/* Remembers `status` if it is a failure and the first one; call it in the thread
 * where it happened. */
void spl__failure_note(spl__failure *failure, spl_status status);
bool spl__failed(const spl__failure *failure);
/* Returns the remembered status in the calling thread, with its detail; SPL_OK if none. */
spl_status spl__failure_raise(const spl__failure *failure);

/* Turns of the blocks of a loop that every thread gets in ascending order: block b's comes when all
 * before it have passed theirs, which each must do. Who waits looks again and again and lets other
 * threads run: an ordered region of OpenMP puts threads to sleep where they wait passively. SpGEMM
 * by one_pass was 1.2 to 1.9 times as fast so, 16 threads: doc/decisions/memory.md. */
typedef struct spl__turns {
    atomic_llong next;
} spl__turns;
void spl__turn_await(const spl__turns *turns, int64_t block);
void spl__turn_pass(spl__turns *turns, int64_t block);

/* Makes the pages of a new array ready, each by one thread: threads that write to a large page for
 * the first time at once each clear one, and all but one throw theirs away. The first byte of every
 * 2 MB is set to 0: pages of 4 kB gain nothing. After a cancel the rest stays as it was, which
 * harms nobody. */
struct spl__watch;
void spl__touch_pages(struct spl__watch *watch, int threads, void *memory, size_t bytes);
/* memcpy by several threads, if it is worth that. */
void spl__copy_bytes(int threads, void *to, const void *from, size_t bytes);

/* Consecutive items (rows, or places in a list of rows) in blocks that carry about the same work:
 * block b is begin[b]..begin[b+1]. */
typedef struct spl__blocks {
    int64_t *begin; /* count + 1 */
    int64_t count;
} spl__blocks;

/* Cuts `items` items. Item k stands for row list[k] (k without a list), whose work is prefix[row+1]
 * - prefix[row], plus 1. A block closes when it reaches `target` work. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__blocks_make(spl__account *account, const int64_t *prefix, const int64_t *list,
                            int64_t items, int64_t target, spl__blocks *blocks);
/* Moves the beginnings of blocks on while together(of, item) says that the item belongs with the
 * one before it, past `most` items at most; blocks that are left without items go. */
void spl__blocks_keep_runs(spl__blocks *blocks, int64_t most,
                           bool (*continues)(const void *context, int64_t item),
                           const void *context);
void spl__blocks_free(spl__blocks *blocks);

#endif
