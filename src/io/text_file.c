/* SPDX-License-Identifier: Apache-2.0 */
#include "io/text_file.h"

#include "io/number.h"

#include <stdarg.h>
#include <stdio.h>

enum { SMALLEST_BUFFER = 4096 };

spl_status spl__text_file_begin(spl__text_file *text, const spl__byte_source *source)
{
    *text = (spl__text_file){.source = *source, .line = 1};
    int64_t bound = spl__source_bound(&text->source);
    text->capacity = bound < SPL__BATCH_BYTES ? (size_t)bound + 1 : SPL__BATCH_BYTES; /* + 1: to meet the end at once */
    if (text->capacity < SMALLEST_BUFFER)
        text->capacity = SMALLEST_BUFFER;
    spl_status status = SPL__NEW(text->source.account, &text->buffer, (int64_t)text->capacity + 1 + SPL__TEXT_PADDING);
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

spl_status spl__text_file_memory(spl__text_file *text, spl__account *account, const void *bytes, size_t size,
                                 const char *name)
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

/* One past the last newline in the buffer, its start if there is none. */
static const char *last_line_end(const spl__text_file *text)
{
    const char *p = text->buffer + text->filled;
    while (p > text->buffer && p[-1] != '\n')
        p--;
    return p;
}

spl_status spl__text_file_more(spl__text_file *text)
{
    if (text->begin < text->end || text->ended)
        return SPL_OK;
    size_t got = 0, kept = (size_t)(text->buffer + text->filled - text->end);
    memmove(text->buffer, text->end, kept);
    text->filled = kept;
    SPL__TRY(spl__source_read(&text->source, text->buffer + kept, text->capacity - kept, &got));
    text->filled += got;
    text->ended = got < text->capacity - kept;
    if (text->ended && text->filled && text->buffer[text->filled - 1] != '\n')
        text->buffer[text->filled++] = '\n';
    memset(text->buffer + text->filled, 0, SPL__TEXT_PADDING);
    text->begin = text->buffer;
    text->end = last_line_end(text);
    if (text->end == text->begin && text->filled)
        return spl__text_file_fail(text, text->line, "line of more than %s bytes",
                                   spl__thousands((int64_t)text->capacity));
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

int64_t spl__text_file_bound(const spl__text_file *text)
{
    int64_t bound = spl__source_bound(&text->source);
    if (text->ended)
        return text->end - text->begin;
    if (bound == INT64_MAX || text->source.gunzip)
        return bound;
    return bound - text->source.done + (text->buffer + text->filled - text->begin);
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
    char what[SPL__DETAIL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return spl__fail(SPL_FILE_INVALID, "%s:%lld: %s", text->source.name, (long long)line, what);
}
