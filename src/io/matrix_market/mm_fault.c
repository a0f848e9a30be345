/* SPDX-License-Identifier: Apache-2.0 */
/* mm_fault.c: describes the faults of lines. */
#include "core/types.h"
#include "file/token.h"
#include "io/matrix_market/mm_piece.h"

/* A row or a column. */
static spl_status index_fault(const spl__text_file *text, int64_t line, const char *coordinate,
                              const char *location, int64_t limit)
{
    char token[SPL__SHOWN + 1];
    if (*location == '\n')
        return spl__text_file_fail(text, line, "the line ends before its %s index", coordinate);
    if (*location == '%')
        return spl__text_file_fail(text, line, "a comment among the entries");
    uint64_t ignored;
    const char *digits = location + (*location == '-');
    if (!spl__read_index(digits, &ignored))
        return spl__text_file_fail(text, line, "%s index \"%s\" is not a number", coordinate,
                                   spl__shown(location, token));
    return spl__text_file_fail(text, line, "%s index %s is not in 1..%lld", coordinate,
                               spl__shown(location, token), (long long)limit);
}

static spl_status value_fault(const spl__text_file *text, int64_t line, const spl__mm_piece *piece,
                              spl__mm_field field)
{
    char token[SPL__SHOWN + 1];
    if (*piece->fault == '\n')
        return spl__text_file_fail(text, line, "the line ends before its value");
    if (*piece->fault == '%')
        return spl__text_file_fail(text, line, "a comment among the entries");
    if (piece->integers)
        return spl__text_file_fail(text, line, "\"%s\" is not an integer of %s",
                                   spl__shown(piece->fault, token),
                                   spl__type_name(piece->integers));
    return spl__text_file_fail(text, line, "\"%s\" is not %s", spl__shown(piece->fault, token),
                               field == SPL__MM_INTEGER    ? "an integer"
                               : field == SPL__MM_UNSIGNED ? "an integer from 0"
                                                           : "a number");
}

spl_status spl__mm_piece_fault(const spl__mm_piece *piece, const spl__mm_header *header,
                               const spl__text_file *text, int64_t line)
{
    char token[SPL__SHOWN + 1];
    line += spl__count_lines(piece->begin, piece->fault);
    switch (piece->wrong) {
    case SPL__MM_ROW:
        return index_fault(text, line, "row", piece->fault, header->rows);
    case SPL__MM_COLUMN:
        return index_fault(text, line, "column", piece->fault, header->cols);
    case SPL__MM_VALUE:
        return value_fault(text, line, piece, header->field);
    case SPL__MM_REST:
        return spl__text_file_fail(text, line, "\"%s\" follows the last number of the line",
                                   spl__shown(piece->fault, token));
    case SPL__MM_TOO_MANY:
        return spl__text_file_fail(text, line, "more than the %s %s that the size line says",
                                   spl__thousands(header->entries),
                                   header->array ? "values" : "entries");
    case SPL__MM_TRIANGLE:
        return spl__text_file_fail(
            text, line, "an entry above and an entry below the diagonal of a symmetric matrix");
    case SPL__MM_DIAGONAL:
        return spl__text_file_fail(text, line,
                                   "a nonzero on the diagonal of a skew-symmetric matrix");
    case SPL__MM_FINE:
        break;
    }
    return spl__fail(SPL_INTERNAL, "%s: no fault to report", text->source.name);
}
