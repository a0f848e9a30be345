/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* readlink */
#endif
#include "file/atomic_file.h"

#include "file/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of the folder part of a path, its last slash included; 0: the working directory. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static void copy_folder(char folder[PATH_MAX], const char *path)
{
    size_t length = folder_length(path);
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = 0;
}

/* Replaces the name by the target of the link: an absolute path, or one relative to the link's
 * folder. */
static spl_status follow(spl__atomic_file *f, const char *link)
{
    size_t folder = *link == '/' ? 0 : folder_length(f->target), length = strlen(link);
    if (folder + length >= sizeof f->target)
        return spl__file_error(f->name, ENAMETOOLONG);
    memcpy(f->target + folder, link, length + 1);
    return SPL_OK;
}

/* Not realpath, which fails for a target that does not exist yet. */
static spl_status follow_links(spl__atomic_file *f)
{
    enum { MOST_LINKS = 40 }; /* like Linux */
    char link[PATH_MAX];
    f->target[0] = 0;
    SPL__TRY(follow(f, f->name));
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = readlink(f->target, link, sizeof link - 1);
        if (length < 0) /* not a link, or nothing */
            return errno == EINVAL || errno == ENOENT ? SPL_OK : spl__file_error(f->name, errno);
        link[length] = 0;
        SPL__TRY(follow(f, link));
    }
    return spl__file_error(f->name, ELOOP);
}

/* Creates a file of a new name in the target's folder. Not mkstemp: it uses mode 0600, and the
 * umask cannot be read without changing it. */
static spl_status create_temporary(spl__atomic_file *f)
{
    enum { TRIES = 100, NAME_BYTES = 64 };
    static atomic_uint serial;
    size_t folder = folder_length(f->target);
    if (folder + NAME_BYTES > sizeof f->temporary)
        return spl__file_error(f->name, ENAMETOOLONG);
    memcpy(f->temporary, f->target, folder);
    for (int i = 0; i < TRIES; i++) {
        snprintf(f->temporary + folder, NAME_BYTES, ".sparloom-%ld-%u.tmp", (long)getpid(),
                 atomic_fetch_add(&serial, 1));
        f->file = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (f->file >= 0 || errno != EEXIST)
            break;
    }
    return f->file >= 0 ? SPL_OK : spl__file_error(f->name, errno);
}

static spl_status open_in_place(spl__atomic_file *f)
{
    f->file = open(f->name, O_WRONLY | O_CLOEXEC);
    return f->file >= 0 ? SPL_OK : spl__file_error(f->name, errno);
}

/* Finds the mode of the path (0: nothing) and the target, which devices and pipes do not need. */
static spl_status find_target(spl__atomic_file *f, const char *path, mode_t *mode)
{
    struct stat info;
    f->name = path;
    f->file = -1;
    f->temporary[0] = 0;
    bool exists = stat(path, &info) == 0;
    *mode = exists ? info.st_mode : 0;
    if (!exists && (errno != ENOENT || !*path))
        return spl__file_error(path, errno);
    if (exists && S_ISDIR(*mode))
        return spl__file_error(path, EISDIR);
    if (exists && access(path, W_OK) != 0) /* rename would not check this */
        return spl__file_error(path, errno);
    return exists && !S_ISREG(*mode) ? SPL_OK : follow_links(f);
}

spl_status spl__atomic_check(const char *path)
{
    spl__atomic_file f;
    char folder[PATH_MAX];
    mode_t mode;
    SPL__TRY(find_target(&f, path, &mode));
    if (mode && !S_ISREG(mode))
        return SPL_OK;
    copy_folder(folder, f.target);
    return access(folder, W_OK | X_OK) == 0 ? SPL_OK : spl__file_error(path, errno);
}

spl_status spl__atomic_open(spl__atomic_file *f, const char *path)
{
    mode_t mode;
    SPL__TRY(find_target(f, path, &mode));
    if (mode && !S_ISREG(mode))
        return open_in_place(f);
    SPL__TRY(create_temporary(f));
    if (mode && fchmod(f->file, mode & 07777) != 0) {
        spl_status status = spl__file_error(path, errno);
        spl__atomic_abandon(f);
        return status;
    }
    return SPL_OK;
}

spl_status spl__atomic_write(spl__atomic_file *f, const void *bytes, size_t count)
{
    const char *p = bytes;
    while (count) {
        ssize_t written = write(f->file, p, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return spl__file_error(f->name, errno);
        p += written;
        count -= (size_t)written;
    }
    return SPL_OK;
}

/* Makes the rename itself durable; not every file system can, and the data is safe already. */
static void sync_folder(const char *target)
{
    char folder[PATH_MAX];
    copy_folder(folder, target);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    fsync(file);
    close(file);
}

spl_status spl__atomic_commit(spl__atomic_file *f)
{
    bool replace = f->temporary[0] != 0;
    int error = replace && fsync(f->file) != 0 ? errno : 0;
    if (close(f->file) != 0 && !error)
        error = errno;
    if (!error && replace && rename(f->temporary, f->target) != 0)
        error = errno;
    if (error && replace)
        unlink(f->temporary);
    if (error)
        return spl__file_error(f->name, error);
    if (replace)
        sync_folder(f->target);
    return SPL_OK;
}

void spl__atomic_abandon(spl__atomic_file *f)
{
    close(f->file);
    if (f->temporary[0])
        unlink(f->temporary);
}
