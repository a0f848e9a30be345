/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h: loops of threads in turn, and blocks of rows of equal work. */
#ifndef SPL_CORE_PARALLEL_H
#define SPL_CORE_PARALLEL_H

#include "core/context.h"
#include "core/threads/thread_failure.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Ordered turns of the blocks of a loop, of which every thread gets its blocks in ascending
 * order: block b's turn comes when all earlier blocks have passed theirs, which each must do.
 * Waiting threads poll and yield: an ordered region of OpenMP puts them to sleep under a passive
 * wait policy. SpGEMM by one_pass was 1.2 to 1.9 times as fast with 16 threads:
 * doc/decisions/memory.md. */
typedef struct spl__turns {
    atomic_llong next;
} spl__turns;
void spl__turn_await(const spl__turns *turns, int64_t block);
void spl__turn_pass(spl__turns *turns, int64_t block);

/* Touches the pages of a new array, each by one thread: threads that touch a huge page
 * concurrently each clear one, and all but one discard it. Sets the first byte of every 2 MB to
 * 0; pages of 4 kB gain nothing. After a cancel the rest is untouched, which is harmless. */
struct spl__watch;
void spl__touch_pages(struct spl__watch *watch, int threads, void *memory, size_t bytes);
/* memcpy with several threads, if that pays. Incomplete after a cancel. */
void spl__copy_watched(struct spl__watch *watch, int threads, void *to, const void *from,
                       size_t bytes);
static inline void spl__copy_bytes(int threads, void *to, const void *from, size_t bytes)
{
    spl__copy_watched(NULL, threads, to, from, bytes);
}

/* for (int64_t part = 0; part < count; part++) with the statement that follows, in parallel;
 * without a region of OpenMP where there is one part or one thread: gcc's costs a quarter of a
 * microsecond and more even then, as much as SpMV of 500 entries. Both arguments are evaluated more
 * than once. The includer includes core/threads/team.h. */
#define SPL__FOR_PARTS(part, count, threads, ...)                                                  \
    do {                                                                                           \
        if ((count) > 1 && (threads) != 1) {                                                       \
            const int team_ = spl__team(threads);                                                  \
            _Pragma("omp parallel for num_threads(team_) schedule(static)") for (int64_t part = 0; \
                                                                                 part < (count);   \
                                                                                 part++)           \
                __VA_ARGS__;                                                                       \
        } else                                                                                     \
            for (int64_t part = 0; part < (count); part++)                                         \
                __VA_ARGS__;                                                                       \
    } while (0)

/* Consecutive items (rows, or positions in a list of rows) in blocks of nearly equal work: block
 * b is begin[b]..begin[b+1]. */
typedef struct spl__blocks {
    int64_t *begin; /* count + 1 */
    int64_t count;
} spl__blocks;

/* Divides `items` items. Item k is row list[k] (k without a list), whose work is prefix[row+1] -
 * prefix[row], plus 1. A block ends when it reaches `target` work. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET. */
spl_status spl__blocks_make(spl__account *account, const int64_t *prefix, const int64_t *list,
                            int64_t items, int64_t target, spl__blocks *blocks);
/* Advances the begins of blocks while continues(context, item) says that the item belongs to the
 * run of the previous one, by at most `most` items; removes blocks that become empty. */
void spl__blocks_keep_runs(spl__blocks *blocks, int64_t most,
                           bool (*continues)(const void *context, int64_t item),
                           const void *context);
void spl__blocks_free(spl__blocks *blocks);

#endif
