/* SPDX-License-Identifier: Apache-2.0 */
/* processors-resident DEVICE[,DEVICE] spmv|spmm|spgemm MATRIX [COLUMNS]: a product whose operands
 * live on a device, by that device, and by it with the CPU, or with the other device if two are
 * named.
 *
 * Plans that stay, timed in turn, each execution waited for; f64, y = A*x, C = A*B with B row major
 * (COLUMNS, else 32), C = A*A. The machine is measured first (spl_machine_measure). Results are
 * held against the executable specification, before and after new values. processors-resident cuda
 * spmm stencil27:112,112,112 64 */
#include <gen.h>
#include <math.h>
#include <sparloom/measured.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stopwatch.h>
#include <string.h>
#include <typed_array.h>

static void must(spl_status status)
{
    if (status == SPL_OK)
        return;
    fprintf(stderr, "%s: %s\n", spl_status_message(status), spl_error_detail());
    exit(1);
}

/* f64, row major, filled at random. */
static spl_dense make_random(int64_t rows, int64_t cols, uint64_t stream)
{
    spl_dense d = SPL_DENSE_INIT;
    d.type = SPL_F64;
    d.order = SPL_ROW_MAJOR;
    d.rows = rows;
    d.cols = d.ld = cols;
    d.values = tool_array(rows * cols, sizeof(double));
    if (!d.values) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    tool_fill_random(SPL_F64, d.values, rows * cols, 1, stream);
    return d;
}

enum { TURNS = 21, WAYS = 8, SPARSE_WAYS = 5 };
/* Some with shares of their own, for what the link costs; the last ones, of dense operands, with x
 * and y that stay where they are computed, so that nothing is carried. */
static const struct {
    const char *name;
    bool shared;
    double other; /* the part that the CPU or the other device has; below 0: as predicted */
    bool distributed;
} ways[WAYS] = {{"the device, one processor", false, 0, false},
                {"the same as a part", true, 0, false},
                {"shares as predicted", true, -1, false},
                {"the other has 2 % of entries", true, .02, false},
                {"the other has 20 %", true, .2, false},
                {"x, y stay, the device", true, 0, true},
                {"x, y stay, as predicted", true, -1, true},
                {"x, y stay, the other has 5 %", true, .05, true}};

typedef struct job {
    spl_context *context;
    spl_place place;
    bool vector, sparse, two_devices;
    int ways;
    spl_sparse a, device_a;
    void *device_values; /* of C = A*A */
    spl_dense b, c, device_b, device_c;
    spl_plan *plans[WAYS];
} job;

static const spl_place host = {SPL_HOST, 0};

static void *put(const job *j, const void *from, size_t bytes)
{
    void *device_data = NULL;
    must(spl_array_alloc(j->context, j->place, bytes, &device_data));
    must(spl_array_copy(j->context, j->place, device_data, host, from, bytes, NULL));
    return device_data;
}

static size_t bytes_of(const spl_dense *d)
{
    return (size_t)(d->rows * d->cols) * sizeof(double);
}

static spl_dense make_dense(const job *j, int64_t rows, int64_t cols, uint64_t stream,
                            spl_dense *device_view)
{
    spl_dense d = make_random(rows, cols, stream);
    *device_view = d;
    device_view->place = j->place;
    device_view->values = put(j, d.values, bytes_of(&d));
    return d;
}

static void make_matrix(job *j, const char *name)
{
    gen_matrix made;
    gen_message message;
    if (gen_make(name, 1, SPL_F64, &made, &message) != GEN_OK) {
        fprintf(stderr, "%s\n", message.text);
        exit(1);
    }
    j->a = j->device_a = gen_view(&made);
    j->device_a.place = j->place;
    j->device_a.offsets =
        put(j, j->a.offsets, (size_t)(j->a.rows + 1) * tool_index_bytes(j->a.offset_type));
    j->device_a.indices =
        put(j, j->a.indices, (size_t)j->a.nnz * tool_index_bytes(j->a.index_type));
    j->device_a.values = put(j, j->a.values, (size_t)j->a.nnz * sizeof(double));
}

