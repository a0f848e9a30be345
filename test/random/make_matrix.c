/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of random cases: a family gives the structure, a kind of values the numbers; duplicates,
 * order and zeros come on top. */
#include "random_case.h"

#include <float.h>
#include <math.h>

/* ---- structures ---- */

typedef void structure(zoo_triples *t, const random_matrix *r, zoo_random *random);

static void add(zoo_triples *t, int64_t i, int64_t j)
{
    if (i >= 0 && j >= 0 && i < t->rows && j < t->cols)
        zoo_triples_add(t, i, j, 1);
}

/* `count` ascending columns, one in each of as many slices of the row. */
static void add_spread_row(zoo_triples *t, int64_t i, int64_t count, zoo_random *random)
{
    count = count < t->cols ? count : t->cols;
    for (int64_t s = 0; s < count; s++) {
        int64_t width = t->cols / count, begin = width * s;
        int64_t slice = s == count - 1 ? t->cols - begin : width;
        add(t, i, begin + zoo_random_below(random, slice));
    }
}

static void make_uniform(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    for (int64_t i = 0; i < r->rows; i++)
        add_spread_row(t, i, zoo_random_below(random, 2 * r->degree + 1), random);
}

static void make_banded(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    (void)random;
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = i - r->degree / 2; j <= i + r->degree / 2; j++)
            add(t, i, j);
}

static void add_node(zoo_triples *t, int64_t row, int64_t col, int64_t size, int64_t kept,
                     zoo_random *random)
{
    for (int64_t i = row; i < row + size; i++)
        for (int64_t j = col; j < col + size; j++)
            if (kept == 100 || zoo_random_below(random, 100) < kept)
                add(t, i, j);
}

/* Blocks on the diagonal and beside it; of their positions `kept` of a hundred are entries. Stored
 * block after block. */
static void make_blocks(zoo_triples *t, const random_matrix *r, int64_t kept, zoo_random *random)
{
    int64_t size = 2 + zoo_random_below(random, 5), near = r->degree / size / 2;
    for (int64_t row = 0; row < r->rows; row += size)
        for (int64_t step = -near; step <= near; step++)
            add_node(t, row, row + step * size, size, kept, random);
}

static void make_nodes(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    make_blocks(t, r, 100, random);
}

static void make_holed_nodes(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    make_blocks(t, r, 50 + zoo_random_below(random, 50), random);
}

/* Runs of neighbours have the same columns. */
static void make_alike_rows(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    for (int64_t i = 0; i < r->rows;) {
        uint64_t columns = zoo_random_next(random);
        int64_t count = zoo_random_below(random, 2 * r->degree + 1);
        for (int64_t end = i + 1 + zoo_random_below(random, 9); i < end && i < r->rows; i++) {
            zoo_random again;
            zoo_random_seed(&again, columns);
            add_spread_row(t, i, count, &again);
        }
    }
}

/* Small numbers are drawn most. */
static int64_t skewed(int64_t count, zoo_random *random)
{
    double u = fabs(zoo_random_unit(random));
    return (int64_t)((double)count * u * u * u * 0.999999);
}

static void make_power_law(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    for (int64_t e = 0; e < r->rows * r->degree; e++)
        add(t, skewed(r->rows, random), skewed(r->cols, random));
}

static void make_long_row(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t which = r->rows ? zoo_random_below(random, r->rows) : 0;
    for (int64_t i = 0; i < r->rows; i++)
        add_spread_row(t, i, i == which ? r->cols : zoo_random_below(random, 3), random);
}

static void make_long_column(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t which = r->cols ? zoo_random_below(random, r->cols) : 0;
    for (int64_t i = 0; i < r->rows; i++) {
        add(t, i, which);
        if (which + 1 < r->cols && zoo_random_below(random, 2))
            add(t, i, which + 1 + zoo_random_below(random, r->cols - which - 1));
    }
}

static void make_half_empty(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    for (int64_t i = 2; i < r->rows - 3; i++)
        if (zoo_random_below(random, 2))
            add_spread_row(t, i, r->degree, random);
}

static void make_no_entries(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    (void)t, (void)r, (void)random;
}

