/* SPDX-License-Identifier: Apache-2.0 */
#include "io/npz/zip_read.h"

#include "core/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <zip.h>

enum {
    LARGEST_RATIO = 1032,
    RATIO_SLACK = 1024,
    STEP = 1 << 22
}; /* deflate cannot make more of a byte: byte_source.c */

struct spl__zip {
    const spl_context *context;
    const char *name;
    int64_t size; /* of the archive */
    zip_t *archive;
    const char *member; /* NULL: none is being read */
    zip_file_t *file;
    int64_t done, total; /* bytes of all members read so far, and in all */
};

spl_status spl__zip_fail(const spl__zip *zip, spl_status status, const char *format, ...)
{
    char message[SPL__DETAIL_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!zip->member)
        return spl__fail(status, "%s: %s", zip->name, message);
    return spl__fail(status, "%s: %s: %s", zip->name, zip->member, message);
}

static spl_status status_of(int code)
{
    if (code == ZIP_ER_MEMORY)
        return SPL_OUT_OF_MEMORY;
    return code == ZIP_ER_COMPNOTSUPP || code == ZIP_ER_ENCRNOTSUPP || code == ZIP_ER_NOPASSWD
               ? SPL_UNSUPPORTED
               : SPL_FILE_INVALID;
}

static spl_status open_archive(spl__zip *zip, const spl__byte_source *source)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *from =
        source->memory
            ? zip_source_buffer_create(source->memory, (zip_uint64_t)source->total, 0, &error)
            : zip_source_file_create(source->name, 0, 0, &error);
    zip->archive = from ? zip_open_from_source(from, ZIP_RDONLY, &error) : NULL;
    if (!zip->archive && from)
        zip_source_free(from);
    spl_status status = zip->archive ? SPL_OK
                                     : spl__zip_fail(zip, status_of(zip_error_code_zip(&error)),
                                                     "zip: %s", zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
}

/* Sizes are what the archive claims; they serve to report progress. */
static void add_sizes(spl__zip *zip)
{
    zip_stat_t stat_of_member;
    zip_int64_t members = zip_get_num_entries(zip->archive, 0);
    for (zip_int64_t i = 0; i < members; i++)
        if (zip_stat_index(zip->archive, (zip_uint64_t)i, 0, &stat_of_member) == 0 &&
            stat_of_member.valid & ZIP_STAT_SIZE && stat_of_member.size < INT64_MAX &&
            !spl__add_i64(zip->total, (int64_t)stat_of_member.size, &zip->total))
            zip->total = INT64_MAX;
}

spl_status spl__zip_open(const spl_context *context, const spl__byte_source *source, spl__zip **zip)
{
    spl__zip *z;
    if (!source->memory && source->total == 0)
        return spl__fail(SPL_UNSUPPORTED, "%s: a zip archive is read from a regular file only",
                         source->name);
    SPL__TRY(SPL__NEW_ZERO(source->account, &z, 1));
    z->context = context;
    z->name = source->name;
    z->size = source->total;
    spl_status status = open_archive(z, source);
    if (status != SPL_OK) {
        spl__free(z);
        return status;
    }
    add_sizes(z);
    *zip = z;
    return SPL_OK;
}

int64_t spl__zip_total(const spl__zip *zip)
{
    return zip->total;
}

void spl__zip_close(spl__zip *zip)
{
    spl__zip_leave(zip);
    zip_discard(zip->archive);
    spl__free(zip);
}

bool spl__zip_has(const spl__zip *zip, const char *member)
{
    return zip_name_locate(zip->archive, member, 0) >= 0;
}

/* Checks that the member's size in the directory is possible, before memory is allocated for it. */
static spl_status check_size(const spl__zip *zip, const zip_stat_t *stat_of_member)
{
    const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat_of_member->valid & needed) != needed)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "the archive does not tell its size");
    if (stat_of_member->comp_size > (zip_uint64_t)zip->size || stat_of_member->size >= INT64_MAX)
        return spl__zip_fail(
            zip, SPL_FILE_INVALID, "%llu bytes, packed %llu, cannot be in an archive of %s bytes",
            (unsigned long long)stat_of_member->size, (unsigned long long)stat_of_member->comp_size,
            spl__thousands(zip->size));
    zip_uint64_t packed = stat_of_member->comp_size;
    zip_uint64_t most =
        stat_of_member->comp_method == ZIP_CM_STORE ? packed : packed * LARGEST_RATIO + RATIO_SLACK;
    if (stat_of_member->size > most)
        return spl__zip_fail(zip, SPL_FILE_INVALID,
                             "%llu bytes cannot come out of %llu packed ones",
                             (unsigned long long)stat_of_member->size, (unsigned long long)packed);
    return SPL_OK;
}

static spl_status open_member(spl__zip *zip, int64_t *bytes)
{
    zip_stat_t stat_of_member;
    zip_int64_t index = zip_name_locate(zip->archive, zip->member, 0);
    if (index < 0 || zip_stat_index(zip->archive, (zip_uint64_t)index, 0, &stat_of_member) != 0)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "the archive has no such member");
    SPL__TRY(check_size(zip, &stat_of_member));
    zip->file = zip_fopen_index(zip->archive, (zip_uint64_t)index, 0);
    if (!zip->file)
        return spl__zip_fail(zip, status_of(zip_error_code_zip(zip_get_error(zip->archive))),
                             "zip: %s", zip_strerror(zip->archive));
    *bytes = (int64_t)stat_of_member.size;
    return SPL_OK;
}

spl_status spl__zip_enter(spl__zip *zip, const char *member, int64_t *bytes)
{
    zip->member = member;
    spl_status status = open_member(zip, bytes);
    if (status != SPL_OK)
        zip->member = NULL;
    return status;
}

/* At most `count` bytes; fewer only at the member's end. */
static spl_status read_some(spl__zip *zip, char *buffer, size_t count, size_t *got)
{
    for (*got = 0; *got < count;) {
        zip_int64_t n = zip_fread(zip->file, buffer + *got, count - *got);
        if (n < 0)
            return spl__zip_fail(zip, SPL_FILE_INVALID, "zip: %s", zip_file_strerror(zip->file));
        if (n == 0)
            return SPL_OK;
        *got += (size_t)n;
    }
    return SPL_OK;
}

spl_status spl__zip_read(spl__zip *zip, void *buffer, size_t count)
{
    char *p = buffer;
    while (count) {
        size_t step = count < STEP ? count : STEP, got;
        SPL__TRY(read_some(zip, p, step, &got));
        if (got < step)
            return spl__zip_fail(zip, SPL_FILE_INVALID, "ends early");
        p += step;
        count -= step;
        zip->done = spl__min_i64(zip->total, zip->done + (int64_t)step);
        SPL__TRY(spl__progress(zip->context, "read", zip->done, zip->total));
    }
    return SPL_OK;
}

spl_status spl__zip_finish(spl__zip *zip)
{
    char rest;
    size_t got;
    SPL__TRY(read_some(zip, &rest, 1, &got));
    if (got)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "is longer than its header says");
    spl__zip_leave(zip);
    return SPL_OK;
}

void spl__zip_leave(spl__zip *zip)
{
    if (zip->file)
        zip_fclose(zip->file);
    zip->file = NULL;
    zip->member = NULL;
}