static void make_plan(job *j, int way)
{
    spl_options options = SPL_OPTIONS_INIT;
    /* the CPU, the device, another */
    double other = ways[way].other, by_number[3] = {other, 1 - other, other};
    if (ways[way].shared)
        options.processors = j->two_devices ? 1 << 1 | 1 << 2 : 1 << 0 | 1 << 1;
    if (ways[way].shared && other >= 0)
        options.capabilities = by_number;
    options.distributed = ways[way].distributed;
    options.partition = options.capabilities ? SPL_PARTITION_NNZ : SPL_PARTITION_COST;
    if (j->sparse)
        must(spl_spgemm_plan(j->context, &j->device_a, &j->device_a, NULL, &options,
                             &j->plans[way]));
    else
        must(j->vector
                 ? spl_spmv_plan(j->context, &j->device_a, &options, &j->plans[way])
                 : spl_spmm_plan(j->context, &j->device_a, j->b.cols, &options, &j->plans[way]));
}

static double time_one(const job *j, int way, bool carried)
{
    const spl_dense *b = carried ? &j->device_b : NULL, *c = carried ? &j->device_c : NULL;
    double start = tool_now();
    if (j->sparse)
        must(spl_spgemm_execute(j->plans[way], NULL, NULL, j->device_values, NULL));
    else
        must(j->vector ? spl_spmv_execute(j->plans[way], NULL, b ? b->values : NULL, NULL,
                                          c ? c->values : NULL, NULL)
                       : spl_spmm_execute(j->plans[way], NULL, b, NULL, c, NULL));
    must(carried ? spl_sync(j->context, NULL) : spl_plan_wait(j->plans[way]));
    return tool_now() - start;
}

static void *fetch(const job *j, void *device_data, size_t bytes)
{
    void *host_data = tool_array((int64_t)bytes, 1);
    if (!host_data) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    must(spl_array_copy(j->context, host, host_data, j->place, device_data, bytes, NULL));
    return host_data;
}

/* Copies C = A*A, whose values the last execution left on the device, to the host. */
static spl_sparse fetch_product(const job *j, int way)
{
    spl_result r = SPL_RESULT_INIT;
    must(spl_spgemm_result(j->plans[way], &r));
    const size_t offsets = (size_t)(r.rows + 1) * tool_index_bytes(r.offset_type),
                 indices = (size_t)r.nnz * tool_index_bytes(r.index_type);
    spl_sparse c = j->a;
    void *device_arrays[2];
    must(spl_array_alloc(j->context, j->place, offsets, &device_arrays[0]));
    must(spl_array_alloc(j->context, j->place, indices, &device_arrays[1]));
    must(spl_spgemm_export(j->plans[way], device_arrays[0], device_arrays[1], NULL, NULL));
    must(spl_sync(j->context, NULL));
    c.cols = r.cols;
    c.nnz = r.nnz;
    c.offset_type = r.offset_type;
    c.index_type = r.index_type;
    c.offsets = fetch(j, device_arrays[0], offsets);
    c.indices = fetch(j, device_arrays[1], indices);
    c.values = fetch(j, j->device_values, (size_t)r.nnz * sizeof(double));
    spl_array_free(j->context, j->place, device_arrays[0], offsets);
    spl_array_free(j->context, j->place, device_arrays[1], indices);
    return c;
}

static spl_check check_product(job *j, int way)
{
    spl_check result = SPL_CHECK_INIT;
    spl_result r = SPL_RESULT_INIT;
    must(spl_spgemm_result(j->plans[way], &r));
    size_t bytes = (size_t)r.nnz * sizeof(double);
    double *poison = tool_array(r.nnz, sizeof(double));
    tool_fill_nan(SPL_F64, poison, r.nnz);
    if (!j->device_values)
        must(spl_array_alloc(j->context, j->place, bytes, &j->device_values));
    must(spl_array_copy(j->context, j->place, j->device_values, host, poison, bytes, NULL));
    free(poison);
    time_one(j, way, true);
    spl_sparse c = fetch_product(j, way);
    must(spl_check_spgemm(NULL, &j->a, &j->a, NULL, NULL, &c, NULL, &result));
    free((void *)c.offsets);
    free((void *)c.indices);
    free((void *)c.values);
    return result;
}

static spl_check check_dense(const job *j, int way)
{
    spl_check result = SPL_CHECK_INIT;
    tool_fill_nan(SPL_F64, j->c.values, j->c.rows * j->c.cols);
    must(spl_array_copy(j->context, j->place, j->device_c.values, host, j->c.values,
                        bytes_of(&j->c), NULL));
    time_one(j, way, true);
    must(spl_array_copy(j->context, host, j->c.values, j->place, j->device_c.values,
                        bytes_of(&j->c), NULL));
    must(spl_check_spmm(NULL, &j->a, &j->b, NULL, NULL, &j->c, NULL, &result));
    return result;
}

