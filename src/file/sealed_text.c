/* SPDX-License-Identifier: Apache-2.0 */
#include "file/sealed_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Source: G. Fowler, L. Noll, K.-P. Vo, The FNV Non-Cryptographic Hash Algorithm (IETF draft). */
static const uint64_t fnv_start = 0xcbf29ce484222325u, fnv_prime = 0x100000001b3u;

static uint64_t hash_on(uint64_t sum, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * fnv_prime;
    return sum;
}

/* ---- reading ---- */

/* Copies the next line to reader->line; *more: there was one. It is not part of the sum yet. */
static spl_status take_line(spl__sealed_reader *r, bool *more)
{
    const char *line;
    SPL__TRY(spl__text_file_line(&r->file, &line));
    *more = line != NULL;
    r->line[0] = 0;
    if (!line)
        return SPL_OK;
    size_t length = strcspn(line, "\n");
    if (length >= sizeof r->line || memchr(line, 0, length))
        return spl__sealed_fail(r, "this is no line of such a file");
    memcpy(r->line, line, length);
    r->line[length] = 0;
    return SPL_OK;
}

static void seal_line(spl__sealed_reader *r)
{
    r->sum = hash_on(hash_on(r->sum, r->line, strlen(r->line)), "\n", 1);
}

static spl_status check_heading(spl__sealed_reader *r, const char *kind)
{
    char found[64];
    int format, major, read = 0;
    bool more;
    SPL__TRY(take_line(r, &more));
    if (sscanf(r->line, "sparloom-%63s %d %d%n", found, &format, &major, &read) != 3 ||
        strcmp(found, kind) != 0 || r->line[read])
        return spl__fail(SPL_FILE_INVALID, "%s:1: this is no sparloom-%s file", r->file.source.name,
                         kind);
    if (format != SPL__SEALED_FORMAT || major != SPL_VERSION_MAJOR)
        return spl__fail(SPL_FILE_INVALID,
                         "%s:1: written in format %d by version %d, wanted: format %d, version %d",
                         r->file.source.name, format, major, SPL__SEALED_FORMAT, SPL_VERSION_MAJOR);
    seal_line(r);
    return SPL_OK;
}

spl_status spl__sealed_begin(spl__sealed_reader *r, const spl__text_file *file, const char *kind)
{
    r->file = *file;
    r->sum = fnv_start;
    r->lines = 0;
    spl_status status = check_heading(r, kind);
    if (status != SPL_OK)
        spl__sealed_close(r);
    return status;
}

static spl_status check_seal(spl__sealed_reader *r)
{
    int64_t lines;
    uint64_t sum;
    bool more;
    if (sscanf(r->line, "end %" SCNd64 " %" SCNx64, &lines, &sum) != 2 || lines != r->lines ||
        sum != r->sum)
        return spl__sealed_fail(r, "the last line does not fit what is before it");
    SPL__TRY(take_line(r, &more));
    return more ? spl__sealed_fail(r, "something follows the last line") : SPL_OK;
}

/* *more: r->line is the next line. At the end the seal is checked. */
static spl_status next_line(spl__sealed_reader *r, bool *more)
{
    SPL__TRY(take_line(r, more));
    if (!*more)
        return spl__sealed_fail(r, "the file ends before its last line");
    if (strncmp(r->line, "end ", 4) == 0) {
        *more = false;
        return check_seal(r);
    }
    seal_line(r);
    r->lines++;
    return SPL_OK;
}

spl_status spl__sealed_each(spl__sealed_reader *reader, spl_status (*take)(void *context),
                            void *context)
{
    for (bool more = true;;) {
        SPL__TRY(next_line(reader, &more));
        if (!more)
            return SPL_OK;
        SPL__TRY(take(context));
    }
}

spl_status spl__sealed_fail(const spl__sealed_reader *r, const char *message)
{
    return spl__text_file_fail(&r->file, r->file.line > 1 ? r->file.line - 1 : 1, "%s", message);
}

void spl__sealed_close(spl__sealed_reader *r)
{
    spl__text_file_close(&r->file);
}

/* ---- writing ---- */

static spl_status write_line(spl__sealed_writer *w, const char *line)
{
    SPL__TRY(spl__atomic_write(&w->file, line, strlen(line)));
    SPL__TRY(spl__atomic_write(&w->file, "\n", 1));
    w->sum = hash_on(hash_on(w->sum, line, strlen(line)), "\n", 1);
    return SPL_OK;
}

spl_status spl__sealed_open(spl__sealed_writer *w, const char *path, const char *kind)
{
    char heading[96];
    SPL__TRY(spl__atomic_open(&w->file, path));
    w->sum = fnv_start;
    w->lines = 0;
    snprintf(heading, sizeof heading, "sparloom-%s %d %d", kind, SPL__SEALED_FORMAT,
             SPL_VERSION_MAJOR);
    spl_status status = write_line(w, heading);
    if (status != SPL_OK)
        spl__sealed_abandon(w);
    return status;
}

spl_status spl__sealed_line(spl__sealed_writer *w, const char *line)
{
    w->lines++;
    return write_line(w, line);
}

spl_status spl__sealed_commit(spl__sealed_writer *w)
{
    char seal[64];
    snprintf(seal, sizeof seal, "end %" PRId64 " %016" PRIx64, w->lines, w->sum);
    spl_status status = write_line(w, seal);
    if (status != SPL_OK) {
        spl__sealed_abandon(w);
        return status;
    }
    return spl__atomic_commit(&w->file);
}

void spl__sealed_abandon(spl__sealed_writer *w)
{
    spl__atomic_abandon(&w->file);
}
