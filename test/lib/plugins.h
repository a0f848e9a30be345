/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.h: the emulator's plug-ins, opened directly, and a device of one to try kernels on. */
#ifndef SPARLOOM_TEST_PLUGINS_H
#define SPARLOOM_TEST_PLUGINS_H

#include "device/driver.h"

enum { PLUGIN_WIDTHS = 2 };
/* 32, 64 */
int plugin_lanes(int width);

/* A device of a plug-in with its default stream, and shorter names for what tests do with it. Every
 * failure ends the test. */
typedef struct rig {
    const spl__driver *driver;
    void *device;
    int lanes;
} rig;

/* Device 0 of the plug-in for that width, with the project's own kernels or with those of
 * test/device. */
rig rig_of_project(int width);
rig rig_of_tests(int width);
/* As rig_of_tests, with SPARLOOM_EMU_SEED and SPARLOOM_EMU_MEMORY set (NULL: not set) while the
 * device is opened. */
rig rig_with(int width, const char *seed, const char *memory);
void rig_close(rig *r);

void *rig_alloc(const rig *r, size_t bytes);
/* A device copy of a host array. */
void *rig_put(const rig *r, const void *host, size_t bytes);
void rig_get(const rig *r, void *host, const void *memory, size_t bytes);
void rig_free(const rig *r, void *memory);
/* Enqueues; the kernel is the one of that name. */
void rig_launch(const rig *r, const char *kernel, int64_t blocks, int threads, size_t shared,
                const void *args);
void rig_wait(const rig *r);
/* The same, and waiting must fail with a message that contains all of the words (the list ends with
 * NULL). */
void rig_wait_fails(const rig *r, const char *const *words);

#endif
