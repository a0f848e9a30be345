/* SPDX-License-Identifier: Apache-2.0 */
/* Where the entries are: a square for each where they can be told apart, else an image whose pixels
 * are darker the more entries they stand for, on a logarithmic scale. */
#include "plot_grid.h"
#include "plot_matrix.h"
#include "readable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 380, LEAST_SIDE = 95, MOST_SQUARES = 120, STEPS = 64 };
/* Where fewer cells than this part of them have an entry, they are twice as large: single points
 * are hard to see. */
static const double least_filled = 0.05;

/* In proportion, unless that would be too narrow to see. */
static plot_box inside(double x, double y, const spl_sparse *a)
{
    double rows = fmax(1, (double)a->rows), cols = fmax(1, (double)a->cols),
           larger = fmax(rows, cols);
    return (plot_box){x + PLOT_LEFT_ROOM, y + PLOT_TOP_ROOM, fmax(LEAST_SIDE, SIDE * cols / larger),
                      fmax(LEAST_SIDE, SIDE * rows / larger)};
}

/* 0 for one entry, 1 for as many as any cell has; a lone entry of a matrix without any crowd is in
 * the middle. */
static double crowd(const plot_grid *grid, double entries)
{
    return grid->most > 1 ? log(entries) / log(grid->most) : 0.5;
}

/* Of the parts that a cell's entries belong to. */
static uint32_t mean_colour(const plot_cell *cell)
{
    uint32_t colour = 0;
    for (int c = 0; c < 3; c++)
        colour |= (uint32_t)lrint(cell->colour[c] / cell->entries) << 8 * c;
    return colour;
}

static uint32_t colour_of(const plot_grid *grid, const plot_cell *cell, int by_part)
{
    if (!by_part)
        return plot_shade(crowd(grid, cell->entries));
    return plot_blend(PLOT_WHITE, mean_colour(cell), 0.6 + 0.4 * crowd(grid, cell->entries));
}

/* Every cell is an entry, or several at one position. */
static void draw_squares(plot_scene *scene, const plot_box *box, const plot_grid *grid, int by_part)
{
    double width = box->width / grid->cols, height = box->height / grid->rows,
           gap = fmin(width, height) * 0.12;
    for (int i = 0; i < grid->rows * grid->cols; i++) {
        const plot_cell *cell = &grid->cells[i];
        plot_box square = {box->x + i % grid->cols * width + gap / 2,
                           box->y + i / grid->cols * height + gap / 2, width - gap, height - gap};
        if (cell->entries > 0)
            plot_rect(scene, square, by_part ? mean_colour(cell) : PLOT_BLUE);
    }
}

static void draw_image(plot_scene *scene, const plot_box *box, const plot_grid *grid, int by_part)
{
    size_t count = (size_t)grid->rows * (size_t)grid->cols;
    uint32_t *pixels = calloc(count, sizeof *pixels);
    for (size_t i = 0; pixels && i < count; i++)
        if (grid->cells[i].entries > 0)
            pixels[i] = 0xff000000u | colour_of(grid, &grid->cells[i], by_part);
    plot_image(scene, *box, grid->cols, grid->rows, pixels);
}

/* What the shades mean, beside the image. */
static void draw_scale(plot_scene *scene, const plot_box *box, const plot_grid *grid)
{
    uint32_t *pixels = malloc(STEPS * sizeof *pixels);
    for (int i = 0; pixels && i < STEPS; i++)
        pixels[i] = 0xff000000u | plot_shade(1 - i / (STEPS - 1.0));
    plot_axis axis = {1, fmax(2, grid->most), 1, NULL};
    plot_panel bar = {.box = {box->x + box->width + 10, box->y, 10, fmin(box->height, 160)},
                      .up = axis};
    plot_image(scene, bar.box, 1, STEPS, pixels);
    for (double value = 1; value <= grid->most; value *= 10) {
        char label[16];
        plot_label(value, label);
        if (plot_y(&bar, value) > bar.box.y + 18)
            plot_text(scene, bar.box.x + 14, plot_y(&bar, value) + 4,
                      plot_plain(PLOT_SMALL, PLOT_LEFT), 0, label);
    }
    char most[16];
    plot_label(grid->most, most);
    plot_text(scene, bar.box.x + 14, bar.box.y + 8, plot_plain(PLOT_SMALL, PLOT_LEFT), 0, most);
}

/* What is drawn, in words. */
static void describe(const plot_grid *grid, const spl_sparse *a, int squares, char *text,
                     size_t capacity)
{
    if (!a->nnz)
        snprintf(text, capacity, "no entries");
    else if (squares || (grid->cell_rows == 1 && grid->cell_cols == 1))
        snprintf(text, capacity, "a cell for each position");
    else
        snprintf(text, capacity, "entries in cells of %s x %s",
                 tool_thousands(grid->cell_rows).text, tool_thousands(grid->cell_cols).text);
}

double plot_spy_height(const spl_sparse *matrix)
{
    return PLOT_TOP_ROOM + inside(0, 0, matrix).height + PLOT_BOTTOM_ROOM;
}

void plot_spy(plot_scene *scene, double x, double y, const plot_subject *subject,
              const int32_t *part_of_row)
{
    const spl_sparse *a = &subject->matrix;
    int fine = (double)a->nnz >= least_filled * SIDE * SIDE;
    plot_grid grid = plot_grid_make(a, fine ? SIDE : SIDE / 2, part_of_row);
    int squares = a->rows <= MOST_SQUARES && a->cols <= MOST_SQUARES, by_part = part_of_row != NULL;
    char subtitle[128], title[64];
    snprintf(title, sizeof title, "Entries by %s", subject->parts ? subject->parts : "part");
    describe(&grid, a, squares, subtitle, sizeof subtitle);
    plot_panel panel = {.box = inside(x, y, a),
                        .across = {0, fmax(1, (double)a->cols), 0, "column"},
                        .up = {0, fmax(1, (double)a->rows), 0, "row"},
                        .downwards = 1,
                        .title = by_part ? title : "Entries",
                        .subtitle = subtitle};
    scene->failed |= !grid.cells;
    if (grid.cells && a->nnz && squares)
        draw_squares(scene, &panel.box, &grid, by_part);
    else if (grid.cells && a->nnz)
        draw_image(scene, &panel.box, &grid, by_part);
    if (!squares && !by_part && grid.most > 1)
        draw_scale(scene, &panel.box, &grid);
    plot_axes(scene, &panel);
    plot_grid_free(&grid);
}
