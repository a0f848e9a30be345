/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic lattices.
 *
 * lattice: the Wilson operator of lattice quantum chromodynamics without its diagonal: 4 spins x 3
 * colours a site. In the Dirac basis the projectors 1 -+ gamma couple spin s with itself and with
 * 3-s (directions x, y) or s^2 (z), each way; in time gamma is diagonal, so that spins 0, 1 couple
 * forwards only and 2, 3 backwards only. That is 3*2*2*3 + 3 = 39 entries a row. Source: K. Wilson,
 * Confinement of quarks, Physical Review D 10, 1974.
 *
 * periodic: a grid whose nodes couple with those at -nx, -1, 0 and nx-1 in natural order, around
 * the ends: the state space of an epidemic, 4 entries in every row. */
#include "gen_job.h"

enum { SPINS = 4, COLOURS = 3, ROW_ENTRIES = 39 };

typedef struct lattice {
    int64_t length, time;
} lattice;

static int64_t lattice_count(const void *self, int64_t row)
{
    (void)self, (void)row;
    return ROW_ENTRIES;
}

static int32_t *put_colours(int32_t *columns, int64_t site, int64_t spin)
{
    for (int64_t colour = 0; colour < COLOURS; colour++)
        *columns++ = (int32_t)((site * SPINS + spin) * COLOURS + colour);
    return columns;
}

static void lattice_fill(const void *self, int64_t row, int32_t *columns)
{
    const lattice *l = self;
    int64_t spin = row / COLOURS % SPINS, site = row / COLOURS / SPINS;
    int64_t n = l->length, stride = 1;
    int32_t *next = columns;
    for (int direction = 0; direction < 3; direction++, stride *= n) {
        int64_t position = site / stride % n, partner = direction == 2 ? spin ^ 2 : 3 - spin;
        for (int64_t step = 1; step < n; step += n - 2) { /* forwards 1, backwards n-1 */
            int64_t other = site + ((position + step) % n - position) * stride;
            next = put_colours(put_colours(next, other, spin), other, partner);
        }
    }
    int64_t position = site / stride, step = spin < 2 ? 1 : l->time - 1;
    next = put_colours(next, (site + ((position + step) % l->time - position) * stride), spin);
    gen_sort(columns, next - columns, NULL);
}

gen_status gen_make_lattice(gen_job *job, gen_matrix *matrix)
{
    lattice l = {(int64_t)job->value[0], (int64_t)job->value[1]};
    double rows = job->value[0] * job->value[0] * job->value[0] * job->value[1] * SPINS * COLOURS;
    if (rows > INT32_MAX)
        return gen_too_many(job, rows);
    gen_rows source = {(int64_t)rows, (int64_t)rows, &l, lattice_count, lattice_fill};
    return gen_build(job, &source, matrix);
}

typedef struct periodic {
    int64_t nx, rows;
} periodic;

static int64_t periodic_count(const void *self, int64_t row)
{
    (void)self, (void)row;
    return 4;
}

static void periodic_fill(const void *self, int64_t row, int32_t *columns)
{
    const periodic *p = self;
    const int64_t steps[] = {0, p->rows - 1, p->nx - 1, p->rows - p->nx};
    for (int i = 0; i < 4; i++)
        columns[i] = (int32_t)((row + steps[i]) % p->rows);
    gen_sort(columns, 4, NULL);
}

gen_status gen_make_periodic(gen_job *job, gen_matrix *matrix)
{
    double rows = job->value[0] * job->value[1];
    if (rows > INT32_MAX)
        return gen_too_many(job, rows);
    periodic p = {(int64_t)job->value[0], (int64_t)rows};
    gen_rows source = {p.rows, p.rows, &p, periodic_count, periodic_fill};
    return gen_build(job, &source, matrix);
}
