/* SPDX-License-Identifier: Apache-2.0 */
/* mm_body.c: the lines after the size line, batch by batch, each batch in pieces shared out among
 * threads.
 *
 * A piece is parsed into staging arrays first, because neither its position in the file's count of
 * entries nor the number of entries it makes (mirrored ones, zeros of arrays) is known before those
 * of the pieces in front of it. Staging stays in cache; the result does not depend on the number of
 * threads. */
#include "io/matrix_market/mm_body.h"

#include "core/checked.h"
#include "file/number.h"
#include "io/matrix_market/mm_piece.h"

enum { PIECES = 64, SMALLEST_PIECE = 4096 };

typedef struct body {
    const spl_context *context;
    spl__text_file *text;
    const spl__mm_header *header;
    const spl_read_options *options;
    spl__entries *entries;
    int threads;
    int64_t read;         /* lines with data so far */
    int triangle;         /* that a symmetric coordinate file uses */
    int64_t *rows, *cols; /* staging: see spl__mm_piece */
    double *values;
    int count; /* pieces of the current batch */
    spl__mm_piece pieces[PIECES];
} body;

/* Entries of the largest batch. */
static int64_t most_staged(const spl__text_file *text, const spl__mm_header *header)
{
    return spl__text_file_batch(text) / spl__mm_shortest_line(header);
}

double spl__mm_staging_bytes(const spl__text_file *text, const spl__mm_header *header)
{
    int arrays = (header->array ? 0 : 2) + (header->field != SPL__MM_PATTERN);
    return arrays * spl__counted_bytes((double)most_staged(text, header), sizeof(int64_t));
}

static spl_status new_staging(body *b)
{
    spl__account *account = b->entries->account;
    int64_t most = most_staged(b->text, b->header);
    if (!b->header->array) {
        SPL__TRY(SPL__NEW(account, &b->rows, most));
        SPL__TRY(SPL__NEW(account, &b->cols, most));
    }
    return b->header->field == SPL__MM_PATTERN ? SPL_OK : SPL__NEW(account, &b->values, most);
}

static void free_staging(body *b)
{
    spl__free(b->rows);
    spl__free(b->cols);
    spl__free(b->values);
}

/* Cuts the batch at line ends. A piece's staging begins where all text before it, at its densest,
 * would end. */
static void cut(body *b)
{
    const char *begin = b->text->begin, *end = b->text->end;
    int64_t bytes = spl__max_i64((end - begin + PIECES - 1) / PIECES, SMALLEST_PIECE);
    b->count = 0;
    while (begin < end) {
        const char *to = spl__text_piece_end(begin, end, bytes);
        int64_t position = (begin - b->text->begin) / spl__mm_shortest_line(b->header);
        b->pieces[b->count++] = (spl__mm_piece){.begin = begin,
                                                .end = to,
                                                .rows = b->rows ? b->rows + position : NULL,
                                                .cols = b->cols ? b->cols + position : NULL,
                                                .values = b->values ? b->values + position : NULL};
        begin = to;
    }
}

static void parse(body *b)
{
#pragma omp parallel num_threads(spl__team(b->count > 1 ? b->threads : 1))
    {
        spl__c_locale locale = spl__c_locale_enter();
#pragma omp for schedule(dynamic)
        for (int i = 0; i < b->count; i++)
            spl__mm_piece_parse(&b->pieces[i], b->header);
        spl__c_locale_leave(locale);
    }
}

static void measure(body *b)
{
    int64_t first = b->read;
    for (int i = 0; i < b->count; first += b->pieces[i++].count)
        b->pieces[i].first = first;
#pragma omp parallel for num_threads(spl__team(b->count > 1 ? b->threads : 1))
    for (int i = 0; i < b->count; i++)
        spl__mm_piece_measure(&b->pieces[i], b->header);
}

/* Faults that depend on the pieces before this one. They precede a fault that the piece already
 * has. */
