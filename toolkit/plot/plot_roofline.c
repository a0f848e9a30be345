/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline: S. Williams, A. Waterman, D. Patterson, Roofline: An Insightful Visual Performance
 * Model for Multicore Architectures, Communications of the ACM 52, 2009. Its roof is the measured
 * bandwidth; cases above it found their data in caches. */
#include "plot_bench.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 430, HEIGHT = 380, LEGEND_STEP = 120 };

int plot_on_roofline(const bench_point *point)
{
    return isfinite(point->bytes) && isfinite(point->ours.median) && point->bytes > 0 &&
           point->flop > 0;
}

static double intensity(const bench_point *point)
{
    return point->flop / point->bytes;
}

static double gflops(const bench_point *point, double seconds)
{
    return point->flop / seconds * 1e-9;
}

/* Whole decades around numbers. */
static void include(plot_axis *axis, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    axis->least = fmin(axis->least, pow(10, floor(log10(value))));
    axis->most = fmax(axis->most, pow(10, floor(log10(value)) + 1));
}

static plot_panel panel_of(double x, double y, const bench_results *results)
{
    plot_panel panel = {.box = {x + PLOT_LEFT_ROOM, y + PLOT_TOP_ROOM, WIDTH, HEIGHT},
                        .across = {HUGE_VAL, 0, 1, "FLOP per byte of compulsory traffic"},
                        .up = {HUGE_VAL, 0, 1, "GFLOP per second"},
                        .grid = 1,
                        .title = "Roofline"};
    for (int64_t i = 0; i < results->count; i++) {
        const bench_point *point = &results->points[i];
        if (!plot_on_roofline(point))
            continue;
        include(&panel.across, intensity(point));
        include(&panel.up, gflops(point, point->ours.median));
        include(&panel.up, gflops(point, point->rival.median));
    }
    return panel;
}

/* GFLOP/s = FLOP per byte * bandwidth, as far as it lies inside. */
static void draw_roof(plot_scene *scene, const plot_panel *panel, double bandwidth)
{
    double slope = bandwidth * 1e-9;
    double left = fmax(panel->across.least, panel->up.least / slope);
    double right = fmin(panel->across.most, panel->up.most / slope);
    if (!(left < right))
        return;
    double x = plot_x(panel, left), y = plot_y(panel, left * slope);
    plot_dashes(scene, (plot_box){x, y, plot_x(panel, right) - x, plot_y(panel, right * slope) - y},
                1.5, PLOT_INK);
}

static void draw_legend(plot_scene *scene, const plot_panel *panel)
{
    double x = panel->box.x + 12, y = panel->box.y + 16;
    plot_font font = plot_plain(PLOT_SMALL, PLOT_LEFT);
    plot_dot(scene, x, y - 4, 3.2, PLOT_BLUE);
    plot_text(scene, x + 8, y, font, 0, "sparloom");
    plot_dot(scene, x + LEGEND_STEP, y - 4, 3.2, PLOT_ORANGE);
    plot_text(scene, x + LEGEND_STEP + 8, y, font, 0, "fastest rival");
}

double plot_roofline(plot_scene *scene, double x, double y, const bench_results *results)
{
    char subtitle[96] = "bandwidth not measured";
    plot_panel panel = panel_of(x, y, results);
    if (results->bandwidth > 0)
        snprintf(subtitle, sizeof subtitle, "dashed: measured bandwidth, %.4g GB/s",
                 results->bandwidth * 1e-9);
    panel.subtitle = subtitle;
    plot_axes(scene, &panel);
    if (results->bandwidth > 0)
        draw_roof(scene, &panel, results->bandwidth);
    for (int64_t i = 0; i < results->count; i++) {
        const bench_point *point = &results->points[i];
        if (!plot_on_roofline(point))
            continue;
        double across = plot_x(&panel, intensity(point));
        if (isfinite(point->rival.median))
            plot_dot(scene, across, plot_y(&panel, gflops(point, point->rival.median)), 3.2,
                     PLOT_ORANGE);
        plot_dot(scene, across, plot_y(&panel, gflops(point, point->ours.median)), 3.2, PLOT_BLUE);
    }
    draw_legend(scene, &panel);
    return PLOT_TOP_ROOM + HEIGHT + PLOT_BOTTOM_ROOM;
}
