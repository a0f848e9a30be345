/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/block_matrices.h"

#include "lib/testing.h"

#include <stdlib.h>

/* Every entry of `nodes` becomes a dense block. */
static void expand(zoo_triples *t, const zoo_triples *nodes, int64_t rows, int64_t cols)
{
    zoo_triples_start(t, nodes->rows * rows, nodes->cols * cols);
    for (int64_t e = 0; e < nodes->nnz; e++)
        for (int64_t r = 0; r < rows * cols; r++)
            zoo_triples_add(t, nodes->i[e] * rows + r / cols, nodes->j[e] * cols + r % cols, 0);
}

/* By rows, columns ascending: the structure of CSR in canonical order. */
static int by_position(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    int rows = (x[0] > y[0]) - (x[0] < y[0]);
    return rows ? rows : (x[1] > y[1]) - (x[1] < y[1]);
}

void block_matrix_sort(zoo_triples *t)
{
    int64_t(*at)[2] = zoo_allocate((size_t)t->nnz * sizeof *at);
    for (int64_t e = 0; e < t->nnz; e++)
        at[e][0] = t->i[e], at[e][1] = t->j[e];
    qsort(at, (size_t)t->nnz, sizeof *at, by_position);
    for (int64_t e = 0; e < t->nnz; e++)
        t->i[e] = at[e][0], t->j[e] = at[e][1];
    free(at);
}

void block_matrix(zoo_triples *t, const zoo_maker *nodes, int64_t size, uint64_t seed)
{
    block_matrix_rectangular(t, nodes, size, size, seed);
}

void block_matrix_rectangular(zoo_triples *t, const zoo_maker *nodes, int64_t rows, int64_t cols,
                              uint64_t seed)
{
    zoo_triples pattern;
    zoo_make(&pattern, nodes, seed);
    expand(t, &pattern, rows, cols);
    zoo_triples_free(&pattern);
    block_matrix_sort(t);
}

void block_matrix_build(zoo_matrix *m, zoo_triples *t, int form)
{
    zoo_triples_fill(t, ZOO_REAL, testing_seed());
    zoo_build(m, t, zoo_form_number(form));
    zoo_triples_free(t);
}

/* ---- faults ---- */

static void drop_entry(zoo_triples *t, int64_t position)
{
    t->nnz--;
    for (int64_t e = position; e < t->nnz; e++)
        t->i[e] = t->i[e + 1], t->j[e] = t->j[e + 1];
}

static void without_one_entry(zoo_triples *t)
{
    drop_entry(t, t->nnz / 2);
}

/* The last entry of a row, so that columns of all rows still come in runs of three. */
static void without_the_last(zoo_triples *t)
{
    drop_entry(t, t->nnz - 1);
}

static void with_one_entry_more(zoo_triples *t)
{
    for (int64_t j = 0;; j++) {
        bool found = false;
        for (int64_t e = 0; e < t->nnz; e++)
            found = found || (t->i[e] == 0 && t->j[e] == j);
        if (!found) {
            zoo_triples_add(t, 0, j, 0);
            break;
        }
    }
    block_matrix_sort(t);
}

static void with_shifted_rows(zoo_triples *t)
{
    for (int64_t e = 0; e < t->nnz; e++)
        t->i[e] = (t->i[e] + 1) % t->rows;
    block_matrix_sort(t);
}

static void with_shifted_columns(zoo_triples *t)
{
    for (int64_t e = 0; e < t->nnz; e++)
        t->j[e] = (t->j[e] + 1) % t->cols;
    block_matrix_sort(t);
}

static void with_an_empty_row(zoo_triples *t)
{
    int64_t kept = 0;
    for (int64_t e = 0; e < t->nnz; e++)
        if (t->i[e] != 4) {
            t->i[kept] = t->i[e];
            t->j[kept++] = t->j[e];
        }
    t->nnz = kept;
}

/* In its row, so that only the order of columns is wrong. */
static void swap_two_columns(zoo_triples *t, int64_t row)
{
    for (int64_t e = 0; e + 1 < t->nnz; e++)
        if (t->i[e] == row && t->i[e + 1] == row) {
            int64_t j = t->j[e];
            t->j[e] = t->j[e + 1];
            t->j[e + 1] = j;
            return;
        }
}

static void with_two_columns_swapped(zoo_triples *t)
{
    swap_two_columns(t, t->rows / 2);
}

