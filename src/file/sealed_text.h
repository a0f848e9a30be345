/* SPDX-License-Identifier: Apache-2.0 */
/* sealed_text.h: small text files of the library itself (wisdom, machines) that are accepted
 * completely or not at all.
 *
 *   sparloom-KIND FORMAT MAJOR     format of the file, major version of the library
 *   ...                            lines of words
 *   end LINES SUM                  their number, and the 64-bit FNV-1a hash of all bytes before
 *                                  this line
 *
 * So a file that is truncated, edited or of another version is rejected before any of it is used.
 */
#ifndef SPL_FILE_SEALED_TEXT_H
#define SPL_FILE_SEALED_TEXT_H

#include "file/atomic_file.h"
#include "file/text_file.h"

#include <stdbool.h>

enum { SPL__SEALED_FORMAT = 1, SPL__SEALED_LINE = 1024 };

typedef struct spl__sealed_reader {
    spl__text_file file;
    uint64_t sum;
    int64_t lines;
    char line[SPL__SEALED_LINE]; /* the line that was read last, without its end */
} spl__sealed_reader;

/* Takes over an opened file, also on failure, and reads its first line. SPL_FILE_INVALID: not of
 * that kind, or of another version. Close it after success only. */
spl_status spl__sealed_begin(spl__sealed_reader *reader, const spl__text_file *file,
                             const char *kind);
/* Calls `take` with reader->line for each line that is left, until the end, where the seal is
 * checked, or a failure. SPL_FILE_INVALID: cut off, changed, a line too long. */
spl_status spl__sealed_each(spl__sealed_reader *reader, spl_status (*take)(void *context),
                            void *context);
/* SPL_FILE_INVALID with detail "name:line: what" about the line that was read last. */
spl_status spl__sealed_fail(const spl__sealed_reader *reader, const char *message);
void spl__sealed_close(spl__sealed_reader *reader);

typedef struct spl__sealed_writer {
    spl__atomic_file file;
    uint64_t sum;
    int64_t lines;
} spl__sealed_writer;

/* Opens the file and writes the first line. Then any number of lines (without their ends), then
 * exactly one of commit and abandon. */
spl_status spl__sealed_open(spl__sealed_writer *writer, const char *path, const char *kind);
spl_status spl__sealed_line(spl__sealed_writer *writer, const char *line);
spl_status spl__sealed_commit(spl__sealed_writer *writer);
void spl__sealed_abandon(spl__sealed_writer *writer);

#endif
