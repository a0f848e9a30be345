/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE 1 /* madvise, MAP_ANONYMOUS */
#include "core/pool.h"

#include "core/checked.h"
#include "core/processor.h"
#include "core/threads/team.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

void spl__pool_init(spl__pool *pool, size_t limit)
{
    memset(pool, 0, sizeof *pool);
    pool->limit = limit;
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

/* ---- the ranges of a shelf; the caller holds the lock ---- */

static const spl__range nothing;

static void drop(spl__shelf *shelf, int number)
{
    spl__range *r = &shelf->ranges[number];
    shelf->kept -= r->bytes;
    memmove(r, r + 1, (size_t)(--shelf->count - number) * sizeof *r);
}

static void insert(spl__shelf *shelf, spl__range new)
{
    int next = shelf->count++;
    for (; next > 0 && shelf->ranges[next - 1].start > new.start; next--)
        shelf->ranges[next] = shelf->ranges[next - 1];
    shelf->ranges[next] = new;
    shelf->kept += new.bytes;
}

/* Removes the smallest of the ranges and `new` if there are too many; the caller unmaps it. */
static spl__range drop_smallest(spl__shelf *shelf, spl__range *new)
{
    int smallest = 0;
    if (shelf->count < SPL__POOL_RANGES)
        return nothing;
    for (int i = 1; i < shelf->count; i++)
        if (shelf->ranges[i].bytes < shelf->ranges[smallest].bytes)
            smallest = i;
    spl__range dropped = shelf->ranges[smallest];
    if (new->bytes <= dropped.bytes) {
        dropped = *new;
        *new = nothing;
    } else {
        drop(shelf, smallest);
    }
    return dropped;
}

/* Joins a range with its neighbours. What it returns is to be unmapped: there are too many. */
static spl__range keep(spl__shelf *shelf, spl__range new)
{
    for (int i = shelf->count - 1; i >= 0; i--) {
        spl__range *r = &shelf->ranges[i];
        if (new.start + new.bytes != r->start && r->start + r->bytes != new.start)
            continue;
        new = (spl__range){r->start < new.start ? r->start : new.start, r->bytes + new.bytes};
        drop(shelf, i);
    }
    spl__range dropped = drop_smallest(shelf, &new);
    if (new.bytes > 0)
        insert(shelf, new);
    return dropped;
}

/* Where a block of `bytes` bytes begins in a range; NULL: it does not fit. A long one takes the
 * start, since the end of a long array may never have been touched. A short one takes the end, so
 * that the rest of a chunk touches the next chunk, which the system mostly puts before it. */
static char *block_in(const spl__pool *pool, const spl__shelf *shelf, const spl__range *r,
                      size_t bytes)
{
    size_t align = unit(pool, shelf);
    size_t before = shelf == &pool->large
                        ? round_up((uintptr_t)r->start, align) - (uintptr_t)r->start
                        : less(r->bytes, bytes);
    return before + bytes <= r->bytes ? r->start + before : NULL;
}

/* The smallest range that holds a block of `bytes` bytes; -1: none. */
static int best_fit(const spl__pool *pool, const spl__shelf *shelf, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < shelf->count; i++) {
        const spl__range *r = &shelf->ranges[i];
        if ((best < 0 || r->bytes < shelf->ranges[best].bytes) && block_in(pool, shelf, r, bytes))
            best = i;
    }
    return best;
}

/* A block of `bytes` bytes; NULL: no range holds it. *dropped: as keep returns. */
static char *cut_block(const spl__pool *pool, spl__shelf *shelf, size_t bytes, spl__range *dropped)
{
    int number = best_fit(pool, shelf, bytes);
    if (number < 0)
        return NULL;
    spl__range r = shelf->ranges[number];
    char *start = block_in(pool, shelf, &r, bytes);
    size_t before = (size_t)(start - r.start), tail = r.bytes - before - bytes;
    drop(shelf, number);
    if (before > 0) /* there is room for it */
        keep(shelf, (spl__range){r.start, before});
    if (tail > 0)
        *dropped = keep(shelf, (spl__range){start + bytes, tail});
    return start;
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
    return spl__min_size(less(mapped, shelf->used),
                         less(spl__min_size(room, pool->limit), other->kept));
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
        surplus = nothing;
        spl__pool_lock();
        size_t keeps = allowed(pool, shelf, room);
        if (shelf->kept > keeps)
            surplus = cut_last(pool, shelf, shelf->kept - keeps);
        spl__pool_unlock();
        unmap(surplus);
    } while (surplus.bytes > 0);
}

/* Pages that begin where a block of the shelf may begin. */
static spl__range map(const spl__pool *pool, const spl__shelf *shelf, size_t bytes)
{
    size_t align = unit(pool, shelf), more = align - SPL__PAGE;
    if (!spl__machine_holds(bytes))
        return nothing;
    char *memory =
        mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return nothing;
    size_t before = round_up((uintptr_t)memory, align) - (uintptr_t)memory;
    unmap((spl__range){memory, before});
    unmap((spl__range){memory + before + bytes, more - before});
    return (spl__range){memory + before, bytes};
}

/* ---- blocks ---- */

/* Maps pages for a block of `bytes` bytes; those of short blocks come by the chunk if more may be
 * kept. The caller holds the lock. */
static spl__range grow(spl__pool *pool, spl__shelf *shelf, size_t bytes, size_t room)
{
    size_t rest = shelf == &pool->small ? less(SPL__POOL_CHUNK, bytes) : 0;
    if (rest > less(allowed(pool, shelf, room), shelf->kept))
        rest = 0;
    spl__range new = map(pool, shelf, bytes + rest);
#ifdef MADV_HUGEPAGE
    if (shelf == &pool->large && new.bytes > 0)
        madvise(new.start, new.bytes, MADV_HUGEPAGE); /* only a hint */
#endif
    return new.bytes > 0 ? keep(shelf, new) : nothing;
}

static void count_used(spl__shelf *shelf, size_t bytes)
{
    shelf->used += bytes;
    shelf->most[0] = most(shelf->most[0], shelf->used);
}

/* A block from what is kept, after growing if `grows`; NULL: there is none. */
static void *take(spl__pool *pool, spl__shelf *shelf, size_t bytes, bool grows, size_t room)
{
    spl__range dropped = nothing, rest = nothing;
    spl__pool_lock();
    begin_period(pool);
    if (grows)
        dropped = grow(pool, shelf, bytes, room);
    void *block = cut_block(pool, shelf, bytes, &rest);
    if (block)
        count_used(shelf, bytes);
    spl__pool_unlock();
    unmap(dropped);
    unmap(rest);
    return block;
}

void *spl__pool_take(spl__pool *pool, size_t bytes, size_t room, spl__shelf **shelf)
{
    *shelf = bytes >= SPL__LARGE ? &pool->large : &pool->small;
    bytes = spl__pool_pages(bytes);
    void *block = take(pool, *shelf, bytes, false, room);
    if (!block) {
        limit(pool, &pool->small, room);
        limit(pool, &pool->large, room);
        block = take(pool, *shelf, bytes, true, room);
    }
    if (!block) {
        spl__pool_trim(pool);
        block = take(pool, *shelf, bytes, true, 0);
    }
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
    spl__pool_lock();
    begin_period(pool);
    shelf->used -= r.bytes;
    r = keep(shelf, r);
    spl__pool_unlock();
    unmap(r);
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
