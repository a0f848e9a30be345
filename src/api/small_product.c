/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
#include "api/small_product.h"

#include "core/combination.h"
#include "core/types.h"

#include <string.h>

/* Rows, columns and multiplications. A plan and a team of threads begin to pay beyond that. */
enum { MOST = 16384 };

/* A product whose headers are valid: `lines` are the rows of a matrix in CSR, the columns in CSC.
 * They gather: a line is a row of op(A). Else they scatter. */
typedef struct small {
    const spl_sparse *a;
    const spl_dense *b, *c;
    int64_t lines, across;
    bool gather;
    double beta;
} small;

typedef bool (*check_fn)(const small *s);
typedef void (*multiply_fn)(const small *s);

#define SELF "api/small_product.c"
#include "core/each_type.h"

static const check_fn check[] = SPL__TABLE(is_valid);
static const multiply_fn multiply[] = SPL__TABLE(multiply);

/* Whether options ask for nothing but op(A). Bytes between members that differ make a plan. */
static bool is_plain(const spl_options *options, spl_operator *op)
{
    static const spl_options plain = SPL_OPTIONS_INIT;
    spl_options rest;
    *op = SPL_NONE;
    if (!options)
        return true;
    if (options->size != sizeof rest)
        return false;
    memcpy(&rest, options, sizeof rest);
    *op = rest.op_a;
    rest.op_a = plain.op_a;
    if (rest.threads > 0 && rest.threads <= SPL__MOST_THREADS)
        rest.threads = plain.threads;
    return *op <= SPL_CONJUGATE_TRANSPOSE && memcmp(&rest, &plain, sizeof rest) == 0;
}

static bool is_on_host(spl_place place)
{
    return place.kind == SPL_HOST && place.ordinal == 0;
}

static bool is_index(spl_index type)
{
    return type == SPL_I32 || type == SPL_I64;
}

static bool is_header(const spl_sparse *a)
{
    return a && a->size == sizeof *a && (a->format == SPL_CSR || a->format == SPL_CSC) &&
           (a->type == SPL_F32 || a->type == SPL_F64) && is_index(a->offset_type) &&
           is_index(a->index_type) && a->offset_type >= a->index_type && a->block_size == 0 &&
           is_on_host(a->place) && a->rows > 0 && a->rows <= MOST && a->cols > 0 &&
           a->cols <= MOST && a->nnz > 0 && a->nnz <= MOST;
}

static bool is_dense(const spl_dense *d, const spl__small_operands *operands, int64_t rows)
{
    return d && d->size == sizeof *d && d->order == SPL_ROW_MAJOR && is_on_host(d->place) &&
           d->cols > 0 && d->cols <= MOST && d->ld >= d->cols && d->ld <= INT32_MAX &&
           (operands->vectors || (d->rows == rows && d->type == operands->a->type));
}

static bool is_array(const void *array, size_t size)
{
    return array && (uintptr_t)array % size == 0;
}

/* Whether an array of `bytes` bytes shares one with C. */
static bool meets(const small *s, const void *array, int64_t bytes)
{
    const int64_t rows = s->gather ? s->lines : s->across;
    const uintptr_t first = (uintptr_t)s->c->values, from = (uintptr_t)array;
    const size_t size = spl__type_size(s->a->type);
    const uintptr_t last = first + (size_t)((rows - 1) * s->c->ld + s->c->cols) * size;
    return from < last && first < from + (uintptr_t)bytes;
}

static bool has_arrays(const small *s)
{
    const spl_sparse *a = s->a;
    const size_t value = spl__type_size(a->type), offset = spl__index_size(a->offset_type),
                 index = spl__index_size(a->index_type);
    const int64_t size = (int64_t)value, rows = s->gather ? s->across : s->lines;
    return is_array(a->offsets, offset) && is_array(a->indices, index) &&
           is_array(a->values, value) && is_array(s->b->values, value) &&
           is_array(s->c->values, value) &&
           !meets(s, a->offsets, (s->lines + 1) * (int64_t)offset) &&
           !meets(s, a->indices, a->nnz * (int64_t)index) && !meets(s, a->values, a->nnz * size) &&
           !meets(s, s->b->values, ((rows - 1) * s->b->ld + s->b->cols) * size);
}

/* A scalar of the caller's; `absent` for NULL. */
static double number(const void *scalar, spl_type type, double absent)
{
    if (!scalar)
        return absent;
    return type == SPL_F32 ? (double)*(const float *)scalar : *(const double *)scalar;
}

static bool has_scalars(const void *alpha, const void *beta, spl_type type)
{
    const size_t size = spl__type_size(type);
    return (uintptr_t)alpha % size == 0 && (uintptr_t)beta % size == 0 &&
           number(alpha, type, 1) == 1;
}

