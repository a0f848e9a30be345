/* SPDX-License-Identifier: Apache-2.0 */
/* driver_find.c: opens plug-ins, from the folder SPARLOOM_PLUGINS, else from the library's
 * folder or its subfolder sparloom/. */
#define _GNU_SOURCE /* dladdr */
#include "device/device.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* The folder of the shared object (or program) that contains this function, without the last
 * slash; "." if unknown. */
static void own_folder(char folder[PATH_BYTES])
{
    Dl_info info;
    const char *file = dladdr((void *)own_folder, &info) && info.dli_fname ? info.dli_fname : "";
    const char *slash = strrchr(file, '/');
    snprintf(folder, PATH_BYTES, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
}

/* Writes the path of the plug-in, in the first folder that has it; false: none has. */
static bool find_file(const char *name, char path[PATH_BYTES])
{
    char folder[PATH_BYTES];
    const char *given = getenv("SPARLOOM_PLUGINS");
    own_folder(folder);
    const char *const folders[] = {given ? given : folder, "", given ? given : folder, "/sparloom"};
    for (int i = 0; i < (given ? 2 : 4); i += 2) {
        int length =
            snprintf(path, PATH_BYTES, "%s%s/libsparloom-%s.so", folders[i], folders[i + 1], name);
        if (length < PATH_BYTES && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static spl_status check_driver(const char *name, const char *path, const spl__driver *driver)
{
    if (driver->version == SPL__DRIVER_VERSION && driver->size == sizeof(spl__driver))
        return SPL_OK;
    return spl__fail(SPL_UNSUPPORTED, "%s: %s has interface version %u, this library needs %d",
                     name, path, (unsigned)driver->version, SPL__DRIVER_VERSION);
}

/* Plug-ins stay open, because GPU runtimes do not support being unloaded before the process
 * ends. */
spl_status spl__driver_find(const char *name, const spl__driver **driver)
{
    char path[PATH_BYTES];
    spl__driver_entry_fn entry = NULL;
    if (!find_file(name, path))
        return spl__fail(SPL_UNSUPPORTED, "%s: the plug-in libsparloom-%s.so is not installed",
                         name, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return spl__fail(SPL_UNSUPPORTED, "%s: %s", name, dlerror());
    *(void **)&entry = dlsym(library, SPL__DRIVER_ENTRY);
    if (!entry)
        return spl__fail(SPL_UNSUPPORTED, "%s: %s is no plug-in of Sparloom", name, path);
    *driver = entry();
    return check_driver(name, path, *driver);
}
