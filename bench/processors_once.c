/* SPDX-License-Identifier: Apache-2.0 */
/* processors-once DEVICE OPERATION MATRIX [COLUMNS]: a product of host arrays that is made once,
 * plan included, by the CPU, by a device, and by both.
 *
 * The case for which a matrix need not stay anywhere: A comes, is used, and is gone. Arrays are
 * pinned if the CUDA runtime can pin them, so that the link is as fast as it gets. Before it is
 * timed the machine is measured (spl_machine_measure), as `sparloom tune` does; all three are timed
 * in turn, and each result is held against the executable specification. OPERATION: spmv, spmm
 * (COLUMNS, else 32), spgemm; f64. processors-once cuda spmv stencil27:112,112,112 */
#include "processors.h"

#include <cuda_runtime_api.h>
#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stopwatch.h>
#include <string.h>

enum { TURNS = 9, WAYS = 3 };
static const struct {
    const char *name;
    uint64_t processors;
} ways[WAYS] = {{"CPU", 1}, {"device", 2}, {"both", 3}};

typedef struct job {
    spl_context *context;
    const char *operation;
    spl_sparse a;
    spl_dense b, c;
    int pinned;
} job;

static void pin(job *j, const void *array, size_t bytes)
{
    if (bytes > 0 &&
        cudaHostRegister((void *)array, bytes, cudaHostRegisterPortable) != cudaSuccess)
        j->pinned = 0;
}

static spl_dense make_dense(job *j, int64_t rows, int64_t cols, uint64_t stream)
{
    spl_dense d = make_random(rows, cols, stream);
    pin(j, d.values, (size_t)(rows * cols) * sizeof(double));
    return d;
}

static int is(const job *j, const char *operation)
{
    return !strcmp(j->operation, operation);
}

static spl_matrix *multiply(const job *j, int way)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *product = NULL;
    options.processors = ways[way].processors;
    if (is(j, "spmv"))
        must(spl_spmv(j->context, NULL, &j->a, j->b.values, NULL, j->c.values, &options));
    else if (is(j, "spmm"))
        must(spl_spmm(j->context, NULL, &j->a, &j->b, NULL, &j->c, &options));
    else
        must(spl_spgemm(j->context, NULL, &j->a, &j->a, NULL, NULL, &options, &product));
    return product;
}

static void check(const job *j, const spl_matrix *product)
{
    spl_check result = SPL_CHECK_INIT;
    spl_sparse c = SPL_SPARSE_INIT;
    if (is(j, "spmv")) {
        must(spl_check_spmv(NULL, &j->a, j->b.values, NULL, NULL, j->c.values, NULL, &result));
    } else if (is(j, "spmm")) {
        must(spl_check_spmm(NULL, &j->a, &j->b, NULL, NULL, &j->c, NULL, &result));
    } else {
        must(spl_matrix_view(product, &c));
        must(spl_check_spgemm(NULL, &j->a, &j->a, NULL, NULL, &c, NULL, &result));
    }
    if (!result.ok) {
        fprintf(stderr, "wrong: %g times the bound\n", result.worst_ratio);
        exit(1);
    }
}

static double time_one(const job *j, int way, int checked)
{
    if (!is(j, "spgemm"))
        tool_fill_nan(SPL_F64, j->c.values, j->c.rows * j->c.cols);
    double start = tool_now();
    spl_matrix *product = multiply(j, way);
    double seconds = tool_now() - start;
    if (checked)
        check(j, product);
    spl_matrix_destroy(product);
    return seconds;
}

/* How a plan of both shares out the rows. */
static void show_shares(const job *j)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.processors = ways[WAYS - 1].processors;
    if (is(j, "spmv"))
        must(spl_spmv_plan(j->context, &j->a, &options, &plan));
    else if (is(j, "spmm"))
        must(spl_spmm_plan(j->context, &j->a, j->b.cols, &options, &plan));
    else
        must(spl_spgemm_plan(j->context, &j->a, &j->a, NULL, &options, &plan));
    for (int32_t k = 0; k < spl_plan_part_count(plan); k++) {
        spl_part_info part = SPL_PART_INFO_INIT;
        must(spl_plan_part(plan, k, &part));
        printf("  a plan that stays gives processor %d %.3f of the rows: T_t %.3g ms, T_e %.3g ms "
               "predicted\n",
               (int)part.processor, (double)part.rows / (double)j->a.rows,
               1e3 * part.predicted_transfer, 1e3 * part.predicted_execution);
    }
    spl_plan_destroy(plan);
}

static void measure(const job *j)
{
    double samples[WAYS][TURNS], median[WAYS];
    for (int turn = -1; turn < TURNS; turn++)
        for (int way = 0; way < WAYS; way++) {
            double seconds = time_one(j, way, turn == TURNS - 1);
            if (turn >= 0)
                samples[way][turn] = seconds;
        }
    for (int way = 0; way < WAYS; way++) {
        tool_quantiles q = tool_quantiles_of(samples[way], TURNS);
        median[way] = q.median;
        printf("  %-8s %10.3f ms  [%.3f, %.3f]\n", ways[way].name, 1e3 * q.median, 1e3 * q.q1,
               1e3 * q.q3);
    }
    printf("  the better one / both: %.3f\n", fmin(median[0], median[1]) / median[2]);
}

int main(int argc, char **argv)
{
    char devices[64];
    gen_matrix made;
    gen_message message;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    job j = {.pinned = 1};
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: processors-once DEVICE spmv|spmm|spgemm MATRIX [COLUMNS]\n");
        return 2;
    }
    j.operation = argv[2];
    snprintf(devices, sizeof devices, "cpu,%s", argv[1]);
    options.devices = devices;
    must(spl_context_create(&options, &j.context));
    if (gen_make(argv[3], 1, SPL_F64, &made, &message) != GEN_OK) {
        fprintf(stderr, "%s\n", message.text);
        return 1;
    }
    j.a = gen_view(&made);
    pin(&j, j.a.offsets, (size_t)(j.a.rows + 1) * tool_index_bytes(j.a.offset_type));
    pin(&j, j.a.indices, (size_t)j.a.nnz * tool_index_bytes(j.a.index_type));
    pin(&j, j.a.values, (size_t)j.a.nnz * sizeof(double));
    int64_t columns = is(&j, "spmm") ? (argc == 5 ? atoll(argv[4]) : 32) : 1;
    j.b = make_dense(&j, j.a.cols, columns, 1);
    j.c = make_dense(&j, j.a.rows, columns, 2);
    must(spl_machine_measure(j.context, 1));
    printf("%s %s, %lld columns, %lld rows, %lld entries, %s\n", j.operation, argv[3],
           (long long)columns, (long long)j.a.rows, (long long)j.a.nnz,
           j.pinned ? "pinned" : "NOT pinned");
    show_shares(&j);
    measure(&j);
    spl_context_destroy(j.context);
    return 0;
}
