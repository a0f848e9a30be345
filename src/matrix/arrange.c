/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/arrange.h"

#include <string.h>

/* Functions below with spl_index parameters are inlined with constants by the dispatchers, so that their loops are typed. */
#define SPECIALISED static inline __attribute__((always_inline))

spl_status spl__fits(int64_t value, spl_index type, const char *what)
{
    if (value > spl__index_max(type))
        return spl__fail(SPL_INDEX_OVERFLOW, "%s %s do not fit %s-bit indices", spl__thousands(value), what,
                         spl__index_name(type));
    return SPL_OK;
}

SPECIALISED void copy_indices(void *to, spl_index to_type, const void *source, spl_index source_type, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        spl__index_set(to, to_type, k, spl__index_at(source, source_type, k));
}

void spl__copy_indices(void *to, spl_index to_type, const void *source, spl_index source_type, int64_t count)
{
    if (count == 0)
        return;
    if (to_type == source_type)
        memcpy(to, source, (size_t)count * spl__index_size(to_type));
    else if (to_type == SPL_I64)
        copy_indices(to, SPL_I64, source, SPL_I32, count);
    else
        copy_indices(to, SPL_I32, source, SPL_I64, count);
}

SPECIALISED void gather(void *to, spl_type to_type, const void *source, spl_type source_type, const int64_t *from,
                        int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        spl__value_set(to, to_type, k, spl__value_at(source, source_type, from ? from[k] : k));
}

void spl__gather(void *to, spl_type to_type, const void *source, spl_type source_type, const int64_t *from,
                 int64_t count)
{
    if (to_type == SPL_F64 && source_type == SPL_F64)
        gather(to, SPL_F64, source, SPL_F64, from, count);
    else if (to_type == SPL_F32 && source_type == SPL_F32)
        gather(to, SPL_F32, source, SPL_F32, from, count);
    else if (to_type == SPL_F64)
        gather(to, SPL_F64, source, SPL_F32, from, count);
    else
        gather(to, SPL_F32, source, SPL_F64, from, count);
}

/* ---- counting sort of the entries by row of the result ---- */

/* The source as a list of entries: entry p lies in result row `key[p]`; its column is `other[p]`, or, without `other`, the number
 * of the source's line that holds it. */
typedef struct entries {
    const void *key, *other;
    spl_index type; /* of key and other */
    const void *line_offsets;
    spl_index line_type;
    int64_t lines, count;
} entries;

static entries list_entries(const spl_sparse *source, bool transpose)
{
    entries e = {.type = source->index_type, .count = source->nnz};
    if (source->format == SPL_COO) {
        e.key = transpose ? source->indices : source->offsets;
        e.other = transpose ? source->offsets : source->indices;
    } else {
        e.key = source->indices;
        e.line_offsets = source->offsets;
        e.line_type = source->offset_type;
        e.lines = source->format == SPL_CSR ? source->rows : source->cols;
    }
    return e;
}

SPECIALISED void count_keys(const entries *e, spl_index type, int64_t *next)
{
    for (int64_t p = 0; p < e->count; p++)
        next[spl__index_at(e->key, type, p) + 1]++;
}

/* next[i] is where the next entry of result row i goes. */
SPECIALISED void place(const entries *e, spl_index type, int64_t p, int64_t column, int64_t *next, void *indices,
                       spl_index to_type, int64_t *from)
{
    int64_t slot = next[spl__index_at(e->key, type, p)]++;
    spl__index_set(indices, to_type, slot, column);
    from[slot] = p;
}

SPECIALISED void scatter(const entries *e, spl_index type, int64_t *next, void *indices, spl_index to_type,
                         int64_t *from)
{
    if (e->other) {
        for (int64_t p = 0; p < e->count; p++)
            place(e, type, p, spl__index_at(e->other, type, p), next, indices, to_type, from);
        return;
    }
    for (int64_t line = 0, p = 0; line < e->lines; line++)
        for (int64_t end = spl__index_at(e->line_offsets, e->line_type, line + 1); p < end; p++)
            place(e, type, p, line, next, indices, to_type, from);
}

