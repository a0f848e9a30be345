/* SPDX-License-Identifier: Apache-2.0 */
#include "io/graph/edges_header.h"

#include "file/file_name.h"
#include "file/number.h"

/* SNAP's "# Nodes: 5 Edges: 3", which edges_write.c writes, too. Other remarks, and numbers that no
 * matrix has, say nothing. */
static void take_remark(const char *p, spl__edges_header *h)
{
    static const char word[] = "Nodes:";
    uint64_t nodes;
    p = spl__skip_blanks(p + 1);
    if (strncmp(p, word, sizeof word - 1) == 0 &&
        spl__read_index(spl__skip_blanks(p + sizeof word - 1), &nodes) && nodes < INT64_MAX)
        h->nodes = (int64_t)nodes;
}

/* Names of columns begin with what no number begins with. */
static bool is_heading(const char *p)
{
    return !(*p >= '0' && *p <= '9') && !strchr("+-.,", *p);
}

/* The number of fields of a line that begins at p. */
static int count_fields(const char *p, bool commas)
{
    int count = 1;
    for (; *p != '\n'; p++)
        if (commas)
            count += *p == ',';
        else
            count += spl__is_blank(*p) && !spl__ends_token(p[1]);
    return count;
}

/* The first line with an edge, not consumed, from its first field on; NULL at the end
 * of the file. */
static spl_status find_first_edge(spl__text_file *text, spl__edges_header *h, const char **first)
{
    for (bool heading = h->commas;;) {
        SPL__TRY(spl__text_file_more(text));
        const char *p = text->begin < text->end ? spl__skip_blanks(text->begin) : NULL;
        *first = p;
        if (!p)
            return SPL_OK;
        if (*p == '#')
            take_remark(p, h);
        else if (*p != '\n' && !(heading && is_heading(p)))
            return SPL_OK;
        heading = heading && (*p == '#' || *p == '\n');
        SPL__TRY(spl__text_file_line(text, &p));
    }
}

spl_status spl__edges_read_header(spl__text_file *text, spl__edges_header *h)
{
    const char *first;
    *h = (spl__edges_header){.commas = spl__named_format(text->source.name) == SPL__NAMED_CSV};
    if (text->begin == text->end)
        return spl__text_file_fail(text, 1, "the file is empty");
    SPL__TRY(find_first_edge(text, h, &first));
    int fields = first ? count_fields(first, h->commas) : 0;
    if (h->commas && first && fields != 2 && fields != 3)
        return spl__text_file_fail(text, text->line,
                                   "%d column%s: an edge list has two, or three with values",
                                   fields, fields == 1 ? "" : "s");
    h->weighted = fields > 2;
    return SPL_OK;
}
