/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/view.h"

#include "core/checked.h"
#include "core/sized.h"

#include <stdbool.h>
#include <string.h>

spl_status spl__check_type(spl_type type, const char *name)
{
    if (spl__type_is_built(type))
        return SPL_OK;
    if (type == SPL_C32 || type == SPL_C64)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s: value type %d is reserved: complex numbers are not built", name,
                         (int)type);
    return spl__fail(SPL_INVALID_ARGUMENT, "%s: %d is not a value type", name, (int)type);
}

spl_status spl__check_layout(spl_format format, spl_type type, spl_index offset_type,
                             spl_index index_type)
{
    if (format == SPL_BSR)
        return spl__fail(SPL_UNSUPPORTED, "options: BSR is reserved: it is not built");
    if ((unsigned)format > SPL_BSR)
        return spl__fail(SPL_INVALID_ARGUMENT, "options: %d is not a format", (int)format);
    if (type)
        SPL__TRY(spl__check_type(type, "options"));
    if ((unsigned)offset_type > SPL_I64 || (unsigned)index_type > SPL_I64)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "options: offset_type %d or index_type %d is not an index type",
                         (int)offset_type, (int)index_type);
    return SPL_OK;
}

static spl_status check_place(spl_place place, const char *name)
{
    bool device = place.kind >= SPL_CUDA && place.kind <= SPL_EMULATOR && place.ordinal >= 0;
    if (!device && (place.kind != SPL_HOST || place.ordinal != 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: there is no place of kind %d, ordinal %d", name,
                         place.kind, place.ordinal);
    return SPL_OK;
}

static spl_status check_format(const spl_sparse *view, const char *name)
{
    if (view->format == SPL_BSR)
        return spl__fail(SPL_UNSUPPORTED, "%s: format BSR is reserved", name);
    if (view->format != SPL_CSR && view->format != SPL_CSC && view->format != SPL_COO)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %d is not a format", name, (int)view->format);
    if (view->block_size != 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: block_size %d, but only BSR has blocks", name,
                         view->block_size);
    if (view->index_type != SPL_I32 && view->index_type != SPL_I64)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %d is not an index type", name,
                         (int)view->index_type);
    if (view->format != SPL_COO && view->offset_type != SPL_I32 && view->offset_type != SPL_I64)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %d is not an offset type", name,
                         (int)view->offset_type);
    return SPL_OK;
}

static spl_status check_counts(const spl_sparse *view, const char *name)
{
    if (view->rows < 0 || view->cols < 0 || view->nnz < 0)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "%s: %lld rows, %lld columns, %lld entries: a count is negative", name,
                         (long long)view->rows, (long long)view->cols, (long long)view->nnz);
    if (view->rows == INT64_MAX || view->cols == INT64_MAX)
        return spl__fail(SPL_INDEX_OVERFLOW,
                         "%s: a dimension of 2^63-1 leaves no room for the offset behind it", name);
    if (view->format != SPL_COO && view->nnz > spl__index_max(view->offset_type))
        return spl__fail(SPL_INDEX_OVERFLOW, "%s: %s entries do not fit %s-bit offsets", name,
                         spl__thousands(view->nnz), spl__index_name(view->offset_type));
    if (view->nnz > 0 && (view->rows == 0 || view->cols == 0))
        return spl__fail(SPL_INVALID_MATRIX, "%s: %s entries in a matrix of %lld x %lld", name,
                         spl__thousands(view->nnz), (long long)view->rows, (long long)view->cols);
    return SPL_OK;
}

spl_status spl__fail_array(const char *owner, const char *array_name, const void *array,
                           size_t size)
{
    const char *const of = owner ? owner : "", *const colon = owner ? ": " : "";
    if (!array)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s%s%s is NULL", of, colon, array_name);
    return spl__fail(SPL_INVALID_ARGUMENT,
                     "%s%s%s at 0x%llx: not aligned to the %zu bytes of an element", of, colon,
                     array_name, (unsigned long long)(uintptr_t)array, size);
}

static spl_status check_arrays(const spl_sparse *v, const char *name)
{
    size_t offset = spl__index_size(spl__offsets_type(v));
    SPL__TRY(spl__check_array(name, "offsets", v->offsets, spl__offsets_count(v), offset));
    return spl__check_array(name, "indices", v->indices, v->nnz, spl__index_size(v->index_type));
}

static spl_status check_values(const spl_sparse *v, const char *name)
{
    return spl__check_array(name, "values", v->values, v->nnz, spl__type_size(v->type));
}

static spl_status check_on_host(spl_place place, const char *name)
{
    if (place.kind != SPL_HOST)
        return spl__fail(SPL_UNSUPPORTED,
                         "%s is on a device (place kind %d); this function works on the host only",
                         name, place.kind);
    return SPL_OK;
}

