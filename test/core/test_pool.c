/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of host memory: blocks never overlap, what is kept is used again, and its limits hold.
 */
#include "core/pool.h"
#include "core/processor.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCKS = 60, STEPS = 4000 };
static const size_t everything = SIZE_MAX;

typedef struct block {
    char *start; /* NULL: none */
    size_t bytes;
    spl__shelf *shelf;
    char mark;
} block;

typedef struct blocks {
    spl__pool *pool;
    zoo_random random;
    block block[BLOCKS];
} blocks;

static blocks new_blocks(size_t limit, uint64_t seed)
{
    blocks all = {.pool = zoo_allocate(sizeof *all.pool)};
    spl__pool_init(all.pool, limit);
    zoo_random_seed(&all.random, seed);
    return all;
}

static void destroy(spl__pool *pool)
{
    EXPECT(pool->small.used == 0 && pool->large.used == 0);
    spl__pool_trim(pool);
    EXPECT(spl__pool_kept(pool) == 0);
    free(pool);
}

/* Its first and last byte on every page. */
static void mark(block *b, char with)
{
    b->mark = with;
    for (size_t i = 0; i < b->bytes; i += SPL__PAGE)
        b->start[i] = with;
    b->start[b->bytes - 1] = with;
}

static void check_marks(const block *b)
{
    for (size_t i = 0; i < b->bytes; i += SPL__PAGE)
        EXPECT(b->start[i] == b->mark);
    EXPECT(b->start[b->bytes - 1] == b->mark);
}

static void take(blocks *all, block *b, size_t bytes, size_t room)
{
    *b = (block){.bytes = bytes};
    b->start = spl__pool_take(all->pool, bytes, room, &b->shelf);
    EXPECT(b->start != NULL);
    EXPECT((uintptr_t)b->start % (bytes >= SPL__LARGE ? SPL__HUGE_PAGE : SPL__PAGE) == 0);
    mark(b, (char)zoo_random_next(&all->random));
}

static void give(blocks *all, block *b, size_t room)
{
    check_marks(b);
    spl__pool_return(all->pool, b->shelf, b->start, b->bytes, room);
    b->start = NULL;
}

/* Gives back its end. */
static void shrink(blocks *all, block *b, size_t room)
{
    size_t bytes = 1 + (size_t)zoo_random_below(&all->random, (int64_t)b->bytes);
    size_t pages = spl__pool_pages(bytes), before = spl__pool_pages(b->bytes);
    check_marks(b);
    if (pages < before)
        spl__pool_return(all->pool, b->shelf, b->start + pages, before - pages, room);
    b->bytes = bytes;
    mark(b, b->mark);
}

static size_t draw_bytes(zoo_random *random)
{
    size_t unit = (size_t)SPL__POOLED << zoo_random_below(random, 9);
    return unit + (size_t)zoo_random_below(random, (int64_t)unit);
}

/* Ranges are sorted, do not touch, and are counted. */
static void check_shelf(const spl__shelf *shelf)
{
    size_t kept = 0;
    for (int i = 0; i < shelf->count; i++) {
        const spl__range *r = &shelf->ranges[i];
        EXPECT(r->bytes > 0 && r->bytes % SPL__PAGE == 0);
        EXPECT(i == 0 || r[-1].start + r[-1].bytes < r->start);
        kept += r->bytes;
    }
    EXPECT(kept == shelf->kept);
}

static void step(blocks *all, size_t room)
{
    block *b = &all->block[zoo_random_below(&all->random, BLOCKS)];
    if (!b->start)
        take(all, b, draw_bytes(&all->random), room);
    else if (zoo_random_below(&all->random, 3) == 0)
        shrink(all, b, room);
    else
        give(all, b, room);
    check_shelf(&all->pool->small);
    check_shelf(&all->pool->large);
    EXPECT(spl__pool_kept(all->pool) <= (room < all->pool->limit ? room : all->pool->limit));
}

static void walk(size_t limit, size_t room)
{
    uint64_t seed = testing_fresh_seed() ^ limit ^ room;
    blocks all = new_blocks(limit, seed);
    testing_case("limit %zu, room %zu, seed %llu", limit, room, (unsigned long long)seed);
    for (int i = 0; i < STEPS / testing_scale(); i++)
        step(&all, room);
    for (int i = 0; i < BLOCKS; i++)
        if (all.block[i].start)
            give(&all, &all.block[i], room);
    destroy(all.pool);
}

static void blocks_never_overlap_and_limits_hold(void **state)
{
    (void)state;
    walk(everything, everything);
    walk(20 << 20, everything);
    walk(everything, 5 << 20);
    walk(1, everything);
}

