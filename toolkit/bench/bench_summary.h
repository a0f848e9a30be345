/* SPDX-License-Identifier: Apache-2.0 */
/* bench_summary.h: summaries of many cases, and their output. */
#ifndef TOOL_BENCH_SUMMARY_H
#define TOOL_BENCH_SUMMARY_H

#include "bench_case.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* All zero at first. */
typedef struct bench_report {
    bench_case *cases;
    int64_t count, room;
    /* matrices that were skipped: unreadable, or too large for memory */
    int64_t skipped;
} bench_report;

/* Adds a copy; 0 if there is no memory. */
int bench_report_add(bench_report *report, const bench_case *item);
void bench_report_free(bench_report *report);

/* A group: cases of equal set, operation, type and columns. They are neighbours after sorting,
 * the smallest ratio (the worst loss) first. */
typedef struct bench_group {
    const bench_case *cases;
    int64_t count;
} bench_group;
void bench_report_sort(bench_report *report);
/* The group that begins at case `first` of the sorted report. */
bench_group bench_group_at(const bench_report *report, int64_t first);

/* Median of rival / median of ours; NaN if one of them has none. */
double bench_ratio(const bench_case *item, int rival);
/* The fastest rival; 0 if there is none. */
int bench_best_rival(const bench_case *item);
/* The ratio to the fastest rival; NaN if there is none. */
double bench_best_ratio(const bench_case *item);
/* Executions after which preparation and executions of ours together beat the fastest rival's: 1
 * from the first on; NaN: never. */
double bench_break_even(const bench_case *item);
/* Geometric mean over the group's cases that have the ratio (rival -1: to the best); `cases` of
 * them. */
double bench_mean_ratio(const bench_group *group, int rival, int *cases);

void bench_write_text(const bench_report *report, const bench_setup *setup, FILE *stream);
/* 0: cannot be written */
int bench_write_csv(const bench_report *report, const bench_setup *setup, FILE *stream);
void bench_write_json(const bench_report *report, const bench_setup *setup, cJSON *object);

#endif
