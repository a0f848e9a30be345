/* SPDX-License-Identifier: Apache-2.0 */
#include "io/graph/graph_write.h"

#include "file/number.h"
#include "matrix/matrix.h"

#include <stdio.h>

enum { BUFFER = 1 << 16, STEP = 1 << 12 /* vertices between progress reports */ };

typedef struct writer {
    spl_context *context;
    spl__output *output;
    const spl_sparse *csr; /* sorted, each position once */
    bool weighted;
    char *text;
    size_t filled;
} writer;

/* 2^53: doubles hold all whole numbers up to here */
static const double largest_weight = 9007199254740992;

/* Can entry (i,j) with value v be an edge? `other` is entry p of the transpose: row i, column
 * `partner`, its value. */
static spl_status check_entry(int64_t i, int64_t j, double v, int64_t partner, double other)
{
    if (i == j)
        return spl__fail(SPL_UNSUPPORTED,
                         "a graph has no loops, but there is an entry (%lld,%lld) on the diagonal",
                         (long long)i, (long long)i);
    if (j != partner)
        return spl__fail(
            SPL_UNSUPPORTED,
            "a graph is symmetric, but of (%lld,%lld) and (%lld,%lld) only one is stored",
            (long long)i, (long long)(j < partner ? j : partner),
            (long long)(j < partner ? j : partner), (long long)i);
    if (v != other)
        return spl__fail(SPL_UNSUPPORTED,
                         "a graph is symmetric, but (%lld,%lld) is %g and (%lld,%lld) is %g",
                         (long long)i, (long long)j, v, (long long)j, (long long)i, other);
    if (!(v >= 1 && v <= largest_weight && v == (double)(int64_t)v))
        return spl__fail(SPL_UNSUPPORTED,
                         "weights of a graph are whole numbers from 1, but (%lld,%lld) is %g",
                         (long long)i, (long long)j, v);
    return SPL_OK;
}

/* Row i of the matrix and of its transpose, to the end of the shorter one, then of
 * the longer one. */
static spl_status check_row(const spl_sparse *a, const spl_sparse *transposed, int64_t i,
                            bool *weighted)
{
    int64_t p = spl__offset_at(a, i), q = spl__offset_at(transposed, i),
            p_end = spl__offset_at(a, i + 1), q_end = spl__offset_at(transposed, i + 1);
    for (; p < p_end || q < q_end; p++, q++) {
        int64_t j = p < p_end ? spl__index_at(a->indices, a->index_type, p) : INT64_MAX;
        int64_t partner =
            q < q_end ? spl__index_at(transposed->indices, transposed->index_type, q) : INT64_MAX;
        double v = p < p_end ? spl__value_at(a->values, a->type, p) : 0;
        double other = q < q_end ? spl__value_at(transposed->values, transposed->type, q) : 0;
        SPL__TRY(check_entry(i, j, v, partner, other));
        *weighted |= v != 1;
    }
    return SPL_OK;
}

static spl_status check(const spl_sparse *a, const spl_sparse *transposed, bool *weighted)
{
    *weighted = false;
    for (int64_t i = 0; i < a->rows; i++)
        SPL__TRY(check_row(a, transposed, i, weighted));
    return SPL_OK;
}

/* Makes room in the buffer for a number and its separator. */
static spl_status make_room(writer *w)
{
    if (w->filled + SPL__VALUE_BYTES < BUFFER)
        return SPL_OK;
    SPL__TRY(spl__output_write(w->output, w->text, w->filled));
    w->filled = 0;
    return SPL_OK;
}

static spl_status put_number(writer *w, bool first, int64_t number)
{
    SPL__TRY(make_room(w));
    if (!first)
        w->text[w->filled++] = ' ';
    w->filled += (size_t)spl__format_int(w->text + w->filled, number);
    return SPL_OK;
}

static spl_status put_vertex(writer *w, int64_t i)
{
    const spl_sparse *m = w->csr;
    int64_t begin = spl__offset_at(m, i), end = spl__offset_at(m, i + 1);
    for (int64_t p = begin; p < end; p++) {
        SPL__TRY(put_number(w, p == begin, spl__index_at(m->indices, m->index_type, p) + 1));
        if (w->weighted)
            SPL__TRY(put_number(w, false, (int64_t)spl__value_at(m->values, m->type, p)));
    }
    SPL__TRY(make_room(w));
    w->text[w->filled++] = '\n';
    return SPL_OK;
}

static spl_status put_graph(writer *w)
{
    char text[128];
    const spl_sparse *m = w->csr;
    int length = snprintf(text, sizeof text, "%lld %lld%s\n", (long long)m->rows,
                          (long long)(m->nnz / 2), w->weighted ? " 1" : "");
    SPL__TRY(spl__output_write(w->output, text, (size_t)length));
    for (int64_t i = 0; i < m->rows; i++) {
        SPL__TRY(put_vertex(w, i));
        if (i % STEP == 0)
            SPL__TRY(spl__progress(w->context, "write", spl__offset_at(m, i + 1), m->nnz));
    }
    return spl__output_write(w->output, w->text, w->filled);
}

static spl_status write_checked(writer *w, const spl_sparse *a, const spl_sparse *transposed)
{
    SPL__TRY(check(a, transposed, &w->weighted));
    w->csr = a;
    SPL__TRY(SPL__NEW(&w->context->account, &w->text, BUFFER));
    spl_status status = put_graph(w);
    spl__free(w->text);
    return status;
}

spl_status spl__graph_write(spl_context *context, const spl_sparse *matrix, spl__output *output)
{
    writer w = {.context = context, .output = output};
    spl_convert_options sum = {.size = sizeof sum, .format = SPL_CSR, .sum_duplicates = 1};
    spl_convert_options flip = {.size = sizeof flip, .format = SPL_CSR, .transpose = 1};
    spl_matrix *a = NULL, *transposed = NULL;
    spl__watched call;
    int threads = spl__threads(context, 0);
    if (matrix->rows != matrix->cols)
        return spl__fail(SPL_UNSUPPORTED, "a graph is a square matrix, this one is %lld x %lld",
                         (long long)matrix->rows, (long long)matrix->cols);
    sum.offset_type = SPL_I64;
    SPL__TRY(spl__progress(context, "write", 0, matrix->nnz));
    spl__account *account = spl__watched_begin(&call, context, "write", 0);
    spl_status status = spl__convert(account, threads, matrix, &sum, &a);
    if (status == SPL_OK)
        status = spl__convert(account, threads, &a->view, &flip, &transposed);
    if (status == SPL_OK)
        status = write_checked(&w, &a->view, &transposed->view);
    spl_matrix_destroy(transposed);
    spl_matrix_destroy(a);
    return status;
}
