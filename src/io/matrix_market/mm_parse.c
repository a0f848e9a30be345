/* SPDX-License-Identifier: Apache-2.0 */
/* mm_parse.c: the hot loop of reading: lines of text to numbers. */
#include "core/types.h"
#include "file/number.h"
#include "io/matrix_market/mm_piece.h"

/* Returns where the line ends, NULL after noting the fault. `start` is the faulty token. */
static const char *blame(spl__mm_piece *piece, spl__mm_wrong wrong, const char *start)
{
    piece->wrong = wrong;
    piece->fault = start;
    return NULL;
}

/* The same in the type that is asked for. */
static const char *read_whole(const char *p, spl__mm_piece *piece, spl__mm_field field)
{
    double ignored;
    if (field != SPL__MM_REAL && !spl__read_integer(p, &ignored))
        return NULL;
    return spl__read_whole(p, spl__integer_min(piece->integers), spl__integer_max(piece->integers),
                           &piece->wholes[piece->count]);
}

/* The number that must stand at p, then nothing else on the line. */
static inline __attribute__((always_inline)) const char *
parse_value(const char *p, spl__mm_piece *piece, const spl__mm_field field)
{
    double *value = &piece->values[piece->count];
    const char *end = piece->integers         ? read_whole(p, piece, field)
                      : field == SPL__MM_REAL ? spl__read_value(p, value)
                                              : spl__read_integer(p, value);
    if (!end || (field == SPL__MM_UNSIGNED && *p == '-'))
        return blame(piece, SPL__MM_VALUE, p);
    p = spl__skip_blanks(end);
    return *p == '\n' ? p : blame(piece, SPL__MM_REST, p);
}

static inline __attribute__((always_inline)) const char *
parse_coordinates(const char *p, spl__mm_piece *piece, uint64_t rows, uint64_t cols)
{
    uint64_t row, col;
    const char *end = spl__read_index(p, &row);
    if (!end || row - 1 >= rows) /* 0 wraps to the largest number */
        return blame(piece, SPL__MM_ROW, p);
    p = spl__skip_blanks(end);
    end = spl__read_index(p, &col);
    if (!end || col - 1 >= cols)
        return blame(piece, SPL__MM_COLUMN, p);
    piece->rows[piece->count] = (int64_t)row - 1;
    piece->cols[piece->count] = (int64_t)col - 1;
    return spl__skip_blanks(end);
}

/* The loop over lines; constant arguments make a version for each kind of file. */
static inline __attribute__((always_inline)) void parse_lines(spl__mm_piece *piece,
                                                              const spl__mm_header *header,
                                                              const bool array,
                                                              const spl__mm_field field)
{
    const char *p = piece->begin, *end = piece->end;
    const uint64_t rows = (uint64_t)header->rows, cols = (uint64_t)header->cols;
    for (; p < end; p++, piece->lines++) {
        p = spl__skip_blanks(p);
        if (*p == '\n')
            continue;
        if (!array)
            p = parse_coordinates(p, piece, rows, cols);
        if (p && field != SPL__MM_PATTERN)
            p = parse_value(p, piece, field);
        else if (p && *p != '\n')
            p = blame(piece, SPL__MM_REST, p);
        if (!p)
            return;
        piece->count++;
    }
}

void spl__mm_piece_parse(spl__mm_piece *piece, const spl__mm_header *header)
{
    piece->count = piece->lines = 0;
    piece->wrong = SPL__MM_FINE;
    if (header->array && header->field == SPL__MM_INTEGER)
        parse_lines(piece, header, true, SPL__MM_INTEGER);
    else if (header->array && header->field == SPL__MM_UNSIGNED)
        parse_lines(piece, header, true, SPL__MM_UNSIGNED);
    else if (header->array)
        parse_lines(piece, header, true, SPL__MM_REAL);
    else if (header->field == SPL__MM_INTEGER)
        parse_lines(piece, header, false, SPL__MM_INTEGER);
    else if (header->field == SPL__MM_UNSIGNED)
        parse_lines(piece, header, false, SPL__MM_UNSIGNED);
    else if (header->field == SPL__MM_PATTERN)
        parse_lines(piece, header, false, SPL__MM_PATTERN);
    else
        parse_lines(piece, header, false, SPL__MM_REAL);
}
