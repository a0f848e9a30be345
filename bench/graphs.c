/* SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void must(spl_status status, const char *what)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s (%s)\n", what, spl_status_name(status), spl_error_detail());
    exit(1);
}

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory)
        must(SPL_OUT_OF_MEMORY, "benchmark");
    return memory;
}

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- graphs ---- */

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void draw_edge(uint64_t *state, int scale, int32_t *i, int32_t *j)
{
    *i = *j = 0;
    for (int bit = 0; bit < scale; bit++) {
        const double r = (double)(draw(state) >> 11) / 9007199254740992.0;
        const int quarter = r < .57 ? 0 : r < .76 ? 1 : r < .95 ? 2 : 3;
        *i = 2 * *i + (quarter >> 1);
        *j = 2 * *j + (quarter & 1);
    }
}

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts rows and leaves repeats out. */
static void tidy(graph *g)
{
    int64_t kept = 0;
    int32_t begin = 0;
    for (int64_t i = 0; i < g->n; i++) {
        const int32_t end = g->offsets[i + 1], first = (int32_t)kept;
        qsort(g->columns + begin, (size_t)(end - begin), sizeof(int32_t), compare_columns);
        for (int32_t p = begin; p < end; p++)
            if (p == begin || g->columns[p] != g->columns[p - 1])
                g->columns[kept++] = g->columns[p];
        begin = end;
        g->offsets[i] = first;
    }
    g->offsets[g->n] = (int32_t)kept;
    g->nnz = kept;
}

static void add_weights(graph *g)
{
    g->weights = allocate((size_t)g->nnz * sizeof(double));
    for (int64_t i = 0; i < g->n; i++)
        for (int32_t p = g->offsets[i]; p < g->offsets[i + 1]; p++)
            g->weights[p] = 1 + (double)((i ^ g->columns[p]) * 2654435761U % 16);
}

/* Edges from pairs of vertices, as if each led both ways. */
static graph join(int64_t n, int64_t m, int32_t *ends)
{
    graph g = {.n = n};
    g.offsets = calloc((size_t)n + 2, sizeof(int32_t));
    g.columns = allocate((size_t)m * 8);
    if (!g.offsets)
        must(SPL_OUT_OF_MEMORY, "benchmark");
    for (int64_t e = 0; e < m; e++)
        if (ends[2 * e] != ends[2 * e + 1])
            g.offsets[ends[2 * e] + 2]++, g.offsets[ends[2 * e + 1] + 2]++;
    for (int64_t i = 0; i <= n; i++)
        g.offsets[i + 1] += g.offsets[i];
    for (int64_t e = 0; e < m; e++) {
        const int32_t i = ends[2 * e], j = ends[2 * e + 1];
        if (i != j)
            g.columns[g.offsets[i + 1]++] = j, g.columns[g.offsets[j + 1]++] = i;
    }
    free(ends);
    tidy(&g);
    add_weights(&g);
    return g;
}

static graph drawn(int scale, bool uniform, uint64_t seed)
{
    const int64_t n = (int64_t)1 << scale, m = 16 * n;
    uint64_t state = 88172645463325252ULL + seed;
    int32_t *ends = allocate((size_t)m * 8);
    for (int64_t e = 0; e < m; e++)
        if (uniform)
            for (int k = 0; k < 2; k++)
                ends[2 * e + k] = (int32_t)(draw(&state) >> (64 - scale));
        else
            draw_edge(&state, scale, &ends[2 * e], &ends[2 * e + 1]);
    return join(n, m, ends);
}

static graph from_file(const char *path)
{
    spl_context *context;
    spl_matrix *matrix;
    spl_sparse a = SPL_SPARSE_INIT;
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    options.format = SPL_CSR;
    options.index_type = SPL_I32;
    options.offset_type = SPL_I64;
    must(spl_context_create(NULL, &context), "context");
    must(spl_read(context, path, &options, &matrix), path);
    must(spl_matrix_view(matrix, &a), path);
    int32_t *ends = allocate((size_t)a.nnz * 8);
    const int64_t *const offsets = a.offsets;
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
            ends[2 * e] = (int32_t)i;
            ends[2 * e + 1] = ((const int32_t *)a.indices)[e];
        }
    const int64_t n = a.rows, m = a.nnz;
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
    return join(n, m, ends);
}

/* Neighbours are left and right, above and below. */
static graph grid(int64_t side)
{
    graph g = {.n = side * side};
    g.offsets = allocate((size_t)(g.n + 1) * sizeof *g.offsets);
    g.columns = allocate((size_t)g.n * 4 * sizeof *g.columns);
    for (int64_t v = 0; v < g.n; v++) {
        const int64_t to[] = {v - side, v % side > 0 ? v - 1 : -1, v % side + 1 < side ? v + 1 : -1,
                              v + side};
        g.offsets[v] = (int32_t)g.nnz;
        for (int k = 0; k < 4; k++)
            if (to[k] >= 0 && to[k] < g.n)
                g.columns[g.nnz++] = (int32_t)to[k];
    }
    g.offsets[g.n] = (int32_t)g.nnz;
    add_weights(&g);
    return g;
}

void graph_dump(const graph *g, const char *path)
{
    FILE *f = fopen(path, "wb");
    const int64_t sizes[2] = {g->n, g->nnz};
    if (!f || fwrite(sizes, 8, 2, f) != 2 ||
        fwrite(g->offsets, 4, (size_t)g->n + 1, f) != (size_t)g->n + 1 ||
        fwrite(g->columns, 4, (size_t)g->nnz, f) != (size_t)g->nnz || fclose(f) != 0)
        must(SPL_FILE_ERROR, path);
}

spl_sparse graph_view(const graph *g, spl_type type, const void *values)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = type;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = view.cols = g->n;
    view.nnz = g->nnz;
    view.offsets = g->offsets;
    view.indices = g->columns;
    view.values = values;
    return view;
}

graph graph_of(const char *name, uint64_t seed)
{
    if (isdigit((unsigned char)name[0]) && strlen(name) < 3)
        return drawn(atoi(name), false, seed);
    if (!strncmp(name, "uniform", 7) && isdigit((unsigned char)name[7]))
        return drawn(atoi(name + 7), true, seed);
    if (!strncmp(name, "grid", 4) && isdigit((unsigned char)name[4]))
        return grid(atoi(name + 4));
    return from_file(name);
}

void graph_free(graph *g)
{
    free(g->offsets);
    free(g->columns);
    free(g->weights);
}

void graph_sources(const graph *g, int64_t count, int64_t *sources)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t v = k * (g->n / count);
        while (v + 1 < g->n && g->offsets[v] == g->offsets[v + 1])
            v++;
        sources[k] = v;
    }
}