/* Whether headers are valid, and small; fills in all but beta. */
static bool is_small(const spl__small_operands *o, spl_operator op, small *s)
{
    if (!is_header(o->a))
        return false;
    const spl_sparse *a = o->a;
    const bool by_rows = a->format == SPL_CSR, across = op != SPL_NONE;
    *s = (small){.a = a,
                 .b = o->b,
                 .c = o->c,
                 .lines = by_rows ? a->rows : a->cols,
                 .across = by_rows ? a->cols : a->rows,
                 .gather = by_rows != across};
    return is_dense(o->b, o, across ? a->rows : a->cols) &&
           is_dense(o->c, o, across ? a->cols : a->rows) && o->b->cols == o->c->cols &&
           (a->rows + a->cols + a->nnz) * o->b->cols <= MOST;
}

spl_status spl__small_product(const spl_context *context, const spl__small_operands *operands,
                              const spl_options *options, bool *done)
{
    const spl_sparse *a = operands->a;
    spl_operator op;
    small s;
    *done = context && context->uses_cpu && is_plain(options, &op) && is_small(operands, op, &s) &&
            has_scalars(operands->alpha, operands->beta, a->type) && has_arrays(&s) &&
            check[spl__combination(a->type, a->offset_type, a->index_type)](&s);
    if (!*done)
        return SPL_OK;
    spl_status status = spl__progress(context, "multiply", 0, 1);
    s.beta = number(operands->beta, a->type, 0);
    if (status == SPL_OK)
        multiply[spl__combination(a->type, a->offset_type, a->index_type)](&s);
    return status;
}

#else

/* Whether offsets ascend from 0 to nnz and indices are below `across`. */
static bool FN(is_valid)(const small *s)
{
    const P *offsets = s->a->offsets;
    const I *indices = s->a->indices;
    bool wrong = offsets[0] != 0 || offsets[s->lines] != (P)s->a->nnz;
    I signs = 0, largest = 0; /* signs: negative if an index is */
    for (int64_t i = 0; i < s->lines; i++)
        wrong |= offsets[i] > offsets[i + 1];
    if (wrong) /* there may be fewer indices than nnz says */
        return false;
    for (int64_t p = 0; p < s->a->nnz; p++) {
        signs |= indices[p];
        largest = indices[p] > largest ? indices[p] : largest;
    }
    return signs >= 0 && largest < (I)s->across;
}

static void FN(scale)(const small *s, int64_t rows)
{
    const T beta = (T)s->beta;
    for (int64_t i = 0; i < rows; i++) {
        T *to = (T *)s->c->values + i * s->c->ld;
        for (int64_t j = 0; j < s->c->cols; j++)
            to[j] = beta == 0 ? 0 : beta * to[j];
    }
}

static void FN(gather_vector)(const small *s)
{
    const P *offsets = s->a->offsets;
    const I *indices = s->a->indices;
    const T *restrict values = s->a->values, *restrict x = s->b->values, beta = (T)s->beta;
    T *restrict y = s->c->values;
    const int64_t from = s->b->ld, to = s->c->ld;
    for (int64_t i = 0; i < s->lines; i++) {
        T sum = 0;
        for (P p = offsets[i]; p < offsets[i + 1]; p++)
            sum += values[p] * x[indices[p] * from];
        y[i * to] = beta == 0 ? sum : sum + beta * y[i * to];
    }
}

static void FN(scatter_vector)(const small *s)
{
    const P *offsets = s->a->offsets;
    const I *indices = s->a->indices;
    const T *restrict values = s->a->values, *restrict x = s->b->values;
    T *restrict y = s->c->values;
    const int64_t from = s->b->ld, to = s->c->ld;
    for (int64_t i = 0; i < s->lines; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++)
            y[indices[p] * to] += values[p] * x[i * from];
}

static void FN(multiply_columns)(const small *s)
{
    const P *offsets = s->a->offsets;
    const I *indices = s->a->indices;
    const T *restrict values = s->a->values, *restrict b = s->b->values;
    T *restrict c = s->c->values;
    for (int64_t i = 0; i < s->lines; i++)
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            const int64_t other = indices[p];
            const T *restrict row = b + (s->gather ? other : i) * s->b->ld;
            T *restrict sums = c + (s->gather ? i : other) * s->c->ld;
            for (int64_t j = 0; j < s->b->cols; j++)
                sums[j] += values[p] * row[j];
        }
}

static void FN(multiply)(const small *s)
{
    const bool vector = s->b->cols == 1;
    if (s->gather && vector) {
        FN(gather_vector)(s);
        return;
    }
    FN(scale)(s, s->gather ? s->lines : s->across);
    if (vector)
        FN(scatter_vector)(s);
    else
        FN(multiply_columns)(s);
}

#endif
