/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/once_masked.h"

#include "core/checked.h"
#include "core/context.h"
#include "machine/machine.h"
#include "matrix/lines.h"
#include "problem/semiring.h"

#include <math.h>
#include <string.h>

/* Whether options ask for nothing but op(A), threads, a budget, and columns in any order. Bytes
 * between members that differ make a plan. */
static bool is_plain(const spl_options *options, spl__once *once, spl_operator *op)
{
    static const spl_options plain = SPL_OPTIONS_INIT;
    spl_options rest;
    *op = SPL_NONE;
    once->threads = 0;
    once->budget = 0;
    once->unsorted = false;
    if (!options)
        return true;
    if (options->size != sizeof rest)
        return false;
    memcpy(&rest, options, sizeof rest);
    *op = rest.op_a;
    once->threads = rest.threads;
    once->budget = rest.memory_budget;
    once->unsorted = rest.unsorted != 0;
    rest.op_a = plain.op_a;
    rest.threads = plain.threads;
    rest.memory_budget = plain.memory_budget;
    rest.unsorted = plain.unsorted;
    return *op <= SPL_CONJUGATE_TRANSPOSE && once->unsorted == options->unsorted &&
           once->threads >= 0 && once->threads <= SPL__MOST_THREADS &&
           memcmp(&rest, &plain, sizeof rest) == 0;
}

static bool is_filled(const spl_sparse *a)
{
    return spl__index_size(a->offset_type) >= spl__index_size(a->index_type) && a->rows > 0 &&
           a->cols > 0 && a->nnz > 0;
}

static bool has_entries(const spl_sparse *a)
{
    return (a->format == SPL_CSR || a->format == SPL_CSC) && spl__type_is_usual(a->type) &&
           is_filled(a);
}

/* Scalars of the call; false where they are unusual. */
static bool read_scalars(spl__once *once, const void *alpha, const void *beta)
{
    const spl_type type = once->a.type;
    const size_t size = spl__type_size(type);
    if ((uintptr_t)alpha % size != 0 || (uintptr_t)beta % size != 0)
        return false;
    const double factor = spl__scalar(alpha, type, 1);
    spl__value_set(&once->scalars[0], type, 0, factor);
    spl__value_set(&once->scalars[1], type, 0, spl__scalar(beta, type, 0));
    once->call = (spl__call){.alpha = &once->scalars[0], .beta = &once->scalars[1]};
    return factor != 0 && isfinite(factor);
}

bool spl__once_read(spl__once *once, spl_context *context, const spl_options *options,
                    const spl_sparse *a, const void *alpha, const void *beta)
{
    spl_operator op;
    if (!context || !context->uses_cpu || !a || !is_plain(options, once, &op) ||
        spl__view_read(&once->a, a, "A") != SPL_OK || !has_entries(&once->a) ||
        !read_scalars(once, alpha, beta))
        return false;
    const bool by_rows = once->a.format == SPL_CSR, transposed = op != SPL_NONE;
    once->context = context;
    once->gather = by_rows != transposed;
    once->lines = by_rows ? once->a.rows : once->a.cols;
    once->across = by_rows ? once->a.cols : once->a.rows;
    once->rows = transposed ? once->a.cols : once->a.rows;
    once->inner = transposed ? once->a.rows : once->a.cols;
    return true;
}

/* Whether what is written overlaps nothing that is read. */
static bool is_apart(const spl__once *once, spl__lines input, spl__lines output)
{
    return !spl__lines_meet(&input, &output) &&
           spl__check_apart_from(&output, "C", &once->a, "A") == SPL_OK;
}

bool spl__once_vectors(spl__once *once, const void *x, void *y)
{
    const size_t size = spl__type_size(once->a.type);
    once->call.x = x;
    once->call.y = y;
    return spl__check_array(NULL, "x", x, once->inner, size) == SPL_OK &&
           spl__check_array(NULL, "y", y, once->rows, size) == SPL_OK &&
           is_apart(once, spl__lines_of_array(x, once->inner, size),
                    spl__lines_of_array(y, once->rows, size));
}

static bool read_dense(spl_dense *view, const spl_dense *from, int64_t rows, spl_type type)
{
    return from && spl__dense_read(view, from, "a dense operand") == SPL_OK && view->rows == rows &&
           view->cols > 0 && view->type == type && view->order == SPL_ROW_MAJOR;
}

