/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_FORMULA_H
#define CLI_FORMULA_H

#include "job.h"

/* Writes "<result> = [alpha*]<left>*<right>[ + [beta*]<old>]"; left and right carry their own
 * transposition marks. */
void cli_formula(const cli_job *job, const char *result, const char *left, const char *right,
                 const char *old, char *text, size_t capacity);

#endif
