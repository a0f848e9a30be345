/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <whole_file.h>

/* Checks in advance whether a file can be written at `path`, without touching it. Returns an
 * exit code. */
int cli_output_check(const char *path);
/* The same of a matrix, whose format the ending decides. */
int cli_output_check_matrix(const char *path);
/* The same of a picture, whose format the ending decides. */
int cli_output_check_picture(const char *path);
/* Writes it: complete, or as it was. Returns an exit code. */
int cli_output_write(const char *path, const tool_buffer *bytes);

#endif
