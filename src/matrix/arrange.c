/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/arrange.h"

#include "core/checked.h"
#include "matrix/row_sort.h"

#include <string.h>

spl_status spl__fits(int64_t value, spl_index type, const char *counted)
{
    if (value > spl__index_max(type))
        return spl__fail(SPL_INDEX_OVERFLOW, "%s %s do not fit %s-bit indices",
                         spl__thousands(value), counted, spl__index_name(type));
    return SPL_OK;
}

enum { PIECE = 1 << 16 }; /* elements between polls of the watch */

SPL__SPECIALISED void copy_indices(void *to, spl_index to_type, const void *source,
                                   spl_index source_type, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        spl__index_set(to, to_type, k, spl__index_at(source, source_type, k));
}

static void copy_piece(void *to, spl_index to_type, const void *source, spl_index source_type,
                       int64_t count)
{
    if (to_type == source_type)
        memcpy(to, source, (size_t)count * spl__index_size(to_type));
    else if (to_type == SPL_I64)
        copy_indices(to, SPL_I64, source, SPL_I32, count);
    else
        copy_indices(to, SPL_I32, source, SPL_I64, count);
}

void spl__copy_indices(spl__watch *watch, void *to, spl_index to_type, const void *source,
                       spl_index source_type, int64_t count)
{
    size_t width = spl__index_size(to_type), source_width = spl__index_size(source_type);
    for (int64_t k = 0; k < count && spl__watch_goes_on(watch); k += PIECE)
        copy_piece((char *)to + (size_t)k * width, to_type,
                   (const char *)source + (size_t)k * source_width, source_type,
                   spl__min_i64(PIECE, count - k));
}

SPL__SPECIALISED void gather(void *to, spl_type to_type, const void *source, spl_type source_type,
                             const int64_t *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        spl__value_set(to, to_type, k, spl__value_at(source, source_type, from ? from[k] : k));
}

/* Copies bits unchanged, also of NaN. */
static void gather_halves(uint16_t *to, const uint16_t *source, const int64_t *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = source[from ? from[k] : k];
}
static void gather_words(uint32_t *to, const uint32_t *source, const int64_t *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = source[from ? from[k] : k];
}
static void gather_doubles(uint64_t *to, const uint64_t *source, const int64_t *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = source[from ? from[k] : k];
}

static void gather_same(void *to, const void *source, size_t size, const int64_t *from,
                        int64_t count)
{
    if (size == sizeof(uint16_t))
        gather_halves(to, source, from, count);
    else if (size == sizeof(uint32_t))
        gather_words(to, source, from, count);
    else
        gather_doubles(to, source, from, count);
}

/* Integers become others within the limits of the type; floats of them are rounded once. */
static void gather_integers(void *to, spl_type to_type, const void *source, spl_type source_type,
                            const int64_t *from, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t value = spl__integer_at(source, source_type, from ? from[k] : k);
        if (spl__type_is_integer(to_type))
            spl__integer_set(to, to_type, k, spl__integer_within(to_type, value));
        else if (to_type == SPL_F64)
            ((double *)to)[k] = (double)value;
        else if (to_type == SPL_F32)
            ((float *)to)[k] = (float)value;
        else
            spl__value_set(to, to_type, k, spl__f32_of_integer_to_odd(value));
    }
}

static void gather_piece(void *to, spl_type to_type, const void *source, spl_type source_type,
                         const int64_t *from, int64_t count)
{
    if (to_type == source_type)
        gather_same(to, source, spl__type_size(to_type), from, count);
    else if (spl__type_is_integer(source_type))
        gather_integers(to, to_type, source, source_type, from, count);
    else if (to_type == SPL_F64 && source_type == SPL_F32)
        gather(to, SPL_F64, source, SPL_F32, from, count);
    else if (to_type == SPL_F32 && source_type == SPL_F64)
        gather(to, SPL_F32, source, SPL_F64, from, count);
    else
        gather(to, to_type, source, source_type, from, count);
}

