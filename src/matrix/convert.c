/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c: every conversion uses one arrangement (arrange.h): lines of the target, and the
 * origins of entries. */
#include "core/checked.h"
#include "core/context.h"
#include "core/integer.h"
#include "core/sized.h"
#include "core/watch.h"
#include "matrix/arrange.h"
#include "matrix/lines.h"
#include "matrix/matrix.h"

#include <math.h>

static int64_t line_end(const spl_sparse *csr, int64_t line)
{
    return spl__index_at(csr->offsets, csr->offset_type, line + 1);
}

/* Distinct positions of a sorted arrangement. */
static int64_t count_distinct(spl__watch *watch, const spl_sparse *csr)
{
    int64_t distinct = 0;
    for (int64_t line = 0, p = 0; line < csr->rows && spl__watch_goes_on_at(watch, line); line++)
        for (int64_t begin = p, end = line_end(csr, line); p < end; p++)
            distinct += p == begin || spl__entry_index(csr, p) != spl__entry_index(csr, p - 1);
    return distinct;
}

/* Writes line numbers (COO) or offsets (CSR, CSC) and indices of all entries, as far as the matrix
 * has not got them. */
static void write_structure(spl__watch *watch, const spl__arrangement *a, spl_matrix *m)
{
    const spl_sparse *csr = &a->csr;
    if (m->indices != a->indices)
        spl__copy_indices(watch, m->indices, m->view.index_type, csr->indices, csr->index_type,
                          csr->nnz);
    if (m->view.format != SPL_COO && m->offsets != a->offsets)
        spl__copy_indices(watch, m->offsets, m->view.offset_type, csr->offsets, csr->offset_type,
                          csr->rows + 1);
    if (m->view.format != SPL_COO)
        return;
    for (int64_t line = 0, p = 0; line < csr->rows && spl__watch_goes_on_at(watch, line); line++)
        for (int64_t end = line_end(csr, line); p < end; p++)
            spl__index_set(m->offsets, m->view.index_type, p, line);
}

/* The sum of equal positions as its type holds it: floating-point numbers are rounded after each
 * addition, integers wrap. */
typedef struct sum {
    spl_type type;
    double real;
    int64_t whole; /* of integers */
} sum;

static double rounded(spl_type type, double real)
{
    return spl__type_of_sums(type) == SPL_F32 ? (double)(float)real : real;
}

/* Entry p of the source in a type of integers. */
static int64_t whole_value(spl_type type, const spl_sparse *source, int64_t p)
{
    return spl__type_is_integer(source->type)
               ? spl__integer_within(type, spl__integer_at(source->values, source->type, p))
               : spl__integer_of(type, spl__value_at(source->values, source->type, p));
}

static sum sum_of(spl_type type, const spl_sparse *source, int64_t p)
{
    if (spl__type_is_integer(type))
        return (sum){type, 0, whole_value(type, source, p)};
    return (sum){type, rounded(type, spl__value_at(source->values, source->type, p)), 0};
}

static void add(sum *s, const spl_sparse *source, int64_t p)
{
    if (spl__type_is_integer(s->type))
        s->whole = SPL__PLUS(s->whole, whole_value(s->type, source, p));
    else
        s->real = rounded(s->type, s->real + spl__value_at(source->values, source->type, p));
}

static void store(const sum *s, void *values, int64_t k)
{
    if (spl__type_is_integer(s->type))
        spl__integer_set(values, s->type, k, s->whole);
    else
        spl__value_set(values, s->type, k, s->real);
}

/* Stores the first entry p of a position, from which fewer bits than of the sum may be lost. */
static void store_first(const sum *s, const spl_sparse *source, int64_t p, void *values, int64_t k)
{
    if (spl__type_is_integer(s->type) || spl__type_is_integer(source->type))
        spl__gather(NULL, (char *)values + (size_t)k * spl__type_size(s->type), s->type,
                    source->values, source->type, &p, 1);
    else
        spl__value_set(values, s->type, k, spl__value_at(source->values, source->type, p));
}

/* Writes the distinct positions of a sorted arrangement, each with the sum of its entries in stored
 * order. */
