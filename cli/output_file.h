/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

/* Whether a file can be written at `path`, found out before the work and without touching it. Returns an exit code. */
int cli_output_check(const char *path);

#endif
