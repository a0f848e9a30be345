/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "job.h"

#include <whole_file.h>

/* Appends the command line, for a shell, that repeats the job with the same methods, threads and
 * device. */
void cli_replay(const cli_job *job, tool_buffer *line);

#endif
