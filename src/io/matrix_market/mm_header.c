/* SPDX-License-Identifier: Apache-2.0 */
#include "io/matrix_market/mm_header.h"

#include "core/checked.h"
#include "file/token.h"

static const char banner[] = "%%MatrixMarket";

/* A word of a line; `length` 0: the line has no more. */
typedef struct word {
    const char *text;
    int length;
} word;

static word next_word(const char **p)
{
    const char *start = spl__skip_blanks(*p);
    const char *end = start;
    while (!spl__ends_token(*end))
        end++;
    *p = end;
    return (word){start, (int)(end - start)};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; /* tolower depends on the locale */
}

static bool same(word w, const char *name)
{
    for (int i = 0; i < w.length; i++)
        if (!name[i] || lower(w.text[i]) != lower(name[i]))
            return false;
    return name[w.length] == 0;
}

/* The index of the word in a list of names, -1 if it is none. */
static int find(word w, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (same(w, names[i]))
            return i;
    return -1;
}

bool spl__mm_detect(const spl__text_file *text)
{
    const char *p = text->begin;
    return text->begin < text->end && !spl__is_blank(*p) && same(next_word(&p), banner);
}

static spl_status fail_unknown(const spl__text_file *text, word w, const char *field,
                               const char *const *names)
{
    char token[SPL__SHOWN + 1], list[128];
    spl__text known = spl__text_begin(list, sizeof list);
    for (int i = 0; names[i]; i++)
        spl__text_add(&known, "%s%s", i > 0 ? ", " : "", names[i]);
    return spl__text_file_fail(text, 1, "\"%s\" is not a known %s: %s", spl__shown(w.text, token),
                               field, list);
}

/* The word number `index` of the banner must be one of the names. */
static spl_status choose(const spl__text_file *text, word w, const char *field,
                         const char *const *names, int *index)
{
    if (w.length == 0)
        return spl__text_file_fail(text, 1, "the banner ends where its %s should be", field);
    *index = find(w, names);
    return *index < 0 ? fail_unknown(text, w, field, names) : SPL_OK;
}

static spl_status read_banner(spl__text_file *text, spl__mm_header *h)
{
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real",    "integer",          "pattern",
                                         "complex", "unsigned-integer", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    int object, format, field, symmetry;
    const char *p;
    if (text->begin == text->end)
        return spl__text_file_fail(text, 1, "the file is empty");
    if (!spl__mm_detect(text))
        return spl__text_file_fail(text, 1, "the first line does not begin with %s", banner);
    SPL__TRY(spl__text_file_line(text, &p));
    next_word(&p);
    SPL__TRY(choose(text, next_word(&p), "object", objects, &object));
    SPL__TRY(choose(text, next_word(&p), "format", formats, &format));
    SPL__TRY(choose(text, next_word(&p), "field", fields, &field));
    SPL__TRY(choose(text, next_word(&p), "symmetry", symmetries, &symmetry));
    if (next_word(&p).length)
        return spl__text_file_fail(text, 1, "the banner has more than five words");
    h->array = format == 1;
    h->field = (spl__mm_field)field;
    h->symmetry = (spl__mm_symmetry)symmetry;
    return SPL_OK;
}

static spl_status check_banner(const spl__text_file *text, const spl__mm_header *h)
{
    if (h->symmetry == SPL__MM_HERMITIAN && h->field != SPL__MM_COMPLEX)
        return spl__text_file_fail(text, 1, "only complex matrices may be hermitian");
    if (h->field == SPL__MM_PATTERN && h->array)
        return spl__text_file_fail(text, 1, "an array cannot be of field pattern");
    if (h->field == SPL__MM_PATTERN && h->symmetry == SPL__MM_SKEW)
        return spl__text_file_fail(text, 1, "a pattern cannot be skew-symmetric");
    if (h->field == SPL__MM_COMPLEX)
        return spl__fail(SPL_UNSUPPORTED, "%s:1: complex values are not supported",
                         text->source.name);
    return SPL_OK;
}

