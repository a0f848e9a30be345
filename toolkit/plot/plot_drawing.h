/* SPDX-License-Identifier: Apache-2.0 */
/* plot_drawing.h: what draws scenes. Each answers NULL, or what went wrong. */
#ifndef TOOL_PLOT_DRAWING_H
#define TOOL_PLOT_DRAWING_H

#include "plot_scene.h"

const char *plot_draw_svg(const plot_scene *scene, tool_buffer *bytes);
/* Needs libcairo: see plot_available. */
const char *plot_draw_png(const plot_scene *scene, tool_buffer *bytes);

#endif
