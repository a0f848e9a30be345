/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory is reused in stream order: the previous user of a block has finished, and no two
 * users have it at once. */
#include "lib/device_queue.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { ALIVE = 8, TURNS = 400, RESULT_BYTES = 64, THREADS = 3 };

/* Few different sizes, so that blocks come back; now and then one that is not small. */
static int64_t size_of_turn(uint64_t draw)
{
    static const int64_t sizes[] = {64, 511, 513, 4000, 4100, 70000, 1 << 20, 5 << 20};
    return sizes[(draw >> 33) % (sizeof sizes / sizeof *sizes)];
}

/* A block filled with the turn's byte; what the turn before in this place left is copied to the
 * results, and its block freed, without a wait. */
static bool take_turn(spl__queue *queue, spl__device_array *block, unsigned char *results, int turn,
                      uint64_t draw)
{
    if (block->data)
        if (spl__queue_copy(queue, results + (size_t)(turn - ALIVE) * RESULT_BYTES,
                            (char *)block->data + block->bytes - RESULT_BYTES,
                            RESULT_BYTES) != SPL_OK)
            return false;
    spl__queue_free(queue, block);
    return turn >= TURNS ||
           (spl__queue_alloc(queue, size_of_turn(draw), 1, block) == SPL_OK &&
            spl__queue_fill(queue, block->data, 1 + turn % 250, block->bytes) == SPL_OK);
}

static bool results_are_right(const unsigned char *results)
{
    for (int i = 0; i < TURNS * RESULT_BYTES; i++)
        if (results[i] != 1 + i / RESULT_BYTES % 250)
            return false;
    return true;
}

/* Several blocks at a time, none of which has another's bytes. */
static bool blocks_are_ones_own(spl__queue *queue, uint64_t draw)
{
    spl__device_array blocks[ALIVE] = {{NULL, 0}}, results;
    unsigned char host_data[TURNS * RESULT_BYTES] = {0};
    bool fine = spl__queue_alloc(queue, sizeof host_data, 1, &results) == SPL_OK;
    for (int turn = 0; fine && turn < TURNS + ALIVE; turn++) {
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        fine = take_turn(queue, &blocks[turn % ALIVE], results.data, turn, draw);
    }
    fine = fine && spl__queue_fetch(queue, host_data, results.data, sizeof host_data) == SPL_OK &&
           results_are_right(host_data);
    for (int i = 0; i < ALIVE; i++)
        spl__queue_free(queue, &blocks[i]);
    spl__queue_free(queue, &results);
    return fine;
}

static void in_one_stream(void **state)
{
    on_device s = on_device_start(*state);
    spl__queue queue = device_queue(&s, 1);
    EXPECT(blocks_are_ones_own(&queue, testing_seed()));
    EXPECT_OK(spl_trim(s.context));
    EXPECT(blocks_are_ones_own(&queue, testing_seed() + 1));
    on_device_stop(&s);
}

/* Threads that share the context's stream share its blocks, too. */
static void in_one_stream_by_threads(void **state)
{
    on_device s = on_device_start(*state);
    uint64_t seed = testing_seed();
    int fine = 1;
#pragma omp parallel num_threads(THREADS) reduction(&& : fine)
    {
        spl__queue queue = device_queue(&s, 1);
        fine = blocks_are_ones_own(&queue, seed + (uint64_t)omp_get_thread_num());
    }
    EXPECT(fine);
    on_device_stop(&s);
}

/* A block that is freed in another stream, after long work there, is not available to the
 * context's stream at once. */
static void between_streams(void **state)
{
    enum { LONG = 64 << 20, ROUNDS = 20, SMALL = 4096 };
    on_device s = on_device_start(*state);
    spl__queue home = device_queue(&s, 1), other = device_queue(&s, 1);
    spl__device_array large, result, block;
    unsigned char found[SMALL];
    EXPECT_OK(spl__queue_stream(&other, &other.stream));
    EXPECT_OK(spl__queue_alloc(&home, LONG, 1, &large));
    EXPECT_OK(spl__queue_alloc(&home, SMALL, 1, &result));
    for (int round = 0; round < ROUNDS; round++) {
        EXPECT_OK(spl__queue_alloc(&home, SMALL, 1, &block));
        EXPECT_OK(spl__queue_fill(&home, block.data, 0x55, SMALL));
        EXPECT_OK(spl__queue_wait(&home));
        EXPECT_OK(spl__queue_fill(&other, large.data, round, LONG)); /* meanwhile home goes on */
        EXPECT_OK(spl__queue_copy(&other, result.data, block.data, SMALL));
        spl__device_array last = spl__queue_pass(&home, &block, &other);
        spl__queue_free(&other, &last);
        EXPECT_OK(spl__queue_alloc(&home, SMALL, 1, &block));
        EXPECT_OK(spl__queue_fill(&home, block.data, 0xaa, SMALL));
        spl__queue_free(&home, &block);
        EXPECT_OK(spl__queue_fetch(&other, found, result.data, SMALL));
        EXPECT(found[0] == 0x55 && memcmp(found, found + 1, SMALL - 1) == 0);
    }
    EXPECT_OK(spl__queue_wait(&home));
    spl__queue_free(&home, &result);
    spl__queue_free(&home, &large);
    spl__queue_stream_free(&other, other.stream);
    on_device_stop(&s);
}

/* On the requested device, otherwise at both widths of the emulator. */
int main(void)
{
    const struct CMUnitTest emulated[] = {
        ON_BOTH_WIDTHS(in_one_stream),
        ON_BOTH_WIDTHS(in_one_stream_by_threads),
        ON_BOTH_WIDTHS(between_streams),
    };
    const char *device = testing_device();
    const struct CMUnitTest asked[] = {
        cmocka_unit_test_prestate(in_one_stream, (void *)device),
        cmocka_unit_test_prestate(in_one_stream_by_threads, (void *)device),
        cmocka_unit_test_prestate(between_streams, (void *)device),
    };
    return device ? cmocka_run_group_tests(asked, NULL, NULL)
                  : cmocka_run_group_tests(emulated, NULL, NULL);
}
