/* SPDX-License-Identifier: Apache-2.0 */
/* mm_read.c: header, body, conversion.
 * Source: R. Boisvert, R. Pozo, K. Remington, The Matrix Market Exchange Formats, NISTIR 5935,
 * 1996. */
#include "io/matrix_market/mm_read.h"

#include "core/checked.h"
#include "io/matrix_market/mm_body.h"

/* A first estimate of the number of entries. For a plain file the size line was found plausible.
 * With gzip the remaining bytes are unknown, so that memory grows with the entries read. The
 * zeros of arrays are not stored, so that their memory grows as well. */
static int64_t expected_entries(const spl__text_file *text, const spl__mm_header *header)
{
    enum { USUAL_RATIO = 4 };
    int64_t expected = header->entries, bytes = text->source.total;
    if (header->array)
        return 0;
    if (text->source.packed || bytes == 0)
        expected = spl__min_i64(expected, bytes * USUAL_RATIO / spl__mm_shortest_line(header));
    if (header->symmetry != SPL__MM_GENERAL)
        expected *= 2;
    return expected;
}

/* What the file will hold if it is as it says; of an array's zeros it says nothing. */
static double claimed_entries(const spl__mm_header *header)
{
    double each = header->symmetry == SPL__MM_GENERAL ? 1 : 2;
    return header->array ? 0 : each * (double)header->entries;
}

spl_status spl__mm_read(spl_context *context, spl__text_file *text, const spl_read_options *options,
                        spl_matrix **result)
{
    spl__mm_header header;
    spl__entries entries;
    SPL__TRY(spl__progress(context, "read", 0, text->source.total));
    SPL__TRY(spl__mm_read_header(text, &header));
    spl__entries_init(&entries, context, text->source.account, header.rows, header.cols,
                      options->type, text->source.total);
    spl__entries_expect(&entries, header.rows, header.cols, claimed_entries(&header), options,
                        spl__mm_staging_bytes(text, &header));
    spl_status status = spl__entries_reserve(&entries, expected_entries(text, &header));
    if (status == SPL_OK)
        status = spl__mm_read_body(context, text, &header, options, &entries);
    if (status == SPL_OK)
        return spl__entries_matrix(&entries, header.rows, header.cols, options, result);
    spl__entries_free(&entries);
    return status;
}

spl_status spl__mm_read_text(spl_context *context, const void *bytes, size_t size, const char *name,
                             const spl_read_options *options, spl_matrix **result)
{
    spl_read_options taken;
    spl__text_file text;
    spl_matrix *matrix;
    spl__account call;
    spl__account_init(&call, &context->allocator, &context->account, 0);
    SPL__TRY(spl__read_options_take(&taken, options));
    SPL__TRY(spl__text_file_memory(&text, &call, bytes, size, name));
    spl_status status = spl__mm_read(context, &text, &taken, &matrix);
    spl__text_file_close(&text);
    if (status != SPL_OK)
        return status;
    spl__matrix_move(matrix, &context->account);
    *result = matrix;
    return SPL_OK;
}