static void write_summed(spl__watch *watch, const spl__arrangement *a, const spl_sparse *source,
                         spl_matrix *m)
{
    const spl_sparse *csr = &a->csr;
    bool coo = m->view.format == SPL_COO;
    int64_t k = -1;
    sum total = {.type = m->view.type};
    if (!coo)
        spl__index_set(m->offsets, m->view.offset_type, 0, 0);
    for (int64_t line = 0, p = 0; line < csr->rows && spl__watch_goes_on_at(watch, line); line++) {
        for (int64_t begin = p, end = line_end(csr, line); p < end; p++) {
            const int64_t from = a->from ? a->from[p] : p;
            if (p > begin && spl__entry_index(csr, p) == spl__entry_index(csr, p - 1)) {
                add(&total, source, from);
                store(&total, m->values, k);
                continue;
            }
            k++;
            total = sum_of(m->view.type, source, from);
            spl__index_set(m->indices, m->view.index_type, k, spl__entry_index(csr, p));
            store_first(&total, source, from, m->values, k);
            if (coo)
                spl__index_set(m->offsets, m->view.index_type, k, line);
        }
        if (!coo)
            spl__index_set(m->offsets, m->view.offset_type, line + 1, k + 1);
    }
}

/* COO to COO without sorting needs no lines: dimensions may be far larger than memory. */
static spl_status copy_coordinates(spl__account *account, const spl_sparse *source, bool transpose,
                                   const spl_sparse *header, spl_matrix **result)
{
    SPL__TRY(spl__matrix_new(account, header, result));
    const void *first = transpose ? source->indices : source->offsets;
    const void *second = transpose ? source->offsets : source->indices;
    spl__watch *watch = spl__account_watch(account);
    spl__copy_indices(watch, (*result)->offsets, header->index_type, first, source->index_type,
                      source->nnz);
    spl__copy_indices(watch, (*result)->indices, header->index_type, second, source->index_type,
                      source->nnz);
    spl__gather(watch, (*result)->values, header->type, source->values, source->type, NULL,
                source->nnz);
    return SPL_OK;
}

static spl_status make_header(const spl_sparse *source, const spl_convert_options *options,
                              spl_sparse *header)
{
    *header = *source;
    header->format = options->format ? options->format : source->format;
    header->type = options->type ? options->type : source->type;
    header->offset_type = options->offset_type ? options->offset_type : source->offset_type;
    header->index_type = options->index_type ? options->index_type : source->index_type;
    if (header->format == SPL_COO)
        header->offset_type = header->index_type;
    header->rows = options->transpose ? source->cols : source->rows;
    header->cols = options->transpose ? source->rows : source->cols;
    header->offsets = header->indices = header->values = NULL;
    SPL__TRY(spl__fits(header->cols - 1, header->format == SPL_CSC ? SPL_I64 : header->index_type,
                       "columns"));
    SPL__TRY(spl__fits(header->rows - 1, header->format == SPL_CSR ? SPL_I64 : header->index_type,
                       "rows"));
    return spl__fits(source->nnz, header->format == SPL_COO ? SPL_I64 : header->offset_type,
                     "entries");
}

static spl_status write_sum(spl__account *account, const spl_sparse *source,
                            const spl__arrangement *a, spl_sparse *header, spl_matrix **result)
{
    spl__watch *watch = spl__account_watch(account);
    header->nnz = count_distinct(watch, &a->csr);
    SPL__TRY(spl__watch_check(watch));
    SPL__TRY(spl__matrix_new(account, header, result));
    write_summed(watch, a, source, *result);
    return SPL_OK;
}

/* The arrays that the arrangement owns become the matrix' own where they are what it needs: their
 * widths are the header's. */
static spl_status write_all(spl__account *account, const spl_sparse *source, spl__arrangement *a,
                            const spl_sparse *header, spl_matrix **result)
{
    bool coo = header->format == SPL_COO;
    spl__watch *watch = spl__account_watch(account);
    SPL__TRY(spl__matrix_around(account, header, coo ? NULL : a->offsets, a->indices, a->values,
                                result));
    write_structure(watch, a, *result);
    if (!a->values)
        spl__gather(watch, (*result)->values, header->type, source->values, source->type, a->from,
                    header->nnz);
    a->offsets = coo ? a->offsets : NULL;
    a->indices = a->values = NULL;
    return SPL_OK;
}

/* Ignores parts that a cancel has skipped. */
static spl_status convert(spl__account *account, int threads, const spl_sparse *source,
                          const spl_convert_options *options, spl_matrix **result)
{
    spl_sparse header;
    SPL__TRY(make_header(source, options, &header));
    bool sort = options->sort || options->sum_duplicates;
    if (header.format == SPL_COO && source->format == SPL_COO && !sort)
        return copy_coordinates(account, source, options->transpose, &header, result);

    /* Lines of the target: rows, or columns for CSC, that is rows of the transpose. COO needs wide
     * offsets only here. */
    bool transpose = (options->transpose != 0) != (header.format == SPL_CSC);
    spl_index offset_type = header.format != SPL_COO  ? header.offset_type
                            : source->nnz > INT32_MAX ? SPL_I64
                                                      : SPL_I32;
    spl__arrangement a;
    SPL__TRY((sort || header.type != source->type ? spl__arrange : spl__arrange_values)(
        account, threads, source, transpose, offset_type, header.index_type, &a));
    spl_status status = sort ? spl__arrange_sort(account, threads, &a) : SPL_OK;
    if (status == SPL_OK && options->sum_duplicates)
        status = write_sum(account, source, &a, &header, result);
    else if (status == SPL_OK)
        status = write_all(account, source, &a, &header, result);
    spl__arrange_free(&a);
    return status;
}

