/* SPDX-License-Identifier: Apache-2.0 */
/* gunzip.c: decompression while reading. A file may be several gzip members in a row (RFC 1952),
 * padded with zeros; each member's check sum is verified. zlib's memory comes from the account. */
#include "file/gunzip.h"

#include "file/zlib_memory.h"

#include <limits.h>

enum { INPUT_BYTES = 1 << 16, GZIP_WINDOW = 15 + 16 /* largest window, gzip header only */ };

struct spl__gunzip {
    z_stream zlib;
    spl__zlib_memory memory;
    bool ready;           /* inflateInit2 succeeded */
    bool input_ended;     /* the raw bytes are used up */
    bool between_members; /* a member has ended and none has begun */
    unsigned char input[INPUT_BYTES];
};

static spl_status zlib_failed(const spl__byte_source *source, int code)
{
    const spl__gunzip *gz = source->gunzip;
    if (code == Z_MEM_ERROR)
        return spl__zlib_memory_status(&gz->memory);
    return spl__fail(SPL_FILE_INVALID, "%s: gzip stream: %s", source->name,
                     gz->zlib.msg ? gz->zlib.msg : "invalid");
}

spl_status spl__gunzip_new(spl__byte_source *source)
{
    spl__gunzip *gz;
    SPL__TRY(SPL__NEW(source->account, &gz, 1));
    gz->ready = gz->input_ended = gz->between_members = false;
    gz->zlib = (z_stream){0};
    spl__zlib_memory_attach(&gz->memory, source->account, &gz->zlib);
    source->gunzip = gz;
    int code = inflateInit2(&gz->zlib, GZIP_WINDOW);
    gz->ready = code == Z_OK;
    if (gz->ready)
        return SPL_OK;
    spl_status status = zlib_failed(source, code);
    spl__gunzip_free(gz);
    source->gunzip = NULL;
    return status;
}

/* zlib's own documentation has the numbers of inflate, zconf.h. */
double spl__gunzip_bytes(void)
{
    enum { WINDOW = 1 << 15, STATE = 12 << 10, BLOCKS = 3 };
    return sizeof(spl__gunzip) + WINDOW + STATE + BLOCKS * SPL__BLOCK_HEADER;
}

void spl__gunzip_free(spl__gunzip *gunzip)
{
    if (gunzip && gunzip->ready)
        inflateEnd(&gunzip->zlib);
    spl__free(gunzip);
}

static spl_status refill(spl__byte_source *source)
{
    spl__gunzip *gz = source->gunzip;
    size_t got;
    SPL__TRY(spl__source_read_raw(source, gz->input, sizeof gz->input, &got));
    gz->zlib.next_in = gz->input;
    gz->zlib.avail_in = (uInt)got;
    gz->input_ended = got == 0;
    return SPL_OK;
}

/* After a member: skips zeros; anything else must be the next member. */
static spl_status begin_next_member(spl__gunzip *gz)
{
    while (gz->zlib.avail_in && *gz->zlib.next_in == 0) {
        gz->zlib.next_in++;
        gz->zlib.avail_in--;
    }
    if (gz->zlib.avail_in == 0)
        return SPL_OK;
    gz->between_members = false;
    inflateReset(&gz->zlib); /* cannot fail on a stream that inflateInit2 made */
    return SPL_OK;
}

static spl_status inflate_some(spl__byte_source *source)
{
    spl__gunzip *gz = source->gunzip;
    int code = inflate(&gz->zlib, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
        gz->between_members = true;
    else if (code != Z_OK && code != Z_BUF_ERROR)
        return zlib_failed(source, code);
    return SPL_OK;
}

spl_status spl__gunzip_read(spl__byte_source *source, void *buffer, size_t capacity, size_t *count)
{
    spl__gunzip *gz = source->gunzip;
    *count = 0;
    gz->zlib.next_out = buffer;
    gz->zlib.avail_out = capacity < UINT_MAX ? (uInt)capacity : UINT_MAX;
    const uInt room = gz->zlib.avail_out;
    while (gz->zlib.avail_out) {
        if (gz->zlib.avail_in == 0 && !gz->input_ended)
            SPL__TRY(refill(source));
        if (gz->input_ended && gz->between_members)
            break;
        if (gz->input_ended)
            return spl__fail(SPL_FILE_INVALID, "%s: truncated gzip stream", source->name);
        SPL__TRY(gz->between_members ? begin_next_member(gz) : inflate_some(source));
    }
    *count = room - gz->zlib.avail_out;
    return SPL_OK;
}
