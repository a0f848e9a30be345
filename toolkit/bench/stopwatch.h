/* SPDX-License-Identifier: Apache-2.0 */
/* stopwatch.h: time, and statistics of a series of times. */
#ifndef TOOL_STOPWATCH_H
#define TOOL_STOPWATCH_H

#include <stddef.h>

/* Seconds of a clock that never goes back; only differences mean something. */
double tool_now(void);

typedef struct tool_quantiles {
    double first; /* the first sample in time: caches and pages are cold */
    /* linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996) */
    double q1, median, q3;
    size_t runs;
} tool_quantiles;

/* Sorts `samples`. All values NaN if count is 0. */
tool_quantiles tool_quantiles_of(double *samples, size_t count);

#endif
