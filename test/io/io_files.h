/* SPDX-License-Identifier: Apache-2.0 */
/* io_files.h: what the tests of src/io share: files in a folder of their own, and a context whose
 * memory is watched. */
#ifndef SPARLOOM_TEST_IO_FILES_H
#define SPARLOOM_TEST_IO_FILES_H

#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The test program's own folder: made on first use, removed with its files at exit. */
static char io_folder[256];

/* Calls back for each file of the folder; returns their number. */
static inline int io_each_file(void (*visit)(const char *path))
{
    DIR *folder = opendir(io_folder);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[1024];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", io_folder, entry->d_name);
        count++;
        if (visit)
            visit(path);
    }
    if (folder)
        closedir(folder);
    return count;
}

static inline void io_remove(const char *path)
{
    remove(path);
}

static inline void io_clean(void)
{
    io_each_file(io_remove);
    rmdir(io_folder);
}

/* A path in the folder; in one of a few buffers. */
static inline const char *io_path(const char *name)
{
    static char paths[4][1024];
    static int next;
    if (!io_folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(io_folder, sizeof io_folder, "%s/sparloom-test-XXXXXX", base ? base : "/tmp");
        EXPECT(mkdtemp(io_folder) != NULL);
        atexit(io_clean);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", io_folder, name);
    return path;
}

static inline const char *io_write_bytes(const char *name, const void *bytes, size_t count)
{
    const char *path = io_path(name);
    FILE *file = fopen(path, "wb");
    EXPECT(file != NULL);
    EXPECT(fwrite(bytes, 1, count, file) == count);
    EXPECT(fclose(file) == 0);
    return path;
}

static inline const char *io_write_text(const char *name, const char *text)
{
    return io_write_bytes(name, text, strlen(text));
}

/* The text as one gzip member, in memory to be freed. */
static inline unsigned char *io_gzip(const void *bytes, size_t count, size_t *length)
{
    z_stream stream = {0};
    EXPECT(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t room = deflateBound(&stream, count);
    unsigned char *packed = malloc(room);
    EXPECT(packed != NULL);
    stream.next_in = (unsigned char *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = packed;
    stream.avail_out = (uInt)room;
    EXPECT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *length = stream.total_out;
    deflateEnd(&stream);
    return packed;
}

/* All bytes of a file and a terminating zero, to be freed; plain. */
static inline char *io_read_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    EXPECT(file != NULL);
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*count + 1);
    EXPECT(bytes != NULL);
    EXPECT(fread(bytes, 1, *count, file) == *count);
    bytes[*count] = 0;
    fclose(file);
    return bytes;
}

/* A context and its watched allocator. */
typedef struct io_context {
    hook_allocator hook;
    spl_context *context;
} io_context;

static inline void io_begin(io_context *c, int threads, size_t budget)
{
    hook_start(&c->hook);
    EXPECT_OK(hook_context(&c->hook, threads, budget, &c->context));
}

/* Checks that nothing is left. */
static inline void io_end(io_context *c)
{
    spl_context_destroy(c->context);
    EXPECT(hook_clean(&c->hook));
    hook_stop(&c->hook);
}

static inline spl_sparse io_view(const spl_matrix *matrix)
{
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(matrix, &view));
    EXPECT_OK(spl_validate(&view));
    return view;
}

static inline int64_t io_index(const void *array, spl_index type, int64_t i)
{
    return type == SPL_I32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static inline spl_read_options io_coo(void)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    options.format = SPL_COO;
    return options;
}

/* Whether two views hold the same bytes. */
static inline bool io_same(const spl_sparse *a, const spl_sparse *b)
{
    if (a->format != b->format || a->type != b->type || a->index_type != b->index_type ||
        a->offset_type != b->offset_type || a->rows != b->rows || a->cols != b->cols ||
        a->nnz != b->nnz)
        return false;
    size_t index = a->index_type == SPL_I32 ? 4 : 8, offset = a->offset_type == SPL_I32 ? 4 : 8;
    size_t value = a->type == SPL_F32 ? 4 : 8, nnz = (size_t)a->nnz, offsets = nnz;
    if (a->format != SPL_COO)
        offsets = (size_t)(a->format == SPL_CSR ? a->rows : a->cols) + 1;
    if (offsets && memcmp(a->offsets, b->offsets, offsets * offset) != 0)
        return false;
    return nnz == 0 || (memcmp(a->indices, b->indices, nnz * index) == 0 &&
                        memcmp(a->values, b->values, nnz * value) == 0);
}

#endif
