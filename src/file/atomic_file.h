/* SPDX-License-Identifier: Apache-2.0 */
/* atomic_file.h: a file that appears complete or not at all. */
#ifndef SPL_FILE_ATOMIC_FILE_H
#define SPL_FILE_ATOMIC_FILE_H

#include "core/memory.h"

#include <limits.h>

typedef struct spl__atomic_file {
    const char *name; /* what messages call it; the caller's */
    int file;
    char target[PATH_MAX];    /* `name`, or what it links to */
    char temporary[PATH_MAX]; /* "": written in place (devices, pipes) */
} spl__atomic_file;

/* Begins to write. Between open and exactly one of commit and abandon, what was at `path` stays as
 * it is. A new file gets the permissions that the umask gives, a replaced one keeps its own. A
 * symbolic link stays one: its target is replaced, or made if there is none. What is not a regular
 * file is written directly. SPL_FILE_ERROR. */
spl_status spl__atomic_open(spl__atomic_file *file, const char *path);
/* Could a file be opened there? Changes nothing. SPL_FILE_ERROR. */
spl_status spl__atomic_check(const char *path);
spl_status spl__atomic_write(spl__atomic_file *file, const void *bytes, size_t count);
/* The data is on the disk when this returns SPL_OK; after a failure everything is as before. */
spl_status spl__atomic_commit(spl__atomic_file *file);
void spl__atomic_abandon(spl__atomic_file *file);

#endif
