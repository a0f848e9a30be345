/* SPDX-License-Identifier: Apache-2.0 */
/* text_file.h: a text file as batches of whole lines. A batch ends with a newline even if the file
 * does not, and may be read SPL__TEXT_PADDING bytes beyond, so that parsers need no test for its
 * end. Memory is one batch, however large the file; a line that is longer is a batch of its own. A
 * byte order mark is left out, lines that end in CR alone end in LF (line_ends.h). */
#ifndef SPL_FILE_TEXT_FILE_H
#define SPL_FILE_TEXT_FILE_H

#include "file/unpacked_source.h"

enum { SPL__BATCH_BYTES = 1 << 21 }; /* the maximal size of a batch of several lines */

typedef struct spl__text_file {
    spl__byte_source source;
    char *buffer;
    size_t capacity;   /* usable bytes of the buffer, without the added newline and padding */
    int64_t batch;     /* most bytes of a batch of several lines: those of the first buffer */
    const char *begin; /* the batch: lines not yet consumed; empty at the end of the file */
    const char *end;   /* one past its last newline */
    size_t filled;     /* bytes in the buffer: other lines, and a begun one, may follow `end` */
    bool begun, ended; /* reading has begun; the source has ended */
    int64_t line;      /* number of the line at `begin`, from 1 */
} spl__text_file;

/* Bytes that spl__text_file_begin takes, without lines that are longer than a batch. */
double spl__text_file_bytes(const spl__byte_source *source);
/* Takes over an opened source, also on failure, and reads the first batch. SPL_UNSUPPORTED for what
 * is no text (foreign.h), statuses of spl__source_read. Close it after success only. */
spl_status spl__text_file_begin(spl__text_file *text, const spl__byte_source *source);
/* Opens and reads the first batch. Statuses of spl__source_open and spl__text_file_begin. Close it
 * after success only. */
spl_status spl__text_file_open(spl__text_file *text, spl__account *account, const char *path);
spl_status spl__text_file_memory(spl__text_file *text, spl__account *account, const void *bytes,
                                 size_t size, const char *name);
void spl__text_file_close(spl__text_file *text);

/* Declares the batch up to `to` consumed, `lines` of it. */
void spl__text_file_consume(spl__text_file *text, const char *to, int64_t lines);
/* Makes sure that the batch is not empty unless the file has ended. SPL_FILE_INVALID: a zero byte
 * in a line longer than the buffer; SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, statuses of
 * spl__source_read. */
spl_status spl__text_file_more(spl__text_file *text);
/* *line = the next line, ended by a newline, consumed; NULL at the end of the file. It stays valid
 * until the next call. */
spl_status spl__text_file_line(spl__text_file *text, const char **line);
/* The most bytes of any batch that has more than one line. */
int64_t spl__text_file_batch(const spl__text_file *text);
/* An upper bound of the bytes that follow; INT64_MAX: unknown. */
int64_t spl__text_file_bound(const spl__text_file *text);

/* The end of the line that contains begin[bytes], at most `end`: a piece of a batch for one
 * thread. */
const char *spl__text_piece_end(const char *begin, const char *end, int64_t bytes);
/* The number of newlines in [begin, end). */
int64_t spl__count_lines(const char *begin, const char *end);
/* SPL_FILE_INVALID with detail "name:line: what". */
spl_status spl__text_file_fail(const spl__text_file *text, int64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
