/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h: the bytes of a caller's arrays as lines of equal length, for exact tests of overlap
 * between inputs and outputs. */
#ifndef SPL_MATRIX_LINES_H
#define SPL_MATRIX_LINES_H

#include "matrix/view.h"

/* Contiguous lines: those of a dense matrix without the gaps between them, or a whole array as
 * one line. A dense matrix without elements has none, as its array may be NULL. */
typedef struct spl__lines {
    char *data;
    size_t line, step; /* bytes per line, bytes between the begins of lines */
    int64_t count;
} spl__lines;
spl__lines spl__lines_of(const spl_dense *m);
static inline spl__lines spl__lines_of_array(const void *array, int64_t count, size_t size)
{
    return (spl__lines){(char *)array, (size_t)count * size, (size_t)count * size, 1};
}

/* Exactly. O(1) where the steps are equal or one has no gaps, else a look for each line of the one
 * that has fewer. */
bool spl__lines_with_gaps_meet(const spl__lines *a, const spl__lines *b);
static inline bool spl__lines_meet(const spl__lines *a, const spl__lines *b)
{
    const uintptr_t distance = (uintptr_t)a->data - (uintptr_t)b->data;
    if (a->count != 1 || b->count != 1)
        return spl__lines_with_gaps_meet(a, b);
    return (distance < b->line && a->line > 0) || (0 - distance < a->line && b->line > 0);
}

/* SPL_INVALID_ARGUMENT, naming both, if they overlap; ... */
spl_status spl__fail_overlap(const char *a_name, const char *b_name) __attribute__((cold));
static inline spl_status spl__check_apart(const spl__lines *a, const char *a_name,
                                          const spl__lines *b, const char *b_name)
{
    return spl__lines_meet(a, b) ? spl__fail_overlap(a_name, b_name) : SPL_OK;
}
/* ... if `lines` overlap an array of the view; one without a format has none. */
spl_status spl__check_apart_from(const spl__lines *lines, const char *name, const spl_sparse *view,
                                 const char *view_name);

#endif
