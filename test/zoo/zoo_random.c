/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

void zoo_random_seed(zoo_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&seed);
}

uint64_t zoo_random_next(zoo_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

int64_t zoo_random_below(zoo_random *random, int64_t below)
{
    return (int64_t)(zoo_random_next(random) % (uint64_t)below);
}

double zoo_random_unit(zoo_random *random)
{
    return (double)(zoo_random_next(random) >> 11) * 0x1p-52 - 1.0;
}
