/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* RLIMIT_NPROC */
#endif
#include "core/threads/thread_limit.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Limits from so many processes on are taken for none. */
enum { AMPLE = 8192 };

static bool is_low(int resource, rlim_t ample)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
           limit.rlim_cur < ample;
}

/* The number in a file like pids.max; LONG_MAX: "max", or there is no such file. */
static long read_limit(const char *root, const char *group)
{
    char path[PATH_MAX], text[32] = "";
    long limit = LONG_MAX;
    if (snprintf(path, sizeof path, "%s%s/pids.max", root, group) >= (int)sizeof path)
        return limit;
    FILE *file = fopen(path, "r");
    if (!file)
        return limit;
    if (fgets(text, sizeof text, file) && strncmp(text, "max", 3) != 0)
        limit = strtol(text, NULL, 10);
    fclose(file);
    return limit;
}

/* A line of /proc/self/cgroup: "0::/group" (version 2), "8:pids:/group" (version 1). */
static long limit_of_line(char *line)
{
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return LONG_MAX;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (strcmp(controllers, ":") == 0)
        return read_limit("/sys/fs/cgroup", strcmp(group, "/") == 0 ? "" : group);
    return strstr(controllers, "pids")
               ? read_limit("/sys/fs/cgroup/pids", strcmp(group, "/") == 0 ? "" : group)
               : LONG_MAX;
}

static bool group_is_low(void)
{
    char line[PATH_MAX + 64];
    bool low = false;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file && !low && fgets(line, sizeof line, file))
        low = limit_of_line(line) < AMPLE;
    if (file)
        fclose(file);
    return low;
}

bool spl__threads_are_limited(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known; /* concurrent threads find the same */
    if (atomic_load(&known) == UNKNOWN) {
        bool limited =
            is_low(RLIMIT_NPROC, AMPLE) || is_low(RLIMIT_AS, RLIM_INFINITY) || group_is_low();
        atomic_store(&known, limited ? YES : NO);
    }
    return atomic_load(&known) == YES;
}
