/* SPDX-License-Identifier: Apache-2.0 */
/* How many rows have how many entries: the distribution function of [S2] on logarithmic scales, on
 * which power laws are lines. Rows without entries have a position of their own, left of the axis'
 * beginning. */
#include "plot_matrix.h"
#include "readable.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 380, HEIGHT = 380, EMPTY_ROOM = 36, NO_ROOM = 12 };

static double largest(const int64_t *values, int64_t count)
{
    double most = 1;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, (double)values[i]);
    return most;
}

static void draw_stem(plot_scene *scene, const plot_panel *panel, double x, int64_t rows)
{
    double y = plot_y(panel, (double)rows), bottom = panel->box.y + panel->box.height;
    plot_line(scene, (plot_box){x, y, 0, bottom - y}, 1, PLOT_SKY);
    plot_dot(scene, x, y, 2.6, PLOT_BLUE);
}

/* 1 if some rows have no entries: they are the first of the lengths. */
static int has_empty(const plot_subject *s)
{
    return s->lengths > 0 && s->row_lengths[0] == 0;
}

static void describe(const plot_subject *s, char *text, size_t capacity)
{
    const spl_sparse *a = &s->matrix;
    int64_t longest = s->lengths ? s->row_lengths[s->lengths - 1] : 0;
    int64_t empty = has_empty(s) ? s->row_counts[0] : 0;
    double mean = a->rows ? (double)a->nnz / (double)a->rows : 0;
    snprintf(text, capacity, "mean %.4g, longest %s, empty rows %s", mean,
             tool_thousands(longest).text, tool_thousands(empty).text);
}

void plot_row_lengths(plot_scene *scene, double x, double y, const plot_subject *s)
{
    char subtitle[160];
    int empty = has_empty(s);
    describe(s, subtitle, sizeof subtitle);
    plot_panel panel = {.box = {x + PLOT_LEFT_ROOM, y + PLOT_TOP_ROOM, WIDTH, HEIGHT},
                        .across =
                            plot_decades(largest(s->row_lengths, s->lengths), "entries in a row"),
                        .up = plot_decades(largest(s->row_counts, s->lengths), "rows"),
                        .grid = 1,
                        .indent = empty ? EMPTY_ROOM : NO_ROOM,
                        .title = "Lengths of rows",
                        .subtitle = subtitle};
    panel.up.least = 0.7; /* a single row shows, too */
    plot_axes(scene, &panel);
    if (empty) {
        double middle = panel.box.x + EMPTY_ROOM / 2.0;
        plot_text(scene, middle, panel.box.y + HEIGHT + 16, plot_plain(PLOT_SMALL, PLOT_CENTRE), 0,
                  "0");
        draw_stem(scene, &panel, middle, s->row_counts[0]);
    }
    for (int64_t i = empty; i < s->lengths; i++)
        draw_stem(scene, &panel, plot_x(&panel, (double)s->row_lengths[i]), s->row_counts[i]);
}
