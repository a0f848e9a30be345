/* SPDX-License-Identifier: Apache-2.0 */
/* bench_compare.h: two runs of the same cases: changes of speed beyond the noise. */
#ifndef TOOL_BENCH_COMPARE_H
#define TOOL_BENCH_COMPARE_H

#include "bench_results.h"

typedef enum bench_change_kind { BENCH_SLOWER, BENCH_UNCHANGED, BENCH_FASTER } bench_change_kind;

typedef struct bench_change {
    const bench_point *before, *after;
    double factor; /* median after / median before: above 1 is slower */
    bench_change_kind kind;
} bench_change;

typedef struct bench_comparison {
    bench_change *changes; /* the largest factor first */
    int64_t count, slower, faster;
    int64_t missing, added; /* cases with a time in only one of the runs: the first, the second */
} bench_comparison;

/* A change counts if both medians are of at least that many executions, their quartiles do not
 * overlap, and they differ by more than this factor. */
#define BENCH_LEAST_CHANGE 1.03
enum { BENCH_LEAST_RUNS = 3 };

/* 0 if there is no memory. The results must live as long as the comparison. */
int bench_compare(const bench_results *before, const bench_results *after,
                  bench_comparison *comparison);
void bench_comparison_free(bench_comparison *comparison);

#endif
