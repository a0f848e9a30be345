/* SPDX-License-Identifier: Apache-2.0 */
/* plot_scene.h: a picture as a list of shapes, before anything is drawn. What a chart shows can so
 * be tested without a drawing library, and only plot_cairo.c knows one. Lengths are in points, y
 * grows downwards, later shapes cover earlier ones. */
#ifndef TOOL_PLOT_SCENE_H
#define TOOL_PLOT_SCENE_H

#include "whole_file.h"

#include <stdint.h>

typedef enum plot_kind { PLOT_RECT, PLOT_LINE, PLOT_DOT, PLOT_TEXT, PLOT_IMAGE } plot_kind;
typedef enum plot_align { PLOT_LEFT, PLOT_CENTRE, PLOT_RIGHT } plot_align;

typedef struct plot_box {
    double x, y, width, height; /* from the upper left corner */
} plot_box;

/* The size, alignment, weight, direction and colour of a text. */
typedef struct plot_font {
    double size;
    plot_align align;
    int bold, upwards; /* upwards: turned to read from below */
    uint32_t colour;
} plot_font;

typedef struct plot_shape {
    plot_kind kind;
    uint32_t colour; /* 0xRRGGBB */
    plot_box box; /* RECT, IMAGE; LINE: from x, y to x + width, y + height; DOT: around x, y; TEXT:
                     its base line begins at x, y */
    double size;  /* LINE: width; DOT: radius */
    int dashed;   /* LINE */
    plot_font font;
    char *text;
    uint32_t *pixels; /* IMAGE: 0xAARRGGBB, colours not multiplied by alpha, row by row */
    int pixel_cols, pixel_rows;
} plot_shape;

/* All zero but the size at first. */
typedef struct plot_scene {
    double width, height;
    plot_shape *shapes;
    int64_t count, room;
    int failed; /* there was no memory: shapes are missing */
} plot_scene;

void plot_rect(plot_scene *scene, plot_box box, uint32_t colour);
void plot_line(plot_scene *scene, plot_box line, double width, uint32_t colour);
void plot_dashes(plot_scene *scene, plot_box line, double width, uint32_t colour);
void plot_dot(plot_scene *scene, double x, double y, double radius, uint32_t colour);
/* A text that would be longer than `room` points (0: any length) is cut and ends with "..."; one
 * that fits stays. */
void plot_text(plot_scene *scene, double x, double y, plot_font font, double room,
               const char *text);
/* Takes `pixels` over, to free(); NULL counts as no memory. */
void plot_image(plot_scene *scene, plot_box box, int cols, int rows, uint32_t *pixels);
void plot_scene_free(plot_scene *scene);

/* The shapes of a kind that have the colour. */
int64_t plot_count(const plot_scene *scene, plot_kind kind, uint32_t colour);
/* The length of a text in points, about. */
double plot_text_width(const char *text, const plot_font *font);

typedef enum plot_format { PLOT_UNKNOWN, PLOT_SVG, PLOT_PNG } plot_format;
/* By the ending of the name. */
plot_format plot_format_of(const char *path);
/* Whether the tool draws the format: PNG takes libcairo. */
int plot_available(plot_format format);
/* Draws. NULL, or what went wrong. */
const char *plot_draw(const plot_scene *scene, plot_format format, tool_buffer *bytes);

#endif
