/* SPDX-License-Identifier: Apache-2.0 */
/* Families with random structure, and with unusual entries. */
#include "zoo/zoo.h"

#include <math.h>

/* About `count` distinct ascending columns in row i: one in each of `count` equal slices of the
 * row. */
static void add_spread_row(zoo_triples *triples, int64_t i, int64_t count, zoo_random *random)
{
    int64_t cols = triples->cols;
    count = count < cols ? count : cols;
    for (int64_t s = 0; s < count; s++) {
        int64_t begin = cols * s / count, end = cols * (s + 1) / count;
        int64_t j = begin + zoo_random_below(random, end - begin);
        zoo_triples_add(triples, i, j, zoo_random_unit(random));
    }
}

void zoo_uniform(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++)
        add_spread_row(triples, i, 1 + zoo_random_below(&random, 2 * args[2]), &random);
}

void zoo_half_empty(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 2; i < args[0] - 3; i++)
        if (zoo_random_below(&random, 2))
            add_spread_row(triples, i, args[2], &random);
}

void zoo_rmat(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    zoo_triples_start(triples, (int64_t)1 << args[0], (int64_t)1 << args[0]);
    for (int64_t e = 0; e < args[1]; e++) {
        int64_t i = 0, j = 0;
        for (int64_t bit = 0; bit < args[0]; bit++) {
            int64_t dice = zoo_random_below(&random, 100);
            i = 2 * i + (dice >= 76);
            j = 2 * j + ((dice >= 57 && dice < 76) || dice >= 95);
        }
        zoo_triples_add(triples, i, j, zoo_random_unit(&random));
    }
}

void zoo_hypersparse(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t e = 0; e < args[2]; e++) {
        int64_t i = args[0] * e / args[2];
        zoo_triples_add(triples, i, zoo_random_below(&random, args[1]), zoo_random_unit(&random));
    }
}

void zoo_duplicates(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t e = 0; e < args[2]; e++) {
        int64_t i = zoo_random_below(&random, args[0]);
        int64_t j = zoo_random_below(&random, 1 + args[1] / 3) * 2 % args[1];
        zoo_triples_add(triples, i, j, zoo_random_unit(&random));
    }
}

void zoo_unsorted(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_uniform(triples, args, seed);
    zoo_triples_shuffle(triples, seed + 1);
}

void zoo_explicit_zeros(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_uniform(triples, args, seed);
    for (int64_t e = 0; e < triples->nnz; e += 2)
        triples->v[e] = e % 4 ? -0.0 : 0.0;
}

void zoo_cancelling(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(triples, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++)
        for (int64_t j = i % 2; j < args[1]; j += 2)
            zoo_triples_add(triples, i, j, 1);
    zoo_triples_fill(triples, ZOO_SIGNS, seed);
}

void zoo_nonfinite(zoo_triples *triples, const int64_t *args, uint64_t seed)
{
    zoo_uniform(triples, args, seed);
    for (int64_t e = 0; e < triples->nnz; e += 5)
        triples->v[e] = e % 3 == 0 ? NAN : e % 3 == 1 ? INFINITY : -INFINITY;
}
