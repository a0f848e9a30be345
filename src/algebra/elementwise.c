/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* elementwise.c: union, intersection and difference of two matrices: rows of both are merged twice,
 * to count and to write. */
#include "algebra/device_elementwise.h"
#include "core/checked.h"
#include "core/combination.h"
#include "core/integer.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "core/watch.h"
#include "matrix/matrix.h"
#include "sparloom/algebra.h"

typedef struct merge {
    spl_sparse a, b; /* CSR of one kind of widths; columns of a row ascend, each once */
    spl_positions positions;
    spl_operation operation;
    spl_matrix *c;  /* NULL while entries are counted */
    int64_t *begin; /* rows + 1: where a row begins in C */
} merge;

#define IN_HALVES
#define IN_INTEGERS
#define SELF "algebra/elementwise.c"
#include "core/each_type.h"

typedef int64_t (*row_fn)(const merge *m, int64_t i);
typedef bool (*is_normal_fn)(const spl_sparse *m);
static const row_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(count_row);
static const row_fn write_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(write_row);
static const is_normal_fn is_normal[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(ascends);

static int combination_of(const spl_sparse *m)
{
    return spl__combination(m->type, m->offset_type, m->index_type);
}

/* ---- operands ---- */

/* The widths that hold both operands, and all entries of both. */
static void choose_widths(const spl_sparse *a, const spl_sparse *b, spl_convert_options *o)
{
    bool wide = a->index_type == SPL_I64 || b->index_type == SPL_I64,
         many = a->nnz > INT32_MAX - b->nnz;
    const spl_sparse *const both[] = {a, b};
    for (int k = 0; k < 2; k++)
        many = many || (both[k]->format != SPL_COO && both[k]->offset_type == SPL_I64);
    o->format = SPL_CSR;
    o->sort = o->sum_duplicates = 1;
    o->index_type = wide ? SPL_I64 : SPL_I32;
    o->offset_type = wide || many ? SPL_I64 : SPL_I32;
}

/* The view in the form that rows are merged in: itself, or a copy. */
static spl_status normalise(spl__account *account, int threads, const spl_convert_options *o,
                            spl_sparse *view, spl_matrix **copy)
{
    if (view->format == SPL_CSR && view->offset_type == o->offset_type &&
        view->index_type == o->index_type && is_normal[combination_of(view)](view))
        return SPL_OK;
    SPL__TRY(spl__convert(account, threads, view, o, copy));
    *view = (*copy)->view;
    return SPL_OK;
}

/* ---- the result ---- */

static void for_rows(spl__watch *watch, int threads, const merge *m, const row_fn *kernels)
{
    row_fn kernel = kernels[combination_of(&m->a)];
    int64_t entries = spl__max_i64(m->a.nnz, m->b.nnz);
    threads = spl__threads_for(entries, threads);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t i = 0; i < m->a.rows; i++)
        if (spl__watch_goes_on_at(watch, i)) {
            int64_t count = kernel(m, i);
            if (!m->c)
                m->begin[i + 1] = count;
        }
}

static spl_status merge_rows(spl__account *account, int threads, merge *m, spl_matrix **c)
{
    spl__watch *watch = spl__account_watch(account);
    spl_sparse header = m->a;
    SPL__TRY(SPL__NEW_ZERO(account, &m->begin, header.rows + 1));
    for_rows(watch, threads, m, count_kernels);
    SPL__TRY(spl__watch_check(watch));
    for (int64_t i = 0; i < header.rows; i++)
        m->begin[i + 1] += m->begin[i];
    header.nnz = m->begin[header.rows];
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_new(account, &header, &m->c));
    *c = m->c;
    for (int64_t i = 0; i <= header.rows; i++)
        spl__index_set(m->c->offsets, header.offset_type, i, m->begin[i]);
    for_rows(watch, threads, m, write_kernels);
    return spl__watch_check(watch);
}

static spl_status combine(spl__account *account, int threads, merge *m, spl_matrix **c)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *copies[2] = {NULL, NULL};
    choose_widths(&m->a, &m->b, &o);
    spl_status status = normalise(account, threads, &o, &m->a, &copies[0]);
    if (status == SPL_OK)
        status = normalise(account, threads, &o, &m->b, &copies[1]);
    if (status == SPL_OK)
        status = merge_rows(account, threads, m, c);
    spl__free(m->begin);
    spl_matrix_destroy(copies[0]);
    spl_matrix_destroy(copies[1]);
    return status;
}

