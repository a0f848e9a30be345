/* SPDX-License-Identifier: Apache-2.0 */
/* plot_bench.h: pictures of benchmark results. */
#ifndef TOOL_PLOT_BENCH_H
#define TOOL_PLOT_BENCH_H

#include "bench_results.h"
#include "plot_axes.h"

enum { PLOT_BENCH_WIDTH = 560, PLOT_MOST_BARS = 150 };

/* A bar for each case that has a rival, losses first and in a colour of their own; returns the
 * height. */
double plot_speedups(plot_scene *scene, double x, double y, const bench_results *results);
/* Every case whose traffic is known: FLOP per second over FLOP per byte, under the line of the
 * measured bandwidth; returns the height. */
double plot_roofline(plot_scene *scene, double x, double y, const bench_results *results);
/* Whether a case has a place on the roofline. */
int plot_on_roofline(const bench_point *point);
/* Fills an empty scene with both, as far as there is something to show: 0 if there is nothing. */
int plot_bench(plot_scene *scene, const bench_results *results);
/* Fills an empty scene with the ratios of several files, a dot for each case: 0 if there are none,
 * or no memory. */
int plot_ratios(plot_scene *scene, const bench_results *results, int64_t count);

#endif
