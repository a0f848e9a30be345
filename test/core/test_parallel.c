/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of parallel regions: pages of new arrays, copies. */
#define _POSIX_C_SOURCE 200809L /* posix_memalign */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_touched_within),
        cmocka_unit_test(copies_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
