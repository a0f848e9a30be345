/* SPDX-License-Identifier: Apache-2.0 */
/* report_json.h: a job as members of the session's JSON object, which doc/json.md describes. */
#ifndef CLI_REPORT_JSON_H
#define CLI_REPORT_JSON_H

#include "job.h"

void cli_report_json(const cli_job *job);
/* Members of every object about a plan: device, operation, inputs, ..., chosen, candidates,
 * features. */
void cli_plan_json(const cli_job *job);

#endif
