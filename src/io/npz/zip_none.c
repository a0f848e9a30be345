/* SPDX-License-Identifier: Apache-2.0 */
/* zip_none.c: what zip_read.h and zip_write.h promise, in a build without libzip: nothing can be
 * opened. */
#include "io/npz/zip_read.h"
#include "io/npz/zip_write.h"

static spl_status lacking(const char *name)
{
    return spl__fail(
        SPL_UNSUPPORTED,
        "%s: zip archives (.npz) need libzip, which was not there when this library was built",
        name);
}

spl_status spl__zip_open(const spl_context *context, const spl__byte_source *source, spl__zip **zip)
{
    (void)context, (void)zip;
    return lacking(source->name);
}

void spl__zip_close(spl__zip *zip)
{
    (void)zip;
}

int64_t spl__zip_total(const spl__zip *zip)
{
    (void)zip;
    return 0;
}

bool spl__zip_has(const spl__zip *zip, const char *member)
{
    (void)zip, (void)member;
    return false;
}

spl_status spl__zip_enter(spl__zip *zip, const char *member, int64_t *bytes)
{
    (void)zip, (void)bytes;
    return lacking(member);
}

spl_status spl__zip_read(spl__zip *zip, void *buffer, size_t count)
{
    (void)zip, (void)buffer, (void)count;
    return lacking("zip");
}

spl_status spl__zip_finish(spl__zip *zip)
{
    (void)zip;
    return lacking("zip");
}

void spl__zip_leave(spl__zip *zip)
{
    (void)zip;
}

spl_status spl__zip_fail(const spl__zip *zip, spl_status status, const char *format, ...)
{
    (void)zip, (void)status, (void)format;
    return lacking("zip");
}

spl_status spl__zip_available(const char *path)
{
    return lacking(path);
}

spl_status spl__zip_create(spl_context *context, const char *path, spl__zip_writer **writer)
{
    (void)context, (void)writer;
    return lacking(path);
}

spl_status spl__zip_add(spl__zip_writer *writer, const char *member, const spl__zip_part parts[2])
{
    (void)writer, (void)parts;
    return lacking(member);
}

spl_status spl__zip_commit(spl__zip_writer *writer)
{
    (void)writer;
    return lacking("zip");
}

void spl__zip_abandon(spl__zip_writer *writer)
{
    (void)writer;
}
