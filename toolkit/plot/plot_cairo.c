/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes drawn by libcairo, as PNG. */
#include "plot_drawing.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>

static const double half_turn = 3.141592653589793;
/* Pixels for a point: PNGs are for screens of today. */
static const double pixels_per_point = 2;
/* The largest image that cairo makes. */
static const double most_pixels = 32767;

int plot_available(plot_format format)
{
    return format != PLOT_UNKNOWN;
}

static void use_colour(cairo_t *page, uint32_t colour)
{
    cairo_set_source_rgb(page, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

static void draw_line(cairo_t *page, const plot_shape *shape)
{
    static const double dashes[] = {4, 3};
    const plot_box *line = &shape->box;
    cairo_set_line_width(page, shape->size);
    cairo_set_dash(page, dashes, shape->dashed ? 2 : 0, 0);
    cairo_move_to(page, line->x, line->y);
    cairo_line_to(page, line->x + line->width, line->y + line->height);
    cairo_stroke(page);
}

static void draw_text(cairo_t *page, const plot_shape *shape)
{
    const plot_font *font = &shape->font;
    cairo_text_extents_t size;
    cairo_select_font_face(page, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(page, font->size);
    cairo_text_extents(page, shape->text, &size);
    cairo_save(page);
    cairo_translate(page, shape->box.x, shape->box.y);
    if (font->upwards)
        cairo_rotate(page, -half_turn / 2);
    cairo_move_to(page,
                  -size.x_advance * (font->align == PLOT_LEFT    ? 0
                                     : font->align == PLOT_RIGHT ? 1
                                                                 : 0.5),
                  0);
    cairo_show_text(page, shape->text);
    cairo_restore(page);
}

/* Cairo wants colours multiplied by alpha. */
static uint32_t premultiplied(uint32_t pixel)
{
    uint32_t alpha = pixel >> 24, result = alpha << 24;
    for (int shift = 0; shift < 24; shift += 8)
        result |= (pixel >> shift & 255) * alpha / 255 << shift;
    return result;
}

static void draw_image(cairo_t *page, const plot_shape *shape)
{
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, shape->pixel_cols, shape->pixel_rows);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int row = 0; bytes && row < shape->pixel_rows; row++)
        for (int col = 0; col < shape->pixel_cols; col++)
            ((uint32_t *)(void *)(bytes + (size_t)row * (size_t)stride))[col] =
                premultiplied(shape->pixels[(size_t)row * (size_t)shape->pixel_cols + (size_t)col]);
    cairo_surface_mark_dirty(image);
    cairo_save(page);
    cairo_translate(page, shape->box.x, shape->box.y);
    cairo_scale(page, shape->box.width / shape->pixel_cols, shape->box.height / shape->pixel_rows);
    cairo_set_source_surface(page, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(page), CAIRO_FILTER_NEAREST);
    cairo_paint(page);
    cairo_restore(page);
    cairo_surface_destroy(image);
}

static void draw_shape(cairo_t *page, const plot_shape *shape)
{
    const plot_box *box = &shape->box;
    use_colour(page, shape->colour);
    switch (shape->kind) {
    case PLOT_RECT:
        cairo_rectangle(page, box->x, box->y, box->width, box->height);
        cairo_fill(page);
        break;
    case PLOT_DOT:
        cairo_arc(page, box->x, box->y, shape->size, 0, 2 * half_turn);
        cairo_fill(page);
        break;
    case PLOT_LINE:
        draw_line(page, shape);
        break;
    case PLOT_TEXT:
        draw_text(page, shape);
        break;
    case PLOT_IMAGE:
        draw_image(page, shape);
        break;
    }
}

static cairo_status_t collect(void *user, const unsigned char *bytes, unsigned count)
{
    tool_buffer *buffer = user;
    tool_buffer_add(buffer, bytes, count);
    return buffer->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_status_t draw_shapes(const plot_scene *scene, cairo_surface_t *surface)
{
    cairo_t *page = cairo_create(surface);
    cairo_scale(page, pixels_per_point, pixels_per_point);
    use_colour(page, 0xffffff);
    cairo_paint(page);
    for (int64_t i = 0; i < scene->count; i++)
        draw_shape(page, &scene->shapes[i]);
    cairo_status_t status = cairo_status(page);
    cairo_destroy(page);
    return status;
}

const char *plot_draw_png(const plot_scene *scene, tool_buffer *bytes)
{
    if (fmax(scene->width, scene->height) * pixels_per_point > most_pixels)
        return "too large for a PNG; write an SVG";
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(scene->width * pixels_per_point),
                                   (int)ceil(scene->height * pixels_per_point));
    cairo_status_t status = draw_shapes(scene, surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, collect, bytes);
    cairo_surface_destroy(surface);
    return status ? cairo_status_to_string(status) : NULL;
}
