/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that the emulator itself must find. Each ends its grid, is told once, with names and
 * places, and leaves the device usable. */
#include "device/faulty_grids.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

static const char *const seeds[] = {"0", "-1", "9"};
enum { SEEDS = sizeof seeds / sizeof seeds[0] };

typedef struct fault_case {
    planted fault;
    const char *words[7]; /* that the message must contain; ends with NULL */
} fault_case;

static const fault_case cases[] = {
    {DIVERGENT_BARRIER,
     {"faulty_f64_32", "SYNC in divergent code", "block 1", "thread", "faulty_grids.k.h:"}},
    {SHUFFLE_FROM_ABSENT_LANE,
     {"faulty_f64_32", "SHUFFLE reads lane 20", "takes no part", "block 1", "faulty_grids.k.h:"}},
    {LANE_OUTSIDE_ITS_MASK,
     {"faulty_f64_32", "is not in its own mask 0xff", "block 1", "faulty_grids.k.h:"}},
    {MASKS_THAT_DISAGREE, {"faulty_f64_32", "mask", "block 1", "faulty_grids.k.h:"}},
    {DIFFERENT_OPERATIONS,
     {"faulty_f64_32", "different operations", "block 1", "faulty_grids.k.h:"}},
    {BARRIER_AGAINST_SHUFFLE,
     {"faulty_f64_32", "deadlock", "wait in SYNC (", "wait in SHUFFLE (", "block 1",
      "faulty_grids.k.h:"}},
    {TOO_MUCH_SHARED,
     {"faulty_f64_32", "shared arrays take 72000 bytes", "block 1", "faulty_grids.k.h:"}},
    {ENDLESS_WAIT, {"faulty_f64_32", "livelock", "block 1, thread 3"}},
};

/* The same kernel without its fault. */
static void expect_usable(const rig *r)
{
    int32_t out[FAULTY_COUNT] = {0};
    struct faulty_args args = {rig_put(r, out, sizeof out), NO_FAULT};
    rig_launch(r, "faulty_f64_32", 4, 256, 0, &args);
    rig_get(r, out, args.out, sizeof out);
    for (int b = 0; b < 4; b++)
        EXPECT(out[b] == 7);
    rig_free(r, args.out);
}

static void try_case(const rig *r, const fault_case *c)
{
    int32_t out[FAULTY_COUNT] = {0};
    struct faulty_args args = {rig_put(r, out, sizeof out), c->fault};
    testing_case("%d lanes, fault %d", r->lanes, (int)c->fault);
    rig_launch(r, "faulty_f64_32", 2, 256, 0, &args);
    rig_wait_fails(r, c->words);
    rig_free(r, args.out);
    expect_usable(r);
}

static void faults_are_found_and_told(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int seed = 0; seed < SEEDS; seed++) {
            rig r = rig_with(width, seeds[seed], NULL);
            for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
                try_case(&r, &cases[i]);
            rig_close(&r);
        }
}

/* Grids that a device refuses. */
static void try_grid(const rig *r, int64_t blocks, int threads, size_t shared, const char *word)
{
    struct faulty_args args = {rig_alloc(r, FAULTY_COUNT * sizeof(int32_t)), NO_FAULT};
    testing_case("%d lanes, %d blocks of %d threads, %zu bytes shared", r->lanes, (int)blocks,
                 threads, shared);
    rig_launch(r, "faulty_f32_64", blocks, threads, shared, &args);
    rig_wait_fails(r, (const char *const[]){"faulty_f32_64", word, NULL});
    rig_free(r, args.out);
    expect_usable(r);
}

static void impossible_grids_are_refused(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, NULL);
        spl__device_properties p;
        EXPECT(r.driver->properties(r.device, &p) == SPL_OK);
        try_grid(&r, 1, 1025, 0, "at most 1024");
        try_grid(&r, 1, 1024, 0, "built for 512");
        try_grid(&r, 1, 0, 0, "0 threads");
        try_grid(&r, 0, 64, 0, "0 blocks");
        try_grid(&r, INT64_C(1) << 31, 64, 0, "blocks");
        try_grid(&r, 1, 64, p.block_shared + 1, "shared memory");
        rig_close(&r);
    }
}

/* The next call in the stream reports the fault, and later work in the stream is not done. */
static void faults_are_told_by_the_next_call(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, NULL);
        int32_t out[FAULTY_COUNT] = {0};
        struct faulty_args args = {rig_put(&r, out, sizeof out), DIVERGENT_BARRIER},
                           second = {args.out, NO_FAULT};
        rig_launch(&r, "faulty_f64_32", 2, 256, 0, &args);
        rig_launch(&r, "faulty_f64_32", 4, 256, 0, &second);
        EXPECT(r.driver->copy(r.device, out, args.out, sizeof out, NULL) == SPL_DEVICE_FAILURE);
        rig_get(&r, out, args.out, sizeof out);
        EXPECT(out[2] == 0 && out[3] == 0);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_found_and_told),
        cmocka_unit_test(impossible_grids_are_refused),
        cmocka_unit_test(faults_are_told_by_the_next_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
