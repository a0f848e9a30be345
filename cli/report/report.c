/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "report_json.h"
#include "report_text.h"

void cli_report(const cli_job *job)
{
    if (job->session->json)
        cli_report_json(job);
    else
        cli_report_text(job);
}