static void scatter_typed(const entries *e, int64_t *next, void *indices, spl_index to_type, int64_t *from)
{
    if (e->type == SPL_I32 && to_type == SPL_I32)
        scatter(e, SPL_I32, next, indices, SPL_I32, from);
    else if (e->type == SPL_I64 && to_type == SPL_I64)
        scatter(e, SPL_I64, next, indices, SPL_I64, from);
    else if (e->type == SPL_I32)
        scatter(e, SPL_I32, next, indices, SPL_I64, from);
    else
        scatter(e, SPL_I64, next, indices, SPL_I32, from);
}

static spl_status sort_by_row(spl__account *account, const entries *e, spl__arrangement *a)
{
    int64_t *next = NULL;
    spl_status status = SPL__NEW_ZERO(account, &next, a->csr.rows + 1);
    if (status == SPL_OK)
        status = spl__alloc(account, a->csr.rows + 1, spl__index_size(a->csr.offset_type), &a->offsets);
    if (status == SPL_OK)
        status = spl__alloc(account, e->count, spl__index_size(a->csr.index_type), &a->indices);
    if (status == SPL_OK)
        status = SPL__NEW(account, &a->from, e->count);
    if (status == SPL_OK) {
        if (e->type == SPL_I32)
            count_keys(e, SPL_I32, next);
        else
            count_keys(e, SPL_I64, next);
        for (int64_t i = 0; i < a->csr.rows; i++)
            next[i + 1] += next[i];
        spl__copy_indices(a->offsets, a->csr.offset_type, next, SPL_I64, a->csr.rows + 1);
        scatter_typed(e, next, a->indices, a->csr.index_type, a->from);
    }
    spl__free(next);
    return status;
}

/* ---- the same lines, perhaps in other widths ---- */

static spl_status keep_lines(spl__account *account, const spl_sparse *lines, spl__arrangement *a)
{
    if (lines->offset_type != a->csr.offset_type) {
        SPL__TRY(spl__alloc(account, lines->rows + 1, spl__index_size(a->csr.offset_type), &a->offsets));
        spl__copy_indices(a->offsets, a->csr.offset_type, lines->offsets, lines->offset_type, lines->rows + 1);
    }
    if (lines->index_type != a->csr.index_type) {
        SPL__TRY(spl__alloc(account, lines->nnz, spl__index_size(a->csr.index_type), &a->indices));
        spl__copy_indices(a->indices, a->csr.index_type, lines->indices, lines->index_type, lines->nnz);
    }
    a->csr.offsets = lines->offsets;
    a->csr.indices = lines->indices;
    return SPL_OK;
}

static spl_status fill(spl__account *account, const spl_sparse *source, bool transpose, spl__arrangement *a)
{
    if (source->format == (transpose ? SPL_CSC : SPL_CSR)) {
        spl_sparse lines = transpose ? spl__view_csc_as_csr(source) : *source;
        return keep_lines(account, &lines, a);
    }
    entries e = list_entries(source, transpose);
    return sort_by_row(account, &e, a);
}

spl_status spl__arrange(spl__account *account, const spl_sparse *source, bool transpose, spl_index offset_type,
                        spl_index index_type, spl__arrangement *result)
{
    *result = (spl__arrangement){.csr = *source};
    spl_sparse *csr = &result->csr;
    csr->format = SPL_CSR;
    csr->rows = transpose ? source->cols : source->rows;
    csr->cols = transpose ? source->rows : source->cols;
    csr->offset_type = offset_type;
    csr->index_type = index_type;
    csr->offsets = csr->indices = csr->values = NULL;
    SPL__TRY(spl__fits(source->nnz, offset_type, "entries"));
    SPL__TRY(spl__fits(csr->cols - 1, index_type, "columns"));
    spl_status status = fill(account, source, transpose, result);
    if (status != SPL_OK) {
        spl__arrange_free(result);
        return status;
    }
    csr->offsets = result->offsets ? result->offsets : csr->offsets;
    csr->indices = result->indices ? result->indices : csr->indices;
    return SPL_OK;
}

void spl__arrange_free(spl__arrangement *arrangement)
{
    spl__free(arrangement->offsets);
    spl__free(arrangement->indices);
    spl__free(arrangement->from);
    *arrangement = (spl__arrangement){0};
}
