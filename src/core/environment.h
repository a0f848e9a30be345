/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h: warns of settings in the environment that have no effect: variables that are
 * misspelt or of another version, and more threads than are used or may be had. */
#ifndef SPL_CORE_ENVIRONMENT_H
#define SPL_CORE_ENVIRONMENT_H

#include "core/context.h"

/* Logs if there are fewer threads than OMP_NUM_THREADS or the context's options request, and
 * each variable SPARLOOM_... that environment.def lacks; those of the tests, SPARLOOM_TEST_...,
 * are ignored. */
void spl__environment_check(const spl_context *context);
/* Logs, once per context, if the system has refused threads to a call: after calls. */
void spl__environment_check_refusals(spl_context *context);

#endif
