/* SPDX-License-Identifier: Apache-2.0 */
/* count_triangles FILE: triangles in the undirected graph of a matrix with symmetric pattern.
 *
 * With L the strictly lower triangle of the adjacency matrix, (L*L)_ij counts the vertices between
 * j and i on paths i > k > j; where (i,j) is an edge too, each of them closes a triangle. Their
 * number is the sum of L*L over the pattern of L. Source: M. Wolf, M. Deveci, J. Berry, S. Hammond,
 * S. Rajamanickam, Fast Linear Algebra-Based Triangle Counting with KokkosKernels, HPEC 2017. */
#include <sparloom/sparloom.h>
#include <stdio.h>
#include <stdlib.h>

static void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

/* The matrix of FILE as CSR of ones with 32-bit offsets and columns, rows sorted, each position
 * once. */
static spl_matrix *read_graph(spl_context *context, const char *path)
{
    spl_matrix *file, *graph;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_convert_options tidy = SPL_CONVERT_OPTIONS_INIT;
    tidy.offset_type = tidy.index_type = SPL_I32;
    tidy.sum_duplicates = 1;
    must(spl_read(context, path, NULL, &file));
    must(spl_matrix_view(file, &view));
    must(spl_convert(context, &view, &tidy, &graph));
    spl_matrix_destroy(file);
    return graph;
}

/* Cuts the matrix down to its strictly lower triangle of ones, in its own arrays. */
static spl_sparse keep_lower_triangle(spl_matrix *graph)
{
    spl_sparse lower = SPL_SPARSE_INIT;
    void *offset_array, *column_array, *value_array;
    must(spl_matrix_view(graph, &lower));
    must(spl_matrix_arrays(graph, &offset_array, &column_array, &value_array));

    int32_t *offsets = offset_array, *columns = column_array;
    double *values = value_array;
    int32_t kept = 0, p = 0;
    for (int64_t i = 0; i < lower.rows; i++) {
        for (int32_t end = offsets[i + 1]; p < end; p++)
            if (columns[p] < i) {
                columns[kept] = columns[p];
                values[kept++] = 1;
            }
        offsets[i + 1] = kept;
    }
    lower.nnz = kept;
    return lower;
}

/* Sum of the entries of c whose position is also in `mask`; both CSR with sorted rows. */
static double sum_where(const spl_sparse *c, const spl_sparse *mask)
{
    const int32_t *c_offsets = c->offsets, *c_columns = c->indices;
    const int32_t *m_offsets = mask->offsets, *m_columns = mask->indices;
    const double *values = c->values;
    double sum = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        int32_t p = c_offsets[i], q = m_offsets[i];
        while (p < c_offsets[i + 1] && q < m_offsets[i + 1]) {
            if (c_columns[p] == m_columns[q])
                sum += values[p];
            int32_t column = c_columns[p];
            p += column <= m_columns[q];
            q += column >= m_columns[q];
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: count_triangles FILE.mtx\n");
        return 2;
    }
    spl_context *context;
    spl_matrix *paths;
    spl_sparse c = SPL_SPARSE_INIT;
    must(spl_context_create(NULL, &context));
    spl_matrix *graph = read_graph(context, argv[1]);
    spl_sparse lower = keep_lower_triangle(graph);

    must(spl_spgemm(context, NULL, &lower, &lower, NULL, NULL, NULL, &paths));
    must(spl_matrix_view(paths, &c));
    printf("%lld edges, %.0f triangles\n", (long long)lower.nnz, sum_where(&c, &lower));

    spl_matrix_destroy(paths);
    spl_matrix_destroy(graph);
    spl_context_destroy(context);
    return 0;
}
