/* SPDX-License-Identifier: Apache-2.0 */
/* zlib_memory.h: lets zlib take its memory from an account. */
#ifndef SPL_FILE_ZLIB_MEMORY_H
#define SPL_FILE_ZLIB_MEMORY_H

#include "core/memory.h"

#include <zlib.h>

typedef struct spl__zlib_memory {
    spl__account *account;
    spl_status status; /* why the last allocation failed; SPL_OK if none did */
} spl__zlib_memory;

static inline voidpf spl__zlib_alloc(voidpf opaque, uInt items, uInt size)
{
    spl__zlib_memory *memory = opaque;
    void *block;
    memory->status = spl__alloc(memory->account, items, size, &block);
    return memory->status == SPL_OK ? block : Z_NULL;
}
static inline void spl__zlib_free(voidpf opaque, voidpf block)
{
    (void)opaque;
    spl__free(block);
}

/* `memory` must stay where it is while the stream is in use. */
static inline void spl__zlib_memory_attach(spl__zlib_memory *memory, spl__account *account,
                                           z_stream *stream)
{
    *memory = (spl__zlib_memory){account, SPL_OK};
    stream->zalloc = spl__zlib_alloc;
    stream->zfree = spl__zlib_free;
    stream->opaque = memory;
}

/* What to return for Z_MEM_ERROR; the detail is that of the allocation. */
static inline spl_status spl__zlib_memory_status(const spl__zlib_memory *memory)
{
    return memory->status == SPL_OK ? spl__fail(SPL_OUT_OF_MEMORY, "zlib has no memory")
                                    : memory->status;
}

#endif
