/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: reports a job, as text on stdout or as members of the session's JSON object.
 * doc/json.md describes the object. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "job.h"

/* Derived figures of a job. NaN: unknown. */
typedef struct cli_figures {
    double flop, gflops;    /* of one execution; 10^9 FLOP/s by the median time */
    double traffic, gbytes; /* compulsory bytes, 10^9 bytes/s by the median time */
    double cold_seconds;    /* plan and first execution */
    double compression;     /* spgemm: products/nnz(C) */
    double norm;            /* of the result's values */
    uint64_t checksum;      /* of the result's arrays, bit by bit */
} cli_figures;
cli_figures cli_figures_of(const cli_job *job);

/* Reports the executed job in the session's format. */
void cli_report(const cli_job *job);
void cli_report_text(const cli_job *job);
/* One line for each matrix. */
void cli_inputs_text(const cli_job *job);
void cli_report_json(const cli_job *job);
/* Members of every object about a plan: device, operation, inputs, ..., chosen, candidates,
 * features. */
void cli_plan_json(const cli_job *job);

#endif
