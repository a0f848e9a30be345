/* SPDX-License-Identifier: Apache-2.0 */
#include "plot_bench.h"

#include <math.h>
#include <stdio.h>

enum { HEADING_HEIGHT = 40 };

static int any(const bench_results *results, int (*shown)(const bench_point *))
{
    for (int64_t i = 0; i < results->count; i++)
        if (shown(&results->points[i]))
            return 1;
    return 0;
}

static int has_ratio(const bench_point *point)
{
    return !isnan(point->ratio);
}

int plot_bench(plot_scene *scene, const bench_results *results)
{
    char heading[BENCH_NAME + 80];
    int bars = any(results, has_ratio), roof = any(results, plot_on_roofline);
    plot_font bold = plot_plain(PLOT_HEADING, PLOT_LEFT);
    bold.bold = 1;
    scene->width = PLOT_BENCH_WIDTH * (bars + roof);
    snprintf(heading, sizeof heading, "sparloom %s on %s, %lld threads", results->version,
             results->device, (long long)results->threads);
    if (!bars && !roof)
        return 0;
    plot_text(scene, 12, 24, bold, scene->width - 24, heading);
    if (bars)
        scene->height = plot_speedups(scene, 12, HEADING_HEIGHT, results);
    if (roof)
        scene->height = fmax(
            scene->height, plot_roofline(scene, bars * PLOT_BENCH_WIDTH, HEADING_HEIGHT, results));
    scene->height += HEADING_HEIGHT;
    return 1;
}
