/* SPDX-License-Identifier: Apache-2.0 */
#include "plot_matrix.h"

#include "readable.h"
#include "typed_array.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADING_HEIGHT = 44, MARGIN = 12 };

/* The part that each row belongs to; NULL if there is no memory. */
static int32_t *parts_of_rows(const plot_subject *s)
{
    int32_t *part_of_row = tool_array(s->matrix.rows, sizeof *part_of_row);
    for (int32_t p = 0; part_of_row && p < s->partition.count; p++) {
        const spl_part *part = &s->partition.parts[p];
        for (int64_t i = part->begin; i < part->begin + part->rows; i++)
            part_of_row[s->partition.order[i]] = p;
    }
    return part_of_row;
}

static void draw_heading(plot_scene *scene, const plot_subject *s)
{
    char size[192];
    plot_font name = plot_plain(PLOT_HEADING, PLOT_LEFT);
    name.bold = 1;
    snprintf(size, sizeof size, "%s x %s, %s %s", tool_thousands(s->matrix.rows).text,
             tool_thousands(s->matrix.cols).text, tool_thousands(s->matrix.nnz).text,
             s->matrix.nnz == 1 ? "entry" : "entries");
    plot_text(scene, MARGIN, 24, name, scene->width - 2 * MARGIN, s->name);
    plot_text(scene, MARGIN, 42, plot_plain(PLOT_TITLE, PLOT_LEFT), 0, size);
}

static void draw_partition(plot_scene *scene, double y, const plot_subject *s)
{
    int32_t *part_of_row = parts_of_rows(s);
    scene->failed |= !part_of_row;
    if (part_of_row) {
        plot_spy(scene, 0, y, s, part_of_row);
        plot_profile(scene, PLOT_SLOT_WIDTH, y, s);
        plot_part_list(scene, PLOT_LEFT_ROOM - 10, y + PLOT_SLOT_HEIGHT, s);
    }
    free(part_of_row);
}

void plot_matrix(plot_scene *scene, const plot_subject *s, unsigned panels)
{
    unsigned upper = panels & (PLOT_SPY | PLOT_ROWS);
    int slots = panels == PLOT_SPY || panels == PLOT_ROWS ? 1 : 2;
    double y = HEADING_HEIGHT + MARGIN;
    scene->width = PLOT_SLOT_WIDTH * slots + MARGIN;
    scene->height = y + (panels == PLOT_SPY ? plot_spy_height(&s->matrix)
                         : upper            ? PLOT_SLOT_HEIGHT
                                            : 0);
    if (panels & PLOT_PARTITION)
        scene->height += PLOT_SLOT_HEIGHT + plot_part_list_height(&s->partition) + MARGIN;
    draw_heading(scene, s);
    if (panels & PLOT_SPY)
        plot_spy(scene, 0, y, s, NULL);
    if (panels & PLOT_ROWS)
        plot_row_lengths(scene, panels & PLOT_SPY ? PLOT_SLOT_WIDTH : 0, y, s);
    if (panels & PLOT_PARTITION)
        draw_partition(scene, y + (upper ? PLOT_SLOT_HEIGHT : 0), s);
}

void plot_matrix_by_part(plot_scene *scene, const plot_subject *s, const int32_t *part_of_row)
{
    const double y = HEADING_HEIGHT + MARGIN;
    scene->width = PLOT_SLOT_WIDTH + MARGIN;
    scene->height = y + plot_spy_height(&s->matrix);
    draw_heading(scene, s);
    plot_spy(scene, 0, y, s, part_of_row);
}
