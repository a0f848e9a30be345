/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/lines.h"

spl__lines spl__lines_of(const spl_dense *m)
{
    bool rows = m->order == SPL_ROW_MAJOR;
    size_t size = spl__type_size(m->type);
    int64_t length = rows ? m->cols : m->rows, count = rows ? m->rows : m->cols;
    return (spl__lines){m->values, (size_t)length * size, (size_t)m->ld * size,
                        length > 0 ? count : 0};
}

static bool is_empty(const spl__lines *l)
{
    return l->count <= 0 || l->line == 0;
}

/* As one line, where there are no gaps. */
static spl__lines joined(spl__lines l)
{
    if (l.count == 1)
        l.step = l.line;
    if (l.line == l.step) {
        l.line = l.step = l.line * (size_t)l.count;
        l.count = 1;
    }
    return l;
}

/* Bytes from the first byte to the end of the last line. */
static int64_t span(const spl__lines *l)
{
    return (l->count - 1) * (int64_t)l->step + (int64_t)l->line;
}

/* Whether `length` bytes that begin `offset` bytes after the first line's begin overlap a line:
 * the first that does not end before them. */
static bool line_meets(int64_t offset, size_t length, const spl__lines *l)
{
    int64_t line = (int64_t)l->line, step = (int64_t)l->step,
            k = offset < line ? 0 : (offset - line) / step + 1;
    return k < l->count && k * step < offset + (int64_t)length;
}

bool spl__lines_with_gaps_meet(const spl__lines *one, const spl__lines *other)
{
    if (is_empty(one) || is_empty(other))
        return false;
    const spl__lines first = joined(*one), second = joined(*other);
    spl__lines a = first.count < second.count ? first : second,
               b = first.count < second.count ? second : first;
    int64_t offset = (int64_t)((uintptr_t)a.data - (uintptr_t)b.data);
    if (offset >= span(&b) || -offset >= span(&a))
        return false;
    if (a.step ==
        b.step) /* lines i and j meet where both one earlier do: one of them may be the first */
        return line_meets(offset, a.line, &b) || line_meets(-offset, b.line, &a);
    bool meet = false;
    for (int64_t i = 0; i < a.count && !meet; i++)
        meet = line_meets(offset + i * (int64_t)a.step, a.line, &b);
    return meet;
}

spl_status spl__fail_overlap(const char *a_name, const char *b_name)
{
    return spl__fail(SPL_INVALID_ARGUMENT, "%s and %s overlap", a_name, b_name);
}

static inline bool meet_array(const spl__lines *lines, const void *array, int64_t count,
                              size_t size)
{
    const spl__lines whole = spl__lines_of_array(array, count, size);
    return spl__lines_meet(lines, &whole);
}

/* The array of the view that the lines meet; NULL: none. */
static inline const char *met(const spl__lines *lines, const spl_sparse *v)
{
    if (meet_array(lines, v->offsets, spl__offsets_count(v), spl__index_size(spl__offsets_type(v))))
        return "offsets";
    if (meet_array(lines, v->indices, v->nnz, spl__index_size(v->index_type)))
        return "indices";
    return meet_array(lines, v->values, v->nnz, spl__type_size(v->type)) ? "values" : NULL;
}

spl_status spl__check_apart_from(const spl__lines *lines, const char *name, const spl_sparse *view,
                                 const char *view_name)
{
    const char *const array = view->format ? met(lines, view) : NULL;
    return array ? spl__fail(SPL_INVALID_ARGUMENT, "%s and the %s of %s overlap", name, array,
                             view_name)
                 : SPL_OK;
}
