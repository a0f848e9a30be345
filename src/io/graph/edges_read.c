/* SPDX-License-Identifier: Apache-2.0 */
/* edges_read.c: batch by batch, each batch in pieces shared out among threads; the order is that of
 * the file. Source: J. Leskovec, A. Krevl, SNAP Datasets, 2014: the layout of its text files. */
#include "io/graph/edges_read.h"

#include "core/checked.h"
#include "file/file_name.h"
#include "file/number.h"
#include "io/entries.h"
#include "io/graph/edges_header.h"
#include "io/graph/edges_piece.h"
#include "matrix/arrange.h"

enum { PIECES = 64, SMALLEST_PIECE = 4096, SHORTEST_LINE = 4 /* "1 2\n" */ };

typedef struct reader {
    const spl_context *context;
    spl__text_file *text;
    const spl_read_options *options;
    spl__entries *entries;
    int64_t *rows, *cols; /* staging: see spl__edges_piece */
    double *values;       /* NULL: lines have no third number */
    spl__edges_header header;
    int64_t largest; /* id; -1: none yet */
    int count;       /* pieces of the current batch */
    spl__edges_piece pieces[PIECES];
} reader;

bool spl__edges_detect(const spl__text_file *text)
{
    const char *p = text->begin;
    while (p < text->end && (spl__is_blank(*p) || *p == '\n'))
        p++;
    spl__named named = spl__named_format(text->source.name);
    return (p < text->end && *p == '#') || named == SPL__NAMED_EDGES || named == SPL__NAMED_CSV;
}

/* Entries of the largest batch. */
static int64_t most_staged(const reader *r)
{
    return spl__text_file_batch(r->text) / SHORTEST_LINE + 1;
}

static spl_status new_staging(reader *r)
{
    spl__account *account = r->entries->account;
    int64_t most = most_staged(r);
    SPL__TRY(SPL__NEW(account, &r->rows, most));
    SPL__TRY(SPL__NEW(account, &r->cols, most));
    return r->header.weighted ? SPL__NEW(account, &r->values, most) : SPL_OK;
}

static void free_staging(reader *r)
{
    spl__free(r->rows);
    spl__free(r->cols);
    spl__free(r->values);
}

/* A piece's staging begins where all text before it, at its densest, would end. */
static void cut(reader *r)
{
    const char *begin = r->text->begin, *end = r->text->end;
    int64_t bytes = spl__max_i64((end - begin + PIECES - 1) / PIECES, SMALLEST_PIECE);
    for (r->count = 0; begin < end; r->count++) {
        const char *to = spl__text_piece_end(begin, end, bytes);
        int64_t position = (begin - r->text->begin) / SHORTEST_LINE;
        r->pieces[r->count] = (spl__edges_piece){.begin = begin,
                                                 .end = to,
                                                 .commas = r->header.commas,
                                                 .rows = r->rows + position,
                                                 .cols = r->cols + position,
                                                 .values = r->values};
        if (r->values)
            r->pieces[r->count].values += position;
        begin = to;
    }
}

static void parse(reader *r)
{
#pragma omp parallel num_threads(spl__team(r->count > 1 ? r->entries->threads : 1))
    {
        spl__c_locale locale = spl__c_locale_enter();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < r->count; i++)
            spl__edges_piece_parse(&r->pieces[i]);
        spl__c_locale_leave(locale);
    }
}

/* Reports the first fault, or sets the position of every piece. */
static spl_status store(reader *r, int64_t *lines, int64_t *to)
{
    *lines = 0;
    *to = r->entries->count;
    for (int i = 0; i < r->count; i++) {
        spl__edges_piece *piece = &r->pieces[i];
        if (piece->wrong != SPL__EDGES_FINE)
            return spl__edges_piece_fault(piece, r->text, r->text->line + *lines);
        piece->to = *to;
        *to += piece->count;
        *lines += piece->lines;
        r->largest = spl__max_i64(r->largest, piece->largest);
    }
    return SPL_OK;
}

/* The ratio of the file to the part read so far, at least 1, for similar lines. Packed files are
 * read ahead, hence the margin. */
