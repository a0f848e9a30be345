/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/plugins.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/testing.h"

int plugin_lanes(int width)
{
    return width == 0 ? 32 : 64;
}

/* Never closed: sanitizers name functions of what is still loaded. */
static const spl__driver *load(const char *folder, int width)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libsparloom-emu%s.so", folder, width == 0 ? "" : "64");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail_msg("%s", dlerror());
    spl__driver_entry_fn entry;
    *(void **)&entry = dlsym(library, SPL__DRIVER_ENTRY);
    EXPECT(entry != NULL);
    const spl__driver *driver = entry();
    EXPECT(driver->version == SPL__DRIVER_VERSION && driver->size == sizeof *driver);
    EXPECT(driver->kind == SPL_EMULATOR && strcmp(driver->name, width == 0 ? "emu" : "emu64") == 0);
    return driver;
}

static void expect_ok(const rig *r, spl_status status, const char *call)
{
    if (status != SPL_OK)
        fail_msg("%d lanes: %s: %s: %s", r->lanes, call, spl_status_name(status),
                 r->driver->message());
}

static rig rig_open(const char *folder_variable, int width)
{
    const char *folder = getenv(folder_variable);
    if (folder == NULL)
        fail_msg("%s is not set", folder_variable);
    rig r = {load(folder, width), NULL, plugin_lanes(width)};
    testing_case("%d lanes", r.lanes);
    expect_ok(&r, r.driver->open(0, &r.device), "open");
    return r;
}

rig rig_of_project(int width)
{
    return rig_open("SPARLOOM_PLUGINS", width);
}

rig rig_of_tests(int width)
{
    return rig_open("SPARLOOM_TEST_PLUGINS", width);
}

static void set(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

rig rig_with(int width, const char *seed, const char *memory)
{
    set("SPARLOOM_EMU_SEED", seed);
    set("SPARLOOM_EMU_MEMORY", memory);
    rig r = rig_of_tests(width);
    set("SPARLOOM_EMU_SEED", NULL);
    set("SPARLOOM_EMU_MEMORY", NULL);
    return r;
}

void rig_close(rig *r)
{
    r->driver->close(r->device);
    r->device = NULL;
}

void *rig_alloc(const rig *r, size_t bytes)
{
    void *memory;
    expect_ok(r, r->driver->alloc(r->device, bytes, NULL, &memory), "alloc");
    return memory;
}

void *rig_put(const rig *r, const void *host, size_t bytes)
{
    void *memory = rig_alloc(r, bytes);
    expect_ok(r, r->driver->copy(r->device, memory, host, bytes, NULL), "copy");
    return memory;
}

void rig_get(const rig *r, void *host, const void *memory, size_t bytes)
{
    expect_ok(r, r->driver->copy(r->device, host, memory, bytes, NULL), "copy");
}

void rig_free(const rig *r, void *memory)
{
    r->driver->free(r->device, memory, NULL);
}

void rig_launch(const rig *r, const char *kernel, int64_t blocks, int threads, size_t shared,
                const void *args)
{
    spl__launch launch = {.blocks = blocks, .threads = threads, .shared = shared, .args = args};
    expect_ok(r, r->driver->kernel(r->device, kernel, &launch.kernel), kernel);
    expect_ok(r, r->driver->launch(r->device, &launch, NULL), kernel);
}

void rig_wait(const rig *r)
{
    expect_ok(r, r->driver->stream_wait(r->device, NULL), "stream_wait");
}

void rig_wait_fails(const rig *r, const char *const *words)
{
    EXPECT(r->driver->stream_wait(r->device, NULL) == SPL_DEVICE_FAILURE);
    const char *message = r->driver->message();
    for (; *words; words++)
        if (strstr(message, *words) == NULL)
            fail_msg("%d lanes: \"%s\" does not say \"%s\"", r->lanes, message, *words);
    expect_ok(r, r->driver->stream_wait(r->device, NULL), "told twice");
}
