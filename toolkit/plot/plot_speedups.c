/* SPDX-License-Identifier: Apache-2.0 */
/* Speed-ups over the fastest rival as bars from 1 to both sides, on a logarithmic axis: twice as
 * fast is as long as half as fast. */
#include "plot_bench.h"

#include <math.h>
#include <stdio.h>

enum { LABEL_ROOM = 262, BARS_WIDTH = 268, BAR_HEIGHT = 16, VALUE_ROOM = 40 };

static int64_t with_ratio(const bench_results *results)
{
    int64_t count = 0;
    while (count < results->count && !isnan(results->points[count].ratio))
        count++;
    return count;
}

/* As far as the bars go, at least some way around 1, and room for numbers at both ends. */
static plot_axis axis_of(const bench_results *results, int64_t count)
{
    double least = fmin(0.8, results->points[0].ratio),
           most = fmax(1.25, results->points[count - 1].ratio);
    double beyond = pow(most / least, VALUE_ROOM / (BARS_WIDTH - 2.0 * VALUE_ROOM));
    return (plot_axis){least / beyond, most * beyond, 1,
                       "median of the fastest rival / median of sparloom"};
}

static void draw_bar(plot_scene *scene, const plot_panel *panel, double y, const bench_point *point)
{
    char label[2 * BENCH_NAME], value[32];
    double one = plot_x(panel, 1), end = plot_x(panel, point->ratio);
    int loss = point->ratio < 1;
    bench_point_label(point, label, sizeof label);
    snprintf(value, sizeof value, "%.2f", point->ratio);
    plot_text(scene, panel->box.x - 8, y + 11, plot_plain(PLOT_SMALL, PLOT_RIGHT), LABEL_ROOM - 12,
              label);
    plot_rect(scene, (plot_box){fmin(one, end), y + 2, fabs(end - one), BAR_HEIGHT - 5},
              loss ? PLOT_VERMILION : PLOT_BLUE);
    plot_text(scene, loss ? end - 4 : end + 4, y + 11,
              plot_plain(PLOT_SMALL, loss ? PLOT_RIGHT : PLOT_LEFT), 0, value);
}

static void describe(const bench_results *results, int64_t count, char *text, size_t capacity)
{
    int64_t losses = 0;
    while (losses < count && results->points[losses].ratio < 1)
        losses++;
    snprintf(text, capacity, "%lld cases, %lld losses; geometric mean %.2f", (long long)count,
             (long long)losses, bench_points_mean(results->points, count));
}

double plot_speedups(plot_scene *scene, double x, double y, const bench_results *results)
{
    char subtitle[96];
    int64_t count = with_ratio(results), shown = count < PLOT_MOST_BARS ? count : PLOT_MOST_BARS;
    describe(results, count, subtitle, sizeof subtitle);
    plot_panel panel = {
        .box = {x + LABEL_ROOM, y + PLOT_TOP_ROOM, BARS_WIDTH, (double)shown * BAR_HEIGHT + 4},
        .across = axis_of(results, count),
        .grid = 1,
        .title = "Speed-up over the fastest rival",
        .subtitle = subtitle};
    plot_axes(scene, &panel);
    for (int64_t i = 0; i < shown; i++)
        draw_bar(scene, &panel, panel.box.y + 2 + (double)i * BAR_HEIGHT, &results->points[i]);
    plot_line(scene, (plot_box){plot_x(&panel, 1), panel.box.y, 0, panel.box.height}, 1.2,
              PLOT_INK);
    if (shown < count) {
        char more[64];
        snprintf(more, sizeof more, "and %lld faster ones", (long long)(count - shown));
        plot_text(scene, x, panel.box.y + panel.box.height + 16, plot_note(PLOT_SMALL, PLOT_LEFT),
                  0, more);
    }
    return PLOT_TOP_ROOM + panel.box.height + PLOT_BOTTOM_ROOM;
}
