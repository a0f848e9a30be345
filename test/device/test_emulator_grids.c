/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of all types, what a thread tells its block, and blocks that wait for each other. */
#include "device/device_words.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

static const char *const seeds[] = {"0", "-1", "5"};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static void for_all(void (*try)(const rig *r))
{
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int seed = 0; seed < SEEDS; seed++) {
            rig r = rig_with(width, seeds[seed], NULL);
            testing_case("%d lanes, seed %s", r.lanes, seeds[seed]);
            try(&r);
            rig_close(&r);
        }
}

static void try_atomics(const rig *r)
{
    const int n = 6 * 192;
    device_words w = {0};
    struct atomics_args args = {rig_put(r, &w, sizeof w)};
    rig_launch(r, "atomics_f32_32", 6, 192, 0, &args);
    rig_get(r, &w, args.words, sizeof w);
    EXPECT(w.add_i32 == -n && w.add_u32 == 2 * (uint32_t)n);
    EXPECT(w.add_i64 == -((int64_t)n << 40) && w.add_u64 == (uint64_t)n << 40);
    EXPECT(w.add_f32 == 0.5f * (float)n && w.add_f64 == 0.25 * n);
    EXPECT(w.max_i32 == n - 6 && w.max_u32 == 0x80000000u + (uint32_t)n - 1 &&
           w.max_u64 == (uint64_t)(n - 1) << 40);
    EXPECT(w.or_u32 == UINT32_MAX && w.or_u64 == UINT64_MAX);
    EXPECT(w.exchange_u32 == 77 && w.exchange_i64 == -(INT64_C(1) << 50));
    EXPECT(w.cas_i32 == 3 * n && w.cas_i64 == -3 * n && w.cas_u64 == 5 * (uint64_t)n);
}

static void atomics_of_all_types(void **state)
{
    (void)state;
    for_all(try_atomics);
}

/* Consecutive votes in which no thread, the first, the last, or one between them votes yes. */
static void try_any(const rig *r)
{
    enum { ROUNDS = 7, BLOCKS_ = 3, THREADS_ = 192 };
    static const int32_t votes[ROUNDS] = {-1, 0, THREADS_ - 1, -1, 100, 100, -1}, zeros[ROUNDS];
    int32_t counts[ROUNDS];
    struct any_args args = {ROUNDS, rig_put(r, votes, sizeof votes),
                            rig_put(r, zeros, sizeof zeros)};
    rig_launch(r, "any_f32_32", BLOCKS_, THREADS_, 0, &args);
    rig_get(r, counts, args.counts, sizeof counts);
    for (int n = 0; n < ROUNDS; n++)
        EXPECT(counts[n] == (votes[n] < 0 ? 0 : BLOCKS_ * THREADS_));
}

static void all_threads_hear_of_one(void **state)
{
    (void)state;
    for_all(try_any);
}

/* More blocks than are resident at once: they must begin in the order in which
 * they draw tickets. */
static void try_look_back(const rig *r)
{
    enum { BLOCKS_ = 300 };
    static const int32_t zeros[BLOCKS_];
    int64_t sums[BLOCKS_];
    struct look_back_args args = {rig_alloc(r, sizeof sums), rig_put(r, zeros, sizeof zeros),
                                  rig_put(r, zeros, sizeof(int32_t))};
    rig_launch(r, "look_back_f32_32", BLOCKS_, 64, 0, &args);
    rig_get(r, sums, args.sums, sizeof sums);
    for (int64_t b = 0; b < BLOCKS_; b++)
        EXPECT(sums[b] == (b + 1) * (b + 2) / 2);
}

/* As many blocks as must be resident, by the device's properties. */
static void try_look_ahead(const rig *r)
{
    spl__device_properties p;
    EXPECT(r->driver->properties(r->device, &p) == SPL_OK);
    const int threads = 256, blocks = p.units * (p.unit_threads / threads);
    static const int32_t zeros[64];
    int64_t sums[64];
    EXPECT(blocks > 1 && blocks <= 64);
    struct look_ahead_args args = {rig_alloc(r, sizeof sums), rig_put(r, zeros, sizeof zeros)};
    rig_launch(r, "look_ahead_f32_32", blocks, threads, 0, &args);
    rig_get(r, sums, args.sums, (size_t)blocks * sizeof sums[0]);
    for (int64_t b = 0; b < blocks; b++)
        EXPECT(sums[b] == (int64_t)blocks * (blocks + 1) / 2 - b * (b + 1) / 2);
}

static void blocks_wait_for_earlier_ones(void **state)
{
    (void)state;
    for_all(try_look_back);
}

static void blocks_wait_for_later_ones(void **state)
{
    (void)state;
    for_all(try_look_ahead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_of_all_types),
        cmocka_unit_test(all_threads_hear_of_one),
        cmocka_unit_test(blocks_wait_for_earlier_ones),
        cmocka_unit_test(blocks_wait_for_later_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
