/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h: pages of the host that freed blocks leave, kept for later blocks of the same context.
 *
 * New pages are expensive: the system clears each of them when it is touched first. That took a
 * tenth to three quarters of a one-shot sparse product (doc/decisions/memory.md) whose memory came
 * from malloc, which returns large blocks to the system. So the pool maps large blocks itself.
 * Where one was freed its pages stay mapped, as a range. A new block takes part of the smallest
 * range that is long enough; ranges that touch are joined, and a block that shrinks leaves a range.
 * Short and long blocks have ranges of their own (shelves), so that a short block never cuts a
 * range that a long one left.
 *
 * What is kept is bounded by three numbers:
 *   - blocks and kept ranges together are at most 5/4 of the most that blocks held at once within
 *     the last SPL__POOL_SECONDS to twice that, plus one chunk for short blocks. So disuse ends
 *     it, as in jemalloc's decay (Evans, "A scalable concurrent malloc(3) implementation", 2006,
 *     and its manual, dirty_decay_ms), when the next block is taken or returned;
 *   - `limit`, of the pool;
 *   - the budget: what accounts have not reserved.
 * Kept huge pages are offered to the system (MADV_FREE), which takes them when it lacks memory;
 * small ones are not, because that costs a sixth of mapping them anew. */
#ifndef SPL_CORE_POOL_H
#define SPL_CORE_POOL_H

#include <stddef.h>
#include <stdint.h>

enum {
    SPL__PAGE = 4096,
    SPL__HUGE_PAGE = 2 << 20,
    SPL__LARGE = 4 << 20,   /* blocks of so many bytes use huge pages */
    SPL__POOLED = 32 << 10, /* shorter blocks are malloc's: their last page would be half empty */
    SPL__POOL_CHUNK = 1 << 20, /* so much is mapped at once for short blocks */
    SPL__POOL_RANGES = 256,
    SPL__POOL_SECONDS = 10
};

typedef struct spl__range {
    char *start;
    size_t bytes;
} spl__range;

/* The kept ranges for blocks below SPL__LARGE, or for others. All sizes are multiples of a page. */
typedef struct spl__shelf {
    spl__range ranges[SPL__POOL_RANGES]; /* by address */
    int count;
    size_t kept;    /* bytes of the ranges */
    size_t used;    /* bytes of blocks */
    size_t most[2]; /* largest `used` in the current period of SPL__POOL_SECONDS, and in the last */
} spl__shelf;

typedef struct spl__pool {
    spl__shelf small, large;
    size_t limit;
    int64_t period; /* when the current period began, in seconds */
} spl__pool;

/* limit: the most bytes to keep. */
void spl__pool_init(spl__pool *pool, size_t limit);
/* `bytes` bytes aligned to a page, from SPL__LARGE on to a huge page; NULL if the system has none.
 * `room`: what may be kept beside them. *shelf: to be given back with the block. Thread-safe, as
 * are the other functions. */
void *spl__pool_take(spl__pool *pool, size_t bytes, size_t room, spl__shelf **shelf);
/* Returns a block of `bytes` bytes from `start` on, or the part of it after `start`, a multiple of
 * a page from its beginning. */
void spl__pool_return(spl__pool *pool, spl__shelf *shelf, void *start, size_t bytes, size_t room);
/* The bytes of the pages of a block. */
size_t spl__pool_pages(size_t bytes);
/* Unmaps all that is kept. */
void spl__pool_trim(spl__pool *pool);
size_t spl__pool_kept(spl__pool *pool);

#endif
