/* SPDX-License-Identifier: Apache-2.0 */
#include "file/output.h"

#include "file/file_name.h"
#include "file/zlib_memory.h"

enum { BUFFER_BYTES = 1 << 16, LARGEST_INPUT = 1 << 30, GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8 };

struct spl__output {
    spl__atomic_file file;
    bool gzip;
    z_stream zlib;
    spl__zlib_memory memory;
    unsigned char buffer[BUFFER_BYTES]; /* compressed */
};

/* Level and header are zlib's defaults: no name, no time, so equal matrices give equal files. */
static spl_status begin_gzip(spl__output *output, spl__account *account)
{
    spl__zlib_memory_attach(&output->memory, account, &output->zlib);
    int code = deflateInit2(&output->zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
                            MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    return code == Z_OK ? SPL_OK : spl__zlib_memory_status(&output->memory);
}

spl_status spl__output_open(spl__account *account, const char *path, spl__output **output)
{
    spl__output *o;
    SPL__TRY(SPL__NEW(account, &o, 1));
    o->zlib = (z_stream){0};
    o->gzip = spl__named_gzip(path);
    spl_status status = o->gzip ? begin_gzip(o, account) : SPL_OK;
    if (status == SPL_OK) {
        status = spl__atomic_open(&o->file, path);
        if (status != SPL_OK && o->gzip)
            deflateEnd(&o->zlib);
    }
    if (status != SPL_OK) {
        spl__free(o);
        return status;
    }
    *output = o;
    return SPL_OK;
}

/* Compresses what next_in has; with Z_FINISH to the end of the stream. */
static spl_status deflate_all(spl__output *o, int flush)
{
    do {
        o->zlib.next_out = o->buffer;
        o->zlib.avail_out = BUFFER_BYTES;
        deflate(&o->zlib, flush);
        SPL__TRY(spl__atomic_write(&o->file, o->buffer, BUFFER_BYTES - o->zlib.avail_out));
    } while (o->zlib.avail_out == 0);
    return SPL_OK;
}

spl_status spl__output_write(spl__output *o, const void *bytes, size_t count)
{
    if (!o->gzip)
        return spl__atomic_write(&o->file, bytes, count);
    const unsigned char *p = bytes;
    while (count) {
        size_t part = count < LARGEST_INPUT ? count : LARGEST_INPUT;
        o->zlib.next_in = (unsigned char *)p; /* zlib does not write it */
        o->zlib.avail_in = (uInt)part;
        SPL__TRY(deflate_all(o, Z_NO_FLUSH));
        p += part;
        count -= part;
    }
    return SPL_OK;
}

static void end(spl__output *o)
{
    if (o->gzip)
        deflateEnd(&o->zlib);
    spl__free(o);
}

spl_status spl__output_commit(spl__output *o)
{
    spl_status status = o->gzip ? deflate_all(o, Z_FINISH) : SPL_OK;
    if (status == SPL_OK)
        status = spl__atomic_commit(&o->file);
    else
        spl__atomic_abandon(&o->file);
    end(o);
    return status;
}

void spl__output_abandon(spl__output *o)
{
    spl__atomic_abandon(&o->file);
    end(o);
}
