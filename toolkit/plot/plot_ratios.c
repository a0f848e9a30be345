/* SPDX-License-Identifier: Apache-2.0 */
/* Several results files in one picture: a band for each of their groups, a dot for each case, the
 * further to the right the faster than the fastest rival. Dots that would cover one another stand
 * above and below. */
#include "plot_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LABEL_WIDTH = 150,
    DOTS_WIDTH = 420,
    BAND = 46,
    HEADING = 26,
    LANES = 7,
    REMARK_WIDTH = 210,
    MARGIN = 14,
    TOP = 54,
    BELOW = 50,
    HEADING_TEXT = 4 * BENCH_NAME
};
static const double radius = 3.2, lane_step = 5.6;

typedef struct group {
    const bench_point *first; /* whose operation, type and columns all have */
    const bench_results *results;
} group;

static int in_group(const group *g, const bench_point *point)
{
    return !isnan(point->ratio) && !strcmp(point->operation, g->first->operation) &&
           !strcmp(point->type, g->first->type) && point->columns == g->first->columns;
}

/* Calls for the groups of the operation in the order in which they appear; returns how many there
 * are. Without `groups` they are only counted. */
static int64_t groups_of(const bench_results *results, const char *operation, group *groups)
{
    int64_t count = 0;
    for (int64_t i = 0; i < results->count; i++) {
        group g = {&results->points[i], results};
        int known = isnan(g.first->ratio) || strcmp(g.first->operation, operation) != 0;
        for (int64_t k = 0; k < i && !known; k++)
            known = in_group(&g, &results->points[k]);
        if (!known && groups)
            groups[count] = g;
        count += !known;
    }
    return count;
}

static int64_t all_groups(const bench_results *results, group *groups)
{
    int64_t count = 0;
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        count += groups_of(results, bench_operation_names[i], groups ? groups + count : NULL);
    return count;
}

/* ------------------------------------------------------------------------------------- one band */

static void draw_label(plot_scene *scene, double y, const group *g)
{
    char text[2 * BENCH_NAME];
    bench_point kind = *g->first;
    kind.matrix[0] = '\0';
    bench_point_label(&kind, text, sizeof text);
    plot_text(scene, MARGIN + LABEL_WIDTH - 10, y + 4, plot_plain(PLOT_TITLE, PLOT_RIGHT), 0, text);
}

/* How many, how many of them slower, the mean. */
static void draw_remark(plot_scene *scene, double y, const group *g)
{
    char text[96];
    double sum = 0;
    int64_t count = 0, losses = 0;
    for (int64_t i = 0; i < g->results->count; i++) {
        const bench_point *point = &g->results->points[i];
        if (!in_group(g, point))
            continue;
        sum += log(point->ratio);
        losses += point->ratio < 1;
        count++;
    }
    snprintf(text, sizeof text, "losses: %lld of %lld; mean %.2f", (long long)losses,
             (long long)count, exp(sum / (double)count));
    plot_text(scene, MARGIN + LABEL_WIDTH + DOTS_WIDTH + 12, y + 4,
              plot_plain(PLOT_TITLE, PLOT_LEFT), REMARK_WIDTH - 12, text);
}

/* The first lane, counted from the middle, whose last dot is not in the way. */
static double lane_of(double x, double last[LANES])
{
    int lane = 0;
    while (lane < LANES - 1 && x - last[lane] < 2 * radius)
        lane++;
    last[lane] = x;
    return lane_step * (lane % 2 ? -(lane + 1) / 2 : lane / 2);
}

static void draw_band(plot_scene *scene, const plot_panel *panel, double y, const group *g)
{
    double last[LANES];
    for (int i = 0; i < LANES; i++)
        last[i] = -HUGE_VAL;
    draw_label(scene, y, g);
    draw_remark(scene, y, g);
    for (int64_t i = 0; i < g->results->count; i++) {
        const bench_point *point = &g->results->points[i];
        if (!in_group(g, point))
            continue;
        double x = plot_x(panel, point->ratio);
        plot_dot(scene, x, y + lane_of(x, last), radius,
                 point->ratio < 1 ? PLOT_VERMILION : PLOT_BLUE);
    }
}

/* ---------------------------------------------------------------------------------- the picture */