spl_status spl__convert(spl__account *account, int threads, const spl_sparse *source,
                        const spl_convert_options *options, spl_matrix **result)
{
    *result = NULL;
    spl_status status = convert(account, threads, source, options, result);
    if (status == SPL_OK && options->drop_zeros)
        status = spl__matrix_drop_zeros(account, result);
    if (status == SPL_OK)
        status = spl__watch_check(spl__account_watch(account));
    if (status != SPL_OK) {
        spl_matrix_destroy(*result);
        *result = NULL;
    }
    return status;
}

double spl__convert_bytes(const spl_sparse *source, const spl_convert_options *o)
{
    spl_format format = o->format ? o->format : source->format;
    spl_index index = o->index_type ? o->index_type : source->index_type,
              offset = o->offset_type ? o->offset_type : source->offset_type;
    bool sort = o->sort || o->sum_duplicates, coo = format == SPL_COO, csc = format == SPL_CSC,
         transpose = (o->transpose != 0) != csc;
    double lines = (double)(transpose ? source->cols : source->rows) + 1, nnz = (double)source->nnz;
    double result = spl__counted_bytes(1, sizeof(spl_matrix)) +
                    spl__counted_bytes(nnz, spl__index_size(index)) +
                    spl__counted_bytes(nnz, spl__type_size(o->type ? o->type : source->type)) +
                    spl__counted_bytes(coo ? nnz : lines, spl__index_size(coo ? index : offset));
    double again = o->drop_zeros ? result : 0; /* without what was arranged for the first */
    if (coo && source->format == SPL_COO && !sort)
        return result + again;
    if (coo)
        offset = source->nnz > INT32_MAX ? SPL_I64 : SPL_I32;
    return result + fmax(again, spl__arrange_bytes(source, transpose, offset, index, sort));
}

bool spl__estimate_pays(const spl__account *account, const spl_sparse *view)
{
    return view->format != SPL_COO || spl__account_room(account) != SIZE_MAX;
}

static spl_status check_options(const spl_convert_options *o)
{
    SPL__TRY(spl__check_layout(o->format, o->type, o->offset_type, o->index_type));
    if ((unsigned)o->transpose > 1 || (unsigned)o->sort > 1 || (unsigned)o->sum_duplicates > 1 ||
        (unsigned)o->drop_zeros > 1)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "options: transpose %d, sort %d, sum_duplicates %d and drop_zeros %d must "
                         "be 0 or 1",
                         o->transpose, o->sort, o->sum_duplicates, o->drop_zeros);
    return SPL_OK;
}

spl_status spl_convert_values(spl_type to_type, void *to, spl_type from_type, const void *from,
                              int64_t count)
{
    SPL__TRY(spl__check_type(to_type, "to"));
    SPL__TRY(spl__check_type(from_type, "from"));
    if (count < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%lld values", (long long)count);
    SPL__TRY(spl__check_array(NULL, "to", to, count, spl__type_size(to_type)));
    SPL__TRY(spl__check_array(NULL, "from", from, count, spl__type_size(from_type)));
    const spl__lines target = spl__lines_of_array(to, count, spl__type_size(to_type)),
                     source = spl__lines_of_array(from, count, spl__type_size(from_type));
    SPL__TRY(spl__check_apart(&target, "to", &source, "from"));
    spl__gather(NULL, to, to_type, from, from_type, NULL, count);
    return SPL_OK;
}

spl_status spl_convert(spl_context *context, const spl_sparse *source,
                       const spl_convert_options *options, spl_matrix **result)
{
    spl_sparse view;
    spl_convert_options o;
    spl_matrix *m;
    spl__watched call;
    if (!context || !result)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "result" : "context");
    SPL__TRY(spl__sized_read(&o, sizeof o, options, "spl_convert_options"));
    SPL__TRY(check_options(&o));
    spl__account *account = spl__watched_begin(&call, context, "convert", 0);
    SPL__TRY(spl__view_take(account->watch, &view, source, "source"));
    if (spl__estimate_pays(account, &view))
        spl__account_expect(account, spl__convert_bytes(&view, &o));
    SPL__TRY(spl__convert(account, spl__threads(context, 0), &view, &o, &m));
    spl__matrix_move(m, &context->account);
    *result = m;
    return SPL_OK;
}