bool spl__once_dense(spl__once *once, const spl_dense *b, const spl_dense *c)
{
    once->call.b = &once->b;
    once->call.c = &once->c;
    return read_dense(&once->b, b, once->inner, once->a.type) &&
           read_dense(&once->c, c, once->rows, once->a.type) && once->b.cols == once->c.cols &&
           is_apart(once, spl__lines_of(&once->b), spl__lines_of(&once->c));
}

bool spl__once_sparse(spl__once *once, const spl_sparse *b)
{
    const spl_sparse *a = &once->a, *read = &once->sparse;
    return a->format == SPL_CSR && once->gather && b &&
           spl__view_read(&once->sparse, b, "B") == SPL_OK && read->format == SPL_CSR &&
           has_entries(read) && read->rows == a->cols && read->type == a->type &&
           read->offset_type == a->offset_type && read->index_type == a->index_type;
}

/* An operand in CSR whose values may be missing where they are not used. */
static bool read_rows(spl_sparse *view, const spl_sparse *from, bool used)
{
    return from &&
           (used || from->values ? spl__view_read(view, from, "an operand")
                                 : spl__pattern_read(view, from, "an operand")) == SPL_OK &&
           view->format == SPL_CSR && is_filled(view);
}

static bool has_widths_of(const spl_sparse *a, const spl_sparse *b)
{
    return a->offset_type == b->offset_type && a->index_type == b->index_type;
}

/* Whether the semiring is one of A's type; outside plus_times, and for integers, alpha must be 1
 * and beta 0. */
static bool suits(const spl__once *once, int32_t semiring)
{
    const spl_type type = once->a.type;
    const bool integer = spl__type_is_integer(type);
    if (semiring < 0 || semiring >= SPL__SEMIRINGS || (!integer && !spl__type_is_usual(type)))
        return false;
    if ((semiring != SPL_PLUS_TIMES || integer) &&
        (spl__scalar(once->call.alpha, type, 0) != 1 || spl__scalar(once->call.beta, type, 0) != 0))
        return false;
    return integer ? SPL__SEMIRING_OF_INTEGERS(semiring) : SPL__SEMIRING_OF_FLOATS(semiring);
}

/* Whether shapes, types and widths of A, B and the mask agree. */
static bool agree(const spl_sparse *a, const spl_sparse *b, bool transposed, const spl_sparse *mask)
{
    const int64_t inner = transposed ? b->cols : b->rows, cols = transposed ? b->rows : b->cols;
    return b->type == a->type && has_widths_of(a, b) && has_widths_of(a, mask) &&
           a->cols == inner && mask->rows == a->rows && mask->cols == cols;
}

bool spl__once_masked_read(spl__once_masked *once, spl_context *context, const spl_options *options,
                           const spl_sparse *a, const spl_sparse *b, const void *alpha,
                           const void *beta)
{
    spl_options rest;
    spl_operator op;
    spl__once *product = &once->product;
    if (!context || !context->uses_cpu || !options || options->size != sizeof rest ||
        !options->mask)
        return false;
    memcpy(&rest, options, sizeof rest);
    rest.semiring = SPL_PLUS_TIMES;
    rest.mask = NULL;
    rest.op_b = SPL_NONE;
    product->context = context;
    once->semiring = options->semiring;
    once->transposed = options->op_b != SPL_NONE;
    if (options->op_b < SPL_NONE || options->op_b > SPL_CONJUGATE_TRANSPOSE)
        return false;
    if (!is_plain(&rest, product, &op) || op != SPL_NONE ||
        !read_rows(&product->a, a, spl__semiring_reads_a(once->semiring)) ||
        !read_rows(&product->sparse, b, spl__semiring_reads_b(once->semiring)) ||
        !read_rows(&once->mask, options->mask, false))
        return false;
    once->mask.values = NULL;
    return read_scalars(product, alpha, beta) && suits(product, once->semiring) &&
           agree(&product->a, &product->sparse, once->transposed, &once->mask);
}

bool spl__once_is_small(const spl__once *once, int64_t columns)
{
    const double work = (double)once->a.rows + (double)once->a.cols + (double)once->a.nnz;
    return work * (double)columns <= spl__machine_cpu.once_work;
}

bool spl__once_scatters(const spl__once *once)
{
    return !once->gather && fabs(spl__scalar(once->call.alpha, once->a.type, 1)) == 1;
}

spl_status spl__once_check(const spl__once *once)
{
    SPL__TRY(spl__view_check(NULL, 1, &once->a, "A"));
    return spl__progress(once->context, "multiply", 0, 1);
}
