/* SPDX-License-Identifier: Apache-2.0 */
#include "io/entries.h"

#include "core/checked.h"
#include "core/sized.h"
#include "matrix/arrange.h"

#include <math.h>
#include <string.h>

spl_status spl__read_options_take(spl_read_options *o, const spl_read_options *from)
{
    SPL__TRY(spl__sized_read(o, sizeof *o, from, "spl_read_options"));
    SPL__TRY(spl__check_layout(o->format, o->type, o->offset_type, o->index_type));
    o->format = o->format ? o->format : SPL_CSR;
    o->type = o->type ? o->type : SPL_F64;
    return SPL_OK;
}

static spl_index narrowest(int64_t largest)
{
    return largest <= INT32_MAX ? SPL_I32 : SPL_I64;
}

/* Offsets are not left narrower than indices: operations take the combinations 32/32, 64/32 and
 * 64/64 as they are and would copy anything else. */
void spl__read_options_shape(const spl_read_options *options, int64_t rows, int64_t cols,
                             int64_t nnz, spl_convert_options *shape)
{
    bool csr = options->format == SPL_CSR, csc = options->format == SPL_CSC;
    *shape = (spl_convert_options)SPL_CONVERT_OPTIONS_INIT;
    shape->format = options->format;
    shape->type = options->type;
    shape->index_type = options->index_type;
    if (!shape->index_type)
        shape->index_type = narrowest(csr ? cols : csc ? rows : spl__max_i64(rows, cols));
    shape->offset_type = options->offset_type;
    if (!shape->offset_type)
        shape->offset_type = shape->index_type == SPL_I64 ? SPL_I64 : narrowest(nnz);
}

void spl__entries_init(spl__entries *entries, spl_context *context, spl__account *account,
                       int64_t rows, int64_t cols, spl_type type, int64_t bytes)
{
    *entries = (spl__entries){.context = context,
                              .bytes = bytes,
                              .account = account,
                              .before = atomic_load(&account->held),
                              .threads = spl__threads(context, 0),
                              .index_type = narrowest(spl__max_i64(rows, cols)),
                              .type = type};
}

/* Replaces the array by a longer one with the same first elements. */
static spl_status grow(spl__entries *entries, void **array, size_t size, int64_t capacity)
{
    void *longer;
    SPL__TRY(spl__alloc(entries->account, capacity, size, &longer));
    if (entries->count)
        memcpy(longer, *array, (size_t)entries->count * size);
    spl__free(*array);
    *array = longer;
    return SPL_OK;
}

spl_status spl__entries_reserve(spl__entries *entries, int64_t capacity)
{
    if (capacity <= entries->capacity)
        return SPL_OK;
    size_t index_size = spl__index_size(entries->index_type);
    SPL__TRY(grow(entries, &entries->rows, index_size, capacity));
    SPL__TRY(grow(entries, &entries->cols, index_size, capacity));
    SPL__TRY(grow(entries, &entries->values, spl__type_size(entries->type), capacity));
    entries->capacity = capacity;
    return SPL_OK;
}

/* Replaces an array of 32-bit indices by one of 64 bits. */
static spl_status widen(spl__entries *entries, void **array)
{
    void *wide;
    SPL__TRY(spl__alloc(entries->account, entries->capacity, sizeof(int64_t), &wide));
    spl__copy_indices(NULL, wide, SPL_I64, *array, SPL_I32, entries->count);
    spl__free(*array);
    *array = wide;
    return SPL_OK;
}

spl_status spl__entries_widen(spl__entries *entries)
{
    if (entries->index_type == SPL_I64)
        return SPL_OK;
    SPL__TRY(widen(entries, &entries->rows));
    /* after a failure the entries are only good to be freed */
    SPL__TRY(widen(entries, &entries->cols));
    entries->index_type = SPL_I64;
    return SPL_OK;
}

void spl__entries_free(spl__entries *entries)
{
    spl__free(entries->rows);
    spl__free(entries->cols);
    spl__free(entries->values);
    entries->rows = entries->cols = entries->values = NULL;
    entries->count = entries->capacity = 0;
}

