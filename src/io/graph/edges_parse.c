/* SPDX-License-Identifier: Apache-2.0 */
/* edges_parse.c: parses lines of an edge list, and describes faults. */
#include "core/types.h"
#include "file/token.h"
#include "io/graph/edges_piece.h"

static const char *blame(spl__edges_piece *piece, spl__edges_wrong wrong, const char *start)
{
    piece->wrong = wrong;
    piece->fault = start;
    return NULL;
}

/* Replaces the commas of a line, each of which must separate two fields, by blanks. Returns
 * false after recording the fault. */
static bool separate(spl__edges_piece *piece, const char *line)
{
    char *p = (char *)line; /* of the reader's buffer */
    for (;; *p++ = ' ') {
        p += spl__skip_blanks(p) - p;
        const char *field = p;
        while (*p != ',' && !spl__ends_token(*p))
            p++;
        if (p == field)
            return blame(piece, SPL__EDGES_FIELD, p);
        p += spl__skip_blanks(p) - p;
        if (*p == '\n')
            return true;
        if (*p != ',')
            return blame(piece, SPL__EDGES_FIELD, p);
    }
}

static inline __attribute__((always_inline)) const char *
parse_id(const char *p, spl__edges_piece *piece, int64_t *to)
{
    uint64_t id;
    const char *end = spl__read_index(p, &id);
    if (!end || id > SPL__LARGEST_ID)
        return blame(piece, SPL__EDGES_ID, p);
    *to = (int64_t)id;
    piece->largest = *to > piece->largest ? *to : piece->largest;
    return spl__skip_blanks(end);
}

static const char *read_whole(const char *p, spl_type type, int64_t *value)
{
    return spl__read_whole(p, spl__integer_min(type), spl__integer_max(type), value);
}

/* What follows the two ids. */
static inline __attribute__((always_inline)) const char *parse_rest(const char *p,
                                                                    spl__edges_piece *piece)
{
    const char *start = p;
    if (piece->values)
        p = piece->integers ? read_whole(p, piece->integers, &piece->wholes[piece->count])
                            : spl__read_value(p, &piece->values[piece->count]);
    if (!p)
        return blame(piece, SPL__EDGES_VALUE, start);
    p = spl__skip_blanks(p);
    return *p == '\n' ? p : blame(piece, SPL__EDGES_VALUE, p);
}

void spl__edges_piece_parse(spl__edges_piece *piece)
{
    piece->count = piece->lines = 0;
    piece->largest = -1;
    piece->wrong = SPL__EDGES_FINE;
    for (const char *p = piece->begin; p < piece->end; p++, piece->lines++) {
        p = spl__skip_blanks(p);
        if (*p == '#')
            p = memchr(p, '\n', (size_t)(piece->end - p));
        if (*p == '\n')
            continue;
        if (piece->commas && !separate(piece, p))
            return;
        p = parse_id(p, piece, &piece->rows[piece->count]);
        if (p)
            p = parse_id(p, piece, &piece->cols[piece->count]);
        if (p)
            p = parse_rest(p, piece);
        if (!p)
            return;
        piece->count++;
    }
}

spl_status spl__edges_piece_fault(const spl__edges_piece *piece, const spl__text_file *text,
                                  int64_t line)
{
    char token[SPL__SHOWN + 1];
    uint64_t ignored;
    const char *p = piece->fault;
    line += spl__count_lines(piece->begin, p);
    if (piece->wrong == SPL__EDGES_FIELD && (*p == ',' || *p == '\n'))
        return spl__text_file_fail(text, line, "a field without a number");
    if (piece->wrong == SPL__EDGES_FIELD)
        return spl__text_file_fail(text, line, "no comma in front of \"%s\"", spl__shown(p, token));
    if (piece->wrong == SPL__EDGES_ID && *p == '\n')
        return spl__text_file_fail(text, line, "the line ends before its second id");
    if (piece->wrong == SPL__EDGES_ID && spl__read_index(p, &ignored))
        return spl__text_file_fail(text, line, "id %s is not below 2^63-2", spl__shown(p, token));
    if (piece->wrong == SPL__EDGES_ID)
        return spl__text_file_fail(text, line, "\"%s\" is not an id, a number from 0",
                                   spl__shown(p, token));
    if (*p == '\n')
        return spl__text_file_fail(text, line, "no value, but the first edge has one");
    if (piece->values && !spl__read_value(p, &(double){0}))
        return spl__text_file_fail(text, line, "\"%s\" is not a number", spl__shown(p, token));
    if (piece->values && piece->integers && !read_whole(p, piece->integers, &(int64_t){0}))
        return spl__text_file_fail(text, line, "\"%s\" is not an integer of %s",
                                   spl__shown(p, token), spl__type_name(piece->integers));
    return spl__text_file_fail(text, line, "\"%s\" is a number too many: the first edge has %s",
                               spl__shown(p, token), piece->values ? "three" : "two");
}
