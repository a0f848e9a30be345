/* SPDX-License-Identifier: Apache-2.0 */
/* bench_results.h: reads results of `sparloom bench --json`, for pictures, pages and
 * comparisons. */
#ifndef TOOL_BENCH_RESULTS_H
#define TOOL_BENCH_RESULTS_H

#include "bench_case.h"

#include <cjson/cJSON.h>

/* The times of a library in seconds; NaN if there are none. */
typedef struct bench_times {
    double median, q1, q3;
    int64_t runs;
} bench_times;

typedef struct bench_point {
    char set[BENCH_NAME], matrix[BENCH_NAME], operation[16], type[8];
    int64_t nnz, columns;
    double flop, bytes; /* of an execution; bytes NaN if not known */
    bench_times ours, rival;
    char rival_name[32]; /* the fastest; "" if there is none */
    double ratio;        /* rival/ours; NaN if there is none */
} bench_point;

typedef struct bench_results {
    char version[32], device[BENCH_NAME], cpu[BENCH_NAME];
    char rivals[2 * BENCH_NAME]; /* "mkl 2026.0, eigen 3.4.0", algorithms of a library once */
    int64_t threads, skipped;
    /* measured, of the CPU or of the device, bytes per second; NaN if not known */
    double bandwidth;
    bench_point *points; /* the smallest ratio, the worst loss, first; those without a ratio last */
    int64_t count;
} bench_results;

/* NULL, or an error message for the object. Must be freed also after failure. */
const char *bench_results_read(const cJSON *object, bench_results *results);
void bench_results_free(bench_results *results);
/* "cantilever spmm f32 K=32": matrix, operation, type, columns. */
void bench_point_label(const bench_point *point, char *text, size_t capacity);
/* Geometric mean of the ratios of `count` points; NaN if none has one. */
double bench_points_mean(const bench_point *points, int64_t count);

#endif