static plot_axis axis_of(const bench_results *results, int64_t count)
{
    double least = 0.8, most = 1.25;
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < results[i].count; k++) {
            double ratio = results[i].points[k].ratio;
            least = isnan(ratio) ? least : fmin(least, ratio);
            most = isnan(ratio) ? most : fmax(most, ratio);
        }
    return (plot_axis){least / 1.1, most * 1.1, 1,
                       "time of the fastest rival / time of sparloom (left of 1: a loss)"};
}

static void describe(const bench_results *results, char text[HEADING_TEXT])
{
    if (!strcmp(results->device, "cpu"))
        snprintf(text, HEADING_TEXT, "%s, threads: %lld, against %s", results->cpu,
                 (long long)results->threads, results->rivals);
    else
        snprintf(text, HEADING_TEXT, "%s, against %s", results->device, results->rivals);
}

/* Files of one machine and its rivals stand under one heading. */
static int needs_heading(const bench_results *results, int64_t i)
{
    char before[HEADING_TEXT], text[HEADING_TEXT];
    if (!i)
        return 1;
    describe(&results[i - 1], before);
    describe(&results[i], text);
    return strcmp(before, text) != 0 || !all_groups(&results[i - 1], NULL);
}

static void draw_heading(plot_scene *scene, double y, const bench_results *results)
{
    char text[HEADING_TEXT];
    plot_font bold = plot_plain(PLOT_TITLE, PLOT_LEFT);
    bold.bold = 1;
    describe(results, text);
    plot_rect(scene, (plot_box){MARGIN, y, scene->width - 2 * MARGIN, HEADING}, PLOT_PALE);
    plot_text(scene, MARGIN + 8, y + 18, bold, scene->width - 2 * MARGIN - 16, text);
}

/* Lines at 2 and 5 times powers of ten, which the axis has no room to name. */
static void draw_fine_grid(plot_scene *scene, const plot_panel *panel)
{
    static const double factors[] = {2, 5};
    double first = floor(log10(panel->across.least)), last = floor(log10(panel->across.most));
    for (double power = first; power <= last; power++)
        for (int i = 0; i < 2; i++) {
            double value = factors[i] * pow(10, power);
            if (value > panel->across.least && value < panel->across.most)
                plot_line(scene,
                          (plot_box){plot_x(panel, value), panel->box.y, 0, panel->box.height}, 0.5,
                          PLOT_PALE);
        }
}

static void draw_all(plot_scene *scene, const bench_results *results, int64_t count, group *groups)
{
    double y = TOP;
    plot_panel panel = {.box = {MARGIN + LABEL_WIDTH, TOP, DOTS_WIDTH, scene->height - TOP - BELOW},
                        .across = axis_of(results, count),
                        .grid = 1};
    draw_fine_grid(scene, &panel);
    plot_axes(scene, &panel);
    plot_line(scene, (plot_box){plot_x(&panel, 1), TOP, 0, panel.box.height}, 1.2, PLOT_INK);
    for (int64_t i = 0; i < count; i++) {
        int64_t bands = all_groups(&results[i], groups);
        if (bands && needs_heading(results, i)) {
            draw_heading(scene, y, &results[i]);
            y += HEADING;
        }
        for (int64_t k = 0; k < bands; k++, y += BAND)
            draw_band(scene, &panel, y + BAND / 2.0, &groups[k]);
    }
}

int plot_ratios(plot_scene *scene, const bench_results *results, int64_t count)
{
    int64_t most = 0;
    plot_font bold = plot_plain(PLOT_HEADING, PLOT_LEFT);
    bold.bold = 1;
    scene->height = TOP + BELOW;
    scene->width = 2 * MARGIN + LABEL_WIDTH + DOTS_WIDTH + REMARK_WIDTH;
    for (int64_t i = 0; i < count; i++) {
        int64_t bands = all_groups(&results[i], NULL);
        scene->height += (double)bands * BAND;
        if (bands && needs_heading(results, i))
            scene->height += HEADING;
        most = bands > most ? bands : most;
    }
    group *groups = most ? calloc((size_t)most, sizeof *groups) : NULL;
    if (!groups)
        return 0;
    plot_text(scene, MARGIN, 24, bold, 0, "sparloom against the fastest of other libraries");
    plot_text(scene, MARGIN, 42, plot_note(PLOT_TITLE, PLOT_LEFT), 0,
              "a dot for each generated matrix, each result checked");
    draw_all(scene, results, count, groups);
    free(groups);
    return 1;
}