/* The first line after the banner that is neither blank nor a comment; *number is its number. */
static spl_status find_size_line(spl__text_file *text, const char **line, int64_t *number)
{
    do {
        *number = text->line;
        SPL__TRY(spl__text_file_line(text, line));
        if (!*line)
            return spl__text_file_fail(text, text->line - 1, "the file ends before the size line");
    } while (**line == '%' || *spl__skip_blanks(*line) == '\n');
    return SPL_OK;
}

static spl_status read_size(const spl__text_file *text, const char **p, const char *field,
                            int64_t line, int64_t *size)
{
    char token[SPL__SHOWN + 1];
    uint64_t value;
    const char *start = spl__skip_blanks(*p);
    word w = next_word(p);
    if (w.length == 0)
        return spl__text_file_fail(text, line, "the size line lacks the number of %s", field);
    if (!spl__read_index(start, &value) || value >= INT64_MAX)
        return spl__text_file_fail(text, line,
                                   "the number of %s, \"%s\", is not a number from 0 to 2^63-2",
                                   field, spl__shown(start, token));
    *size = (int64_t)value;
    return SPL_OK;
}

/* *count = values of an array file: all, or one triangle. False if that is no int64_t. */
static bool count_values(const spl__mm_header *h, int64_t *count)
{
    int64_t n = h->rows;
    if (h->symmetry == SPL__MM_GENERAL)
        return spl__mul_i64(n, h->cols, count);
    if (h->symmetry == SPL__MM_SKEW)
        n--;
    if (n < 1) {
        *count = 0;
        return true;
    }
    return n % 2 ? spl__mul_i64(n, (n + 1) / 2, count) : spl__mul_i64(n / 2, n + 1, count);
}

int spl__mm_shortest_line(const spl__mm_header *header)
{
    if (header->array)
        return 2;                                    /* "1\n" */
    return header->field == SPL__MM_PATTERN ? 4 : 6; /* "1 1\n", "1 1 1\n" */
}

/* Checks that the entries of the size line fit in the rest of the file, before memory is
 * allocated for them. */
static spl_status check_plausible(const spl__text_file *text, const spl__mm_header *h, int64_t line)
{
    int64_t bytes = spl__text_file_bound(text),
            most = bytes / spl__mm_shortest_line(h) + 1; /* the last needs no newline */
    if (bytes < INT64_MAX && h->entries > most)
        return spl__text_file_fail(text, line,
                                   "%s entries cannot be in the at most %s bytes that follow: the "
                                   "number is wrong, or the file is cut off",
                                   spl__thousands(h->entries), spl__thousands(bytes));
    return SPL_OK;
}

spl_status spl__mm_read_header(spl__text_file *text, spl__mm_header *h)
{
    const char *p;
    int64_t line;
    SPL__TRY(read_banner(text, h));
    SPL__TRY(check_banner(text, h));
    SPL__TRY(find_size_line(text, &p, &line));
    SPL__TRY(read_size(text, &p, "rows", line, &h->rows));
    SPL__TRY(read_size(text, &p, "columns", line, &h->cols));
    if (!h->array)
        SPL__TRY(read_size(text, &p, "entries", line, &h->entries));
    if (next_word(&p).length)
        return spl__text_file_fail(text, line, "more than %d numbers on the size line",
                                   h->array ? 2 : 3);
    if (h->symmetry != SPL__MM_GENERAL && h->rows != h->cols)
        return spl__text_file_fail(
            text, line, "a symmetric matrix must be square, this one has %s rows and %s columns",
            spl__thousands(h->rows), spl__thousands(h->cols));
    if (h->array && !count_values(h, &h->entries))
        return spl__text_file_fail(text, line,
                                   "an array of %s rows and %s columns has more than 2^63-1 values",
                                   spl__thousands(h->rows), spl__thousands(h->cols));
    return check_plausible(text, h, line);
}
