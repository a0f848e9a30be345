/* SPDX-License-Identifier: Apache-2.0 */
/* atomic_file.h: a file that appears complete or not at all. */
#ifndef SPL_FILE_ATOMIC_FILE_H
#define SPL_FILE_ATOMIC_FILE_H

#include "core/memory.h"

#include <limits.h>

typedef struct spl__atomic_file {
    const char *name; /* for messages; owned by the caller */
    int file;
    char target[PATH_MAX];    /* `name`, or what it links to */
    char temporary[PATH_MAX]; /* "": written in place (devices, pipes) */
} spl__atomic_file;

/* Begins to write. Until commit or abandon, one of which must be called, the old content of
 * `path` is unchanged. A new file gets the permissions of the umask, a replaced one keeps its
 * own. A symbolic link is kept: its target is replaced or created. Devices and pipes are written
 * directly. SPL_FILE_ERROR. */
spl_status spl__atomic_open(spl__atomic_file *file, const char *path);
/* Checks whether a file can be opened at `path`. Changes nothing. SPL_FILE_ERROR. */
spl_status spl__atomic_check(const char *path);
spl_status spl__atomic_write(spl__atomic_file *file, const void *bytes, size_t count);
/* When this returns SPL_OK the data is on the disk; after a failure the old content is
 * unchanged. */
spl_status spl__atomic_commit(spl__atomic_file *file);
void spl__atomic_abandon(spl__atomic_file *file);

#endif
