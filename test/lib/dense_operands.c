/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run_products.h"

#include <math.h>
#include <string.h>

static int64_t lines_of(const spl_dense *v)
{
    return v->order == SPL_ROW_MAJOR ? v->rows : v->cols;
}

static int64_t line_length(const spl_dense *v)
{
    return v->order == SPL_ROW_MAJOR ? v->cols : v->rows;
}

static int64_t position_of(const spl_dense *v, int64_t i, int64_t j)
{
    return v->order == SPL_ROW_MAJOR ? i * v->ld + j : i + j * v->ld;
}

test_dense test_dense_new(int64_t rows, int64_t cols, spl_type type, spl_order order, int64_t pad)
{
    test_dense dense = {.view = SPL_DENSE_INIT};
    dense.view.type = type;
    dense.view.order = order;
    dense.view.rows = rows;
    dense.view.cols = cols;
    int64_t length = line_length(&dense.view), lines = lines_of(&dense.view);
    dense.view.ld = length + pad;
    /* The last line ends with its last element: the padding after it need not exist. Without
     * elements there is no array. */
    int64_t elements = lines > 0 && length > 0 ? (lines - 1) * dense.view.ld + length : 0;
    dense.memory = guarded_new((size_t)elements * zoo_type_bytes(type));
    dense.view.values = elements > 0 ? dense.memory.data : NULL;
    return dense;
}

double test_dense_at(const test_dense *dense, int64_t i, int64_t j)
{
    return zoo_value_at(dense->view.values, dense->view.type, position_of(&dense->view, i, j));
}

void test_dense_set(test_dense *dense, int64_t i, int64_t j, double value)
{
    zoo_value_set(dense->view.values, dense->view.type, position_of(&dense->view, i, j), value);
}

void test_dense_fill(test_dense *dense, zoo_values values, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t i = 0; i < dense->view.rows; i++)
        for (int64_t j = 0; j < dense->view.cols; j++) {
            double real = zoo_random_unit(&random);
            test_dense_set(dense, i, j,
                           values == ZOO_REAL  ? real
                           : values == ZOO_NAN ? NAN
                                               : floor(real * 5));
        }
}

test_dense test_dense_copy(const test_dense *dense)
{
    test_dense copy = *dense;
    copy.memory = guarded_new(dense->memory.bytes);
    memcpy(copy.memory.data, dense->memory.data, dense->memory.bytes);
    copy.view.values = dense->view.values ? copy.memory.data : NULL;
    return copy;
}

bool test_dense_padding_intact(const test_dense *dense)
{
    const spl_dense *v = &dense->view;
    size_t bytes = zoo_type_bytes(v->type);
    for (int64_t l = 0; v->values && l + 1 < lines_of(v); l++)
        for (int64_t position = line_length(v); position < v->ld; position++)
            if (memcmp((const char *)v->values + (size_t)(l * v->ld + position) * bytes,
                       "\377\377\377\377\377\377\377\377", bytes) != 0)
                return false;
    return guarded_intact(&dense->memory);
}

void test_dense_free(test_dense *dense)
{
    guarded_free(&dense->memory);
    dense->view.values = NULL;
}

int64_t op_rows(const spl_sparse *a, spl_operator op)
{
    return op == SPL_NONE ? a->rows : a->cols;
}

int64_t op_cols(const spl_sparse *a, spl_operator op)
{
    return op == SPL_NONE ? a->cols : a->rows;
}

unsigned char *used_columns(const spl_sparse *a, spl_operator op)
{
    size_t cols = (size_t)op_cols(a, op);
    unsigned char *used = zoo_allocate(cols);
    zoo_triples triples;
    memset(used, 0, cols);
    zoo_triples_of_view(&triples, a);
    for (int64_t e = 0; e < triples.nnz; e++)
        used[op == SPL_NONE ? triples.j[e] : triples.i[e]] = 1;
    zoo_triples_free(&triples);
    return used;
}
