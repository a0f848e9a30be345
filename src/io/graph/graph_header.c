/* SPDX-License-Identifier: Apache-2.0 */
#include "io/graph/graph_header.h"

#include "core/checked.h"
#include "file/token.h"

static spl_status find_header(spl__text_file *text, const char **line, int64_t *number)
{
    if (text->begin == text->end)
        return spl__text_file_fail(text, 1, "the file is empty");
    do {
        *number = text->line;
        SPL__TRY(spl__text_file_line(text, line));
        if (!*line)
            return spl__text_file_fail(text, text->line - 1,
                                       "the file ends before its numbers of vertices and edges");
    } while (**line == '%');
    return SPL_OK;
}

/* The number at *p, which moves on to the next token. */
static spl_status read_count(const spl__text_file *text, int64_t line, const char *counted,
                             const char **p, int64_t *count)
{
    char token[SPL__SHOWN + 1];
    uint64_t value;
    const char *end = spl__read_index(*p, &value);
    if (**p == '\n')
        return spl__text_file_fail(text, line, "the first line lacks the number of %s", counted);
    if (!end || value >= INT64_MAX)
        return spl__text_file_fail(text, line,
                                   "the number of %s, \"%s\", is not a number from 0 to 2^63-2",
                                   counted, spl__shown(*p, token));
    *count = (int64_t)value;
    *p = spl__skip_blanks(end);
    return SPL_OK;
}

/* Up to three digits 0 or 1: vertex sizes, vertex weights, edge weights; the first may
 * be left out. */
static spl_status read_fmt(const spl__text_file *text, int64_t line, const char **p, int *fmt)
{
    enum { DIGITS = 3 };
    char token[SPL__SHOWN + 1];
    const char *start = *p, *q = start;
    for (*fmt = 0; *q == '0' || *q == '1'; q++)
        *fmt = 2 * *fmt + (*q - '0');
    if (q - start > DIGITS || !spl__ends_token(*q))
        return spl__text_file_fail(text, line, "fmt \"%s\" is not of up to three digits 0 or 1",
                                   spl__shown(start, token));
    *p = spl__skip_blanks(q);
    return SPL_OK;
}

/* The optional end of the line: fmt, and ncon, the number of weights of a vertex. */
static spl_status read_kind(const spl__text_file *text, const char *p, spl__graph_header *h)
{
    enum { EDGE_WEIGHTS = 1, VERTEX_WEIGHTS = 2, VERTEX_SIZES = 4 };
    char token[SPL__SHOWN + 1];
    int fmt = 0;
    int64_t weights = 0;
    if (*p != '\n')
        SPL__TRY(read_fmt(text, h->line, &p, &fmt));
    const char *ncon = p;
    if (*p != '\n')
        SPL__TRY(read_count(text, h->line, "weights of a vertex", &p, &weights));
    if (*p != '\n')
        return spl__text_file_fail(text, h->line,
                                   "the first line must be: vertices edges [fmt [ncon]]");
    if (weights > 0 && !(fmt & VERTEX_WEIGHTS))
        return spl__text_file_fail(text, h->line,
                                   "\"%s\" follows, but fmt says that vertices have no weights",
                                   spl__shown(ncon, token));
    weights = weights > 0 ? weights : 1; /* METIS takes 0 as not given */
    h->weighted = fmt & EDGE_WEIGHTS;
    h->vertex_items = fmt & VERTEX_WEIGHTS ? weights : 0;
    if (fmt & VERTEX_SIZES && !spl__add_i64(h->vertex_items, 1, &h->vertex_items))
        return spl__text_file_fail(text, h->line, "too many weights of a vertex");
    return SPL_OK;
}

/* A vertex takes a newline and two bytes for each of its items, a neighbour two bytes, with a
 * weight four. */
static spl_status check_plausible(const spl__text_file *text, const spl__graph_header *h)
{
    int64_t bytes = spl__text_file_bound(text), lines, lists;
    if (bytes == INT64_MAX)
        return SPL_OK;
    bool fits =
        spl__mul_i64(h->vertices, h->vertex_items ? 2 * spl__min_i64(h->vertex_items, bytes) : 1,
                     &lines) &&
        spl__mul_i64(h->entries, h->weighted ? 4 : 2, &lists);
    int64_t last = h->vertices > 0; /* its newline may lack */
    if (fits && lines <= bytes + last && lists <= bytes + last)
        return SPL_OK;
    return spl__text_file_fail(
        text, h->line,
        "%s vertices and %s edges cannot be in the at most %s bytes that follow: the numbers are "
        "wrong, or the file is cut off",
        spl__thousands(h->vertices), spl__thousands(h->edges), spl__thousands(bytes));
}

spl_status spl__graph_read_header(spl__text_file *text, spl__graph_header *h)
{
    const char *p;
    SPL__TRY(find_header(text, &p, &h->line));
    p = spl__skip_blanks(p);
    SPL__TRY(read_count(text, h->line, "vertices", &p, &h->vertices));
    SPL__TRY(read_count(text, h->line, "edges", &p, &h->edges));
    SPL__TRY(read_kind(text, p, h));
    if (!spl__mul_i64(h->edges, 2, &h->entries))
        return spl__text_file_fail(text, h->line, "%s edges are more than can be counted twice",
                                   spl__thousands(h->edges));
    return check_plausible(text, h);
}