void spl__gather(spl__watch *watch, void *to, spl_type to_type, const void *source,
                 spl_type source_type, const int64_t *from, int64_t count)
{
    size_t width = spl__type_size(to_type), source_width = from ? 0 : spl__type_size(source_type);
    for (int64_t k = 0; k < count && spl__watch_goes_on(watch); k += PIECE)
        gather_piece((char *)to + (size_t)k * width, to_type,
                     (const char *)source + (size_t)k * source_width, source_type,
                     from ? from + k : NULL, spl__min_i64(PIECE, count - k));
}

/* ---- other lines than the source's: entries are sorted by row ---- */

/* The source as a list of entries. */
static spl__row_sort list_entries(const spl_sparse *source, const spl_sparse *csr, bool transpose)
{
    spl__row_sort s = {
        .type = source->index_type, .rows = csr->rows, .cols = csr->cols, .count = source->nnz};
    s.offset_type = csr->offset_type;
    s.index_type = csr->index_type;
    s.value_size = sizeof(int64_t);
    if (source->format == SPL_COO) {
        s.key = transpose ? source->indices : source->offsets;
        s.other = transpose ? source->offsets : source->indices;
    } else {
        s.key = source->indices;
        s.line_offsets = source->offsets;
        s.line_type = source->offset_type;
        s.lines = source->format == SPL_CSR ? source->rows : source->cols;
    }
    return s;
}

/* Coordinates whose rows ascend are in order: only the offsets are missing. */
static spl_status keep_order(spl__account *account, int threads, spl__row_sort *s,
                             spl__arrangement *a)
{
    SPL__TRY(spl__alloc(account, s->rows + 1, spl__index_size(s->offset_type), &a->offsets));
    s->offsets = a->offsets;
    spl__row_sort_offsets(threads, s);
    SPL__TRY(spl__watch_check(s->watch));
    a->csr.indices = s->other;
    if (s->type == s->index_type)
        return SPL_OK;
    SPL__TRY(spl__alloc(account, s->count, spl__index_size(s->index_type), &a->indices));
    spl__copy_indices(s->watch, a->indices, s->index_type, s->other, s->type, s->count);
    return spl__watch_check(s->watch);
}

static spl_status sort_by_row(spl__account *account, int threads, spl__row_sort *s,
                              const spl_sparse *values, spl__arrangement *a)
{
    SPL__TRY(spl__alloc(account, s->rows + 1, spl__index_size(s->offset_type), &a->offsets));
    SPL__TRY(spl__alloc(account, s->count, spl__index_size(s->index_type), &a->indices));
    if (values) {
        s->values = values->values;
        s->value_size = spl__type_size(values->type);
        SPL__TRY(spl__alloc(account, s->count, s->value_size, &a->values));
    } else {
        SPL__TRY(SPL__NEW(account, &a->from, s->count));
    }
    s->offsets = a->offsets;
    s->indices = a->indices;
    s->along = values ? a->values : a->from;
    return spl__row_sort_run(account, threads, s);
}

/* ---- the same lines, perhaps in other widths ---- */

static spl_status keep_lines(spl__account *account, const spl_sparse *lines, spl__arrangement *a)
{
    spl__watch *watch = spl__account_watch(account);
    if (lines->offset_type != a->csr.offset_type) {
        SPL__TRY(
            spl__alloc(account, lines->rows + 1, spl__index_size(a->csr.offset_type), &a->offsets));
        spl__copy_indices(watch, a->offsets, a->csr.offset_type, lines->offsets, lines->offset_type,
                          lines->rows + 1);
    }
    if (lines->index_type != a->csr.index_type) {
        SPL__TRY(spl__alloc(account, lines->nnz, spl__index_size(a->csr.index_type), &a->indices));
        spl__copy_indices(watch, a->indices, a->csr.index_type, lines->indices, lines->index_type,
                          lines->nnz);
    }
    a->csr.offsets = lines->offsets;
    a->csr.indices = lines->indices;
    return spl__watch_check(watch);
}

typedef enum manner { FROM, VALUES, ASCENDING } manner;

