/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE 1 /* madvise, MAP_ANONYMOUS */
#include "core/pool.h"

#include "core/team.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void spl__pool_init(spl__pool *pool, size_t limit)
{
    memset(pool, 0, sizeof *pool);
    pool->limit = limit;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t less(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

size_t spl__pool_pages(size_t bytes)
{
    return round_up(bytes, SPL__PAGE);
}

/* Blocks of the shelf begin at multiples of it. */
static size_t unit(const spl__pool *pool, const spl__shelf *shelf)
{
    return shelf == &pool->large ? SPL__HUGE_PAGE : SPL__PAGE;
}

/* Where a block of the shelf may begin, from `start` on. */
static char *aligned(const spl__pool *pool, const spl__shelf *shelf, char *start)
{
    return start + (round_up((uintptr_t)start, unit(pool, shelf)) - (uintptr_t)start);
}

/* ---- the ranges of a shelf; the caller holds the lock ---- */

static void drop(spl__shelf *shelf, int number)
{
    spl__range *r = &shelf->ranges[number];
    memmove(r, r + 1, (size_t)(--shelf->count - number) * sizeof *r);
}

/* False: the shelf has no place for another range, nor a neighbour. */
static bool keep(spl__shelf *shelf, spl__range new)
{
    int next = 0;
    while (next < shelf->count && shelf->ranges[next].start < new.start)
        next++;
    spl__range *after = &shelf->ranges[next], *before = after - 1;
    bool joins_after = next < shelf->count && new.start + new.bytes == after->start;
    bool joins_before = next > 0 && before->start + before->bytes == new.start;
    if (!joins_after && !joins_before && shelf->count == SPL__POOL_RANGES)
        return false;
    shelf->kept += new.bytes;
    if (joins_before) {
        before->bytes += new.bytes + (joins_after ? after->bytes : 0);
        if (joins_after)
            drop(shelf, next);
    } else if (joins_after) {
        *after = (spl__range){new.start, new.bytes + after->bytes};
    } else {
        memmove(after + 1, after, (size_t)(shelf->count++ - next) * sizeof *after);
        *after = new;
    }
    return true;
}

/* Removes `bytes` bytes from `start` on from a range. What stays before and behind them are ranges;
 * a second one for which there is no place is left to the caller, else its bytes are 0. */
static spl__range cut_out(spl__shelf *shelf, int number, char *start, size_t bytes)
{
    spl__range r = shelf->ranges[number];
    spl__range behind = {start + bytes, (size_t)(r.start + r.bytes - (start + bytes))};
    drop(shelf, number);
    shelf->kept -= r.bytes;
    if (start > r.start)
        keep(shelf, (spl__range){r.start, (size_t)(start - r.start)});
    if (behind.bytes > 0 && keep(shelf, behind))
        behind.bytes = 0;
    return behind;
}

/* The smallest range that holds a block of `bytes` bytes; -1: none. */
static int best_fit(const spl__pool *pool, const spl__shelf *shelf, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < shelf->count; i++) {
        const spl__range *r = &shelf->ranges[i];
        size_t skipped = (size_t)(aligned(pool, shelf, r->start) - r->start);
        if (r->bytes >= skipped + bytes && (best < 0 || r->bytes < shelf->ranges[best].bytes))
            best = i;
    }
    return best;
}

/* ---- how much is kept; the caller holds the lock ---- */

static int64_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

static void begin_period(spl__pool *pool)
{
    int64_t now = seconds(), age = now - pool->period;
    if (age < SPL__POOL_SECONDS)
        return;
    for (int i = 0; i < 2; i++) {
        spl__shelf *shelf = i ? &pool->large : &pool->small;
        shelf->most[1] = age < 2 * SPL__POOL_SECONDS ? shelf->most[0] : shelf->used;
        shelf->most[0] = shelf->used;
    }
    pool->period = now;
}

/* The bytes that the shelf may keep, with `room` for both. */
static size_t allowed(const spl__pool *pool, const spl__shelf *shelf, size_t room)
{
    const spl__shelf *other = shelf == &pool->large ? &pool->small : &pool->large;
    size_t used = most(shelf->most[0], shelf->most[1]);
    size_t mapped = used + used / 4 + (shelf == &pool->small ? SPL__POOL_CHUNK : 0);
    return least(less(mapped, shelf->used), less(least(room, pool->limit), other->kept));
}

static void count_used(spl__shelf *shelf, size_t bytes)
{
    shelf->used += bytes;
    shelf->most[0] = most(shelf->most[0], shelf->used);
}

/* ---- pages of the system; the caller does not hold the lock ---- */

static void unmap(spl__range r)
{
    if (r.bytes > 0)
        munmap(r.start, r.bytes);
}

/* Cuts `surplus` bytes from the end of the last range, or all of it if it has fewer. */
static spl__range cut_last(const spl__pool *pool, spl__shelf *shelf, size_t surplus)
{
    spl__range *last = &shelf->ranges[shelf->count - 1], cut = *last;
    size_t stays = less(last->bytes, surplus);
    stays = less(stays, (uintptr_t)(last->start + stays) % unit(pool, shelf));
    cut.start += stays;
    cut.bytes -= stays;
    last->bytes = stays;
    shelf->kept -= cut.bytes;
    shelf->count -= stays == 0;
    return cut;
}

/* Unmaps what the shelf keeps beyond what is allowed. */
static void limit(spl__pool *pool, spl__shelf *shelf, size_t room)
{
    spl__range surplus;
    do {
        surplus.bytes = 0;
        spl__pool_lock();
        size_t keeps = allowed(pool, shelf, room);
        if (shelf->kept > keeps)
            surplus = cut_last(pool, shelf, shelf->kept - keeps);
        spl__pool_unlock();
        unmap(surplus);
    } while (surplus.bytes > 0);
}

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void *map_large(const spl__pool *pool, size_t bytes)
{
    char *memory = map(bytes + SPL__HUGE_PAGE);
    if (!memory)
        return NULL;
    char *start = aligned(pool, &pool->large, memory);
    size_t before = (size_t)(start - memory);
    unmap((spl__range){memory, before});
    unmap((spl__range){start + bytes, SPL__HUGE_PAGE - before});
#ifdef MADV_HUGEPAGE
    madvise(start, bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return start;
}

static void put(spl__shelf *shelf, spl__range r)
{
    spl__pool_lock();
    bool kept = keep(shelf, r);
    spl__pool_unlock();
    if (!kept)
        unmap(r);
}

/* Whether the shelf of short blocks may keep `bytes` more. */
static bool may_keep(spl__pool *pool, size_t bytes, size_t room)
{
    spl__pool_lock();
    bool may = bytes <= less(allowed(pool, &pool->small, room), pool->small.kept);
    spl__pool_unlock();
    return may;
}

static void *map_small(spl__pool *pool, size_t bytes, size_t room)
{
    size_t rest = less(SPL__POOL_CHUNK, bytes);
    if (!may_keep(pool, rest, room))
        rest = 0;
    char *start = map(bytes + rest);
    if (start && rest > 0)
        put(&pool->small, (spl__range){start + bytes, rest});
    return start;
}

static void *map_block(spl__pool *pool, const spl__shelf *shelf, size_t bytes, size_t room)
{
    return shelf == &pool->large ? map_large(pool, bytes) : map_small(pool, bytes, room);
}

/* ---- blocks ---- */

/* A block of `bytes` bytes from kept ranges; NULL: there is none. */
static void *take_kept(spl__pool *pool, spl__shelf *shelf, size_t bytes)
{
    char *start = NULL;
    spl__range behind = {NULL, 0};
    spl__pool_lock();
    begin_period(pool);
    count_used(shelf, bytes);
    int fit = best_fit(pool, shelf, bytes);
    if (fit >= 0) {
        start = aligned(pool, shelf, shelf->ranges[fit].start);
        behind = cut_out(shelf, fit, start, bytes);
    }
    spl__pool_unlock();
    unmap(behind);
    return start;
}

static void count_returned(spl__pool *pool, spl__shelf *shelf, size_t bytes)
{
    spl__pool_lock();
    begin_period(pool);
    shelf->used -= bytes;
    spl__pool_unlock();
}

void *spl__pool_take(spl__pool *pool, size_t bytes, size_t room, spl__shelf **shelf)
{
    *shelf = bytes >= SPL__LARGE ? &pool->large : &pool->small;
    bytes = spl__pool_pages(bytes);
    void *block = take_kept(pool, *shelf, bytes);
    if (block)
        return block;
    limit(pool, &pool->small, room);
    limit(pool, &pool->large, room);
    block = map_block(pool, *shelf, bytes, room);
    if (!block) {
        spl__pool_trim(pool);
        block = map_block(pool, *shelf, bytes, 0);
    }
    if (!block)
        count_returned(pool, *shelf, bytes);
    return block;
}

/* Whole huge pages; part of one would be split. */
static void offer_to_system(spl__range r)
{
#ifdef MADV_FREE
    uintptr_t begin = round_up((uintptr_t)r.start, SPL__HUGE_PAGE);
    uintptr_t end = (uintptr_t)(r.start + r.bytes) / SPL__HUGE_PAGE * SPL__HUGE_PAGE;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_FREE);
#else
    (void)r;
#endif
}

void spl__pool_return(spl__pool *pool, spl__shelf *shelf, void *start, size_t bytes, size_t room)
{
    spl__range r = {start, spl__pool_pages(bytes)};
    if (shelf == &pool->large)
        offer_to_system(r);
    count_returned(pool, shelf, r.bytes);
    put(shelf, r);
    limit(pool, shelf, room);
}

void spl__pool_trim(spl__pool *pool)
{
    limit(pool, &pool->small, 0);
    limit(pool, &pool->large, 0);
}

size_t spl__pool_kept(spl__pool *pool)
{
    spl__pool_lock();
    size_t kept = pool->small.kept + pool->large.kept;
    spl__pool_unlock();
    return kept;
}