static void make_diagonal(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t shift = zoo_random_below(random, 3) - 1;
    for (int64_t i = 0; i < r->rows; i++)
        add(t, i, i + shift);
}

static void make_permutation(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t stride = r->cols ? 1 + zoo_random_below(random, r->cols) : 1;
    for (int64_t i = 0; i < r->rows && r->cols; i++)
        add(t, i, (i * stride + 1) % r->cols);
}

/* Fewer entries than rows, anywhere in a matrix as wide as may be. */
static void make_few_entries(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t count = r->rows && r->cols ? zoo_random_below(random, 20) : 0;
    for (int64_t e = 0; e < count; e++)
        add(t, zoo_random_below(random, r->rows), zoo_random_below(random, r->cols));
}

static void make_full(zoo_triples *t, const random_matrix *r, zoo_random *random)
{
    int64_t cols = r->cols < 4 * r->degree ? r->cols : 4 * r->degree;
    (void)random;
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = 0; j < cols; j++)
            add(t, i, j);
}

static structure *const structures[FAMILIES] = {
    make_uniform,   make_banded,      make_nodes,       make_holed_nodes, make_alike_rows,
    make_power_law, make_long_row,    make_long_column, make_half_empty,  make_no_entries,
    make_diagonal,  make_permutation, make_few_entries, make_full,
};

/* ---- values ---- */

static double largest_of(spl_type type)
{
    return type == SPL_F64 ? DBL_MAX : type == SPL_F16 ? 65504 : FLT_MAX;
}

/* Between 2^-span and 2^span. */
static double of_any_size(zoo_random *random, int span)
{
    return ldexp(zoo_random_unit(random), (int)zoo_random_below(random, 2 * span + 1) - span);
}

static double subnormal(zoo_random *random, spl_type type)
{
    int least = type == SPL_F64 ? -1074 : type == SPL_F16 ? -24 : -149;
    return ldexp(zoo_random_unit(random), least + 12);
}

static bool one_in(zoo_random *random, int64_t count)
{
    return zoo_random_below(random, count) == 0;
}

double random_value(zoo_random *random, random_values kind, spl_type type)
{
    double unit = zoo_random_unit(random);
    switch (kind) {
    case VALUES_INTEGERS:
        return floor(5 * unit);
    case VALUES_EQUAL:
        return 0.7;
    case VALUES_FEW:
        return floor(4 * unit) / 3;
    case VALUES_SIGNS:
        return unit < 0 ? -1 : 1;
    case VALUES_SINGLE:
        return (double)(float)unit;
    case VALUES_SHORT:
        return floor(32767 * unit) / 1024;
    case VALUES_WIDE:
        return of_any_size(random, type == SPL_F64 ? 500 : type == SPL_F16 ? 6 : 60);
    case VALUES_SUBNORMAL:
        return one_in(random, 2) ? subnormal(random, type) : unit;
    case VALUES_HUGE:
        return one_in(random, 3) ? largest_of(type) * unit : unit;
    case VALUES_WITH_INF:
        return one_in(random, 12) ? copysign(INFINITY, unit) : unit;
    case VALUES_WITH_NAN:
        return one_in(random, 12) ? NAN : unit;
    case VALUES_REAL:
    case VALUE_KINDS:
        break;
    }
    return unit;
}

/* ---- the whole ---- */

static void add_duplicates(zoo_triples *t, zoo_random *random)
{
    for (int64_t e = t->nnz / 4; e > 0; e--) {
        int64_t entry = zoo_random_below(random, t->nnz);
        add(t, t->i[entry], t->j[entry]);
    }
}

void random_matrix_make(zoo_triples *triples, const random_matrix *recipe)
{
    zoo_random random;
    zoo_random_seed(&random, recipe->seed);
    zoo_triples_start(triples, recipe->rows, recipe->cols);
    structures[recipe->family](triples, recipe, &random);
    if (recipe->duplicates)
        add_duplicates(triples, &random);
    if (recipe->shuffled)
        zoo_triples_shuffle(triples, zoo_random_next(&random));
    for (int64_t e = 0; e < triples->nnz; e++) {
        double value = random_value(&random, recipe->values, recipe->form.type);
        triples->v[e] = recipe->zeros && one_in(&random, 4) ? copysign(0, value) : value;
    }
}
