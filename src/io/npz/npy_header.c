/* SPDX-License-Identifier: Apache-2.0 */
#include "io/npz/npy_header.h"

#include "core/checked.h"

#include <string.h>

enum { MAGIC = 6, MOST_TEXT = 4096, SHORT_LENGTH = 2, LONG_LENGTH = 4 };

/* The header's text: a Python dictionary of three members, padded with blanks, ended by a newline.
 * A parser moves `p`; a zero byte ends the text. */
typedef struct parser {
    const spl__zip *zip;
    const char *p;
    spl__npy_header *header;
    bool descr, order, shape; /* members seen */
} parser;

static spl_status bad(const parser *q, const char *message)
{
    return spl__zip_fail(q->zip, SPL_FILE_INVALID, "npy header: %s", message);
}

static void skip_blanks(parser *q)
{
    while (*q->p == ' ')
        q->p++;
}

/* Takes the character, with blanks around it, if it comes next. */
static bool take(parser *q, char c)
{
    skip_blanks(q);
    if (*q->p != c)
        return false;
    q->p++;
    skip_blanks(q);
    return true;
}

/* A quoted text without escapes. */
static spl_status read_quoted(parser *q, char *text, size_t capacity)
{
    char quote = *q->p;
    if (quote != '\'' && quote != '"')
        return bad(q, "a quoted word is missing");
    const char *end = strchr(++q->p, quote);
    if (!end || (size_t)(end - q->p) >= capacity || memchr(q->p, '\\', (size_t)(end - q->p)))
        return bad(q, "a quoted word is too long or does not end");
    memcpy(text, q->p, (size_t)(end - q->p));
    text[end - q->p] = 0;
    q->p = end + 1;
    return SPL_OK;
}

static bool read_number(const char **p, int64_t *number)
{
    const char *start = *p;
    bool fits = true;
    for (*number = 0; **p >= '0' && **p <= '9'; ++*p)
        fits =
            fits && spl__mul_i64(*number, 10, number) && spl__add_i64(*number, **p - '0', number);
    return *p > start && fits;
}

/* Is an element of the kind so wide? */
static bool width_fits(const spl__npy_header *h)
{
    int64_t w = h->width;
    switch (h->kind) {
    case 'b':
        return w == 1;
    case 'i':
    case 'u':
        return w == 1 || w == 2 || w == 4 || w == 8;
    case 'f':
        return w == 2 || w == 4 || w == 8;
    default:
        return w > 0 && w <= MOST_TEXT;
    }
}

/* "<f8": byte order, kind, width. */
static spl_status read_type(parser *q)
{
    char text[64];
    skip_blanks(q);
    if (*q->p == '[')
        return spl__zip_fail(q->zip, SPL_UNSUPPORTED, "structured elements are not supported");
    SPL__TRY(read_quoted(q, text, sizeof text));
    const char *p = text + 2;
    if (strchr(text, 'O'))
        return spl__zip_fail(q->zip, SPL_UNSUPPORTED,
                             "holds pickled Python objects, which are never read");
    if (text[0] == '>' && text[1])
        return spl__zip_fail(q->zip, SPL_UNSUPPORTED,
                             "type \"%s\" is big-endian, which is not supported", text);
    if (text[0] && text[1] == 'c')
        return spl__zip_fail(q->zip, SPL_UNSUPPORTED, "complex values (\"%s\") are not supported",
                             text);
    if (!text[0] || !strchr("<|=", text[0]) || !text[1] || !read_number(&p, &q->header->width) ||
        *p)
        return bad(q, "descr is no type of elements");
    q->header->kind = text[1];
    if (q->header->kind == 'U' && !spl__mul_i64(q->header->width, 4, &q->header->width))
        return bad(q, "the elements are too wide");
    if (!strchr("biufSU", q->header->kind) || !width_fits(q->header))
        return spl__zip_fail(q->zip, SPL_UNSUPPORTED, "elements of type \"%s\" are not supported",
                             text);
    bool plain = q->header->width == 1 || q->header->kind == 'S'; /* no byte order needed */
    return plain || text[0] == '<' ? SPL_OK : bad(q, "descr lacks the order of bytes");
}

static spl_status read_order(parser *q)
{
    bool yes = strncmp(q->p, "True", 4) == 0;
    if (!yes && strncmp(q->p, "False", 5) != 0)
        return bad(q, "fortran_order is neither True nor False");
    q->header->fortran = yes;
    q->p += yes ? 4 : 5;
    return SPL_OK;
}

