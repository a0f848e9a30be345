/* SPDX-License-Identifier: Apache-2.0 */
/* graph_read.c: the lists of neighbours, vertex after vertex: rows in order, so that CSR takes them
 * over unchanged.
 *
 * Every edge must be in both lists. This is checked without a search: each entry adds a hash of
 * its edge, with the sign of its triangle; if the sum is not 0, some edge has no partner. The
 * two weights may differ, as they do in files about machines. Source: G. Karypis, V. Kumar,
 * METIS, a software package for partitioning graphs, manual of version 5, section 4.1. */
#include "io/graph/graph_read.h"

#include "core/checked.h"
#include "file/file_name.h"
#include "file/token.h"
#include "io/entries.h"
#include "io/graph/graph_header.h"

typedef struct reader {
    const spl_context *context;
    spl__text_file *text;
    spl__entries *entries;
    spl__graph_header header;
    int64_t vertex;   /* the vertex of the next list, from 0 */
    uint64_t balance; /* 0 if every edge has its partner */
} reader;

bool spl__graph_detect(const spl__text_file *text)
{
    return spl__named_format(text->source.name) == SPL__NAMED_GRAPH;
}

/* A hash of an edge, by splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
static uint64_t edge_number(uint64_t low, uint64_t high)
{
    uint64_t z = (low * 0x9e3779b97f4a7c15ULL + high) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
}

static void note_edge(reader *r, uint64_t from, uint64_t to)
{
    if (from < to)
        r->balance += edge_number(from, to);
    else
        r->balance -= edge_number(to, from);
}

/* `known`: the numbers that `expected` may be. */
static spl_status number_fault(const reader *r, const char *expected, const char *known,
                               const char *p)
{
    char token[SPL__SHOWN + 1];
    if (*p == '\n')
        return spl__text_file_fail(r->text, r->text->line, "the line ends before %s", expected);
    return spl__text_file_fail(r->text, r->text->line, "%s, \"%s\", is not %s", expected,
                               spl__shown(p, token), known);
}

static spl_status neighbour_fault(const reader *r, const char *p)
{
    char known[64];
    spl__text text = spl__text_begin(known, sizeof known);
    spl__text_add(&text, "one of the vertices 1 to %s", spl__thousands(r->header.vertices));
    return number_fault(r, "a neighbour", known, p);
}

/* One neighbour, and the weight if there are weights; *p moves on. */
static spl_status read_neighbour(reader *r, const char **p)
{
    spl__entries *e = r->entries;
    uint64_t neighbour, weight = 1, vertex = (uint64_t)r->vertex;
    const char *start = *p, *end = spl__read_index(start, &neighbour);
    if (!end || neighbour - 1 >= (uint64_t)r->header.vertices) /* 0 wraps to the largest number */
        return neighbour_fault(r, start);
    if (neighbour - 1 == vertex)
        return spl__text_file_fail(r->text, r->text->line, "vertex %s is its own neighbour",
                                   spl__thousands(r->vertex + 1));
    start = spl__skip_blanks(end);
    if (r->header.weighted) {
        end = spl__read_index(start, &weight);
        if (!end || weight == 0 || weight == UINT64_MAX)
            return number_fault(r, "the weight of an edge", "a whole number from 1 to 2^64-2",
                                start);
        if (spl__type_is_integer(e->type) && weight > (uint64_t)spl__integer_max(e->type))
            return spl__text_file_fail(r->text, r->text->line,
                                       "the weight of an edge does not fit %s",
                                       spl__type_name(e->type));
        start = spl__skip_blanks(end);
    }
    if (e->count == r->header.entries)
        return spl__text_file_fail(r->text, r->text->line,
                                   "more neighbours than twice the %s edges of the first line",
                                   spl__thousands(r->header.edges));
    note_edge(r, vertex, neighbour - 1);
    spl__index_set(e->rows, e->index_type, e->count, r->vertex);
    spl__index_set(e->cols, e->index_type, e->count, (int64_t)neighbour - 1);
    if (spl__type_is_integer(e->type))
        spl__integer_set(e->values, e->type, e->count, (int64_t)weight);
    else
        spl__value_set(e->values, e->type, e->count, (double)weight);
    e->count++;
    *p = start;
    return SPL_OK;
}

