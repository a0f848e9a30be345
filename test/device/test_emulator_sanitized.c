/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that only AddressSanitizer or ThreadSanitizer sees. They end the process, so each is tried
 * in a child whose report is read; without its sanitizer a case is skipped. Each kernel without its
 * fault must give no report. And in every build: the host must not touch device memory. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/faulty_grids.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

typedef void (*child_fn)(const rig *r, int fault);

/* What the child wrote to its standard error; *status is how it ended. */
static const char *run_child(child_fn run, int width, int fault, int *status)
{
    static char report[1 << 20];
    int ends[2];
    size_t length = 0;
    EXPECT(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        signal(SIGSEGV, SIG_DFL); /* not cmocka's, which goes on to the next test */
        rig r = rig_with(width, NULL, NULL);
        run(&r, fault);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], report + length, sizeof report - 1 - length)) > 0;)
        length += (size_t)n;
    close(ends[0]);
    report[length] = 0;
    EXPECT(child > 0 && waitpid(child, status, 0) == child);
    return report;
}

static bool sanitized_by(const char *name)
{
    const char *sanitizers = getenv("SPARLOOM_SANITIZE");
    return sanitizers && strstr(sanitizers, name) != NULL;
}

/* The child must end with a report that contains the words, and without the fault end well and say
 * nothing. */
static void expect_report(child_fn run, int fault, const char *words, const char *more)
{
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        int status;
        const char *report = run_child(run, width, fault, &status);
        if (status == 0 || strstr(report, words) == NULL || strstr(report, more) == NULL)
            fail_msg("%d lanes, fault %d: status %d, no \"%s\" and \"%s\" in:\n%s",
                     plugin_lanes(width), fault, status, words, more, report);
        report = run_child(run, width, 0, &status);
        if (status != 0 || report[0] != 0)
            fail_msg("%d lanes, no fault: status %d:\n%s", plugin_lanes(width), status, report);
    }
}

/* ----------------------------------------------------------------------------- AddressSanitizer */

static void overrun(const rig *r, const char *kernel, int beyond, size_t shared)
{
    struct overrun_shared_args args = {rig_alloc(r, FAULTY_COUNT * sizeof(int32_t)), beyond};
    rig_launch(r, kernel, 3, 128, shared, &args);
    rig_wait(r);
}

static void overrun_shared(const rig *r, int beyond)
{
    overrun(r, "overrun_shared_f32_32", beyond, 0);
}

static void overrun_at_launch(const rig *r, int beyond)
{
    overrun(r, "overrun_at_launch_f32_32", beyond, FAULTY_COUNT * sizeof(int32_t));
}

static void overrun_device(const rig *r, int beyond)
{
    void *before = rig_alloc(r, 256);
    overrun(r, "overrun_device_f32_32", beyond, 0);
    rig_free(r, before);
}

static void use_after_free(const rig *r, int fault)
{
    struct overrun_device_args args = {rig_alloc(r, FAULTY_COUNT * sizeof(int32_t)), 0};
    if (fault)
        rig_free(r, args.out);
    rig_launch(r, "overrun_device_f32_32", 1, 64, 0, &args);
    rig_wait(r);
}

static void overruns_are_reported(void **state)
{
    (void)state;
    if (!sanitized_by("address"))
        skip();
    const char *asan = "AddressSanitizer";
    expect_report(overrun_shared, 1, asan, "overrun_shared_f32_32");
    expect_report(overrun_shared, -FAULTY_COUNT, asan, "overrun_shared_f32_32");
    expect_report(overrun_at_launch, 1, asan, "overrun_at_launch_f32_32");
    expect_report(overrun_device, 1, asan, "overrun_device_f32_32");
    expect_report(overrun_device, -1, asan, "overrun_device_f32_32");
    expect_report(overrun_device, 900, asan, "overrun_device_f32_32");
    expect_report(use_after_free, 1, asan, "overrun_device_f32_32");
}

/* ------------------------------------------------------------------------------ ThreadSanitizer */

static void race(const rig *r, const char *kernel, int64_t blocks, int fault)
{
    const int32_t zeros[FAULTY_COUNT] = {0};
    struct missing_fence_args args = {rig_put(r, zeros, sizeof zeros),
                                      rig_put(r, zeros, sizeof zeros), fault};
    /* two blocks have fewer threads than TSan tells apart */
    rig_launch(r, kernel, blocks, 64, 0, &args);
    rig_wait(r);
}

static void race_in_block(const rig *r, const char *kernel, int fault)
{
    struct missing_barrier_args args = {rig_alloc(r, FAULTY_COUNT * sizeof(int32_t)), fault};
    rig_launch(r, kernel, 1, 128, 0, &args);
    rig_wait(r);
}

static void missing_barrier(const rig *r, int fault)
{
    race_in_block(r, "missing_barrier_f32_32", fault);
}

static void missing_warp_barrier(const rig *r, int fault)
{
    race_in_block(r, "missing_warp_barrier_f32_32", fault);
}

static void missing_fence(const rig *r, int fault)
{
    race(r, "missing_fence_f32_32", 2, fault);
}

static void race_of_blocks(const rig *r, int fault)
{
    struct race_of_blocks_args args = {rig_alloc(r, sizeof(int32_t)), fault};
    rig_launch(r, "race_of_blocks_f32_32", 2, 64, 0, &args);
    rig_wait(r);
}

static void races_are_reported(void **state)
{
    (void)state;
    if (!sanitized_by("thread"))
        skip();
    const char *tsan = "ThreadSanitizer: data race";
    expect_report(missing_barrier, 1, tsan, "missing_barrier_f32_32");
    expect_report(missing_warp_barrier, 1, tsan, "missing_warp_barrier_f32_32");
    expect_report(missing_fence, 1, tsan, "missing_fence_f32_32");
    expect_report(race_of_blocks, 1, tsan, "race_of_blocks_f32_32");
}

/* ---------------------------------------------------------------------------------- every build */

static void touch(const rig *r, int fault)
{
    volatile int32_t *memory = rig_alloc(r, 64);
    rig_wait(r);
    if (fault == 1)
        memory[0] = 1;
    else if (fault == 2 && memory[1] == 0)
        memory[0] = 2;
}

static void the_host_cannot_touch_device_memory(void **state)
{
    (void)state;
    for (int width = 0; width < PLUGIN_WIDTHS; width++)
        for (int fault = 0; fault <= 2; fault++) {
            int status;
            run_child(touch, width, fault, &status);
            testing_case("%d lanes, fault %d: status %d", plugin_lanes(width), fault, status);
            EXPECT((status == 0) == (fault == 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overruns_are_reported),
        cmocka_unit_test(races_are_reported),
        cmocka_unit_test(the_host_cannot_touch_device_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
