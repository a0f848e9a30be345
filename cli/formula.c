/* SPDX-License-Identifier: Apache-2.0 */
#include "formula.h"

#include <stdio.h>

/* "2*", "" for 1. */
static void factor(double value, char *text, size_t capacity)
{
    if (value == 1)
        text[0] = 0;
    else
        snprintf(text, capacity, "%g*", value);
}

void cli_formula(const cli_job *job, const char *result, const char *left, const char *right,
                 const char *old, char *text, size_t capacity)
{
    const cli_request *request = job->session->request;
    char alpha[32], beta[32];
    factor(request->alpha, alpha, sizeof alpha);
    factor(request->beta, beta, sizeof beta);
    if (request->beta == 0)
        snprintf(text, capacity, "%s = %s%s*%s", result, alpha, left, right);
    else
        snprintf(text, capacity, "%s = %s%s*%s + %s%s", result, alpha, left, right, beta, old);
}
