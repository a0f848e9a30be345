/* SPDX-License-Identifier: Apache-2.0 */
#include "io/npz/npz_write.h"

#include "core/types.h"
#include "io/npz/zip_write.h"
#include "matrix/view.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "npz_write.c writes little-endian arrays as they are"
#endif

enum { ALIGN = 64, HEAD = 10 /* magic, version, length */, HEADER_BYTES = 192, MEMBERS = 5 };

/* An array and the header in front of it. */
typedef struct array {
    char header[HEADER_BYTES];
    spl__zip_part parts[2];
} array;

/* Version 1: the text is padded so that the elements begin at a multiple of 64 bytes. */
static void make_array(array *a, const char *type, const char *shape, const void *bytes,
                       int64_t count)
{
    char *text = a->header + HEAD;
    int length = snprintf(text, sizeof a->header - HEAD,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    int padded = (HEAD + length + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(text + length, ' ', (size_t)(padded - HEAD - length - 1));
    a->header[padded - 1] = '\n';
    memcpy(a->header, "\x93NUMPY\1\0", 8);
    a->header[8] = (char)((padded - HEAD) & 0xff);
    a->header[9] = (char)((padded - HEAD) >> 8);
    a->parts[0] = (spl__zip_part){a->header, padded};
    a->parts[1] = (spl__zip_part){bytes, count};
}

static spl_status add(spl__zip_writer *writer, array *a, const char *member, const char *type,
                      const void *elements, int64_t count, size_t width)
{
    char shape[32];
    snprintf(shape, sizeof shape, "(%lld,)", (long long)count);
    make_array(a, type, shape, elements, count * (int64_t)width);
    return spl__zip_add(writer, member, a->parts);
}

static spl_status add_indices(spl__zip_writer *writer, array *a, const char *member,
                              const void *indices, spl_index type, int64_t count)
{
    return add(writer, a, member, type == SPL_I32 ? "<i4" : "<i8", indices, count,
               spl__index_size(type));
}

static const char *type_of_values(spl_type type)
{
    return type == SPL_F16     ? "<f2"
           : type == SPL_F32   ? "<f4"
           : type == SPL_INT32 ? "<i4"
           : type == SPL_INT64 ? "<i8"
                               : "<f8";
}

/* `shape` must stay as long as the arrays. */
static spl_status add_members(spl__zip_writer *writer, const spl_sparse *m, array arrays[MEMBERS],
                              int64_t shape[2])
{
    bool coo = m->format == SPL_COO;
    const char *format = coo ? "coo" : m->format == SPL_CSR ? "csr" : "csc";
    SPL__TRY(add_indices(writer, &arrays[0], coo ? "col.npy" : "indices.npy", m->indices,
                         m->index_type, m->nnz));
    SPL__TRY(add_indices(writer, &arrays[1], coo ? "row.npy" : "indptr.npy", m->offsets,
                         spl__offsets_type(m), spl__offsets_count(m)));
    make_array(&arrays[2], "|S3", "()", format, 3);
    SPL__TRY(spl__zip_add(writer, "format.npy", arrays[2].parts));
    SPL__TRY(add_indices(writer, &arrays[3], "shape.npy", shape, SPL_I64, 2));
    return add(writer, &arrays[4], "data.npy", type_of_values(m->type), m->values, m->nnz,
               spl__type_size(m->type));
}

spl_status spl__npz_write(spl_context *context, const spl_sparse *matrix, const char *path)
{
    array arrays[MEMBERS];
    int64_t shape[2] = {matrix->rows, matrix->cols};
    spl__zip_writer *writer;
    if (matrix->type == SPL_BF16)
        return spl__fail(
            SPL_UNSUPPORTED,
            ".npz has no type for bf16: write f16 or f32 (spl_convert), or Matrix Market");
    SPL__TRY(spl__zip_create(context, path, &writer));
    spl_status status = add_members(writer, matrix, arrays, shape);
    if (status == SPL_OK)
        return spl__zip_commit(writer);
    spl__zip_abandon(writer);
    return status;
}
