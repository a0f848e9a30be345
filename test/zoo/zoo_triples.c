/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void *zoo_allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "zoo: no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

static void *grow(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes);
    if (!grown)
        abort();
    return grown;
}

void zoo_triples_start(zoo_triples *triples, int64_t rows, int64_t cols)
{
    *triples = (zoo_triples){.rows = rows, .cols = cols};
}

void zoo_triples_add(zoo_triples *triples, int64_t i, int64_t j, double v)
{
    if (triples->nnz == triples->capacity) {
        triples->capacity = triples->capacity ? 2 * triples->capacity : 64;
        size_t count = (size_t)triples->capacity;
        triples->i = grow(triples->i, count * sizeof *triples->i);
        triples->j = grow(triples->j, count * sizeof *triples->j);
        triples->v = grow(triples->v, count * sizeof *triples->v);
    }
    triples->i[triples->nnz] = i;
    triples->j[triples->nnz] = j;
    triples->v[triples->nnz++] = v;
}

static void swap_entries(zoo_triples *t, int64_t a, int64_t b)
{
    int64_t i = t->i[a], j = t->j[a];
    double v = t->v[a];
    t->i[a] = t->i[b], t->j[a] = t->j[b], t->v[a] = t->v[b];
    t->i[b] = i, t->j[b] = j, t->v[b] = v;
}

void zoo_triples_shuffle(zoo_triples *triples, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t e = triples->nnz - 1; e > 0; e--)
        swap_entries(triples, e, zoo_random_below(&random, e + 1));
}

void zoo_triples_transpose(zoo_triples *triples)
{
    int64_t rows = triples->rows, *i = triples->i;
    triples->rows = triples->cols;
    triples->cols = rows;
    triples->i = triples->j;
    triples->j = i;
}

void zoo_triples_free(zoo_triples *triples)
{
    free(triples->i);
    free(triples->j);
    free(triples->v);
    *triples = (zoo_triples){0};
}

static void add_lines(zoo_triples *triples, const spl_sparse *view)
{
    int64_t lines = view->format == SPL_CSR ? view->rows : view->cols;
    for (int64_t line = 0; line < lines; line++) {
        int64_t end = zoo_index_at(view->offsets, view->offset_type, line + 1);
        for (int64_t e = zoo_index_at(view->offsets, view->offset_type, line); e < end; e++) {
            int64_t index = zoo_index_at(view->indices, view->index_type, e);
            double v = zoo_value_at(view->values, view->type, e);
            if (view->format == SPL_CSR)
                zoo_triples_add(triples, line, index, v);
            else
                zoo_triples_add(triples, index, line, v);
        }
    }
}

void zoo_triples_of_view(zoo_triples *triples, const spl_sparse *view)
{
    zoo_triples_start(triples, view->rows, view->cols);
    if (view->format != SPL_COO) {
        add_lines(triples, view);
        return;
    }
    for (int64_t e = 0; e < view->nnz; e++)
        zoo_triples_add(triples, zoo_index_at(view->offsets, view->index_type, e),
                        zoo_index_at(view->indices, view->index_type, e),
                        zoo_value_at(view->values, view->type, e));
}

static double value_of_kind(zoo_values kind, zoo_random *random)
{
    switch (kind) {
    case ZOO_REAL:
        return zoo_random_unit(random);
    case ZOO_INTEGERS:
        return (double)(zoo_random_below(random, 9) - 4);
    case ZOO_ONES:
        return 1;
    case ZOO_SIGNS:
        return zoo_random_below(random, 2) ? 1 : -1;
    case ZOO_NAN:
        break;
    }
    return NAN;
}

void zoo_triples_fill(zoo_triples *triples, zoo_values values, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t e = 0; e < triples->nnz; e++)
        triples->v[e] = value_of_kind(values, &random);
}
