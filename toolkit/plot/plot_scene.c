/* SPDX-License-Identifier: Apache-2.0 */
#include "plot_drawing.h"

#include "shown_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The new shape, all zero but for the kind; NULL if there is no memory. */
static plot_shape *add(plot_scene *scene, plot_kind kind, plot_box box, uint32_t colour)
{
    if (scene->count == scene->room && !scene->failed) {
        int64_t room = 2 * scene->room + 64;
        plot_shape *shapes = realloc(scene->shapes, (size_t)room * sizeof *shapes);
        scene->failed = !shapes;
        if (shapes) {
            scene->shapes = shapes;
            scene->room = room;
        }
    }
    if (scene->failed)
        return NULL;
    plot_shape *shape = &scene->shapes[scene->count++];
    *shape = (plot_shape){.kind = kind, .box = box, .colour = colour};
    return shape;
}

void plot_rect(plot_scene *scene, plot_box box, uint32_t colour)
{
    add(scene, PLOT_RECT, box, colour);
}

void plot_line(plot_scene *scene, plot_box line, double width, uint32_t colour)
{
    plot_shape *shape = add(scene, PLOT_LINE, line, colour);
    if (shape)
        shape->size = width;
}

void plot_dashes(plot_scene *scene, plot_box line, double width, uint32_t colour)
{
    plot_shape *shape = add(scene, PLOT_LINE, line, colour);
    if (!shape)
        return;
    shape->size = width;
    shape->dashed = 1;
}

void plot_dot(plot_scene *scene, double x, double y, double radius, uint32_t colour)
{
    plot_shape *shape = add(scene, PLOT_DOT, (plot_box){x, y, 0, 0}, colour);
    if (shape)
        shape->size = radius;
}

double plot_text_width(const char *text, const plot_font *font)
{
    const double letter =
        font->bold ? 0.62
                   : 0.56; /* of the size: the mean of sans-serif fonts, rather more than less */
    double letters = 0;
    for (; *text; text++)
        letters += (*text & 0xc0) != 0x80; /* not the further bytes of a letter in UTF-8 */
    return letters * letter * font->size;
}

/* Cut to fit the room; whole letters only. */
static void shorten(char *text, const plot_font *font, double room)
{
    static const char dots[] = "...";
    if (room <= 0 || plot_text_width(text, font) <= room)
        return;
    size_t length = strlen(text);
    while (length > 0 && plot_text_width(text, font) > room - plot_text_width(dots, font)) {
        do
            length--;
        while (length > 0 && (text[length] & 0xc0) == 0x80);
        text[length] = 0;
    }
    strcat(text, dots);
}

void plot_text(plot_scene *scene, double x, double y, plot_font font, double room, const char *text)
{
    plot_shape *shape = add(scene, PLOT_TEXT, (plot_box){x, y, 0, 0}, font.colour);
    if (!shape)
        return;
    shape->font = font;
    tool_shown_text shown = tool_shown(text); /* pictures have UTF-8 only */
    shape->text = malloc(strlen(shown.text) + 4);
    if (shape->text)
        shorten(strcpy(shape->text, shown.text), &font, room);
    else
        scene->failed = 1;
}

void plot_image(plot_scene *scene, plot_box box, int cols, int rows, uint32_t *pixels)
{
    plot_shape *shape = pixels ? add(scene, PLOT_IMAGE, box, 0) : NULL;
    scene->failed |= !shape;
    if (!shape) {
        free(pixels);
        return;
    }
    shape->pixels = pixels;
    shape->pixel_cols = cols;
    shape->pixel_rows = rows;
}

void plot_scene_free(plot_scene *scene)
{
    for (int64_t i = 0; i < scene->count; i++) {
        free(scene->shapes[i].text);
        free(scene->shapes[i].pixels);
    }
    free(scene->shapes);
    *scene = (plot_scene){0};
}

int64_t plot_count(const plot_scene *scene, plot_kind kind, uint32_t colour)
{
    int64_t count = 0;
    for (int64_t i = 0; i < scene->count; i++)
        count += scene->shapes[i].kind == kind && scene->shapes[i].colour == colour;
    return count;
}

plot_format plot_format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && !strcasecmp(dot, ".svg"))
        return PLOT_SVG;
    return dot && !strcasecmp(dot, ".png") ? PLOT_PNG : PLOT_UNKNOWN;
}

const char *plot_draw(const plot_scene *scene, plot_format format, tool_buffer *bytes)
{
    if (scene->failed)
        return "no memory for the picture";
    return format == PLOT_SVG ? plot_draw_svg(scene, bytes) : plot_draw_png(scene, bytes);
}
