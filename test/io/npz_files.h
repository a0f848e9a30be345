/* SPDX-License-Identifier: Apache-2.0 */
/* npz_files.h: .npz archives made byte by byte, right ones and wrong ones. Needs libzip. */
#ifndef SPARLOOM_TEST_NPZ_FILES_H
#define SPARLOOM_TEST_NPZ_FILES_H

#include "io/read.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

enum { NPZ_MEMBERS = 8, NPY_ROOM = 1024 };

typedef struct npz_member {
    const char *name; /* NULL: none */
    uint8_t bytes[NPY_ROOM];
    size_t count;
} npz_member;

typedef struct npz_archive {
    npz_member members[NPZ_MEMBERS];
    bool stored; /* not compressed */
} npz_archive;

static inline npz_member *npz_find(npz_archive *a, const char *name)
{
    int i = 0;
    while (i < NPZ_MEMBERS - 1 && a->members[i].name && strcmp(a->members[i].name, name) != 0)
        i++;
    a->members[i].name = name;
    return &a->members[i];
}

/* Sets (or replaces) a member: header text as given, then the elements. */
static inline void npz_raw(npz_archive *a, const char *name, int version, const char *text,
                           const void *elements, size_t bytes)
{
    npz_member *m = npz_find(a, name);
    size_t length = strlen(text) + 1;
    uint8_t head[12] = {0x93,
                        'N',
                        'U',
                        'M',
                        'P',
                        'Y',
                        (uint8_t)version,
                        0,
                        (uint8_t)length,
                        (uint8_t)(length >> 8)};
    size_t before = version == 1 ? 10 : 12;
    memcpy(m->bytes, head, before);
    memcpy(m->bytes + before, text, length - 1);
    m->bytes[before + length - 1] = '\n';
    if (bytes)
        memcpy(m->bytes + before + length, elements, bytes);
    m->count = before + length + bytes;
}

static inline void npz_set(npz_archive *a, const char *name, const char *type, const char *shape,
                           const void *elements, size_t bytes)
{
    char text[256];
    snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type,
             shape);
    npz_raw(a, name, 1, text, elements, bytes);
}

static inline void npz_remove(npz_archive *a, const char *name)
{
    npz_find(a, name)->count = 0;
}

/* The archive's bytes, to be freed; NULL if libzip fails. */
static inline uint8_t *npz_pack(const npz_archive *a, size_t *size)
{
    zip_source_t *buffer = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *zip = zip_open_from_source(buffer, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    zip_source_keep(buffer);
    for (int i = 0; i < NPZ_MEMBERS; i++) {
        const npz_member *m = &a->members[i];
        if (!m->name || m->count == 0)
            continue;
        zip_int64_t index =
            zip_file_add(zip, m->name, zip_source_buffer(zip, m->bytes, m->count, 0), 0);
        zip_set_file_compression(zip, (zip_uint64_t)index,
                                 a->stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 6);
    }
    uint8_t *bytes = NULL;
    zip_stat_t stat_of_archive;
    if (zip_close(zip) == 0 && zip_source_stat(buffer, &stat_of_archive) == 0 &&
        zip_source_open(buffer) == 0) {
        *size = (size_t)stat_of_archive.size;
        bytes = malloc(*size + 1);
        if (bytes && zip_source_read(buffer, bytes, *size) != (zip_int64_t)*size) {
            free(bytes);
            bytes = NULL;
        }
        zip_source_close(buffer);
    }
    zip_source_free(buffer);
    return bytes;
}

/* What spl_read says about the archive. */
static inline spl_status npz_read(spl_context *context, const npz_archive *a,
                                  const spl_read_options *options, spl_matrix **matrix)
{
    size_t size = 0;
    uint8_t *bytes = npz_pack(a, &size);
    if (!bytes)
        abort();
    spl_status status = spl__read_memory(context, bytes, size, "a.npz", options, matrix);
    free(bytes);
    return status;
}

/* The 4 x 6 matrix of the tests: (0,1)=1 (0,5)=2 (1,0)=-3 (3,3)=4 (3,2)=5, as csr. Values must be
 * of type f8. */
static inline void npz_example(npz_archive *a)
{
    static const int32_t offsets[] = {0, 2, 3, 3, 5}, columns[] = {1, 5, 0, 3, 2};
    static const int64_t shape[] = {4, 6};
    static const double values[] = {1, 2, -3, 4, 5};
    memset(a, 0, sizeof *a);
    npz_set(a, "indices.npy", "<i4", "(5,)", columns, sizeof columns);
    npz_set(a, "indptr.npy", "<i4", "(5,)", offsets, sizeof offsets);
    npz_set(a, "format.npy", "|S3", "()", "csr", 3);
    npz_set(a, "shape.npy", "<i8", "(2,)", shape, sizeof shape);
    npz_set(a, "data.npy", "<f8", "(5,)", values, sizeof values);
}

#endif