static void check(job *j, int way)
{
    spl_check result = j->sparse ? check_product(j, way) : check_dense(j, way);
    if (!result.ok) {
        fprintf(stderr, "%s: wrong: %g times the bound\n", ways[way].name, result.worst_ratio);
        exit(1);
    }
}

static void show(const job *j, int way, tool_quantiles q, double one)
{
    printf("  %-28s %9.3f ms  [%.3f, %.3f]  %.3f", ways[way].name, 1e3 * q.median, 1e3 * q.q1,
           1e3 * q.q3, one / q.median);
    for (int32_t k = 0; k < spl_plan_part_count(j->plans[way]); k++) {
        spl_part_info part = SPL_PART_INFO_INIT;
        must(spl_plan_part(j->plans[way], k, &part));
        printf("; %d: %.3f of rows, T_t %.3g T_e %.3g ms (predicted %.3g, %.3g)",
               (int)part.processor, (double)part.rows / (double)j->a.rows, 1e3 * part.transfer,
               1e3 * part.execution, 1e3 * part.predicted_transfer, 1e3 * part.predicted_execution);
    }
    printf("\n");
}

static void measure(const job *j)
{
    double samples[WAYS][TURNS], one = NAN;
    for (int turn = -2; turn < TURNS; turn++)
        for (int way = 0; way < j->ways; way++) {
            double seconds = time_one(j, way, !ways[way].distributed);
            if (turn >= 0)
                samples[way][turn] = seconds;
        }
    for (int way = 0; way < j->ways; way++) {
        tool_quantiles q = tool_quantiles_of(samples[way], TURNS);
        one = way ? one : q.median;
        show(j, way, q, one);
    }
}

/* Changes the values of A on the host and on the device. */
static void renew(const job *j)
{
    tool_fill_random(SPL_F64, (void *)j->a.values, j->a.nnz, 1, 7);
    must(spl_array_copy(j->context, j->place, (void *)j->device_a.values, host, j->a.values,
                        (size_t)j->a.nnz * sizeof(double), NULL));
    for (int way = 0; way < j->ways; way++)
        must(spl_plan_update_values(j->plans[way], &j->device_a, j->sparse ? &j->device_a : NULL,
                                    NULL, NULL));
}

static void measure_machine(const job *j, const char *operation, const char *matrix)
{
    double started = 0, woken = 0;
    must(spl_machine_measure(j->context, 1));
    must(spl_machine_get(j->context, "cpu/parallel_start", &started));
    must(spl_machine_get(j->context, "cpu/parallel_wake", &woken));
    printf("%s %s, %lld rows, %lld entries", operation, matrix, (long long)j->a.rows,
           (long long)j->a.nnz);
    if (!j->sparse)
        printf(", %lld columns", (long long)j->b.cols);
    printf("; threads start in %.2g us, from sleep in %.2g us\n", 1e6 * started, 1e6 * woken);
}

int main(int argc, char **argv)
{
    char devices[64];
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_processor_info device = SPL_PROCESSOR_INFO_INIT;
    job j = {.vector = argc > 2 && !strcmp(argv[2], "spmv"),
             .sparse = argc > 2 && !strcmp(argv[2], "spgemm")};
    j.ways = j.sparse ? SPARSE_WAYS : WAYS;
    if (argc < 4 || argc > 5) {
        fprintf(stderr,
                "usage: processors-resident DEVICE[,DEVICE] spmv|spmm|spgemm MATRIX [COLUMNS]\n");
        return 2;
    }
    j.two_devices = strchr(argv[1], ',') != NULL;
    snprintf(devices, sizeof devices, "cpu,%s", argv[1]);
    options.devices = devices;
    must(spl_context_create(&options, &j.context));
    must(spl_processor(j.context, 1, &device));
    j.place = device.place;
    make_matrix(&j, argv[3]);
    int64_t columns = j.vector ? 1 : argc == 5 ? atoll(argv[4]) : 32;
    if (!j.sparse) {
        j.b = make_dense(&j, j.a.cols, columns, 1, &j.device_b);
        j.c = make_dense(&j, j.a.rows, columns, 2, &j.device_c);
    }
    measure_machine(&j, argv[2], argv[3]);
    for (int way = 0; way < j.ways; way++) {
        make_plan(&j, way);
        check(&j, way);
    }
    measure(&j);
    renew(&j);
    for (int way = 0; way < j.ways; way++) {
        check(&j, way);
        spl_plan_destroy(j.plans[way]);
    }
    spl_context_destroy(j.context);
    return 0;
}
