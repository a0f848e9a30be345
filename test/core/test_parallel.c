/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of parallel regions: pages of new arrays, copies, threads that come late. */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include "core/threads/late_threads.h"
#include "core/threads/parallel.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

enum { MB = 1 << 20, ROOM = 24 * MB, OLD = 0x5a };

/* Touches the first byte of every large page that begins within the array, and nothing else. */
static void expect_touched(unsigned char *room, size_t begin, size_t bytes)
{
    size_t pages = 0;
    testing_case("%zu bytes from %zu on", bytes, begin);
    memset(room, OLD, ROOM);
    spl__touch_pages(NULL, 3, room + begin, bytes);
    for (size_t i = 0; i < ROOM; i++) {
        bool within = i >= begin && i < begin + bytes, page = (uintptr_t)(room + i) % (2 * MB) == 0;
        if (within && page && bytes > 8 * MB) {
            EXPECT(room[i] == 0);
            pages++;
        } else if (!within || (!page && i != begin)) {
            EXPECT(room[i] == OLD);
        }
    }
    EXPECT(pages > 0 || bytes <= 8 * MB);
}

static void pages_are_touched_within(void **state)
{
    (void)state;
    unsigned char *room = NULL;
    EXPECT(posix_memalign((void **)&room, 2 * MB, ROOM) == 0);
    expect_touched(room, 0, 20 * MB);
    expect_touched(room, 1, 20 * MB);
    expect_touched(room, 2 * MB - 1, 16 * MB + 1);
    expect_touched(room, 2 * MB - 1, 16 * MB + 2);
    expect_touched(room, 4 * MB + 77, 9 * MB);
    expect_touched(room, 5, 100);
    expect_touched(room, 5, 0);
    free(room);
}

static void copies_arrive(void **state)
{
    (void)state;
    unsigned char *from = malloc(ROOM), *to = malloc(ROOM);
    for (size_t i = 0; i < ROOM; i++)
        from[i] = (unsigned char)(i * 31 >> 7);
    const size_t sizes[] = {0, 1, 1 << 18, 5 * MB + 3, ROOM - 2};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        memset(to, OLD, ROOM);
        spl__copy_bytes(3, to + 1, from, sizes[k]);
        EXPECT(to[0] == OLD && memcmp(to + 1, from, sizes[k]) == 0 && to[1 + sizes[k]] == OLD);
    }
    free(from);
    free(to);
}

/* A loop of 100 pieces, of which the calling thread took ten in a second: alone it takes ten. */
static void came_after(double seconds)
{
    spl__threads_came(seconds, 1, 10, 100);
}

/* The loops that get one thread now. */
static int loops_alone(void)
{
    int loops = 0;
    while (spl__threads_unless_late(8) == 1)
        loops++;
    return loops;
}

/* Loops that threads hurt keep the next 1, 2, 4, ... from asking for them. */
static void late_threads_are_left_alone(void **state)
{
    (void)state;
    EXPECT(loops_alone() == 0);
    came_after(2);  /* eight seconds gained */
    came_after(16); /* six lost */
    EXPECT(loops_alone() == 0);
    for (int loops = 1; loops < 1000; loops *= 2) {
        came_after(16);
        const int alone = loops_alone();
        testing_case("%d loops", loops);
        EXPECT(alone == (loops < 256 ? loops : 256));
    }
    spl__threads_came(99, 0, 0, 100); /* the calling thread found no piece: nothing is known */
    EXPECT(loops_alone() == 0);
}

/* One late loop among many that gained is no reason: 4 threads, every twentieth waits for ten
 * times as long as they take. */
static void threads_that_gain_more_are_kept(void **state)
{
    (void)state;
    for (int loop = 0; loop < 16; loop++)
        came_after(2.5);
    for (int loop = 0; loop < 100; loop++) {
        came_after(loop % 20 == 19 ? 25 : 2.5);
        EXPECT(loops_alone() == 0);
    }
    came_after(1000);
    EXPECT(loops_alone() == 1);
    came_after(2.5); /* other work has gone */
    came_after(12);
    EXPECT(loops_alone() == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_touched_within),
        cmocka_unit_test(copies_arrive),
        cmocka_unit_test(late_threads_are_left_alone),
        cmocka_unit_test(threads_that_gain_more_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
