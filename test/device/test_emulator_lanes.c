/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, shared memory, shuffles, ballots: at both widths, under every kind of schedule. */
#include "device/lane_words.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

static const char *const seeds[] = {"0", "-1", "1", "20261122"};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static int64_t value_of(int thread)
{
    return thread * 3 + 1;
}

/* The results of lane_words for one thread, from the definitions in dialect.h. */
static void expect_words(const rig *r, const int64_t *results, int64_t stride, int thread,
                         struct lane_words_args args)
{
    const int lane = thread % r->lanes, first = thread - lane, in_group = lane % args.width;
    const int upwards = in_group >= args.distance ? thread - args.distance : thread;
    const int down = in_group + args.distance < args.width ? thread + args.distance : thread;
    uint64_t thirds = 0, group = 0;
    int count = 0;
    for (int i = 0; i < r->lanes; i += 3, count++)
        thirds |= (uint64_t)1 << i;
    for (int i = 0; i < args.width; i++)
        group |= (uint64_t)1 << (lane - in_group + i);
    EXPECT(results[0 * stride] == value_of(first + args.distance));
    EXPECT(results[1 * stride] == value_of(first + (lane ^ args.distance)));
    EXPECT(results[2 * stride] == value_of(upwards));
    EXPECT(results[3 * stride] == value_of(down));
    EXPECT((uint64_t)results[4 * stride] == thirds);
    EXPECT((uint64_t)results[5 * stride] == group);
    EXPECT(results[6 * stride] == count);
    EXPECT(results[7 * stride] == 3);
}

static void try_words(const rig *r, const char *kernel, struct lane_words_args args)
{
    enum { BLOCKS_ = 3, THREADS_ = 128, STRIDE = BLOCKS_ * THREADS_ };
    static int64_t results[LANE_WORDS_RESULTS][STRIDE];
    testing_case("%d lanes, %s, by %d in groups of %d", r->lanes, kernel, args.distance,
                 args.width);
    args.results = rig_alloc(r, sizeof results);
    rig_launch(r, kernel, BLOCKS_, THREADS_, 0, &args);
    rig_get(r, results, args.results, sizeof results);
    for (int i = 0; i < STRIDE; i++)
        expect_words(r, results[0] + i, STRIDE, i % THREADS_, args);
    rig_free(r, args.results);
}

static void lanes_exchange_words(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int seed = 0; seed < SEEDS; seed++) {
            rig r = rig_with(width, seeds[seed], NULL);
            for (int group = 1; group <= r.lanes; group *= 2)
                for (int distance = 0; distance < r.lanes; distance += 1 + distance / 2) {
                    try_words(&r, "lane_words_f32_32",
                              (struct lane_words_args){NULL, distance, group});
                    try_words(&r, "lane_words_f64_64",
                              (struct lane_words_args){NULL, distance, group});
                }
            rig_close(&r);
        }
}

static void try_sums(const rig *r, int64_t blocks, int threads)
{
    int64_t sums[2][20];
    testing_case("%d lanes, %d blocks of %d threads", r->lanes, (int)blocks, threads);
    struct block_sum_args args = {rig_alloc(r, 2 * (size_t)blocks * sizeof(int64_t))};
    rig_launch(r, "block_sum_f64_32", blocks, threads, (size_t)threads * sizeof(int64_t), &args);
    for (int i = 0; i < 2; i++)
        rig_get(r, sums[i], (int64_t *)args.sums + i * blocks, (size_t)blocks * sizeof(int64_t));
    for (int64_t b = 0; b < blocks; b++) {
        EXPECT(sums[0][b] == (int64_t)threads * (threads - 1) / 2 + b * threads);
        EXPECT(sums[1][b] == sums[0][b]);
    }
    rig_free(r, args.sums);
}

static void blocks_sum_in_shared_memory(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int seed = 0; seed < SEEDS; seed++) {
            rig r = rig_with(width, seeds[seed], NULL);
            for (int threads = r.lanes; threads <= 1024; threads *= 2)
                try_sums(&r, 1 + threads % 19, threads);
            rig_close(&r);
        }
}

static void threads_that_returned_are_not_waited_for(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int seed = 0; seed < SEEDS; seed++) {
            rig r = rig_with(width, seeds[seed], NULL);
            int64_t sums[5];
            struct half_returns_args args = {rig_alloc(&r, sizeof sums), 37};
            rig_launch(&r, "half_returns_f32_32", 5, 200, 0, &args);
            rig_get(&r, sums, args.sums, sizeof sums);
            for (int b = 0; b < 5; b++)
                EXPECT(sums[b] == 36);
            rig_close(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_exchange_words),
        cmocka_unit_test(blocks_sum_in_shared_memory),
        cmocka_unit_test(threads_that_returned_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
