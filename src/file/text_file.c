/* SPDX-License-Identifier: Apache-2.0 */
#include "file/text_file.h"

#include "core/checked.h"
#include "file/foreign.h"
#include "file/line_ends.h"
#include "file/number.h"

#include <stdarg.h>
#include <stdio.h>

/* Of packed files what usually comes out is read at once; what packs better, in more batches. */
enum { SMALLEST_BUFFER = 4096, USUAL_RATIO = 4 };
/* What a refused growth for a line of a packed file asks for: all that may come out, if that is
 * little, else four more growths. Each growth would cost the caller an attempt of its own. */
enum { LITTLE = 4 << 20, FOUR_GROWTHS = 16 };

/* Bytes of the first buffer. + 1: to meet the end at once. */
static int64_t first_capacity(const spl__byte_source *source)
{
    int64_t bytes = spl__source_bound(source);
    if (source->packed && bytes < INT64_MAX)
        bytes = spl__min_i64(bytes, USUAL_RATIO * source->total);
    return spl__max_i64(spl__min_i64(bytes, SPL__BATCH_BYTES - 1) + 1, SMALLEST_BUFFER);
}

double spl__text_file_bytes(const spl__byte_source *source)
{
    return spl__source_begin_bytes(source) +
           spl__counted_bytes((double)first_capacity(source) + 1 + SPL__TEXT_PADDING, 1);
}

spl_status spl__text_file_begin(spl__text_file *text, const spl__byte_source *source)
{
    *text = (spl__text_file){.source = *source, .line = 1};
    text->batch = first_capacity(source);
    text->capacity = (size_t)text->batch;
    spl_status status = spl__source_begin(&text->source);
    if (status == SPL_OK)
        status = SPL__NEW(text->source.account, &text->buffer, text->batch + 1 + SPL__TEXT_PADDING);
    if (status == SPL_OK) {
        text->begin = text->end = text->buffer;
        status = spl__text_file_more(text);
    }
    if (status != SPL_OK)
        spl__text_file_close(text);
    return status;
}

spl_status spl__text_file_open(spl__text_file *text, spl__account *account, const char *path)
{
    spl__byte_source source;
    SPL__TRY(spl__source_open(&source, account, path));
    return spl__text_file_begin(text, &source);
}

spl_status spl__text_file_memory(spl__text_file *text, spl__account *account, const void *bytes,
                                 size_t size, const char *name)
{
    spl__byte_source source;
    SPL__TRY(spl__source_memory(&source, account, bytes, size, name));
    return spl__text_file_begin(text, &source);
}

void spl__text_file_close(spl__text_file *text)
{
    spl__free(text->buffer);
    text->buffer = NULL;
    spl__source_close(&text->source);
}

void spl__text_file_consume(spl__text_file *text, const char *to, int64_t lines)
{
    text->begin = to;
    text->line += lines;
}

/* The end of the batch that begins at text->begin: that of the last whole line within
 * text->batch bytes, else of the first line; text->begin if the buffer has no whole line. */
static const char *batch_end(const spl__text_file *text)
{
    const char *filled = text->buffer + text->filled;
    const char *most = filled - text->begin > text->batch ? text->begin + text->batch : filled,
               *p = most;
    while (p > text->begin && p[-1] != '\n')
        p--;
    if (p > text->begin || most == filled)
        return p;
    p = memchr(most, '\n', (size_t)(filled - most));
    return p ? p + 1 : text->begin;
}

static spl_status allocate(const spl__text_file *text, int64_t capacity, char **buffer)
{
    spl__account *account = text->source.account;
    spl_status status = SPL__NEW(account, buffer, capacity + 1 + SPL__TEXT_PADDING);
    int64_t little = spl__min_i64(spl__source_bound(&text->source), LITTLE);
    if (status != SPL_OVER_BUDGET || !text->source.packed)
        return status;
    return spl__account_check(
        account, (double)spl__max_i64(FOUR_GROWTHS * (int64_t)text->capacity, 2 * little));
}

/* Enlarges the buffer for a line that fills it. A binary file would be read to its end in search
 * of a newline, but most have zero bytes, which are refused. */