static void blocks_are_used_again(void **state)
{
    (void)state;
    blocks all = new_blocks(everything, 1);
    for (size_t bytes = SPL__POOLED; bytes <= (size_t)64 << 20; bytes *= 4) {
        block b;
        testing_case("%zu bytes", bytes);
        take(&all, &b, bytes, everything);
        char *start = b.start;
        give(&all, &b, everything);
        EXPECT(spl__pool_kept(all.pool) >= bytes);
        take(&all, &b, bytes, everything);
        EXPECT(b.start == start);
        give(&all, &b, everything);
    }
    destroy(all.pool);
}

/* Whatever the order in which they are given back. */
static void neighbours_are_joined(void **state)
{
    (void)state;
    const size_t part = (size_t)2 * SPL__LARGE;
    for (int first = 0; first < 3; first++)
        for (int second = 0; second < 3; second++) {
            blocks all = new_blocks(everything, 1);
            testing_case("returned in the order %d, %d", first, second);
            take(&all, &all.block[3], 3 * part, everything);
            give(&all, &all.block[3], everything);
            for (int i = 0; i < 3; i++)
                take(&all, &all.block[i], part, everything);
            EXPECT(spl__pool_kept(all.pool) == 0);
            give(&all, &all.block[first], everything);
            for (int i = 0; i < 3; i++)
                if (all.block[(second + i) % 3].start)
                    give(&all, &all.block[(second + i) % 3], everything);
            take(&all, &all.block[0], 3 * part, everything);
            EXPECT(spl__pool_kept(all.pool) == 0);
            give(&all, &all.block[0], everything);
            destroy(all.pool);
        }
}

/* What one period used is kept during the next one, not longer. */
static void disuse_ends_what_is_kept(void **state)
{
    (void)state;
    blocks all = new_blocks(everything, 1);
    take(&all, &all.block[0], (size_t)32 << 20, everything);
    give(&all, &all.block[0], everything);
    all.pool->period -= SPL__POOL_SECONDS;
    take(&all, &all.block[0], SPL__POOLED, everything);
    give(&all, &all.block[0], everything);
    EXPECT(spl__pool_kept(all.pool) >= (size_t)32 << 20);
    for (int i = 0; i < 2; i++) {
        all.pool->period -= SPL__POOL_SECONDS;
        take(&all, &all.block[0], SPL__LARGE, everything);
        give(&all, &all.block[0], everything);
    }
    EXPECT(spl__pool_kept(all.pool) <= (size_t)2 * SPL__LARGE);
    destroy(all.pool);
}

/* Where the system has no more addresses, what is kept makes room. */
static void a_refusal_of_the_system_gives_kept_memory_back(void **state)
{
    (void)state;
    enum { PARTS = 8 };
    if (testing_scale() > 1) /* sanitizers need the addresses */
        skip();
    blocks all = new_blocks(everything, 1);
    struct rlimit before, tight;
    const size_t part = (size_t)256 << 20;
    for (int i = 0; i < PARTS; i++) {
        all.block[i].bytes = part;
        all.block[i].start = spl__pool_take(all.pool, part, everything, &all.block[i].shelf);
        EXPECT(all.block[i].start != NULL);
    }
    for (int i = 0; i < PARTS; i += 2)
        spl__pool_return(all.pool, all.block[i].shelf, all.block[i].start, part, everything);
    getrlimit(RLIMIT_AS, &before);
    tight = before;
    tight.rlim_cur = PARTS * part;
    setrlimit(RLIMIT_AS, &tight);
    /* longer than each range that is kept */
    spl__shelf *shelf;
    void *longer = spl__pool_take(all.pool, 2 * part, everything, &shelf);
    spl__shelf *none;
    void *refused = spl__pool_take(all.pool, PARTS * part, everything, &none);
    setrlimit(RLIMIT_AS, &before);
    EXPECT(longer != NULL && refused == NULL);
    spl__pool_return(all.pool, shelf, longer, 2 * part, everything);
    for (int i = 1; i < PARTS; i += 2)
        spl__pool_return(all.pool, all.block[i].shelf, all.block[i].start, part, everything);
    destroy(all.pool);
}

/* Also where the system would grant any number of addresses. */
static void more_than_the_machine_holds_is_refused(void **state)
{
    (void)state;
    const double memory = spl__machine_memory();
    EXPECT(spl__machine_holds((size_t)(memory / 2)));
    EXPECT(!spl__machine_holds((size_t)(memory * 5)) && !spl__machine_holds(SIZE_MAX / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_the_machine_holds_is_refused),
        cmocka_unit_test(blocks_never_overlap_and_limits_hold),
        cmocka_unit_test(blocks_are_used_again),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(disuse_ends_what_is_kept),
        cmocka_unit_test(a_refusal_of_the_system_gives_kept_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
