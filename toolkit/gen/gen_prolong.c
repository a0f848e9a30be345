/* SPDX-License-Identifier: Apache-2.0 */
/* Prolongations of algebraic multigrid by aggregation: rows are the unknowns of a grid, columns
 * those of aggregates of size^2 or size^3 nodes. Plain: each unknown belongs to the same unknown of
 * its node's aggregate. Smoothed, which is (I - w D^-1 A) P of the plain P: to all unknowns of the
 * aggregates of the nodes that A couples it with, those of a star (5 or 7 points) or a box (9 or
 * 27). Source: P. Vanek, J. Mandel, M. Brezina, Algebraic Multigrid by Smoothed Aggregation,
 * Computing 56, 1996. */
#include "gen_job.h"

enum { PLAIN, STAR, BOX, MOST_AGGREGATES = 27 };

typedef struct aggregation {
    int64_t n[3], coarse[3]; /* nodes and aggregates in each direction */
    int64_t size, unknowns;
    int smoothed;
} aggregation;

/* The aggregates in one direction that a node reaches: [first, last]. */
static void reach(const aggregation *g, int direction, int64_t position, int64_t *first,
                  int64_t *last)
{
    int64_t step = g->smoothed != PLAIN, low = position - step, high = position + step;
    *first = (low < 0 ? 0 : low) / g->size;
    *last = (high < g->n[direction] ? high : g->n[direction] - 1) / g->size;
}

/* Numbers of the aggregates that the node's row has columns of, ascending. */
static int aggregates(const aggregation *g, int64_t node, int32_t *list)
{
    const int64_t position[3] = {node % g->n[0], node / g->n[0] % g->n[1],
                                 node / g->n[0] / g->n[1]};
    int64_t first[3], last[3];
    int count = 0;
    for (int k = 0; k < 3; k++)
        reach(g, k, position[k], &first[k], &last[k]);
    for (int64_t w = first[2]; w <= last[2]; w++)
        for (int64_t v = first[1]; v <= last[1]; v++)
            for (int64_t u = first[0]; u <= last[0]; u++) {
                int steps = (u != position[0] / g->size) + (v != position[1] / g->size) +
                            (w != position[2] / g->size);
                if (g->smoothed == BOX || steps <= 1)
                    list[count++] = (int32_t)((w * g->coarse[1] + v) * g->coarse[0] + u);
            }
    return count;
}

static int64_t count_row(const void *self, int64_t row)
{
    const aggregation *g = self;
    int32_t list[MOST_AGGREGATES];
    return g->smoothed == PLAIN ? 1 : aggregates(g, row / g->unknowns, list) * g->unknowns;
}

static void fill_row(const void *self, int64_t row, int32_t *columns)
{
    const aggregation *g = self;
    int32_t list[MOST_AGGREGATES];
    int count = aggregates(g, row / g->unknowns, list);
    if (g->smoothed == PLAIN)
        *columns = (int32_t)(list[0] * g->unknowns + row % g->unknowns);
    for (int i = 0; i < count && g->smoothed != PLAIN; i++)
        for (int64_t unknown = 0; unknown < g->unknowns; unknown++)
            *columns++ = (int32_t)(list[i] * g->unknowns + unknown);
}

static gen_status make(gen_job *job, int dimensions, gen_matrix *matrix)
{
    const double *value = job->value;
    aggregation g = {.n = {1, 1, 1},
                     .size = (int64_t)value[dimensions],
                     .smoothed = (int)value[dimensions + 1],
                     .unknowns = (int64_t)value[dimensions + 2]};
    /* each factor is below 2^31: doubles see that the product is not */
    double rows = value[dimensions + 2];
    int64_t nodes = 1, groups = 1;
    for (int k = 0; k < dimensions; k++)
        rows *= value[k];
    if (rows > INT32_MAX)
        return gen_too_many(job, rows);
    for (int k = 0; k < 3; k++) {
        g.n[k] = k < dimensions ? (int64_t)value[k] : 1;
        g.coarse[k] = (g.n[k] + g.size - 1) / g.size;
        nodes *= g.n[k];
        groups *= g.coarse[k];
    }
    gen_rows source = {nodes * g.unknowns, groups * g.unknowns, &g, count_row, fill_row};
    return gen_build(job, &source, matrix);
}

gen_status gen_make_prolong2d(gen_job *job, gen_matrix *matrix)
{
    return make(job, 2, matrix);
}

gen_status gen_make_prolong3d(gen_job *job, gen_matrix *matrix)
{
    return make(job, 3, matrix);
}