static spl_status grow(spl__text_file *text)
{
    int64_t capacity = 2 * (int64_t)text->capacity, bound = spl__source_bound(&text->source);
    char *longer;
    if (bound >= (int64_t)text->capacity && bound < capacity)
        capacity = bound + 1;
    if (memchr(text->buffer, 0, text->filled))
        return spl__text_file_fail(text, text->line,
                                   "no text: zeros in a line of more than %s bytes",
                                   spl__thousands((int64_t)text->filled));
    SPL__TRY(allocate(text, capacity, &longer));
    memcpy(longer, text->buffer, text->filled);
    spl__free(text->buffer);
    text->buffer = longer;
    text->capacity = (size_t)capacity;
    return SPL_OK;
}

/* The first bytes: what is no text is refused, a byte order mark taken out. */
static spl_status check_begin(spl__text_file *text)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t length = sizeof mark - 1;
    if (text->begun)
        return SPL_OK;
    text->begun = true;
    SPL__TRY(spl__foreign_check(text->source.name, text->buffer, text->filled));
    if (text->filled < length || memcmp(text->buffer, mark, length) != 0)
        return SPL_OK;
    text->filled -= length;
    memmove(text->buffer, text->buffer + length, text->filled);
    return SPL_OK;
}

/* Normalises line ends in the buffer from `fresh` on, and of runs before it that had to wait. */
static void settle(spl__text_file *text, size_t fresh)
{
    while (fresh > 0 && text->buffer[fresh - 1] == '\r')
        fresh--;
    spl__line_ends_settle(text->buffer + fresh, text->buffer + text->filled, text->ended);
    if (text->ended && text->filled && text->buffer[text->filled - 1] != '\n')
        text->buffer[text->filled++] = '\n';
    memset(text->buffer + text->filled, 0, SPL__TEXT_PADDING);
}

/* Reads more after an incomplete line. */
static spl_status refill(spl__text_file *text)
{
    size_t got = 0, kept = (size_t)(text->buffer + text->filled - text->begin);
    memmove(text->buffer, text->begin, kept);
    text->filled = kept;
    if (kept == text->capacity)
        SPL__TRY(grow(text));
    SPL__TRY(spl__source_read(&text->source, text->buffer + kept, text->capacity - kept, &got));
    text->filled += got;
    text->ended = got < text->capacity - kept;
    SPL__TRY(check_begin(text));
    settle(text, kept);
    text->begin = text->end = text->buffer;
    return SPL_OK;
}

spl_status spl__text_file_more(spl__text_file *text)
{
    if (text->begin < text->end)
        return SPL_OK;
    text->end = batch_end(text);
    while (text->end == text->begin && !text->ended) {
        SPL__TRY(refill(text));
        text->end = batch_end(text);
    }
    return SPL_OK;
}

spl_status spl__text_file_line(spl__text_file *text, const char **line)
{
    *line = NULL;
    SPL__TRY(spl__text_file_more(text));
    if (text->begin == text->end)
        return SPL_OK;
    *line = text->begin;
    const char *newline = memchr(text->begin, '\n', (size_t)(text->end - text->begin));
    spl__text_file_consume(text, newline + 1, 1);
    return SPL_OK;
}

int64_t spl__text_file_batch(const spl__text_file *text)
{
    return text->batch + 1; /* an added newline */
}

int64_t spl__text_file_bound(const spl__text_file *text)
{
    int64_t bound = spl__source_bound(&text->source);
    int64_t position = text->buffer + text->filled - text->begin;
    if (text->ended)
        return position;
    if (bound == INT64_MAX || text->source.packed)
        return bound;
    return bound - text->source.done + position;
}

const char *spl__text_piece_end(const char *begin, const char *end, int64_t bytes)
{
    const char *to = end - begin > bytes ? begin + bytes : end;
    while (to[-1] != '\n')
        to++;
    return to;
}

int64_t spl__count_lines(const char *begin, const char *end)
{
    int64_t lines = 0;
    for (const char *p = begin; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        lines++;
    return lines;
}

spl_status spl__text_file_fail(const spl__text_file *text, int64_t line, const char *format, ...)
{
    char message[SPL__DETAIL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return spl__fail(SPL_FILE_INVALID, "%s:%lld: %s", text->source.name, (long long)line, message);
}
