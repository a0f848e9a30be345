/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.c: libzip writes through an atomic file, and reads members from the caller's arrays:
 * nothing is copied. */
#include "io/npz/zip_write.h"

#include "core/checked.h"
#include "file/atomic_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

enum { MOST_MEMBERS = 8, LEVEL = 6, EPOCH_DATE = 1 << 5 | 1 /* 1 January 1980 */ };

/* What libzip reads a member from. */
typedef struct member {
    spl__zip_writer *writer;
    spl__zip_part parts[2];
    int64_t position; /* bytes read */
} member;

struct spl__zip_writer {
    spl_context *context;
    spl__atomic_file file;
    zip_t *archive;
    spl_status status; /* the first failure inside a callback; its detail is this thread's */
    zip_error_t error;
    int64_t done, total; /* bytes of members */
    int count;
    member members[MOST_MEMBERS];
};

static zip_int64_t failed(spl__zip_writer *w, spl_status status)
{
    if (w->status == SPL_OK)
        w->status = status;
    zip_error_set(&w->error, ZIP_ER_INTERNAL, 0);
    return -1;
}

/* ---- members ---- */

static zip_int64_t read_member(member *m, char *to, zip_uint64_t room)
{
    int64_t done = 0;
    for (int i = 0; i < 2; i++) {
        int64_t begin = i ? m->parts[0].count : 0, end = begin + m->parts[i].count;
        int64_t n = spl__min_i64((int64_t)room - done, end - m->position);
        if (m->position < begin || n <= 0)
            continue;
        memcpy(to + done, (const char *)m->parts[i].bytes + (m->position - begin), (size_t)n);
        m->position += n;
        done += n;
    }
    m->writer->done += done;
    spl_status status =
        spl__progress(m->writer->context, "write", m->writer->done, m->writer->total);
    return status == SPL_OK ? done : failed(m->writer, status);
}

static zip_int64_t stat_member(const member *m, zip_stat_t *stat_out)
{
    zip_stat_init(stat_out);
    stat_out->size = (zip_uint64_t)(m->parts[0].count + m->parts[1].count);
    stat_out->valid |= ZIP_STAT_SIZE;
    return sizeof *stat_out;
}

static zip_int64_t serve_member(void *user, void *data, zip_uint64_t length,
                                zip_source_cmd_t command)
{
    member *m = user;
    switch (command) {
    case ZIP_SOURCE_OPEN:
        m->position = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return read_member(m, data, length);
    case ZIP_SOURCE_STAT:
        return stat_member(m, data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&m->writer->error, data, length);
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
    default:
        return 0;
    }
}

/* ---- the archive ---- */

static zip_int64_t seek_archive(spl__zip_writer *w, void *data, zip_uint64_t length)
{
    const zip_source_args_seek_t *to =
        ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &w->error);
    if (!to)
        return -1;
    if (lseek(w->file.file, (off_t)to->offset, to->whence) < 0)
        return failed(w, spl__fail(SPL_UNSUPPORTED,
                                   "%s: a zip archive is written to a regular file only",
                                   w->file.name));
    return 0;
}

static zip_int64_t stat_archive(zip_stat_t *stat_out)
{
    zip_stat_init(stat_out);
    stat_out->size = 0;
    stat_out->valid |= ZIP_STAT_SIZE;
    return sizeof *stat_out;
}

/* It is empty before, and the atomic file cares for all or nothing. */
static zip_int64_t serve_archive(void *user, void *data, zip_uint64_t length,
                                 zip_source_cmd_t command)
{
    spl__zip_writer *w = user;
    spl_status status;
    switch (command) {
    case ZIP_SOURCE_WRITE:
        status = spl__atomic_write(&w->file, data, (size_t)length);
        return status == SPL_OK ? (zip_int64_t)length : failed(w, status);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek_archive(w, data, length);
    case ZIP_SOURCE_TELL_WRITE:
        return lseek(w->file.file, 0, SEEK_CUR);
    case ZIP_SOURCE_STAT:
        return stat_archive(data);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&w->error, data, length);
    case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_WRITABLE;
    default: /* reading an empty file */
        return 0;
    }
}

static spl_status open_archive(spl__zip_writer *w)
{
    zip_source_t *to = zip_source_function_create(serve_archive, w, &w->error);
    w->archive = to ? zip_open_from_source(to, ZIP_CREATE | ZIP_TRUNCATE, &w->error) : NULL;
    if (w->archive)
        return SPL_OK;
    if (to)
        zip_source_free(to);
    return spl__fail(SPL_OUT_OF_MEMORY, "%s: zip: %s", w->file.name, zip_error_strerror(&w->error));
}

spl_status spl__zip_available(const char *path)
{
    (void)path;
    return SPL_OK;
}

spl_status spl__zip_create(spl_context *context, const char *path, spl__zip_writer **writer)
{
    spl__zip_writer *w;
    SPL__TRY(SPL__NEW_ZERO(&context->account, &w, 1));
    w->context = context;
    zip_error_init(&w->error);
    spl_status status = spl__atomic_open(&w->file, path);
    if (status == SPL_OK) {
        status = open_archive(w);
        if (status != SPL_OK)
            spl__atomic_abandon(&w->file);
    }
    if (status != SPL_OK) {
        zip_error_fini(&w->error);
        spl__free(w);
        return status;
    }
    *writer = w;
    return SPL_OK;
}

static spl_status archive_failed(const spl__zip_writer *w)
{
    return spl__fail(SPL_OUT_OF_MEMORY, "%s: zip: %s", w->file.name, zip_strerror(w->archive));
}

spl_status spl__zip_add(spl__zip_writer *w, const char *name, const spl__zip_part parts[2])
{
    if (w->count == MOST_MEMBERS)
        return spl__fail(SPL_INTERNAL, "%s: more than %d members", w->file.name, MOST_MEMBERS);
    member *m = &w->members[w->count++];
    *m = (member){w, {parts[0], parts[1]}, 0};
    w->total += parts[0].count + parts[1].count;
    zip_source_t *from = zip_source_function(w->archive, serve_member, m);
    zip_int64_t index = from ? zip_file_add(w->archive, name, from, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
        if (from)
            zip_source_free(from);
        return archive_failed(w);
    }
    if (zip_set_file_compression(w->archive, (zip_uint64_t)index, ZIP_CM_DEFLATE, LEVEL) != 0 ||
        zip_file_set_dostime(w->archive, (zip_uint64_t)index, 0, EPOCH_DATE, 0) != 0)
        return archive_failed(w);
    return SPL_OK;
}

static void end(spl__zip_writer *w)
{
    zip_error_fini(&w->error);
    spl__free(w);
}

spl_status spl__zip_commit(spl__zip_writer *w)
{
    bool done = zip_close(w->archive) == 0; /* if not, the archive is still open */
    spl_status status = SPL_OK;
    if (!done)
        status = w->status != SPL_OK ? w->status : archive_failed(w);
    if (!done)
        zip_discard(w->archive);
    if (status == SPL_OK)
        status = spl__atomic_commit(&w->file);
    else
        spl__atomic_abandon(&w->file);
    end(w);
    return status;
}

void spl__zip_abandon(spl__zip_writer *w)
{
    zip_discard(w->archive);
    spl__atomic_abandon(&w->file);
    end(w);
}
