/* SPDX-License-Identifier: Apache-2.0 */
/* Rivals in shared objects of the user's: codes that are no library, with an adapter that is built
 * beside their sources, outside of this project. doc/benchmarks.md says how. */
#include "rivals.h"

#include <dlfcn.h>
#include <stdio.h>

const bench_rival *bench_open_rival(const char *path, const char **reason)
{
    static char why[BENCH_REASON];
    bench_rival_entry entry = NULL;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        snprintf(why, sizeof why, "%s", dlerror());
        *reason = why;
        return NULL;
    }
    /* POSIX lets data pointers become those of functions */
    *(void **)&entry = dlsym(object, BENCH_RIVAL_ENTRY);
    const bench_rival *rival = entry ? entry(sizeof *rival) : NULL;
    if (!rival) {
        *reason = entry ? "it was built against another bench_rival.h"
                        : "it has no function " BENCH_RIVAL_ENTRY;
        dlclose(object);
    }
    return rival;
}
