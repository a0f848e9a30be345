/* SPDX-License-Identifier: Apache-2.0 */
/* A partition as the blocks of ELL that its parts would be: pale the stored positions, in full
 * colour the entries among them. What stays pale is padding, so that the density of S2 is a
 * proportion of areas. Rows stand in the order of the partition. */
#include "plot_matrix.h"
#include "readable.h"
#include "sparse_rows.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 380, HEIGHT = 380, MOST_BARS = 380, LINE_HEIGHT = 17, MOST_LINES = 16 };

static int64_t widest(const plot_partition *p)
{
    int64_t most = 1;
    for (int32_t i = 0; i < p->count; i++)
        if (p->parts[i].width > most)
            most = p->parts[i].width;
    return most;
}

/* Rows order[begin .. end) on one bar: what they hold, and how many of them, at all. */
typedef struct bar {
    double entries, filled;
} bar;

static bar sum_up(const plot_subject *s, int64_t begin, int64_t end)
{
    bar sum = {0};
    for (int64_t i = begin; i < end; i++) {
        int64_t length = tool_row_length(&s->matrix, s->partition.order[i]);
        sum.entries += (double)length;
        sum.filled += length > 0;
    }
    return sum;
}

/* Positions and, over them, entries of a bar. Rows without entries take no positions: they make a
 * bar shorter. */
static void draw_bar(plot_scene *scene, const plot_panel *panel, const plot_subject *s,
                     int32_t number, const int64_t rows[2])
{
    const spl_part *part = &s->partition.parts[number];
    uint32_t colour = plot_part_colour(number);
    double left = panel->box.x, top = plot_y(panel, (double)rows[0]),
           count = (double)(rows[1] - rows[0]);
    /* Half a point more than needed, so that no seams show between bars. */
    double bottom = fmin(plot_y(panel, (double)rows[1]) + 0.5,
                         plot_y(panel, (double)(part->begin + part->rows)));
    bar sum = sum_up(s, rows[0], rows[1]);
    double positions = plot_x(panel, (double)part->width * sum.filled / count) - left;
    double entries = plot_x(panel, sum.entries / count) - left;
    if (sum.filled > 0) {
        plot_rect(scene, (plot_box){left, top, positions, bottom - top},
                  plot_blend(PLOT_WHITE, colour, 0.25));
        plot_rect(scene, (plot_box){left, top, entries, bottom - top}, colour);
    }
}

/* The rows of a part, so many to a bar that no bar is thinner than a point. */
static void draw_part(plot_scene *scene, const plot_panel *panel, const plot_subject *s,
                      int32_t number)
{
    const spl_part *part = &s->partition.parts[number];
    int64_t all = s->matrix.rows, end = part->begin + part->rows,
            step = all / MOST_BARS + (all % MOST_BARS != 0);
    for (int64_t row = part->begin; row < end; row += step) {
        const int64_t rows[2] = {row, row + step < end ? row + step : end};
        draw_bar(scene, panel, s, number, rows);
    }
}

/* Stored positions of all parts: what the density of the whole is measured by. */
static double stored(const plot_partition *p)
{
    double sum = 0;
    for (int32_t i = 0; i < p->count; i++)
        if (p->parts[i].density > 0)
            sum += (double)p->parts[i].nnz / p->parts[i].density;
    return sum;
}

void plot_profile(plot_scene *scene, double x, double y, const plot_subject *s)
{
    const plot_partition *p = &s->partition;
    char title[64], subtitle[96];
    double positions = stored(p);
    snprintf(title, sizeof title, "Partition by %s", p->kind);
    snprintf(subtitle, sizeof subtitle, "stored as ELL, pale: padding; density %.3g %%",
             positions > 0 ? 100 * (double)s->matrix.nnz / positions : 0.0);
    plot_panel panel = {
        .box = {x + PLOT_LEFT_ROOM, y + PLOT_TOP_ROOM, WIDTH, HEIGHT},
        .across = {0, (double)widest(p), 0, "positions in a row"},
        .up = {0, fmax(1, (double)s->matrix.rows), 0, "row in the partition's order"},
        .downwards = 1,
        .title = title,
        .subtitle = subtitle};
    for (int32_t i = 0; i < p->count; i++)
        if (p->parts[i].rows > 0)
            draw_part(scene, &panel, s, i);
    plot_axes(scene, &panel);
}

/* ------------------------------------------------------------------------------------- the list */

static int lines_of(const plot_partition *p)
{
    return p->count <= MOST_LINES ? p->count : MOST_LINES;
}

double plot_part_list_height(const plot_partition *p)
{
    return LINE_HEIGHT * (lines_of(p) + (p->count > MOST_LINES) + 1.5);
}

static void draw_cells(plot_scene *scene, double x, double y, const char *const cells[6],
                       plot_font font)
{
    static const double right[6] = {60, 160, 280, 420, 520, 620};
    font.align = PLOT_RIGHT;
    for (int i = 0; i < 6; i++)
        plot_text(scene, x + right[i], y, font, 0, cells[i]);
}

static void draw_line(plot_scene *scene, double x, double y, const plot_partition *p, int32_t i)
{
    const spl_part *part = &p->parts[i];
    char number[16], capability[32], density[16];
    snprintf(number, sizeof number, "%d", (int)i + 1);
    snprintf(capability, sizeof capability, "%g", p->capabilities[i]);
    snprintf(density, sizeof density, "%.3g %%", 100 * part->density);
    tool_text rows = tool_thousands(part->rows), nnz = tool_thousands(part->nnz),
              width = tool_thousands(part->width);
    const char *const cells[6] = {number, capability, rows.text, nnz.text, width.text, density};
    plot_rect(scene, (plot_box){x + 10, y - 9, 22, 10}, plot_part_colour(i));
    draw_cells(scene, x, y, cells, plot_plain(PLOT_SMALL, PLOT_RIGHT));
}

void plot_part_list(plot_scene *scene, double x, double y, const plot_subject *s)
{
    static const char *const head[6] = {"part",    "capability", "rows",
                                        "entries", "width",      "density"};
    const plot_partition *p = &s->partition;
    int lines = lines_of(p);
    y += LINE_HEIGHT;
    draw_cells(scene, x, y, head, plot_note(PLOT_SMALL, PLOT_RIGHT));
    for (int32_t i = 0; i < lines; i++)
        draw_line(scene, x, y += LINE_HEIGHT, p, i);
    if (p->count > lines) {
        char more[64];
        snprintf(more, sizeof more, "and %s more", tool_thousands(p->count - lines).text);
        plot_text(scene, x + 40, y + LINE_HEIGHT, plot_note(PLOT_SMALL, PLOT_LEFT), 0, more);
    }
}
