/* SPDX-License-Identifier: Apache-2.0 */
/* entry_lines.c: threads turn pieces of a batch into text, then the calling thread writes them in
 * order. */
#include "io/entry_lines.h"

#include "core/checked.h"
#include "core/types.h"
#include "file/number.h"

enum { PIECES = 32, PIECE_ENTRIES = 2048, LINE_BYTES = 3 * SPL__VALUE_BYTES };

typedef struct writer {
    const spl_context *context;
    const spl_sparse *matrix;
    spl__line_style style;
    spl__output *output;
    int threads;
    int64_t batch_entries;
    char *text; /* of a batch; piece i begins at i * PIECE_ENTRIES * LINE_BYTES */
    size_t lengths[PIECES];
} writer;

/* The line (row of CSR, column of CSC) that holds entry k. */
static int64_t find_line(const spl_sparse *m, int64_t k)
{
    int64_t low = 0, high = m->format == SPL_CSR ? m->rows : m->cols;
    while (low + 1 < high) {
        int64_t middle = low + (high - low) / 2;
        if (spl__index_at(m->offsets, m->offset_type, middle) <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static char *format_entry(char *p, const spl__line_style *style, int64_t row, int64_t col,
                          const spl_sparse *m, int64_t k)
{
    p += spl__format_int(p, row + style->first);
    *p++ = style->separator;
    p += spl__format_int(p, col + style->first);
    if (style->values) {
        *p++ = style->separator;
        p += spl__type_is_integer(m->type)
                 ? spl__format_int(p, spl__integer_at(m->values, m->type, k))
                 : spl__format_value(p, spl__value_at(m->values, m->type, k), m->type != SPL_F64);
    }
    *p++ = '\n';
    return p;
}

/* Entries [from, to) as text; returns its length. */
static size_t format_piece(const spl_sparse *m, const spl__line_style *style, int64_t from,
                           int64_t to, char *text)
{
    char *p = text;
    const bool coo = m->format == SPL_COO, csc = m->format == SPL_CSC;
    int64_t line = coo ? 0 : find_line(m, from);
    for (int64_t k = from; k < to; k++) {
        int64_t index = spl__index_at(m->indices, m->index_type, k);
        if (coo)
            line = spl__index_at(m->offsets, m->index_type, k);
        while (!coo && spl__index_at(m->offsets, m->offset_type, line + 1) <= k)
            line++;
        p = format_entry(p, style, csc ? index : line, csc ? line : index, m, k);
    }
    return (size_t)(p - text);
}

static spl_status write_batch(writer *w, int64_t from)
{
    int64_t to = spl__min_i64(w->matrix->nnz, from + w->batch_entries);
    int pieces = (int)((to - from + PIECE_ENTRIES - 1) / PIECE_ENTRIES);
#pragma omp parallel num_threads(spl__team(pieces > 1 ? w->threads : 1))
    {
        spl__c_locale locale = spl__c_locale_enter();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < pieces; i++) {
            int64_t begin = from + (int64_t)i * PIECE_ENTRIES,
                    end = spl__min_i64(to, begin + PIECE_ENTRIES);
            w->lengths[i] = format_piece(w->matrix, &w->style, begin, end,
                                         w->text + (size_t)i * PIECE_ENTRIES * LINE_BYTES);
        }
        spl__c_locale_leave(locale);
    }
    for (int i = 0; i < pieces; i++)
        SPL__TRY(spl__output_write(w->output, w->text + (size_t)i * PIECE_ENTRIES * LINE_BYTES,
                                   w->lengths[i]));
    return spl__progress(w->context, "write", to, w->matrix->nnz);
}

spl_status spl__entry_lines(spl_context *context, const spl_sparse *matrix,
                            const spl__line_style *style, spl__output *output)
{
    writer w = {.context = context, .matrix = matrix, .style = *style, .output = output};
    w.threads = spl__threads(context, 0);
    w.batch_entries = spl__min_i64(matrix->nnz, (int64_t)PIECES * PIECE_ENTRIES);
    SPL__TRY(spl__progress(context, "write", 0, matrix->nnz));
    spl_status status = SPL__NEW(&context->account, &w.text, w.batch_entries * LINE_BYTES);
    for (int64_t from = 0; status == SPL_OK && from < matrix->nnz; from += w.batch_entries)
        status = write_batch(&w, from);
    spl__free(w.text);
    return status;
}
