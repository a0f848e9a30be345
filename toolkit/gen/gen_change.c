/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of any square matrix: nodes of several unknowns numbered at random; unknowns fixed by
 * boundary conditions, whose rows and columns have only the diagonal left; and holes, as from
 * assembly that stores no zeros. */
#include "gen_job.h"

#include "typed_array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct change {
    const gen_matrix *from;
    double fixed, holes;
    int64_t unknowns; /* of a node */
    uint64_t seed;
    int32_t *number, *node; /* of a node, and the other way round; NULL: as they are */
} change;

static int64_t offset(const gen_matrix *m, int64_t row)
{
    return m->offset_type == SPL_I32 ? ((const int32_t *)m->offsets)[row]
                                     : ((const int64_t *)m->offsets)[row];
}

static int64_t moved(const int32_t *nodes, int64_t unknowns, int64_t i)
{
    return nodes ? nodes[i / unknowns] * unknowns + i % unknowns : i;
}

/* One in 1/share of what has a number; which ones, depends on the sort. */
static int is_chosen(const change *c, uint64_t sort, uint64_t number, double share)
{
    return share > 0 && (double)(gen_hash(c->seed, sort, number) >> 11) * 0x1p-53 < share;
}

static int is_fixed(const change *c, int64_t i)
{
    return is_chosen(c, 6, (uint64_t)i, c->fixed);
}

/* Off the diagonal, symmetrically on both sides. */
static int is_hole(const change *c, int64_t row, int64_t column)
{
    uint64_t low = (uint64_t)(row < column ? row : column),
             high = (uint64_t)(row < column ? column : row);
    return low != high && is_chosen(c, 7, low << 32 | high, c->holes);
}

static int by_column(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* The remaining columns of a row, in any order; columns NULL: only counts. */
static int64_t take_row(const change *c, int64_t row, int32_t *columns)
{
    int64_t from = moved(c->node, c->unknowns, row), count = 0;
    if (is_fixed(c, row)) {
        if (columns)
            columns[0] = (int32_t)row;
        return 1;
    }
    for (int64_t p = offset(c->from, from); p < offset(c->from, from + 1); p++) {
        int64_t column = moved(c->number, c->unknowns, c->from->indices[p]);
        if (is_fixed(c, column) || is_hole(c, row, column))
            continue;
        if (columns)
            columns[count] = (int32_t)column;
        count++;
    }
    return count;
}

static int64_t count_row(const void *self, int64_t row)
{
    return take_row(self, row, NULL);
}

static void fill_row(const void *self, int64_t row, int32_t *columns)
{
    qsort(columns, (size_t)take_row(self, row, columns), sizeof *columns, by_column);
}

static int renumber(change *c, int64_t nodes)
{
    c->number = gen_permutation(c->seed, nodes);
    c->node = tool_array(nodes, sizeof *c->node);
    if (!c->number || !c->node)
        return 0;
    for (int64_t node = 0; node < nodes; node++)
        c->node[c->number[node]] = (int32_t)node;
    return 1;
}

gen_status gen_change(gen_job *job, gen_matrix *matrix)
{
    gen_matrix from = *matrix;
    int64_t unknowns = (int64_t)job->nodes;
    change c = {.from = &from,
                .fixed = job->fixed,
                .holes = job->holes,
                .unknowns = unknowns > 0 ? unknowns : 1,
                .seed = job->seed};
    gen_status status = GEN_OK;
    if (job->fixed <= 0 && job->holes <= 0 && unknowns == 0)
        return GEN_OK;
    memset(matrix, 0, sizeof *matrix);
    if (from.rows != from.cols)
        status = gen_wrong(job,
                           "%" PRId64 " x %" PRId64
                           " is not square: nothing can be fixed, left out or renumbered",
                           from.rows, from.cols);
    else if (from.rows % c.unknowns != 0)
        status = gen_wrong(job, "%" PRId64 " rows are no nodes of %" PRId64 " unknowns", from.rows,
                           c.unknowns);
    else if (unknowns > 0 && !renumber(&c, from.rows / unknowns))
        status = gen_no_memory(job, (double)from.rows * 8);
    gen_rows source = {from.rows, from.cols, &c, count_row, fill_row};
    if (!status)
        status = gen_build(job, &source, matrix);
    free(c.number);
    free(c.node);
    gen_free(&from);
    return status;
}