static void judge(body *b, spl__mm_piece *piece)
{
    bool other = b->triangle != SPL__MM_NONE && piece->triangle != SPL__MM_NONE &&
                 piece->triangle != b->triangle;
    int64_t bad = other ? piece->first_off : piece->crossing;
    int64_t room = b->header->entries - b->read;
    if (bad >= 0 && bad < room)
        spl__mm_piece_blame(piece, bad, SPL__MM_TRIANGLE);
    else if (piece->count > room)
        spl__mm_piece_blame(piece, room, SPL__MM_TOO_MANY);
    if (b->triangle == SPL__MM_NONE)
        b->triangle = piece->triangle;
}

/* Processes the batch's pieces in order; reports the first fault, or sets the position of every
 * piece. */
static spl_status place(body *b, int64_t *lines)
{
    int64_t to = b->entries->count;
    *lines = 0;
    for (int i = 0; i < b->count; i++) {
        spl__mm_piece *piece = &b->pieces[i];
        judge(b, piece);
        if (piece->wrong != SPL__MM_FINE)
            return spl__mm_piece_fault(piece, b->header, b->text, b->text->line + *lines);
        piece->to = to;
        *lines += piece->lines;
        b->read += piece->count;
        if (!spl__add_i64(to, piece->stored, &to))
            return spl__fail(SPL_INDEX_OVERFLOW, "%s: more than 2^63-1 entries",
                             b->text->source.name);
    }
    return SPL_OK;
}

/* An array whose further elements are zero as often as those read so far. */
static void expect_elements(const body *b, int64_t to)
{
    const spl__mm_header *h = b->header;
    double margin = b->read < h->entries ? 1.05 : 1;
    if (h->array)
        spl__entries_expect(b->entries, h->rows, h->cols,
                            (double)to / (double)b->read * (double)h->entries * margin, b->options,
                            spl__mm_staging_bytes(b->text, h));
}

/* Reserves entries up to `to`: all at once if the size line is plausible, else by doubling up to
 * its number. */
static spl_status reserve(body *b, int64_t to)
{
    int64_t doubled, most;
    if (to <= b->entries->capacity)
        return SPL_OK;
    expect_elements(b, to);
    bool known =
        spl__mul_i64(b->header->entries, b->header->symmetry == SPL__MM_GENERAL ? 1 : 2, &most) &&
        spl__mul_i64(b->entries->capacity, 2, &doubled);
    return spl__entries_reserve(b->entries,
                                known ? spl__max_i64(to, spl__min_i64(doubled, most)) : to);
}

static spl_status store(body *b)
{
    const spl__mm_piece *last = &b->pieces[b->count - 1];
    int64_t to = last->to + last->stored;
    SPL__TRY(reserve(b, to));
#pragma omp parallel for num_threads(spl__team(b->count > 1 ? b->threads : 1))
    for (int i = 0; i < b->count; i++)
        spl__mm_piece_store(&b->pieces[i], b->header, b->entries);
    b->entries->count = to;
    return SPL_OK;
}

static spl_status read_batch(body *b)
{
    int64_t lines;
    cut(b);
    parse(b);
    measure(b);
    SPL__TRY(place(b, &lines));
    SPL__TRY(store(b));
    spl__text_file_consume(b->text, b->text->end, lines);
    return spl__progress(b->context, "read", b->text->source.done, b->text->source.total);
}

static spl_status read_batches(body *b)
{
    SPL__TRY(new_staging(b));
    for (;;) {
        SPL__TRY(spl__text_file_more(b->text));
        if (b->text->begin == b->text->end)
            break;
        SPL__TRY(read_batch(b));
    }
    if (b->read == b->header->entries)
        return SPL_OK;
    return spl__text_file_fail(b->text, b->text->line - 1, "the file ends after %s of %s %s",
                               spl__thousands(b->read), spl__thousands(b->header->entries),
                               b->header->array ? "values" : "entries");
}

spl_status spl__mm_read_body(const spl_context *context, spl__text_file *text,
                             const spl__mm_header *header, const spl_read_options *options,
                             spl__entries *entries)
{
    body b = {
        .context = context, .text = text, .header = header, .options = options, .entries = entries};
    b.threads = spl__threads(context, 0);
    spl_status status = read_batches(&b);
    free_staging(&b);
    return status;
}
