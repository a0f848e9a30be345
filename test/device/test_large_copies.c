/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of memory that is not pinned: small ones as the driver makes them, large ones by way of
 * pinned buffers (bounce.c). */
#include "lib/device_queue.h"
#include "lib/guarded.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = SPL__BOUNCE_BYTES, THREADS = 3 };

static void fill(unsigned char *bytes, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (unsigned char)(seed >> 56);
    }
}

/* Whether the last byte is there for the queue's next work: one byte goes by no buffer. */
static bool arrives_last(spl__queue *queue, const unsigned char *device_data,
                         const unsigned char *expected, size_t bytes)
{
    unsigned char last = (unsigned char)~expected[bytes - 1];
    return spl__queue_fetch(queue, &last, device_data + bytes - 1, 1) == SPL_OK &&
           last == expected[bytes - 1];
}

/* To the device and back: the source may change when the copy to the device returns; the copy to
 * the host is complete when it returns. */
static bool goes_up_and_home(spl__queue *queue, void *device_data, unsigned char *source,
                             unsigned char *host_data, size_t bytes)
{
    unsigned char *expected = malloc(bytes);
    memcpy(expected, source, bytes);
    memset(host_data, 0xee, bytes);
    bool fine = spl__queue_fill(queue, device_data, 0x77, bytes) ==
                    SPL_OK && /* the copy must wait for this */
                spl__queue_copy(queue, device_data, source, bytes) == SPL_OK;
    memset(source, 0x11, bytes);
    fine = fine && arrives_last(queue, device_data, expected, bytes) &&
           spl__queue_fetch(queue, host_data, device_data, bytes) == SPL_OK &&
           memcmp(host_data, expected, bytes) == 0;
    fine = fine && spl__queue_fill(queue, device_data, 0x33, bytes) == SPL_OK &&
           spl__queue_fetch(queue, host_data, device_data, bytes) == SPL_OK;
    free(expected);
    return fine && host_data[0] == 0x33 && host_data[bytes - 1] == 0x33;
}

/* At odd addresses; the bytes around the target stay unchanged. */
static bool round_trip(spl__queue *queue, size_t bytes, uint64_t seed)
{
    guarded source = guarded_new(bytes + 1), to_buffer = guarded_new(bytes + 1);
    spl__device_array device_array;
    bool fine = spl__queue_alloc(queue, (int64_t)bytes, 1, &device_array) == SPL_OK;
    fill(source.data, bytes + 1, seed);
    unsigned char *from = source.data, *to = to_buffer.data;
    fine = fine && goes_up_and_home(queue, device_array.data, from + 1, to + 1, bytes);
    spl__queue_free(queue, &device_array);
    fine = spl__queue_wait(queue) == SPL_OK && fine && guarded_intact(&to_buffer) && to[0] == 0xff;
    guarded_free(&source);
    guarded_free(&to_buffer);
    return fine;
}

static void expect_round_trip(spl__queue *queue, size_t bytes)
{
    testing_case("%zu bytes", bytes);
    EXPECT(round_trip(queue, bytes, testing_seed() + bytes));
}

static void bytes_arrive(void **state)
{
    static const size_t sizes[] = {
        1, PIECE, 2 * PIECE - 1, 2 * PIECE, 2 * PIECE + 1, 3 * PIECE - 1, 5 * PIECE + 4097};
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, THREADS);
    for (int turn = 0; turn < 4;
         turn++) /* a copy that is read too early is noticed only sometimes */
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            expect_round_trip(&queue, sizes[i]);
    EXPECT(queue.device->bounces.buffers[0].memory); /* else this tests the driver */
    on_device_stop(&s);
}

static void small_copies_need_no_buffers(void **state)
{
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, THREADS);
    expect_round_trip(&queue, 2 * PIECE - 1);
    EXPECT(!queue.device->bounces.buffers[0].memory);
    on_device_stop(&s);
}

/* Copies at the same time: one takes the buffers, the others go as the driver makes them. */
static void several_at_once(void **state)
{
    on_device s = on_device_start(*state);
    uint64_t seed = testing_seed();
    int fine = 1;
#pragma omp parallel num_threads(THREADS) reduction(&& : fine)
    {
        spl__queue queue = device_queue(&s, THREADS);
        void *stream = NULL;
        if (spl__queue_stream(&queue, &stream) == SPL_OK) {
            queue.threads = 1;
            queue.stream = stream;
            for (int turn = 0; turn < 3; turn++)
                fine = round_trip(&queue, 2 * PIECE + 77,
                                  seed + (uint64_t)(10 * turn + omp_get_thread_num())) &&
                       fine;
            spl__queue_stream_free(&queue, stream);
        }
    }
    EXPECT(fine);
    on_device_stop(&s);
}

/* Where no more memory can be pinned, copies are slower but right. */
static void without_buffers(void **state)
{
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, THREADS);
    queue.device->bounces.refused = true;
    expect_round_trip(&queue, 3 * PIECE);
    EXPECT(!queue.device->bounces.buffers[0].memory);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(bytes_arrive),
        ON_BOTH_WIDTHS(small_copies_need_no_buffers),
        ON_BOTH_WIDTHS(several_at_once),
        ON_BOTH_WIDTHS(without_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