static double rest_of(const spl__text_file *text)
{
    const spl__byte_source *source = &text->source;
    const double margin = source->packed ? 1.15 : 1.02;
    if (text->ended)
        return 1;
    if (source->total == 0 || source->done == 0)
        return 2;
    double ratio = (double)source->total / (double)source->done;
    return source->packed || ratio > 1 ? ratio * margin : 1;
}

static int64_t dimension(const reader *r)
{
    return spl__max_i64(r->header.nodes, r->largest + 1);
}

static void expect(const reader *r, double count)
{
    int arrays = r->header.weighted ? 3 : 2;
    spl__entries_expect(r->entries, dimension(r), dimension(r), count, r->options,
                        arrays * spl__counted_bytes((double)most_staged(r), sizeof(int64_t)));
}

/* Reserves entries up to `to`, and for the rest of the file if it is like the part read so far. */
static spl_status reserve(reader *r, int64_t to)
{
    double more = rest_of(r->text);
    if (to <= r->entries->capacity)
        return SPL_OK;
    if (more <= 1) {
        expect(r, (double)to);
        return spl__entries_reserve(r->entries, to);
    }
    const double most = 1e15;
    double wanted = (double)to * more;
    expect(r, wanted);
    return spl__entries_reserve(r->entries, wanted < most ? spl__max_i64((int64_t)wanted, to) : to);
}

static void store_piece(const spl__edges_piece *piece, spl__entries *e)
{
    size_t index = spl__index_size(e->index_type), value = spl__type_size(e->type);
    size_t to = (size_t)piece->to;
    if (piece->count == 0)
        return;
    spl__copy_indices(NULL, (char *)e->rows + to * index, e->index_type, piece->rows, SPL_I64,
                      piece->count);
    spl__copy_indices(NULL, (char *)e->cols + to * index, e->index_type, piece->cols, SPL_I64,
                      piece->count);
    if (piece->values)
        spl__gather(NULL, (char *)e->values + to * value, e->type, piece->values, SPL_F64, NULL,
                    piece->count);
    for (int64_t k = 0; !piece->values && k < piece->count; k++)
        spl__value_set(e->values, e->type, piece->to + k, 1);
}

static spl_status read_batch(reader *r)
{
    int64_t lines, to;
    cut(r);
    parse(r);
    SPL__TRY(store(r, &lines, &to));
    SPL__TRY(r->largest > INT32_MAX ? spl__entries_widen(r->entries) : SPL_OK);
    SPL__TRY(reserve(r, to));
#pragma omp parallel for num_threads(spl__team(r->count > 1 ? r->entries->threads : 1))
    for (int i = 0; i < r->count; i++)
        store_piece(&r->pieces[i], r->entries);
    r->entries->count = to;
    spl__text_file_consume(r->text, r->text->end, lines);
    return spl__progress(r->context, "read", r->text->source.done, r->text->source.total);
}

static spl_status read_batches(reader *r)
{
    SPL__TRY(spl__progress(r->context, "read", 0, r->text->source.total));
    SPL__TRY(spl__edges_read_header(r->text, &r->header));
    expect(r, (double)spl__count_lines(r->text->begin, r->text->end) * rest_of(r->text));
    SPL__TRY(new_staging(r));
    for (;;) {
        SPL__TRY(spl__text_file_more(r->text));
        if (r->text->begin == r->text->end)
            return SPL_OK;
        SPL__TRY(read_batch(r));
    }
}

spl_status spl__edges_read(spl_context *context, spl__text_file *text,
                           const spl_read_options *options, spl_matrix **result)
{
    spl__entries entries;
    reader r = {
        .context = context, .text = text, .options = options, .entries = &entries, .largest = -1};
    spl__entries_init(&entries, context, text->source.account, 0, 0, options->type,
                      text->source.total);
    spl_status status = read_batches(&r);
    free_staging(&r);
    int64_t size = dimension(&r);
    if (status == SPL_OK)
        return spl__entries_matrix(&entries, size, size, options, result);
    spl__entries_free(&entries);
    return status;
}
