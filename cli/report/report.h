/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: reports an executed job in the session's format: as text on stdout, or as members of
 * the session's JSON object. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "job.h"

void cli_report(const cli_job *job);

#endif