static spl_status read_structure(spl_sparse *view, const spl_sparse *from, const char *name)
{
    if (!from)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", name);
    SPL__TRY(spl__sized_read(view, sizeof *view, from, name));
    SPL__TRY(check_format(view, name));
    if (view->format == SPL_COO)
        view->offset_type = view->index_type;
    SPL__TRY(spl__check_type(view->type, name));
    SPL__TRY(check_place(view->place, name));
    SPL__TRY(check_counts(view, name));
    return check_arrays(view, name);
}

spl_status spl__view_read_anywhere(spl_sparse *view, const spl_sparse *from, const char *name)
{
    SPL__TRY(read_structure(view, from, name));
    return check_values(view, name);
}

spl_status spl__pattern_read_anywhere(spl_sparse *view, const spl_sparse *from, const char *name)
{
    SPL__TRY(read_structure(view, from, name));
    view->values = NULL;
    return SPL_OK;
}

spl_status spl__pattern_read(spl_sparse *view, const spl_sparse *from, const char *name)
{
    SPL__TRY(spl__pattern_read_anywhere(view, from, name));
    return check_on_host(view->place, name);
}

spl_status spl__view_read(spl_sparse *view, const spl_sparse *from, const char *name)
{
    SPL__TRY(spl__view_read_anywhere(view, from, name));
    return check_on_host(view->place, name);
}

spl_status spl__view_take(spl__watch *watch, spl_sparse *view, const spl_sparse *from,
                          const char *name)
{
    SPL__TRY(spl__view_read(view, from, name));
    return spl__view_check(watch, 1, view, name);
}

spl_status spl_validate(const spl_sparse *matrix)
{
    spl_sparse view;
    return spl__view_take(NULL, &view, matrix, "matrix");
}

/* The leading dimension must cover a line, and the last element must be addressable. */
static spl_status check_leading(const spl_dense *v, const char *name)
{
    int64_t line = v->order == SPL_ROW_MAJOR ? v->cols : v->rows,
            lines = v->order == SPL_ROW_MAJOR ? v->rows : v->cols;
    int64_t elements, bytes;
    if (v->ld < line)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: ld is %lld, a line has %lld elements", name,
                         (long long)v->ld, (long long)line);
    if (lines > 0 && (!spl__mul_i64(lines, v->ld, &elements) ||
                      !spl__mul_i64(elements, (int64_t)spl__type_size(v->type), &bytes)))
        return spl__fail(SPL_INDEX_OVERFLOW,
                         "%s: %lld lines of ld %lld are more than can be addressed", name,
                         (long long)lines, (long long)v->ld);
    return SPL_OK;
}

spl_status spl__dense_read_anywhere(spl_dense *view, const spl_dense *from, const char *name)
{
    if (!from)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", name);
    SPL__TRY(spl__sized_read(view, sizeof *view, from, name));
    SPL__TRY(spl__check_type(view->type, name));
    SPL__TRY(check_place(view->place, name));
    if (view->order != SPL_ROW_MAJOR && view->order != SPL_COLUMN_MAJOR)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %d is not an order", name, (int)view->order);
    if (view->rows < 0 || view->cols < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s: %lld x %lld: a count is negative", name,
                         (long long)view->rows, (long long)view->cols);
    SPL__TRY(check_leading(view, name));
    return spl__check_array(name, "values", view->values, spl__min_i64(view->rows, view->cols),
                            spl__type_size(view->type));
}

spl_status spl__dense_read(spl_dense *view, const spl_dense *from, const char *name)
{
    SPL__TRY(spl__dense_read_anywhere(view, from, name));
    return check_on_host(view->place, name);
}

static const void *moved(const void *array, const spl_sparse *from, const spl_sparse *to)
{
    return array == from->offsets ? to->offsets : array == from->indices ? to->indices : array;
}

void spl__view_move_structure(spl_sparse *view, const spl_sparse *from, const spl_sparse *to)
{
    view->offsets = moved(view->offsets, from, to);
    view->indices = moved(view->indices, from, to);
}

bool spl__view_same_structure(const spl_sparse *a, const spl_sparse *b)
{
    return a->offsets == b->offsets && a->indices == b->indices && a->format == b->format &&
           a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           a->offset_type == b->offset_type && a->index_type == b->index_type;
}

spl_sparse spl__view_csc_as_csr(const spl_sparse *csc)
{
    spl_sparse csr = *csc;
    csr.format = SPL_CSR;
    csr.rows = csc->cols;
    csr.cols = csc->rows;
    return csr;
}

uint64_t spl__fingerprint(uint64_t seed, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    uint64_t h = seed ^ (count * 0x9e3779b97f4a7c15u);
    for (; count >= 8; count -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; count > 0; count--, p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h ^ (h >> 29);
}