static spl_status check_operands(const merge *m)
{
    const spl_sparse *a = &m->a, *b = &m->b;
    if ((unsigned)m->positions - 1 >= SPL_DIFFERENCE)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "positions: %d is neither union, intersection nor "
                         "difference",
                         (int)m->positions);
    if (m->positions == SPL_DIFFERENCE ? m->operation != 0
                                       : (unsigned)m->operation - 1 >= SPL_OP_PAIR)
        return spl__fail(SPL_INVALID_ARGUMENT, "%d is not an operation%s", (int)m->operation,
                         m->positions == SPL_DIFFERENCE ? " of a difference, which has none: 0"
                                                        : "");
    if (a->rows != b->rows || a->cols != b->cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "A is %lld x %lld, B is %lld x %lld",
                         (long long)a->rows, (long long)a->cols, (long long)b->rows,
                         (long long)b->cols);
    if (a->type != b->type)
        return spl__fail(SPL_INVALID_ARGUMENT, "A holds %s, B holds %s: convert one of them",
                         spl__type_name(a->type), spl__type_name(b->type));
    return SPL_OK;
}

static spl_status combine_on_device(spl_context *context, spl__account *account,
                                    const spl_sparse *a, const spl_sparse *b, merge *m,
                                    spl_matrix **c)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    SPL__TRY(spl__view_read_anywhere(&m->a, a, "A"));
    SPL__TRY(spl__view_read_anywhere(&m->b, b, "B"));
    SPL__TRY(check_operands(m));
    choose_widths(&m->a, &m->b, &o);
    return spl__device_elementwise(context, account, &m->a, &m->b, m->positions, m->operation,
                                   o.offset_type, c);
}

spl_status spl_elementwise(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                           spl_positions positions, spl_operation operation, spl_matrix **c)
{
    merge m = {.positions = positions, .operation = operation};
    spl_matrix *result = NULL;
    spl__watched call;
    if (!context || !c)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", context ? "c" : "context");
    spl__account *account = spl__watched_begin(&call, context, "combine", 0);
    if (a && b && (a->place.kind != SPL_HOST || b->place.kind != SPL_HOST))
        return combine_on_device(context, account, a, b, &m, c);
    SPL__TRY(spl__view_take(account->watch, &m.a, a, "A"));
    SPL__TRY(spl__view_take(account->watch, &m.b, b, "B"));
    SPL__TRY(check_operands(&m));
    spl_status status = combine(account, spl__threads(context, 0), &m, &result);
    if (status != SPL_OK) {
        spl_matrix_destroy(result);
        return status;
    }
    spl__matrix_move(result, &context->account);
    *c = result;
    return SPL_OK;
}

#else

#include "algebra/operate.h"

/* Whether the columns of each row ascend, each once. */
static bool FN(ascends)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    for (int64_t i = 0; i < m->rows; i++)
        for (P p = offsets[i] + 1; p < offsets[i + 1]; p++)
            if (columns[p] <= columns[p - 1])
                return false;
    return true;
}

/* Merges row i of A and B; returns the length of C's. */
static inline int64_t FN(merge_row)(const merge *m, int64_t i, bool writes)
{
    const P *a_offsets = m->a.offsets, *b_offsets = m->b.offsets;
    const I *a_columns = m->a.indices, *b_columns = m->b.indices;
    const T *a_values = m->a.values, *b_values = m->b.values;
    P p = a_offsets[i], a_end = a_offsets[i + 1], q = b_offsets[i], b_end = b_offsets[i + 1];
    int64_t count = 0, first = writes ? m->begin[i] : 0;
    while (p < a_end || q < b_end) {
        bool of_a = p < a_end && (q == b_end || a_columns[p] <= b_columns[q]),
             of_b = q < b_end && (p == a_end || b_columns[q] <= a_columns[p]);
        bool kept =
            m->positions == SPL_UNION || (m->positions == SPL_INTERSECTION ? of_a && of_b : !of_b);
        if (writes && kept) {
            T *value = (T *)m->c->values + first + count;
            ((I *)m->c->indices)[first + count] = of_a ? a_columns[p] : b_columns[q];
            if (of_a && of_b)
                *value = NARROW(FN(operate)(m->operation, WIDEN(a_values[p]), WIDEN(b_values[q])));
            else
                *value = of_a ? a_values[p] : b_values[q];
        }
        count += kept;
        p += of_a;
        q += of_b;
    }
    return count;
}

static int64_t FN(count_row)(const merge *m, int64_t i)
{
    return FN(merge_row)(m, i, false);
}

static int64_t FN(write_row)(const merge *m, int64_t i)
{
    return FN(merge_row)(m, i, true);
}

#endif
