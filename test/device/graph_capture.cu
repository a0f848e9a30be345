/* SPDX-License-Identifier: Apache-2.0 */
/* On a real GPU: executions are recorded into a CUDA graph, replayed with other contents of x, run
 * in streams of the caller one after the other, and in a train in which each needs the result of
 * the one before. Every method of SpMV; integers, so that results are exact. Exit status 0 if all
 * is right. */
#include <sparloom/sparloom.h>

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = static_cast<int>(call);                                                      \
        if (status_) {                                                                             \
            fprintf(stderr, "%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, status_,         \
                    spl_error_detail());                                                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 5000 };

/* A cyclic matrix, mostly of four rows with the same columns: row i has 1 at k, 2 at k+1, 3 at k+7,
 * k the first of the four; every five hundredth row has 200 more entries of 1. */
static int offsets[N + 1], columns[N * 6];
static double values[N * 6], x[N], y[N], expected[N];

static void add(int row, int column, double value)
{
    columns[offsets[row + 1]] = column % N;
    values[offsets[row + 1]++] = value;
}

static void make_matrix()
{
    for (int i = 0; i < N; i++) {
        offsets[i + 1] = offsets[i];
        const int first = i / 4 * 4;
        add(i, first, 1);
        add(i, first + 1, 2);
        add(i, first + 7, 3);
        for (int k = 0; i % 500 == 0 && k < 200; k++)
            add(i, i + 11 * k + 20, 1);
    }
}

static void make_vector(int round)
{
    for (int i = 0; i < N; i++)
        x[i] = (i * 7 + round * 13) % 101 - 50;
    for (int i = 0; i < N; i++) {
        expected[i] = 0;
        for (int p = offsets[i]; p < offsets[i + 1]; p++)
            expected[i] += values[p] * x[columns[p]];
    }
}

static void multiply_again()
{
    memcpy(y, expected, sizeof y);
    for (int i = 0; i < N; i++) {
        expected[i] = 0;
        for (int p = offsets[i]; p < offsets[i + 1]; p++)
            expected[i] += values[p] * y[columns[p]];
    }
}

template <typename E> static E *upload(const E *from, size_t count)
{
    E *device_data;
    CHECK(cudaMalloc(&device_data, count * sizeof *from));
    CHECK(cudaMemcpy(device_data, from, count * sizeof *from, cudaMemcpyHostToDevice));
    return device_data;
}

static void expect(const double *device_y, const char *method, const char *launch)
{
    CHECK(cudaMemcpy(y, device_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (!(y[i] == expected[i])) {
            fprintf(stderr, "%s, %s: y[%d] is %g, not %g\n", method, launch, i, y[i], expected[i]);
            exit(1);
        }
}

static void try_graph(spl_plan *plan, const char *method, double *device_x, double *device_y)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t runnable;
    CHECK(cudaStreamCreate(&stream));
    spl_stream own_stream = {SPL_CUDA, stream};
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(spl_spmv_execute(plan, NULL, device_x, NULL, device_y, &own_stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&runnable, graph, 0));
    for (int round = 1; round < 4; round++) {
        make_vector(round);
        CHECK(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice));
        CHECK(cudaMemset(device_y, 0xff, sizeof y)); /* NaN */
        CHECK(cudaGraphLaunch(runnable, stream));
        CHECK(cudaStreamSynchronize(stream));
        expect(device_y, method, "graph");
    }
    CHECK(cudaGraphExecDestroy(runnable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

/* The plan in two streams alternately: the second waits for data that the plan keeps between
 * launches. */
static void try_streams(spl_plan *plan, const char *method, double *device_x,
                        double *const device_y[2])
{
    cudaStream_t streams[2];
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    for (int round = 0; round < 200; round++) {
        spl_stream own_stream = {SPL_CUDA, streams[round % 2]};
        CHECK(spl_spmv_execute(plan, NULL, device_x, NULL, device_y[round % 2], &own_stream));
    }
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++) {
        expect(device_y[k], method, "two streams");
        CHECK(cudaStreamDestroy(streams[k]));
    }
}

/* Products that read what the one before has written, and write what it has read: kernels are
 * launched before those before them have ended. z adds up all rounds, so that one fault shows. */
static void try_train(spl_plan *plan, const char *method, double *device_x,
                      double *const device_y[2], double *device_z)
{
    const double one = 1;
    const int rounds = 600; /* the factors 1, 2, 3 equally often */
    make_vector(0);
    CHECK(cudaMemcpy(device_x, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_z, 0, sizeof y));
    for (int round = 0; round < rounds; round++) {
        const double factor = round % 3 + 1;
        CHECK(spl_spmv_execute(plan, &factor, device_x, NULL, device_y[0], NULL));
        CHECK(spl_spmv_execute(plan, NULL, device_y[0], NULL, device_y[1], NULL));
        CHECK(spl_spmv_execute(plan, NULL, device_y[1], &one, device_z, NULL));
    }
    for (int times = 0; times < 2; times++)
        multiply_again();
    for (int i = 0; i < N; i++)
        expected[i] *= 2 * rounds;
    expect(device_z, method, "train");
}

static void try_method(spl_context *context, const spl_sparse *a, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    make_vector(0);
    double *device_x = upload(x, N), *device_y[2] = {upload(y, N), upload(y, N)},
           *device_z = upload(y, N);
    options.method = method;
    const spl_status status = spl_spmv_plan(context, a, &options, &plan);
    if (status == SPL_UNSUPPORTED) { /* such as blocks, which this matrix does not have */
        printf("%s: does not serve\n", method);
        return;
    }
    CHECK(status);
    try_graph(plan, method, device_x, device_y[0]);
    try_streams(plan, method, device_x, device_y);
    try_train(plan, method, device_x, device_y, device_z);
    spl_plan_destroy(plan);
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y[0]));
    CHECK(cudaFree(device_y[1]));
    CHECK(cudaFree(device_z));
    printf("%s: recorded, replayed, in two streams, in a train\n", method);
}

int main()
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context;
    options.devices = "cuda";
    CHECK(spl_context_create(&options, &context));
    make_matrix();
    spl_sparse a = SPL_SPARSE_INIT;
    a.format = SPL_CSR;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I32;
    a.place.kind = SPL_CUDA;
    a.rows = a.cols = N;
    a.nnz = offsets[N];
    a.offsets = upload(offsets, N + 1);
    a.indices = upload(columns, static_cast<size_t>(a.nnz));
    a.values = upload(values, static_cast<size_t>(a.nnz));
    for (int m = 0; m < spl_method_count(); m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        CHECK(spl_method(m, &info));
        if (!strncmp(info.id, "spmv/compute/gpu/", 17))
            try_method(context, &a, info.id);
    }
    spl_context_destroy(context);
    return 0;
}