/* "()", "(3,)", "(2, 3)" or "(2L, 3L)". */
static spl_status read_shape(parser *q)
{
    spl__npy_header *h = q->header;
    if (!take(q, '('))
        return bad(q, "shape is no tuple");
    h->count = 1;
    for (h->dimensions = 0; !take(q, ')'); h->dimensions++) {
        int64_t *length = &h->shape[h->dimensions];
        if (h->dimensions == SPL__NPY_MOST_DIMENSIONS)
            return bad(q, "more than three dimensions");
        if (!read_number(&q->p, length))
            return bad(q, "a length in shape is not a number from 0 to 2^63-1");
        if (!spl__mul_i64(h->count, *length, &h->count))
            return bad(q, "shape has more than 2^63-1 elements");
        q->p += *q->p == 'L'; /* NumPy under Python 2 wrote long integers so: (14L,) */
        if (!take(q, ',') && (*q->p != ')' || h->dimensions == 0))
            return bad(q, "a comma is missing in shape");
    }
    return SPL_OK;
}

static spl_status read_member(parser *q)
{
    char key[32];
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    bool *const seen[] = {&q->descr, &q->order, &q->shape};
    spl_status (*const readers[])(parser *) = {read_type, read_order, read_shape};
    SPL__TRY(read_quoted(q, key, sizeof key));
    if (!take(q, ':'))
        return bad(q, "a colon is missing");
    for (int i = 0; i < 3; i++) {
        if (strcmp(key, keys[i]) != 0)
            continue;
        if (*seen[i])
            return bad(q, "a member comes twice");
        *seen[i] = true;
        return readers[i](q);
    }
    return bad(q, "a member is none of descr, fortran_order, shape");
}

static spl_status read_dictionary(parser *q)
{
    if (!take(q, '{'))
        return bad(q, "is no dictionary");
    while (!take(q, '}')) {
        SPL__TRY(read_member(q));
        skip_blanks(q);
        if (!take(q, ',') && *q->p != '}')
            return bad(q, "a comma is missing");
    }
    if (!q->descr || !q->order || !q->shape)
        return bad(q, "descr, fortran_order or shape is missing");
    return strcmp(q->p, "\n") == 0 ? SPL_OK : bad(q, "something follows the dictionary");
}

/* Magic, version, length of the text. */
static spl_status read_length(spl__zip *zip, size_t *length, int64_t *before)
{
    unsigned char head[MAGIC + 2], bytes[LONG_LENGTH] = {0};
    SPL__TRY(spl__zip_read(zip, head, sizeof head));
    if (memcmp(head, "\x93NUMPY", MAGIC) != 0)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "is no .npy array");
    int version = head[MAGIC], width = version == 1 ? SHORT_LENGTH : LONG_LENGTH;
    if (version < 1 || version > 3 || head[MAGIC + 1] != 0)
        return spl__zip_fail(zip, SPL_UNSUPPORTED, "version %d.%d of .npy is not supported",
                             version, head[MAGIC + 1]);
    SPL__TRY(spl__zip_read(zip, bytes, (size_t)width));
    *length =
        (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    *before = (int64_t)sizeof head + width;
    if (*length > MOST_TEXT)
        return spl__zip_fail(zip, SPL_FILE_INVALID, "npy header of %zu bytes, at most %d are read",
                             *length, MOST_TEXT);
    return SPL_OK;
}

static spl_status read_header(spl__zip *zip, int64_t bytes, spl__npy_header *header)
{
    char text[MOST_TEXT + 1];
    size_t length = 0;
    int64_t before = 0, data, expected;
    SPL__TRY(read_length(zip, &length, &before));
    SPL__TRY(spl__zip_read(zip, text, length));
    text[length] = 0;
    parser q = {.zip = zip, .p = text, .header = header};
    *header = (spl__npy_header){0};
    SPL__TRY(read_dictionary(&q));
    if (!spl__mul_i64(header->count, header->width, &data) ||
        !spl__add_i64(data, before + (int64_t)length, &expected) || expected != bytes)
        return spl__zip_fail(
            zip, SPL_FILE_INVALID, "%s elements of %s bytes do not fit in the member's %s bytes",
            spl__thousands(header->count), spl__thousands(header->width), spl__thousands(bytes));
    return SPL_OK;
}

spl_status spl__npy_enter(spl__zip *zip, const char *member, spl__npy_header *header)
{
    int64_t bytes = 0;
    SPL__TRY(spl__zip_enter(zip, member, &bytes));
    spl_status status = read_header(zip, bytes, header);
    if (status != SPL_OK)
        spl__zip_leave(zip);
    return status;
}
