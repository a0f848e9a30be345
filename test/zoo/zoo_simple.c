/* SPDX-License-Identifier: Apache-2.0 */
/* Families whose structure is fixed by a sentence. */
#include "zoo/zoo.h"

void zoo_empty(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    (void)seed;
    zoo_triples_start(triples, args[0], args[1]);
}

void zoo_diagonal(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(triples, args[0], args[0]);
    for (int64_t i = 0; i < args[0]; i++)
        zoo_triples_add(triples, i, i, 1);
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

void zoo_dense(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++)
        for (int64_t j = 0; j < args[1]; j++)
            zoo_triples_add(triples, i, j, 1);
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

void zoo_dense_row(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++) {
        int64_t length = i == args[2] ? args[1] : args[3];
        for (int64_t j = 0; j < length; j++)
            zoo_triples_add(triples, i, i == args[2] ? j : (i + j) % args[1], 1);
    }
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

void zoo_dense_column(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++)
        zoo_triples_add(triples, i, args[2], 1);
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

void zoo_arrow(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    int64_t n = args[0];
    zoo_triples_start(triples, n, n);
    for (int64_t j = 0; j < n; j++)
        zoo_triples_add(triples, 0, j, 1);
    for (int64_t i = 1; i < n; i++) {
        zoo_triples_add(triples, i, 0, 1);
        zoo_triples_add(triples, i, i, 1);
    }
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

void zoo_tridiagonal(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_banded(triples, (const int64_t[]){args[0], 1}, seed);
}

void zoo_banded(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    int64_t n = args[0], width = args[1];
    zoo_triples_start(triples, n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i < width ? 0 : i - width; j < n && j <= i + width; j++)
            zoo_triples_add(triples, i, j, 1);
    zoo_triples_fill(triples, ZOO_REAL, seed);
}

/* The unknowns of one node against those of its neighbours at distance <= 1 in each direction. */
static void add_box_row(zoo_triples *t, const int64_t *size, const int64_t *position,
                        int64_t unknown)
{
    int64_t d = size[3];
    int64_t row = ((position[2] * size[1] + position[1]) * size[0] + position[0]) * d + unknown;
    for (int64_t z = position[2] - 1; z <= position[2] + 1; z++)
        for (int64_t y = position[1] - 1; y <= position[1] + 1; y++)
            for (int64_t x = position[0] - 1; x <= position[0] + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2])
                    continue;
                int64_t node = (z * size[1] + y) * size[0] + x;
                for (int64_t u = 0; u < d; u++)
                    zoo_triples_add(t, row, node * d + u, 1);
            }
}

void zoo_box(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    int64_t n = args[0] * args[1] * args[2] * args[3];
    zoo_triples_start(triples, n, n);
    for (int64_t z = 0; z < args[2]; z++)
        for (int64_t y = 0; y < args[1]; y++)
            for (int64_t x = 0; x < args[0]; x++)
                for (int64_t u = 0; u < args[3]; u++)
                    add_box_row(triples, args, (const int64_t[]){x, y, z}, u);
    zoo_triples_fill(triples, ZOO_REAL, seed);
}