static spl_status fill(spl__account *account, int threads, const spl_sparse *source, bool transpose,
                       manner wanted, spl__arrangement *a)
{
    if (source->format == (transpose ? SPL_CSC : SPL_CSR)) {
        spl_sparse lines = transpose ? spl__view_csc_as_csr(source) : *source;
        return keep_lines(account, &lines, a);
    }
    spl__row_sort s = list_entries(source, &a->csr, transpose);
    s.watch = spl__account_watch(account);
    if (source->format == SPL_COO && spl__row_sort_idle(threads, &s))
        return keep_order(account, threads, &s, a);
    return wanted == ASCENDING
               ? SPL_OK
               : sort_by_row(account, threads, &s, wanted == VALUES ? source : NULL, a);
}

/* `a` has its header. */
static spl_status arrange(spl__account *account, int threads, const spl_sparse *source,
                          bool transpose, manner wanted, spl__arrangement *a)
{
    spl_sparse *csr = &a->csr;
    SPL__TRY(spl__fits(source->nnz, csr->offset_type, "entries"));
    SPL__TRY(spl__fits(csr->cols - 1, csr->index_type, "columns"));
    spl_status status = fill(account, threads, source, transpose, wanted, a);
    if (status != SPL_OK) {
        spl__arrange_free(a);
        return status;
    }
    csr->offsets = a->offsets ? a->offsets : csr->offsets;
    csr->indices = a->indices ? a->indices : csr->indices;
    return SPL_OK;
}

static spl__arrangement begin(const spl_sparse *source, bool transpose, spl_index offset_type,
                              spl_index index_type)
{
    spl__arrangement a = {.csr = *source};
    a.csr.format = SPL_CSR;
    a.csr.rows = transpose ? source->cols : source->rows;
    a.csr.cols = transpose ? source->rows : source->cols;
    a.csr.offset_type = offset_type;
    a.csr.index_type = index_type;
    a.csr.offsets = a.csr.indices = a.csr.values = NULL;
    return a;
}

spl_status spl__arrange(spl__account *account, int threads, const spl_sparse *source,
                        bool transpose, spl_index offset_type, spl_index index_type,
                        spl__arrangement *result)
{
    *result = begin(source, transpose, offset_type, index_type);
    return arrange(account, threads, source, transpose, FROM, result);
}

spl_status spl__arrange_values(spl__account *account, int threads, const spl_sparse *source,
                               bool transpose, spl_index offset_type, spl_index index_type,
                               spl__arrangement *result)
{
    *result = begin(source, transpose, offset_type, index_type);
    return arrange(account, threads, source, transpose, VALUES, result);
}

spl_status spl__arrange_ascending(spl__account *account, int threads, const spl_sparse *source,
                                  bool transpose, spl_index offset_type, spl_index index_type,
                                  spl__arrangement *result)
{
    *result = begin(source, transpose, offset_type, index_type);
    return arrange(account, threads, source, transpose, ASCENDING, result);
}

/* Whether coordinates are as they should be: nothing but offsets is made then. */
static bool in_order(const spl_sparse *source, bool transpose)
{
    const spl__row_sort s = {.key = transpose ? source->indices : source->offsets,
                             .type = source->index_type,
                             .count = source->nnz};
    return source->format == SPL_COO && s.key && spl__row_sort_idle(1, &s);
}

double spl__arrange_bytes(const spl_sparse *source, bool transpose, spl_index offset_type,
                          spl_index index_type, bool sorted)
{
    double nnz = (double)source->nnz, lines = (double)(transpose ? source->cols : source->rows) + 1;
    bool kept = source->format == (transpose ? SPL_CSC : SPL_CSR);
    double offsets = spl__counted_bytes(lines, spl__index_size(offset_type)),
           indices = spl__counted_bytes(nnz, spl__index_size(index_type)),
           numbers = spl__counted_bytes(nnz, sizeof(int64_t));
    bool ordered = in_order(source, transpose);
    if (!kept && !ordered)
        return offsets + indices + numbers;
    return (kept && source->offset_type == offset_type ? 0 : offsets) +
           (sorted || source->index_type != index_type ? indices : 0) + (sorted ? numbers : 0);
}

void spl__arrange_free(spl__arrangement *arrangement)
{
    spl__free(arrangement->offsets);
    spl__free(arrangement->indices);
    spl__free(arrangement->from);
    spl__free(arrangement->values);
    *arrangement = (spl__arrangement){0};
}
