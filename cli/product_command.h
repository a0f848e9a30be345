/* SPDX-License-Identifier: Apache-2.0 */
/* product_command.h: the common part of the commands of products. */
#ifndef CLI_PRODUCT_COMMAND_H
#define CLI_PRODUCT_COMMAND_H

#include "job.h"

/* Runs a product's command: open, plan, execute, report, and `finish` (may be NULL) before
 * closing, unless the result is wrong. */
int cli_job_run(cli_session *session, const cli_operation *operation, int (*finish)(cli_job *job));
/* Writes "<result> = [alpha*]<left>*<right>[ + [beta*]<old>]"; left and right carry their own
 * transposition marks. */
void cli_formula(const cli_job *job, const char *result, const char *left, const char *right,
                 const char *old, char *text, size_t capacity);

/* The same for operations with a sparse result, which is written to --output. */
int cli_sparse_job_run(cli_session *session, const cli_operation *operation);
/* The collected result as a matrix. */
spl_sparse cli_sparse_result(const cli_job *job);

#endif
