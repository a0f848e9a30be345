/* SPDX-License-Identifier: Apache-2.0 */
/* graph_layer FILE: features of a graph's vertices, averaged over their neighbours: H = D^-1 * A *
 * X.
 *
 * This is the sparse half of a layer of a graph convolutional network. X has 32 features per
 * vertex, in single precision. The last feature is 1 everywhere, so its average tells whether the
 * result is right. The plan says which method it chose and why. Source: T. Kipf, M. Welling,
 * Semi-Supervised Classification with Graph Convolutional Networks, ICLR 2017. */
#include <math.h>
#include <sparloom/sparloom.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEATURES = 32 };

static void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

static spl_dense features(int64_t vertices)
{
    spl_dense x = SPL_DENSE_INIT;
    x.type = SPL_F32;
    x.order = SPL_ROW_MAJOR;
    x.rows = vertices;
    x.cols = x.ld = FEATURES;
    x.values = calloc((size_t)vertices * FEATURES + 1, sizeof(float));
    if (!x.values)
        exit(1);
    return x;
}

/* Gives each entry of a row the weight 1/(entries of the row), in place: the rows of D^-1 * A. */
static void average_rows(const spl_sparse *a, float *values)
{
    const int32_t *offsets = a->offsets;
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t p = offsets[i]; p < offsets[i + 1]; p++)
            values[p] = 1.0f / (float)(offsets[i + 1] - offsets[i]);
}

/* The largest distance of the last feature from 1 over all vertices with neighbours. */
static double worst_average(const spl_sparse *a, const spl_dense *h)
{
    const int32_t *offsets = a->offsets;
    const float *values = h->values;
    double worst = 0;
    for (int64_t i = 0; i < a->rows; i++)
        if (offsets[i] < offsets[i + 1])
            worst = fmax(worst, fabs(values[i * h->ld + FEATURES - 1] - 1.0));
    return worst;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: graph_layer FILE.mtx\n");
        return 2;
    }
    spl_context *context;
    spl_matrix *matrix;
    spl_read_options form = SPL_READ_OPTIONS_INIT;
    spl_sparse a = SPL_SPARSE_INIT;
    void *values;
    spl_plan *plan;
    form.type = SPL_F32;
    form.offset_type = form.index_type = SPL_I32;
    must(spl_context_create(NULL, &context));
    must(spl_read(context, argv[1], &form, &matrix));
    must(spl_matrix_view(matrix, &a));
    must(spl_matrix_arrays(matrix, NULL, NULL, &values));
    average_rows(&a, values);

    spl_dense x = features(a.cols), h = features(a.rows);
    for (int64_t i = 0; i < a.cols; i++)
        for (int j = 0; j < FEATURES; j++)
            ((float *)x.values)[i * FEATURES + j] =
                j == FEATURES - 1 ? 1 : (float)((i * 7 + j) % 13);
    must(spl_spmm_plan(context, &a, FEATURES, NULL, &plan));
    must(spl_spmm_execute(plan, NULL, &x, NULL, &h, NULL));

    spl_step step = SPL_STEP_INIT;
    must(spl_plan_step(plan, 0, &step));
    double worst = worst_average(&a, &h);
    printf("%lld vertices, method %s, error %.1e\n", (long long)a.rows, step.method, worst);

    free(x.values), free(h.values);
    spl_plan_destroy(plan);
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
    return worst < 1e-3 ? 0 : 1;
}
