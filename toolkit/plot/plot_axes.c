/* SPDX-License-Identifier: Apache-2.0 */
#include "plot_axes.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TICKS = 7 };

typedef struct ticks {
    int count;
    double values[2 * MOST_TICKS];
} ticks;

/* -------------------------------------------------------------------------------------- colours */

uint32_t plot_part_colour(int64_t part)
{
    static const uint32_t colours[] = {PLOT_BLUE, PLOT_ORANGE, PLOT_GREEN,
                                       PLOT_PINK, PLOT_SKY,    PLOT_VERMILION};
    return colours[(uint64_t)part % (sizeof colours / sizeof colours[0])];
}

uint32_t plot_blend(uint32_t low, uint32_t high, double share)
{
    uint32_t result = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double from = low >> shift & 255, to = high >> shift & 255;
        result |= (uint32_t)lrint(from + (to - from) * share) << shift;
    }
    return result;
}

uint32_t plot_shade(double share)
{
    const uint32_t light = 0x86BBDF, dark = 0x08204A;
    return share < 0.5 ? plot_blend(light, PLOT_BLUE, 2 * share)
                       : plot_blend(PLOT_BLUE, dark, 2 * share - 1);
}

plot_font plot_plain(double size, plot_align align)
{
    return (plot_font){.size = size, .align = align, .colour = PLOT_INK};
}

plot_font plot_note(double size, plot_align align)
{
    return (plot_font){.size = size, .align = align, .colour = PLOT_GREY};
}

/* ------------------------------------------------------------------------------------- positions */

/* 0 at the least, 1 at the most. */
static double share_of(const plot_axis *axis, double value)
{
    if (axis->logarithmic)
        return log(value / axis->least) / log(axis->most / axis->least);
    return (value - axis->least) / (axis->most - axis->least);
}

double plot_x(const plot_panel *panel, double value)
{
    return panel->box.x + panel->indent +
           (panel->box.width - panel->indent) * share_of(&panel->across, value);
}

double plot_y(const plot_panel *panel, double value)
{
    double share = share_of(&panel->up, value);
    return panel->box.y + panel->box.height * (panel->downwards ? share : 1 - share);
}

/* ---------------------------------------------------------------------------------------- ticks */

/* The largest of 1, 2, 5 times a power of ten that gives no more than MOST_TICKS steps; whole
 * numbers only. */
static double step_of(const plot_axis *axis)
{
    static const double factors[] = {1, 2, 5};
    double span = axis->most - axis->least;
    for (double power = 1;; power *= 10)
        for (int i = 0; i < 3; i++)
            if (span / (factors[i] * power) <= MOST_TICKS)
                return factors[i] * power;
}

static ticks linear_ticks(const plot_axis *axis)
{
    ticks t = {0};
    double step = step_of(axis);
    for (double k = ceil(axis->least / step); k * step <= axis->most && t.count < MOST_TICKS + 1;
         k++)
        t.values[t.count++] = k * step;
    return t;
}

/* Powers of ten; 1, 2, 5 times them where there are hardly any. */
static ticks decade_ticks(const plot_axis *axis)
{
    ticks t = {0};
    double first = ceil(log10(axis->least) - 1e-9), last = floor(log10(axis->most) + 1e-9);
    double stride = ceil((last - first + 1) / MOST_TICKS);
    if (last - first < 2) {
        static const double factors[] = {1, 2, 5};
        for (double power = first - 1; power <= last; power++)
            for (int i = 0; i < 3; i++) {
                double value = factors[i] * pow(10, power);
                if (value >= axis->least * (1 - 1e-9) && value <= axis->most * (1 + 1e-9))
                    t.values[t.count++] = value;
            }
        return t;
    }
    for (double power = first; power <= last; power += stride)
        t.values[t.count++] = pow(10, power);
    return t;
}

void plot_label(double value, char text[16])
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (value >= units[i].unit) {
            snprintf(text, 16, "%.4g%s", value / units[i].unit, units[i].letter);
            return;
        }
    snprintf(text, 16, "%.4g", value);
}

static ticks ticks_of(const plot_axis *axis)
{
    if (!(axis->least < axis->most))
        return (ticks){0};
    return axis->logarithmic ? decade_ticks(axis) : linear_ticks(axis);
}

static void draw_ticks_across(plot_scene *scene, const plot_panel *p)
{
    ticks t = ticks_of(&p->across);
    double bottom = p->box.y + p->box.height;
    for (int i = 0; i < t.count; i++) {
        char label[16];
        double x = plot_x(p, t.values[i]);
        plot_label(t.values[i], label);
        if (p->grid)
            plot_line(scene, (plot_box){x, p->box.y, 0, p->box.height}, 0.5, PLOT_PALE);
        plot_line(scene, (plot_box){x, bottom, 0, 4}, 1, PLOT_GREY);
        plot_text(scene, x, bottom + 16, plot_plain(PLOT_SMALL, PLOT_CENTRE), 0, label);
    }
}

static void draw_ticks_up(plot_scene *scene, const plot_panel *p)
{
    ticks t = ticks_of(&p->up);
    for (int i = 0; i < t.count; i++) {
        char label[16];
        double y = plot_y(p, t.values[i]);
        plot_label(t.values[i], label);
        if (p->grid)
            plot_line(scene, (plot_box){p->box.x, y, p->box.width, 0}, 0.5, PLOT_PALE);
        plot_line(scene, (plot_box){p->box.x - 4, y, 4, 0}, 1, PLOT_GREY);
        plot_text(scene, p->box.x - 7, y + 4, plot_plain(PLOT_SMALL, PLOT_RIGHT), 0, label);
    }
}

static void draw_titles(plot_scene *scene, const plot_panel *p)
{
    const plot_box *box = &p->box;
    plot_font title = plot_plain(PLOT_TITLE, PLOT_LEFT),
              upwards = plot_plain(PLOT_SMALL, PLOT_CENTRE);
    title.bold = upwards.upwards = 1;
    if (p->title)
        plot_text(scene, box->x, box->y - (p->subtitle ? 24 : 9), title, 0, p->title);
    if (p->subtitle)
        plot_text(scene, box->x, box->y - 8, plot_note(PLOT_SMALL, PLOT_LEFT), 0, p->subtitle);
    if (p->across.title)
        plot_text(scene, box->x + box->width / 2, box->y + box->height + 34,
                  plot_plain(PLOT_SMALL, PLOT_CENTRE), 0, p->across.title);
    if (p->up.title)
        plot_text(scene, box->x - 50, box->y + box->height / 2, upwards, 0, p->up.title);
}

void plot_frame(plot_scene *scene, const plot_panel *panel)
{
    const plot_box *box = &panel->box;
    plot_line(scene, (plot_box){box->x, box->y, box->width, 0}, 1, PLOT_GREY);
    plot_line(scene, (plot_box){box->x, box->y + box->height, box->width, 0}, 1, PLOT_GREY);
    plot_line(scene, (plot_box){box->x, box->y, 0, box->height}, 1, PLOT_GREY);
    plot_line(scene, (plot_box){box->x + box->width, box->y, 0, box->height}, 1, PLOT_GREY);
}

void plot_axes(plot_scene *scene, const plot_panel *panel)
{
    draw_ticks_across(scene, panel);
    draw_ticks_up(scene, panel);
    plot_frame(scene, panel);
    draw_titles(scene, panel);
}

plot_axis plot_decades(double most, const char *title)
{
    double last = fmax(1, ceil(log10(most) - 1e-9));
    return (plot_axis){1, pow(10, last), 1, title};
}
