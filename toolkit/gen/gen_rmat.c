/* SPDX-License-Identifier: Apache-2.0 */
/* R-MAT graphs: an edge falls into one of the four quarters of the adjacency matrix with
 * probabilities a, b, b, 1-a-2b, again and again until it is a position. Made symmetric, without
 * loops, vertices renumbered at random, equal edges merged. Each edge is a function of its number,
 * so it is computed twice (to count, to place) and never stored. Rows are filled in any order and
 * sorted, which makes the result independent of threads. Source: D. Chakrabarti, Y. Zhan, C.
 * Faloutsos, R-MAT: A Recursive Model for Graph Mining, SDM 2004. */
#include "gen_job.h"

#include "typed_array.h"

#include <stdlib.h>
#include <string.h>

typedef struct rmat {
    int64_t vertices, edges;
    int levels;
    uint32_t bounds[3]; /* of a, a+b, a+2b, in 2^16 */
    uint64_t seed;
    int32_t *number; /* of a vertex after scrambling */
} rmat;

/* A row and a column, possibly beyond the last vertex. Four levels share 64 random bits. */
static void draw(const rmat *r, gen_stream *stream, int64_t *from, int64_t *to)
{
    uint64_t bits = 0, row = 0, column = 0;
    for (int level = 0; level < r->levels; level++, bits >>= 16) {
        if (level % 4 == 0)
            bits = gen_next(stream);
        uint32_t lot = bits & 0xffff;
        uint64_t above = lot >= r->bounds[1];
        uint64_t right = (lot >= r->bounds[0]) ^ above ^ (lot >= r->bounds[2]);
        row = row << 1 | above;
        column = column << 1 | right;
    }
    *from = (int64_t)row;
    *to = (int64_t)column;
}

static void edge(const rmat *r, int64_t i, int32_t *from, int32_t *to)
{
    gen_stream stream = {gen_hash(r->seed, (uint64_t)i, 4)};
    int64_t a, b;
    do
        draw(r, &stream, &a, &b);
    while (a >= r->vertices || b >= r->vertices || a == b);
    *from = r->number[a];
    *to = r->number[b];
}

static void count_edges(const rmat *r, int64_t *counts)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < r->edges; i++) {
        int32_t a, b;
        edge(r, i, &a, &b);
#pragma omp atomic
        counts[a]++;
#pragma omp atomic
        counts[b]++;
    }
}

/* `ends` holds where each row begins and, afterwards, where it ends. */
static void position_edges(const rmat *r, int64_t *ends, int32_t *columns)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < r->edges; i++) {
        int32_t a, b;
        int64_t in_a, in_b;
        edge(r, i, &a, &b);
#pragma omp atomic capture
        in_a = ends[a]++;
#pragma omp atomic capture
        in_b = ends[b]++;
        columns[in_a] = b;
        columns[in_b] = a;
    }
}

/* Sorts a row and merges equal columns; returns how many remain. */
static int64_t merge_row(int32_t *columns, int64_t count, int32_t *scratch)
{
    gen_sort(columns, count, scratch);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || columns[i] != columns[i - 1])
            columns[kept++] = columns[i];
    return kept;
}

static int64_t longest_row(const int64_t *offsets, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; row++)
        if (offsets[row + 1] - offsets[row] > longest)
            longest = offsets[row + 1] - offsets[row];
    return longest;
}

/* counts[row + 1] becomes the number of different columns of the row. Returns 0 if there is no
 * memory. */
static int merge_rows(int64_t rows, const int64_t *offsets, int32_t *columns, int64_t *counts)
{
    int failed = 0;
    int64_t longest = longest_row(offsets, rows);
#pragma omp parallel reduction(| : failed)
    {
        int32_t *scratch = tool_array(longest, sizeof *scratch);
        failed = !scratch;
#pragma omp for schedule(dynamic, 256)
        for (int64_t row = 0; row < rows; row++)
            if (!failed)
                counts[row + 1] =
                    merge_row(columns + offsets[row], offsets[row + 1] - offsets[row], scratch);
        free(scratch);
    }
    return !failed;
}

/* The matrix without gaps; takes over and frees what is no longer needed. */
static gen_status pack(gen_job *job, int64_t rows, int64_t *offsets, int32_t *loose,
                       int64_t *merged, gen_matrix *matrix)
{
    int64_t nnz = gen_sum_counts(merged, rows);
    int32_t *columns = tool_array(nnz, sizeof *columns);
    if (columns) {
#pragma omp parallel for schedule(dynamic, 1024)
        for (int64_t row = 0; row < rows; row++)
            memcpy(columns + merged[row], loose + offsets[row],
                   (size_t)(merged[row + 1] - merged[row]) * sizeof *columns);
    }
    free(loose);
    free(offsets);
    if (columns)
        return gen_complete(job, rows, rows, merged, columns, matrix);
    free(merged);
    return gen_no_memory(job, (double)nnz * 4);
}

static gen_status build(gen_job *job, const rmat *r, gen_matrix *matrix)
{
    int64_t rows = r->vertices, *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    int64_t *ends = tool_array(rows + 1, sizeof *ends);
    int32_t *columns = tool_array(2 * r->edges, sizeof *columns);
    if (!offsets || !ends || !columns) {
        free(offsets);
        free(ends);
        free(columns);
        return gen_no_memory(job, (double)r->edges * 8 + (double)rows * 16);
    }
    count_edges(r, offsets + 1);
    gen_sum_counts(offsets, rows);
    memcpy(ends, offsets, (size_t)(rows + 1) * sizeof *ends);
    position_edges(r, ends, columns);
    if (merge_rows(rows, offsets, columns, ends))
        return pack(job, rows, offsets, columns, ends, matrix);
    free(offsets);
    free(ends);
    free(columns);
    return gen_no_memory(job, (double)rows * 4);
}

gen_status gen_make_rmat(gen_job *job, gen_matrix *matrix)
{
    double vertices = job->value[0], edges = job->value[1], a = job->value[2], b = job->value[3];
    if (edges > vertices * (vertices - 1) / 2)
        return gen_wrong(job, "%.0f vertices have no %.0f different pairs", vertices, edges);
    if (a + 2 * b > 1)
        return gen_wrong(job, "a + 2*b is more than 1");
    rmat r = {.vertices = (int64_t)vertices, .edges = (int64_t)edges, .seed = job->seed};
    while (INT64_C(1) << r.levels < r.vertices)
        r.levels++;
    for (int i = 0; i < 3; i++)
        r.bounds[i] = (uint32_t)((a + i * b) * 65536 + 0.5);
    /* Without an edge off the diagonal in reach, drawing would never end. */
    if (edges > 0 && (r.bounds[2] == r.bounds[0] || r.bounds[0] == 65536))
        return gen_wrong(job, "b = %g leaves no edges between different vertices", b);
    r.number = gen_permutation(job->seed + 1, r.vertices);
    gen_status status = r.number ? build(job, &r, matrix) : gen_no_memory(job, vertices * 4);
    free(r.number);
    return status;
}
