/* SPDX-License-Identifier: Apache-2.0 */
/* graph_picture.h: the matrix of a graph with its connected components one after the other. */
#ifndef CLI_GRAPH_PICTURE_H
#define CLI_GRAPH_PICTURE_H

#include "session.h"

/* Checks the name of --plot. Returns an exit code. */
int cli_graph_picture_check(const char *path);
/* Draws it: the largest component first, each in a colour. components[v] is the least vertex of
 * v's component. Returns an exit code. */
int cli_graph_picture(const cli_session *session, const cli_input *input,
                      const int32_t *components);

#endif
