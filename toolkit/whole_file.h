/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h: files of the tool's own formats, read and written as a whole. They replace what is
 * there as the library's do (src/file/atomic_file.h), whose functions are hidden from the tool. */
#ifndef TOOL_WHOLE_FILE_H
#define TOOL_WHOLE_FILE_H

#include <stddef.h>

/* Bytes that grow; all zero at first. */
typedef struct tool_buffer {
    char *bytes;
    size_t count, room;
    int failed; /* there was no memory: bytes are missing */
} tool_buffer;

void tool_buffer_add(tool_buffer *buffer, const void *bytes, size_t count);
void tool_buffer_text(tool_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tool_buffer_free(tool_buffer *buffer);

/* The path of what is written at `path`: symbolic links are followed, also to where nothing is yet.
 * `target` has PATH_MAX bytes. 0 with errno set. */
int tool_link_target(const char *path, char *target);
/* Writes the bytes to a temporary file beside that and renames it: the file is complete or as
 * before. 0 with errno set. */
int tool_write_file(const char *path, const tool_buffer *buffer);
/* The file's bytes, followed by a zero; free with free(). NULL with errno set. */
char *tool_read_file(const char *path);

#endif
