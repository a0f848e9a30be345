/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* readlink */
#endif
#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int reserve(tool_buffer *buffer, size_t more)
{
    if (buffer->failed || more <= buffer->room - buffer->count)
        return !buffer->failed;
    size_t room = 2 * buffer->room + more + 256;
    char *bytes = realloc(buffer->bytes, room);
    if (!bytes) {
        buffer->failed = 1;
        return 0;
    }
    buffer->bytes = bytes;
    buffer->room = room;
    return 1;
}

void tool_buffer_add(tool_buffer *buffer, const void *bytes, size_t count)
{
    if (!count || !reserve(buffer, count))
        return;
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

void tool_buffer_text(tool_buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve(buffer, (size_t)length + 1)) {
        vsnprintf(buffer->bytes + buffer->count, (size_t)length + 1, format, again);
        buffer->count += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

void tool_buffer_free(tool_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (tool_buffer){0};
}

/* -------------------------------------------------------------------------------------- writing */

/* Puts what a link says in the place of its name: a whole path, or one from the link's folder. */
static int follow(char target[PATH_MAX], const char *link)
{
    const char *slash = strrchr(target, '/');
    size_t folder = slash && *link != '/' ? (size_t)(slash - target) + 1 : 0, length = strlen(link);
    errno = ENAMETOOLONG;
    if (folder + length >= PATH_MAX)
        return 0;
    memcpy(target + folder, link, length + 1);
    return 1;
}

int tool_link_target(const char *path, char *target)
{
    enum { MOST_LINKS = 40 }; /* as Linux */
    char link[PATH_MAX];
    *target = 0;
    int good = follow(target, path);
    for (int i = 0; good && i < MOST_LINKS; i++) {
        ssize_t length = readlink(target, link, sizeof link - 1);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT; /* no link, or nothing there yet */
        link[length] = 0;
        good = follow(target, link);
    }
    errno = good ? ELOOP : errno;
    return 0;
}

/* What is to be replaced, links followed, and a new name in its folder. */
static int choose_names(const char *path, char target[PATH_MAX], char temporary[PATH_MAX])
{
    if (!tool_link_target(path, target))
        return 0;
    const char *slash = strrchr(target, '/');
    int folder = slash ? (int)(slash - target) + 1 : 0;
    int length =
        snprintf(temporary, PATH_MAX, "%.*s.sparloom-tool-%ld.tmp", folder, target, (long)getpid());
    errno = ENAMETOOLONG;
    return length > 0 && length < PATH_MAX;
}

static int write_all(int file, const tool_buffer *buffer)
{
    for (size_t done = 0; done < buffer->count;) {
        ssize_t written = write(file, buffer->bytes + done, buffer->count - done);
        if (written < 0 && errno != EINTR)
            return 0;
        done += written > 0 ? (size_t)written : 0;
    }
    return 1;
}

/* The old file's permissions, the bytes, and all of it on the disk. */
static int fill(int file, const char *target, const tool_buffer *buffer)
{
    struct stat old;
    int good = stat(target, &old) != 0 || fchmod(file, old.st_mode & 07777) == 0;
    return good && write_all(file, buffer) && fsync(file) == 0;
}

int tool_write_file(const char *path, const tool_buffer *buffer)
{
    char target[PATH_MAX], temporary[PATH_MAX];
    if (buffer->failed) {
        errno = ENOMEM;
        return 0;
    }
    if (!choose_names(path, target, temporary))
        return 0;
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return 0;
    int good = fill(file, target, buffer), error = errno;
    if (close(file) != 0 && good) {
        good = 0;
        error = errno;
    }
    if (good && rename(temporary, target) == 0)
        return 1;
    error = good ? errno : error;
    unlink(temporary);
    errno = error;
    return 0;
}

/* -------------------------------------------------------------------------------------- reading */

char *tool_read_file(const char *path)
{
    FILE *stream = fopen(path, "r");
    tool_buffer buffer = {0};
    char piece[4096];
    if (!stream)
        return NULL;
    errno = 0;
    for (size_t count; (count = fread(piece, 1, sizeof piece, stream)) > 0;)
        tool_buffer_add(&buffer, piece, count);
    int error = ferror(stream) ? errno : 0;
    fclose(stream);
    tool_buffer_add(&buffer, "", 1);
    if (!error && !buffer.failed)
        return buffer.bytes;
    tool_buffer_free(&buffer);
    errno = error ? error : ENOMEM;
    return NULL;
}
