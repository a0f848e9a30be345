/* SPDX-License-Identifier: Apache-2.0 */
/* In place of plot_cairo.c where there is no libcairo. */
#include "plot_drawing.h"

int plot_available(plot_format format)
{
    return format == PLOT_SVG;
}

const char *plot_draw_png(const plot_scene *scene, tool_buffer *bytes)
{
    (void)scene;
    (void)bytes;
    return "built without libcairo";
}