static spl_sparse coordinates(const spl__entries *e, int64_t rows, int64_t cols)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_COO;
    view.type = e->type;
    view.offset_type = view.index_type = e->index_type;
    view.rows = rows;
    view.cols = cols;
    view.nnz = e->count;
    view.offsets = e->rows;
    view.indices = e->cols;
    view.values = e->values;
    return view;
}

void spl__entries_expect(const spl__entries *e, int64_t rows, int64_t cols, double count,
                         const spl_read_options *options, double staging)
{
    enum { ARRAYS = 3 };
    const double most = 1e15; /* fits an int64_t */
    spl_convert_options wanted;
    spl_sparse view = coordinates(e, rows, cols);
    view.nnz = (int64_t)fmin(ceil(count), most);
    view.offsets = view.indices = NULL; /* most are not there yet */
    spl__read_options_shape(options, rows, cols, view.nnz, &wanted);
    double entry = 2 * (double)spl__index_size(e->index_type) + (double)spl__type_size(e->type),
           made = spl__convert_bytes(&view, &wanted),
           all = (double)view.nnz * entry + ARRAYS * SPL__BLOCK_HEADER +
                 fmax(staging + (double)e->capacity * sizeof(int64_t), made); /* an array grows */
    spl__account_expect(e->account, all - (double)(atomic_load(&e->account->held) - e->before));
}

/* Coordinates that already are what is wanted become the matrix' arrays without a copy. */
static spl_status adopt_coordinates(spl__account *account, spl__entries *e, spl_sparse header,
                                    spl_matrix **result)
{
    SPL__TRY(spl__matrix_around(account, &header, e->rows, e->cols, e->values, result));
    e->rows = e->cols = e->values = NULL;
    return SPL_OK;
}

/* The same for CSR (CSC) and entries whose rows (columns) ascend: only the offsets are new. *result
 * stays NULL if the entries are in another order. */
static spl_status adopt_lines(spl__account *account, spl__entries *e, const spl_sparse *view,
                              const spl_convert_options *wanted, spl_matrix **result)
{
    spl__arrangement a;
    bool csc = wanted->format == SPL_CSC;
    spl_sparse header = *view;
    header.format = wanted->format;
    header.offset_type = wanted->offset_type;
    SPL__TRY(spl__arrange_ascending(account, e->threads, view, csc, wanted->offset_type,
                                    wanted->index_type, &a));
    if (!a.offsets)
        return SPL_OK;
    void **indices = csc ? &e->rows : &e->cols;
    spl_status status =
        spl__matrix_around(account, &header, a.offsets, *indices, e->values, result);
    if (status == SPL_OK)
        a.offsets = *indices = e->values = NULL;
    spl__arrange_free(&a);
    return status;
}

static spl_status make_matrix(spl__account *account, spl__entries *e, const spl_sparse *view,
                              const spl_convert_options *wanted, spl_matrix **result)
{
    bool fits =
        wanted->index_type == e->index_type && wanted->type == e->type && e->count == e->capacity;
    *result = NULL;
    if (fits && wanted->format == SPL_COO)
        return adopt_coordinates(account, e, *view, result);
    if (fits)
        SPL__TRY(adopt_lines(account, e, view, wanted, result));
    return *result ? SPL_OK : spl__convert(account, e->threads, view, wanted, result);
}

spl_status spl__entries_matrix(spl__entries *entries, int64_t rows, int64_t cols,
                               const spl_read_options *options, spl_matrix **result)
{
    spl_convert_options wanted;
    spl__watched call;
    spl__read_options_shape(options, rows, cols, entries->count, &wanted);
    spl_sparse view = coordinates(entries, rows, cols);
    spl__account *account = spl__watched_begin(&call, entries->context, "read", entries->bytes);
    account->parent = entries->account;
    spl_status status = make_matrix(account, entries, &view, &wanted, result);
    if (status == SPL_OK)
        spl__matrix_move(*result, entries->account);
    spl__entries_free(entries);
    return status;
}
