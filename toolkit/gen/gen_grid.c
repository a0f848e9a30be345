/* SPDX-License-Identifier: Apache-2.0 */
/* Grids: nodes in natural order, d unknowns each, coupled with themselves and with neighbours at
 * distance at most 1: in each direction (box: 9 or 27 points) or in one (star: 5 or 7). `drop`
 * removes couplings of two nodes, both ways; `shuffle` renumbers the nodes. */
#include "gen_job.h"

#include "typed_array.h"

#include <stdlib.h>

typedef struct grid {
    int64_t nx, ny, nz, unknowns;
    int star;
    double drop;
    uint64_t seed;
    int32_t *number; /* of a node; NULL: its natural one */
    int32_t *node;   /* of a number */
} grid;

enum { MOST_NEIGHBOURS = 27 };

/* Both ends agree. */
static int dropped(const grid *g, int64_t node, int64_t other)
{
    if (g->drop <= 0 || node == other)
        return 0;
    uint64_t low = (uint64_t)(node < other ? node : other),
             high = (uint64_t)(node < other ? other : node);
    return (double)(gen_hash(g->seed, low, high) >> 11) * 0x1p-53 < g->drop;
}

/* Numbers of the nodes coupled with the node of that number, ascending. */
static int neighbours(const grid *g, int64_t number, int32_t *list)
{
    int64_t node = g->node ? g->node[number] : number;
    int64_t x = node % g->nx, y = node / g->nx % g->ny, z = node / g->nx / g->ny;
    int count = 0;
    for (int64_t w = z - (z > 0); w <= z + (z + 1 < g->nz); w++)
        for (int64_t v = y - (y > 0); v <= y + (y + 1 < g->ny); v++)
            for (int64_t u = x - (x > 0); u <= x + (x + 1 < g->nx); u++) {
                int64_t other = (w * g->ny + v) * g->nx + u;
                int distance = (u != x) + (v != y) + (w != z);
                if ((g->star && distance > 1) || dropped(g, node, other))
                    continue;
                list[count++] = g->number ? g->number[other] : (int32_t)other;
            }
    if (g->number)
        gen_sort(list, count, NULL);
    return count;
}

static int64_t count_row(const void *self, int64_t row)
{
    const grid *g = self;
    int32_t list[MOST_NEIGHBOURS];
    return neighbours(g, row / g->unknowns, list) * g->unknowns;
}

static void fill_row(const void *self, int64_t row, int32_t *columns)
{
    const grid *g = self;
    int32_t list[MOST_NEIGHBOURS];
    int count = neighbours(g, row / g->unknowns, list);
    for (int i = 0; i < count; i++)
        for (int64_t unknown = 0; unknown < g->unknowns; unknown++)
            *columns++ = (int32_t)(list[i] * g->unknowns + unknown);
}

static int renumber(grid *g, int64_t nodes)
{
    g->number = gen_permutation(g->seed, nodes);
    g->node = tool_array(nodes, sizeof *g->node);
    if (!g->number || !g->node)
        return 0;
    for (int64_t node = 0; node < nodes; node++)
        g->node[g->number[node]] = (int32_t)node;
    return 1;
}

static gen_status make(gen_job *job, grid *g, int shuffle, gen_matrix *matrix)
{
    /* Each factor is below 2^31: doubles are exact enough to see that the product is not. */
    double rows = (double)g->nx * (double)g->ny * (double)g->nz * (double)g->unknowns;
    if (rows > INT32_MAX)
        return gen_too_many(job, rows);
    int64_t nodes = g->nx * g->ny * g->nz;
    g->seed = job->seed;
    gen_status status = GEN_OK;
    if (shuffle && !renumber(g, nodes))
        status = gen_no_memory(job, (double)nodes * 8);
    gen_rows source = {nodes * g->unknowns, nodes * g->unknowns, g, count_row, fill_row};
    if (!status)
        status = gen_build(job, &source, matrix);
    free(g->number);
    free(g->node);
    return status;
}

static gen_status make_grid(gen_job *job, int dimensions, int star, int box, gen_matrix *matrix)
{
    const double *value = job->value;
    grid g = {
        .nx = (int64_t)value[0], .ny = (int64_t)value[1], .nz = 1, .unknowns = 1, .star = star};
    const double *rest = value + dimensions;
    if (dimensions == 3)
        g.nz = (int64_t)value[2];
    if (!box)
        return make(job, &g, 0, matrix);
    g.unknowns = (int64_t)rest[0];
    g.drop = rest[1];
    return make(job, &g, rest[2] != 0, matrix);
}

gen_status gen_make_box2d(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 2, 0, 1, matrix);
}

gen_status gen_make_box3d(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 3, 0, 1, matrix);
}

gen_status gen_make_stencil5(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 2, 1, 0, matrix);
}

gen_status gen_make_stencil9(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 2, 0, 0, matrix);
}

gen_status gen_make_stencil7(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 3, 1, 0, matrix);
}

gen_status gen_make_stencil27(gen_job *job, gen_matrix *matrix)
{
    return make_grid(job, 3, 0, 0, matrix);
}
