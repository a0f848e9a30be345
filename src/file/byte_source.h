/* SPDX-License-Identifier: Apache-2.0 */
/* byte_source.h: the bytes of a file or of memory, in order, as they are; unpacked_source.h takes
 * gzip off. */
#ifndef SPL_FILE_BYTE_SOURCE_H
#define SPL_FILE_BYTE_SOURCE_H

#include "core/memory.h"

#include <stdbool.h>

typedef struct spl__byte_source {
    spl__account *account;
    const char *name;            /* for messages; owned by the caller */
    int file;                    /* -1: memory */
    const unsigned char *memory; /* NULL: file */
    int64_t done, total;         /* bytes read and in all; total 0: not known (pipes, /proc) */
    /* the first bytes, read in advance to detect gzip and zip */
    unsigned char head[4];
    int head_bytes; /* their number */
    int head_begin, head_end;
    bool packed;                /* by gzip */
    struct spl__gunzip *gunzip; /* takes it off, once spl__source_begin was there */
} spl__byte_source;

/* SPL_FILE_ERROR "name: reason" for what cannot be read. Close it after success only. */
spl_status spl__source_open(spl__byte_source *source, spl__account *account, const char *path);
spl_status spl__source_memory(spl__byte_source *source, spl__account *account, const void *bytes,
                              size_t size, const char *name);
/* Reads until `capacity` bytes or the end: *count < capacity only there. SPL_FILE_ERROR. */
spl_status spl__source_read_raw(spl__byte_source *source, void *buffer, size_t capacity,
                                size_t *count);

/* An upper bound of the bytes of the whole source, unpacked; INT64_MAX: unknown. */
int64_t spl__source_bound(const spl__byte_source *source);

/* SPL_FILE_ERROR with detail "name: " and the sentence for the errno value. */
spl_status spl__file_error(const char *name, int error);

#endif
