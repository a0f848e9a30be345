/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets from lengths on a device, by one block and by several, against the obvious loop. */
#include "core/types.h"
#include "lib/device_queue.h"

#include <stdlib.h>
#include <string.h>

/* Of a block; more than one block sums up alone; more than one step of each block. */
enum { TILE = 4096, MOST = 5 * TILE, MORE = 70 * TILE + 3 };

static void put(void *numbers, size_t width, int64_t i, int64_t number)
{
    if (width == sizeof(int32_t))
        ((int32_t *)numbers)[i] = (int32_t)number;
    else
        ((int64_t *)numbers)[i] = number;
}

static int64_t get(const void *numbers, size_t width, int64_t i)
{
    return width == sizeof(int32_t) ? ((const int32_t *)numbers)[i] : ((const int64_t *)numbers)[i];
}

/* Some are zero, and the sum of those of 64 bits needs them all. */
static int64_t length_of(size_t width, int64_t i)
{
    const int64_t number = (i * 2654435761 >> 7) % 100;
    return number < 30 ? 0 : width == sizeof(int32_t) ? number : number << 36 | number;
}

/* The offsets begin at element `from` of the array; the elements around them stay unchanged. */
static void expect_offsets(spl__queue *queue, spl_index type, int64_t from, int64_t count,
                           bool with_total)
{
    const size_t width = spl__index_size(type), bytes = (size_t)(from + count + 2) * width;
    spl__device_array device_array, total;
    char *numbers = malloc(bytes), *expected = malloc(bytes);
    int64_t found = 0, sum = 0;
    testing_case("%lld lengths of %zu bytes, %lld behind, %s total", (long long)count, width,
                 (long long)from, with_total ? "with" : "without");
    memset(numbers, 0x5b, bytes);
    memcpy(expected, numbers, bytes);
    for (int64_t i = 0; i < count; sum += length_of(width, i++)) {
        put(numbers, width, from + i, length_of(width, i));
        put(expected, width, from + i, sum);
    }
    put(expected, width, from + count, sum);
    EXPECT_OK(spl__queue_alloc(queue, (int64_t)bytes, 1, &device_array));
    EXPECT_OK(spl__queue_alloc(queue, 1, sizeof found, &total));
    EXPECT_OK(spl__queue_copy(queue, device_array.data, numbers, bytes));
    EXPECT_OK(spl__queue_fill(queue, total.data, 0, sizeof found));
    char *first = (char *)device_array.data + (size_t)from * width;
    EXPECT_OK(spl__queue_offsets(queue, type, first, count, with_total ? total.data : NULL));
    EXPECT_OK(spl__queue_fetch(queue, numbers, device_array.data, bytes));
    EXPECT_OK(spl__queue_fetch(queue, &found, total.data, sizeof found));
    for (int64_t i = 0; i < from + count + 2; i++)
        EXPECT(get(numbers, width, i) == get(expected, width, i));
    EXPECT(get(&found, width, 0) == (with_total ? sum : 0));
    spl__queue_free(queue, &device_array);
    spl__queue_free(queue, &total);
    free(numbers);
    free(expected);
}

static void offsets_are_sums(void **state)
{
    static const int64_t counts[] = {0,
                                     1,
                                     3,
                                     4,
                                     31,
                                     129,
                                     TILE - 1,
                                     TILE,
                                     TILE + 1,
                                     2 * TILE,
                                     3 * TILE + 5,
                                     4 * TILE - 1,
                                     4 * TILE,
                                     4 * TILE + 1,
                                     MOST};
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int from = 0; from < 2; from++) {
            expect_offsets(&queue, SPL_I32, from, counts[i], from == 0);
            expect_offsets(&queue, SPL_I64, from, counts[i], true);
        }
    expect_offsets(&queue, SPL_I64, 4, TILE + 7, false);
    expect_offsets(&queue, SPL_I32, 0, MORE, true);
    expect_offsets(&queue, SPL_I64, 1, MORE, true);
    on_device_stop(&s);
}

/* Small ones are one launch, which reads no temporary memory. */
static void few_take_one_launch(void **state)
{
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, 1);
    spl__device_array numbers;
    EXPECT_OK(spl__queue_alloc(&queue, TILE + 1, sizeof(int64_t), &numbers));
    EXPECT_OK(spl__queue_fill(&queue, numbers.data, 0, numbers.bytes));
    spl_counters before = {0}, after = {0};
    spl__queue_count(&queue, &before);
    EXPECT_OK(spl__queue_offsets(&queue, SPL_I64, numbers.data, TILE, NULL));
    spl__queue_count(&queue, &after);
    EXPECT(after.launches == before.launches + 1 && after.allocations == before.allocations);
    spl__queue_free(&queue, &numbers);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(offsets_are_sums),
        ON_BOTH_WIDTHS(few_take_one_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
