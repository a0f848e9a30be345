/* SPDX-License-Identifier: Apache-2.0 */
/* plot_axes.h: what all charts share: colours, a frame with axes, from numbers to positions on the
 * page. */
#ifndef TOOL_PLOT_AXES_H
#define TOOL_PLOT_AXES_H

#include "plot_scene.h"

/* Colours that stay apart for all kinds of colour vision. Source: M. Okabe, K. Ito, Color Universal
 * Design, 2008. */
enum {
    PLOT_BLUE = 0x0072B2,
    PLOT_ORANGE = 0xE69F00,
    PLOT_GREEN = 0x009E73,
    PLOT_PINK = 0xCC79A7,
    PLOT_SKY = 0x56B4E9,
    PLOT_VERMILION = 0xD55E00,
    PLOT_INK = 0x222222,
    PLOT_GREY = 0x666666,
    PLOT_PALE = 0xDDDDDD,
    PLOT_WHITE = 0xFFFFFF
};
/* The colour of part number `part`; they repeat after 6. */
uint32_t plot_part_colour(int64_t part);
/* From `low` (0) to `high` (1), straight through RGB. */
uint32_t plot_blend(uint32_t low, uint32_t high, double share);
/* A colour for a share from 0 to 1: darker is more, so that it needs no colour vision at all. */
uint32_t plot_shade(double share);

enum { PLOT_SMALL = 11, PLOT_TITLE = 13, PLOT_HEADING = 16 }; /* sizes of text */
/* Texts of that size in ink, and in grey. */
plot_font plot_plain(double size, plot_align align);
plot_font plot_note(double size, plot_align align);

typedef struct plot_axis {
    double least, most; /* above 0 if logarithmic; least < most, else the axis has no ticks */
    int logarithmic;
    const char *title;
} plot_axis;

/* A frame on the page; `box` is its inside. Room for labels is left by the caller: see
 * PLOT_LEFT_ROOM. */
typedef struct plot_panel {
    plot_box box;
    plot_axis across, up;
    int downwards; /* the vertical axis begins at the top, as rows of a matrix do */
    int grid;      /* grid lines at the ticks, behind the data */
    double indent; /* the horizontal axis begins so far inside the box */
    const char *title, *subtitle;
} plot_panel;
enum { PLOT_LEFT_ROOM = 74, PLOT_TOP_ROOM = 46, PLOT_RIGHT_ROOM = 20, PLOT_BOTTOM_ROOM = 48 };

/* The positions of numbers on the page. */
double plot_x(const plot_panel *panel, double value);
double plot_y(const plot_panel *panel, double value);
/* Frame, ticks with labels, titles. Data are drawn afterwards, plot_frame last where they may cover
 * the frame. */
void plot_axes(plot_scene *scene, const plot_panel *panel);
void plot_frame(plot_scene *scene, const plot_panel *panel);

/* A logarithmic axis for numbers up to `most` >= 1: decades from 1. */
plot_axis plot_decades(double most, const char *title);
/* Short: "0.1", "250", "1k", "2.5M". */
void plot_label(double value, char text[16]);

#endif
