/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/holed_matrices.h"

#include "lib/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const holed_shape holed_shapes[] = {
    {"a mesh", {"nodes", zoo_box, {4, 3, 3, 1}, false}, 10, 0},
    {"no holes", {"nodes", zoo_box, {4, 3, 3, 1}, false}, 0, 0},
    {"many holes", {"nodes", zoo_box, {5, 4, 1, 1}, false}, 3, 0},
    {"a node cut in two", {"nodes", zoo_box, {4, 3, 3, 1}, false}, 10, 1},
    {"nodes at random", {"nodes", zoo_uniform, {60, 60, 9}, false}, 9, 0},
    {"rows of any length, some empty", {"nodes", zoo_half_empty, {60, 60, 3}, false}, 10, 0},
    {"wide", {"nodes", zoo_uniform, {9, 300, 12}, false}, 9, 1},
    {"narrow", {"nodes", zoo_uniform, {300, 2, 2}, false}, 9, 1},
    {"a long row", {"nodes", zoo_dense_row, {300, 300, 4, 2}, false}, 8, 1},
};
const int holed_shape_count = sizeof holed_shapes / sizeof *holed_shapes;

/* The last rows and columns go. */
static void cut(zoo_triples *t, int64_t lines)
{
    int64_t kept = 0;
    t->rows -= lines;
    t->cols -= lines;
    for (int64_t e = 0; e < t->nnz; e++)
        if (t->i[e] < t->rows && t->j[e] < t->cols) {
            t->i[kept] = t->i[e];
            t->j[kept++] = t->j[e];
        }
    t->nnz = kept;
}

void holed_matrix(zoo_matrix *m, const holed_shape *shape, int size, int form)
{
    zoo_triples t;
    block_matrix(&t, &shape->nodes, size, testing_seed());
    if (shape->one_in > 0)
        block_matrix_holes(&t, shape->one_in, testing_seed() + 1);
    cut(&t, shape->cut);
    block_matrix_build(m, &t, form);
}

void holed_or_scattered_matrix(zoo_matrix *m, const holed_shape *shape, int size)
{
    static const zoo_maker scattered = {"scattered", zoo_uniform, {3000, 3000, 12}, false};
    zoo_triples t;
    if (size < 7) {
        holed_matrix(m, shape, size, 0);
        return;
    }
    zoo_make(&t, &scattered, testing_seed());
    block_matrix_build(m, &t, 0);
}

void holed_matrix_in_no_order(zoo_matrix *m)
{
    static const holed_shape mesh = {"a mesh", {"nodes", zoo_box, {9, 8, 8, 1}, false}, 10, 0};
    holed_matrix(m, &mesh, 3, 0);
    const int64_t first = zoo_index_at(m->view.indices, m->view.index_type, 0),
                  second = zoo_index_at(m->view.indices, m->view.index_type, 1);
    zoo_index_set(m->indices, m->view.index_type, 0, second);
    zoo_index_set(m->indices, m->view.index_type, 1, first);
}

bool holed_plan(const spl_plan *plan, int size)
{
    char text[16384], words[64];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    snprintf(words, sizeof words,
             size > 0 ? "  %d unknowns per node" : " unknowns per node: ", size);
    return strstr(text, words) && strstr(text, "% full");
}

bool same_number(double x, double y)
{
    if (isnan(y))
        return isnan(x);
    return isinf(y) ? x == y : fabs(x - y) <= 1e-12 * (1 + fabs(y));
}
