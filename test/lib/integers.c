/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/integers.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* ---- numbers ---- */

int64_t integers_at(const void *array, spl_type type, int64_t i)
{
    return type == SPL_INT32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

void integers_set(void *array, spl_type type, int64_t i, int64_t value)
{
    if (type == SPL_INT32)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}

static int64_t largest(spl_type type)
{
    return type == SPL_INT32 ? INT32_MAX : INT64_MAX;
}

/* The number of the type that is equal modulo 2^32 or 2^64. */
static int64_t wrap(wide value, spl_type type)
{
    const wide size = (wide)largest(type) * 2 + 2;
    value %= size;
    if (value > largest(type))
        value -= size;
    return (int64_t)(value < -(wide)largest(type) - 1 ? value + size : value);
}

int64_t integers_below(integers_draw *draw, int64_t n)
{
    return zoo_random_below(&draw->random, n);
}

int64_t integers_number(integers_draw *draw)
{
    const int64_t most = largest(draw->type), small = integers_below(draw, 9) - 4;
    if (draw->kind == INTEGERS_SMALL || (draw->kind == INTEGERS_LIMITS && integers_below(draw, 3)))
        return small;
    if (draw->kind == INTEGERS_ANY)
        return wrap((wide)(int64_t)zoo_random_next(&draw->random), draw->type);
    return integers_below(draw, 2) ? most - integers_below(draw, 4)
                                   : -most - 1 + integers_below(draw, 4);
}

/* ---- matrices ---- */

static void store_values(integers_matrix *m, const integers_draw *draw)
{
    const double *entries = m->stored.values;
    const int64_t count = m->stored.view.nnz;
    m->values = zoo_allocate((size_t)count * sizeof(int64_t));
    for (int64_t p = 0; p < count; p++)
        integers_set(m->values, draw->type, p, m->numbers[(int64_t)entries[p]]);
    m->view = m->stored.view;
    m->view.type = draw->type;
    m->view.values = m->values;
}

void integers_make(integers_matrix *m, integers_draw *draw, int64_t rows, int64_t cols,
                   bool transposed)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted};
    zoo_form form = zoo_form_number((int)integers_below(draw, ZOO_FORMS));
    zoo_triples stored;
    form.type = SPL_F64;
    if (rows > 0 && cols > 0)
        families[integers_below(draw, 4)](
            &m->triples, (const int64_t[]){rows, cols, 1 + integers_below(draw, cols)},
            zoo_random_next(&draw->random));
    else
        zoo_triples_start(&m->triples, rows, cols);
    m->numbers = zoo_allocate((size_t)m->triples.nnz * sizeof *m->numbers);
    m->op = transposed && integers_below(draw, 2) ? SPL_TRANSPOSE : SPL_NONE;
    zoo_triples_start(&stored, rows, cols);
    for (int64_t e = 0; e < m->triples.nnz; e++) {
        m->numbers[e] = integers_number(draw);
        zoo_triples_add(&stored, m->triples.i[e], m->triples.j[e], (double)e);
    }
    if (m->op)
        zoo_triples_transpose(&stored);
    zoo_build(&m->stored, &stored, form);
    zoo_triples_free(&stored);
    store_values(m, draw);
}

void integers_free(integers_matrix *m)
{
    zoo_triples_free(&m->triples);
    zoo_matrix_free(&m->stored);
    free(m->numbers);
    free(m->values);
}

/* ---- semirings ---- */

const int integers_semirings[INTEGERS_SEMIRINGS] = {SPL_PLUS_TIMES,  SPL_PLUS_PAIR,  SPL_PLUS_FIRST,
                                                    SPL_PLUS_SECOND, SPL_MIN_PLUS,   SPL_MAX_PLUS,
                                                    SPL_MIN_SECOND,  SPL_MAX_SECOND, SPL_OR_SECOND};

static bool is_min(int semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND;
}
static bool is_max(int semiring)
{
    return semiring == SPL_MAX_PLUS || semiring == SPL_MAX_SECOND;
}

bool integers_reads_a(int semiring)
{
    return semiring == SPL_PLUS_TIMES || semiring == SPL_PLUS_FIRST || semiring == SPL_MIN_PLUS ||
           semiring == SPL_MAX_PLUS;
}
bool integers_reads_b(int semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_FIRST;
}

int64_t integers_none(int semiring, spl_type type)
{
    return is_min(semiring) ? largest(type) : is_max(semiring) ? -largest(type) - 1 : 0;
}

/* Infinity of min_plus and max_plus absorbs; other sums stay within the type. */
static int64_t path(int semiring, spl_type type, int64_t a, int64_t b)
{
    const int64_t infinity = integers_none(semiring, type), least = -largest(type) - 1;
    const wide sum = (wide)a + b;
    if (a == infinity || b == infinity)
        return infinity;
    return sum > largest(type) ? largest(type) : sum < least ? least : (int64_t)sum;
}

int64_t integers_multiply(int semiring, spl_type type, int64_t a, int64_t b)
{
    switch (semiring) {
    case SPL_PLUS_TIMES:
        return wrap((wide)a * b, type);
    case SPL_PLUS_PAIR:
        return 1;
    case SPL_PLUS_FIRST:
        return a;
    case SPL_MIN_PLUS:
    case SPL_MAX_PLUS:
        return path(semiring, type, a, b);
    default:
        return b;
    }
}

int64_t integers_add(int semiring, spl_type type, int64_t sum, int64_t value)
{
    if (is_min(semiring))
        return value < sum ? value : sum;
    if (is_max(semiring))
        return value > sum ? value : sum;
    return semiring == SPL_OR_SECOND ? sum | value : wrap((wide)sum + value, type);
}