/* The line of a vertex; *p moves to its newline. */
static spl_status read_vertex(reader *r, const char **p)
{
    uint64_t ignored;
    for (int64_t i = 0; i < r->header.vertex_items; i++) {
        const char *end = spl__read_index(*p, &ignored);
        if (!end || ignored == UINT64_MAX)
            return number_fault(r, "a weight or the size of the vertex",
                                "a whole number from 0 to 2^64-2", *p);
        *p = spl__skip_blanks(end);
    }
    while (**p != '\n')
        SPL__TRY(read_neighbour(r, p));
    r->vertex++;
    return SPL_OK;
}

/* Reserves entries for the batch: for the whole file if the first line is plausible. */
static spl_status reserve(reader *r)
{
    int64_t batch = (r->text->end - r->text->begin) / 2 + 1, needed = 0, doubled = 0;
    spl__entries *e = r->entries;
    if (!spl__add_i64(e->count, batch, &needed) || !spl__mul_i64(e->capacity, 2, &doubled))
        return spl__entries_reserve(e, r->header.entries);
    bool known = !r->text->source.packed && r->text->source.total > 0;
    int64_t wanted = known                   ? r->header.entries
                     : needed <= e->capacity ? e->capacity
                                             : spl__max_i64(needed, doubled);
    return spl__entries_reserve(e, spl__min_i64(wanted, r->header.entries));
}

static spl_status read_batch(reader *r)
{
    const char *p = r->text->begin, *end = r->text->end;
    SPL__TRY(reserve(r));
    while (p < end) {
        bool comment = *p == '%';
        p = comment ? memchr(p, '\n', (size_t)(end - p)) : spl__skip_blanks(p);
        if (!comment && r->vertex < r->header.vertices)
            SPL__TRY(read_vertex(r, &p));
        if (*p != '\n')
            return spl__text_file_fail(r->text, r->text->line,
                                       "a line more than the %s vertices of the first line",
                                       spl__thousands(r->header.vertices));
        spl__text_file_consume(r->text, ++p, 1);
    }
    return spl__progress(r->context, "read", r->text->source.done, r->text->source.total);
}

static spl_status check_counts(const reader *r)
{
    int64_t last = r->text->line - 1;
    if (r->vertex < r->header.vertices)
        return spl__text_file_fail(r->text, last,
                                   "the file ends after the lines of %s of %s vertices",
                                   spl__thousands(r->vertex), spl__thousands(r->header.vertices));
    if (r->entries->count < r->header.entries)
        return spl__text_file_fail(
            r->text, r->header.line, "%s edges need %s neighbours, there are %s",
            spl__thousands(r->header.edges), spl__thousands(r->header.entries),
            spl__thousands(r->entries->count));
    if (r->balance != 0)
        return spl__text_file_fail(
            r->text, r->header.line,
            "an edge is in the list of one of its vertices only, not of both");
    return SPL_OK;
}

static spl_status read_lists(reader *r)
{
    for (;;) {
        SPL__TRY(spl__text_file_more(r->text));
        if (r->text->begin == r->text->end)
            return check_counts(r);
        SPL__TRY(read_batch(r));
    }
}

spl_status spl__graph_read(spl_context *context, spl__text_file *text,
                           const spl_read_options *options, spl_matrix **result)
{
    spl__entries entries;
    reader r = {.context = context, .text = text, .entries = &entries};
    SPL__TRY(spl__progress(context, "read", 0, text->source.total));
    SPL__TRY(spl__graph_read_header(text, &r.header));
    spl__entries_init(&entries, context, text->source.account, r.header.vertices, r.header.vertices,
                      options->type, text->source.total);
    spl__entries_expect(&entries, r.header.vertices, r.header.vertices, (double)r.header.entries,
                        options, 0);
    spl_status status = read_lists(&r);
    if (status == SPL_OK)
        return spl__entries_matrix(&entries, r.header.vertices, r.header.vertices, options, result);
    spl__entries_free(&entries);
    return status;
}
