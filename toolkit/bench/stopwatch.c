/* SPDX-License-Identifier: Apache-2.0 */
#include "stopwatch.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double tool_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The sample below which a `share` of the sorted samples lies. */
static double quantile(const double *sorted, size_t count, double share)
{
    double position = share * (double)(count - 1);
    size_t below = (size_t)position;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

tool_quantiles tool_quantiles_of(double *samples, size_t count)
{
    if (count == 0)
        return (tool_quantiles){NAN, NAN, NAN, NAN, 0};
    double first = samples[0];
    qsort(samples, count, sizeof *samples, by_value);
    return (tool_quantiles){
        .first = first,
        .q1 = quantile(samples, count, 0.25),
        .median = quantile(samples, count, 0.5),
        .q3 = quantile(samples, count, 0.75),
        .runs = count,
    };
}
