/* SPDX-License-Identifier: Apache-2.0 */
/* report_text.h: a job as text on stdout. */
#ifndef CLI_REPORT_TEXT_H
#define CLI_REPORT_TEXT_H

#include "job.h"

void cli_report_text(const cli_job *job);
/* One line for each matrix. */
void cli_inputs_text(const cli_job *job);

#endif
