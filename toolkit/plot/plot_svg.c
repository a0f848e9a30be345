/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes as SVG: an element for each shape, images as PNG files within it. Needs no drawing
 * library: who shows the picture knows fonts. */
#include "markup_text.h"
#include "plot_drawing.h"

#include <stdlib.h>
#include <zlib.h>

/* ------------------------------------------------------------------------------------------ PNG */

static void put_big_endian(unsigned char *to, uint32_t number)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(number >> (24 - 8 * k));
}

/* A chunk: length, name, content and the checksum of the last two. */
static void add_chunk(tool_buffer *png, const char *name, const unsigned char *bytes, size_t count)
{
    unsigned char number[4];
    uLong sum = crc32(crc32(0, NULL, 0), (const unsigned char *)name, 4);
    put_big_endian(number, (uint32_t)count);
    tool_buffer_add(png, number, 4);
    tool_buffer_add(png, name, 4);
    tool_buffer_add(png, bytes, count);
    if (count > 0)
        sum = crc32(sum, bytes, (uInt)count);
    put_big_endian(number, (uint32_t)sum);
    tool_buffer_add(png, number, 4);
}

/* Lines of red, green, blue, alpha, each behind a byte that says: as they are. NULL: no memory. */
static unsigned char *lines_of(const plot_shape *image, size_t *count)
{
    const size_t rows = (size_t)image->pixel_rows, cols = (size_t)image->pixel_cols;
    unsigned char *lines = malloc(rows * (4 * cols + 1) + 1), *next = lines;
    for (size_t row = 0; lines && row < rows; row++) {
        *next++ = 0;
        for (size_t col = 0; col < cols; col++, next += 4) {
            const uint32_t pixel = image->pixels[row * cols + col]; /* alpha first */
            put_big_endian(next, pixel << 8 | pixel >> 24);
        }
    }
    *count = (size_t)(next - lines);
    return lines;
}

/* The image as a PNG file. */
static void add_png(tool_buffer *png, const plot_shape *image)
{
    unsigned char header[13] = {[8] = 8, [9] = 6}; /* eight bits each of red, green, blue, alpha */
    size_t count;
    unsigned char *lines = lines_of(image, &count);
    uLongf size = compressBound(count);
    unsigned char *packed = malloc(size);
    if (lines && packed && compress(packed, &size, lines, count) == Z_OK) {
        put_big_endian(header, (uint32_t)image->pixel_cols);
        put_big_endian(header + 4, (uint32_t)image->pixel_rows);
        tool_buffer_add(png, "\x89PNG\r\n\x1a\n", 8);
        add_chunk(png, "IHDR", header, sizeof header);
        add_chunk(png, "IDAT", packed, size);
        add_chunk(png, "IEND", NULL, 0);
    } else {
        png->failed = 1;
    }
    free(lines);
    free(packed);
}

/* --------------------------------------------------------------------------------------- shapes */

static void add_box(tool_buffer *svg, const plot_box *box)
{
    tool_buffer_text(svg, " x=\"%.7g\" y=\"%.7g\" width=\"%.7g\" height=\"%.7g\"", box->x, box->y,
                     box->width, box->height);
}

static void add_line(tool_buffer *svg, const plot_shape *shape)
{
    const plot_box *line = &shape->box;
    tool_buffer_text(svg, "<line x1=\"%.7g\" y1=\"%.7g\" x2=\"%.7g\" y2=\"%.7g\"", line->x, line->y,
                     line->x + line->width, line->y + line->height);
    tool_buffer_text(svg, " stroke=\"#%06x\" stroke-width=\"%.7g\"%s/>\n", shape->colour,
                     shape->size, shape->dashed ? " stroke-dasharray=\"4 3\"" : "");
}

static void add_text(tool_buffer *svg, const plot_shape *shape)
{
    static const char *const anchors[] = {
        [PLOT_LEFT] = "start", [PLOT_CENTRE] = "middle", [PLOT_RIGHT] = "end"};
    const plot_font *font = &shape->font;
    tool_buffer_text(svg, "<text transform=\"translate(%.7g %.7g)%s\" font-size=\"%.7g\"",
                     shape->box.x, shape->box.y, font->upwards ? " rotate(-90)" : "", font->size);
    tool_buffer_text(svg, " text-anchor=\"%s\" fill=\"#%06x\"%s>", anchors[font->align],
                     shape->colour, font->bold ? " font-weight=\"bold\"" : "");
    tool_add_escaped(svg, shape->text);
    tool_buffer_text(svg, "</text>\n");
}

static void add_image(tool_buffer *svg, const plot_shape *shape)
{
    tool_buffer png = {0};
    add_png(&png, shape);
    tool_buffer_text(svg, "<image");
    add_box(svg, &shape->box);
    tool_buffer_text(svg, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\""
                          " xlink:href=\"data:image/png;base64,");
    tool_add_base64(svg, &png);
    tool_buffer_text(svg, "\"/>\n");
    svg->failed |= png.failed;
    tool_buffer_free(&png);
}

static void add_shape(tool_buffer *svg, const plot_shape *shape)
{
    switch (shape->kind) {
    case PLOT_RECT:
        tool_buffer_text(svg, "<rect");
        add_box(svg, &shape->box);
        tool_buffer_text(svg, " fill=\"#%06x\"/>\n", shape->colour);
        break;
    case PLOT_DOT:
        tool_buffer_text(svg, "<circle cx=\"%.7g\" cy=\"%.7g\" r=\"%.7g\" fill=\"#%06x\"/>\n",
                         shape->box.x, shape->box.y, shape->size, shape->colour);
        break;
    case PLOT_LINE:
        add_line(svg, shape);
        break;
    case PLOT_TEXT:
        add_text(svg, shape);
        break;
    case PLOT_IMAGE:
        add_image(svg, shape);
        break;
    }
}

const char *plot_draw_svg(const plot_scene *scene, tool_buffer *bytes)
{
    const plot_box all = {0, 0, scene->width, scene->height};
    tool_buffer_text(bytes,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<svg xmlns=\"http://www.w3.org/2000/svg\""
                     " xmlns:xlink=\"http://www.w3.org/1999/xlink\" font-family=\"sans-serif\""
                     " width=\"%.7gpt\" height=\"%.7gpt\" viewBox=\"0 0 %.7g %.7g\">\n<rect",
                     all.width, all.height, all.width, all.height);
    add_box(bytes, &all);
    tool_buffer_text(bytes, " fill=\"#ffffff\"/>\n");
    for (int64_t i = 0; i < scene->count; i++)
        add_shape(bytes, &scene->shapes[i]);
    tool_buffer_text(bytes, "</svg>\n");
    return bytes->failed ? "no memory for the picture" : NULL;
}