static void with_two_columns_of_a_later_row_swapped(zoo_triples *t)
{
    swap_two_columns(t, t->rows / 2 + 1);
}

/* Moves it to the next free column: the row's length does not change. */
static void with_a_moved_column(zoo_triples *t)
{
    for (int64_t e = 0; e < t->nnz; e++) {
        bool free_behind = e + 1 == t->nnz || t->i[e + 1] != t->i[e] || t->j[e + 1] != t->j[e] + 1;
        if (t->i[e] == t->rows / 2 + 1 && free_behind && t->j[e] + 1 < t->cols) {
            t->j[e]++;
            return;
        }
    }
}

static void with_a_repeated_column(zoo_triples *t)
{
    t->j[1] = t->j[0];
}

static void as_it_is(zoo_triples *t)
{
    (void)t;
}

const block_fault block_faults[] = {
    {"as it is", as_it_is, true, true},
    {"one entry of a block missing", without_one_entry, false, true},
    {"the very last entry missing", without_the_last, false, true},
    {"one entry more", with_one_entry_more, false, true},
    {"rows shifted by one", with_shifted_rows, false, true},
    {"columns shifted by one", with_shifted_columns, false, true},
    {"one row empty", with_an_empty_row, false, true},
    {"two columns swapped", with_two_columns_swapped, false, false},
    {"two columns of a later row swapped", with_two_columns_of_a_later_row_swapped, false, false},
    {"one column moved", with_a_moved_column, false, true},
    {"a column twice", with_a_repeated_column, false, false},
};
const int block_fault_count = (int)(sizeof block_faults / sizeof *block_faults);

void block_fault_build(zoo_matrix *m, const block_fault *fault)
{
    static const zoo_maker nodes = {"nodes", zoo_uniform, {40, 40, 6}, false};
    zoo_triples t;
    block_matrix(&t, &nodes, 3, testing_seed());
    fault->spoil(&t);
    block_matrix_build(m, &t, 0);
}

/* ---- nodes of several sizes ---- */

void block_matrix_mixed(zoo_triples *t, const zoo_maker *maker, const int sizes[3], uint64_t seed)
{
    zoo_triples nodes;
    zoo_make(&nodes, maker, seed);
    int64_t count = nodes.rows > nodes.cols ? nodes.rows : nodes.cols;
    int64_t *first = zoo_allocate((size_t)(count + 1) * sizeof *first);
    first[0] = 0;
    for (int64_t i = 0; i < count; i++)
        first[i + 1] = first[i] + sizes[i % 3];
    zoo_triples_start(t, first[nodes.rows], first[nodes.cols]);
    for (int64_t e = 0; e < nodes.nnz; e++)
        for (int64_t i = first[nodes.i[e]]; i < first[nodes.i[e] + 1]; i++)
            for (int64_t j = first[nodes.j[e]]; j < first[nodes.j[e] + 1]; j++)
                zoo_triples_add(t, i, j, 0);
    zoo_triples_free(&nodes);
    free(first);
    block_matrix_sort(t);
}

/* ---- holes, and boundary conditions ---- */

void block_matrix_holes(zoo_triples *t, uint64_t one_in, uint64_t seed)
{
    zoo_random random;
    int64_t kept = 0;
    zoo_random_seed(&random, seed);
    for (int64_t e = 0; e < t->nnz; e++)
        if (zoo_random_below(&random, one_in) != 0) {
            t->i[kept] = t->i[e];
            t->j[kept++] = t->j[e];
        }
    t->nnz = kept;
}

void block_matrix_fix(zoo_triples *t, uint64_t seed)
{
    enum { ONE_IN = 10 };
    zoo_random random;
    zoo_random_seed(&random, seed);
    bool *fixed = zoo_allocate((size_t)(t->rows + 1) * sizeof *fixed);
    for (int64_t i = 0; i < t->rows; i++)
        fixed[i] = zoo_random_below(&random, ONE_IN) == 0;
    int64_t kept = 0;
    for (int64_t e = 0; e < t->nnz; e++)
        if (!fixed[t->i[e]] && !fixed[t->j[e]]) {
            t->i[kept] = t->i[e];
            t->j[kept++] = t->j[e];
        }
    t->nnz = kept;
    for (int64_t i = 0; i < t->rows; i++)
        if (fixed[i])
            zoo_triples_add(t, i, i, 0);
    free(fixed);
    block_matrix_sort(t);
}
