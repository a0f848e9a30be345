/* SPDX-License-Identifier: Apache-2.0 */
/* In place of plot_cairo.c where there is no libcairo. */
#include "plot_scene.h"

int plot_available(void)
{
    return 0;
}

const char *plot_draw(const plot_scene *scene, plot_format format, tool_buffer *bytes)
{
    (void)scene;
    (void)format;
    (void)bytes;
    return "built without libcairo";
}
