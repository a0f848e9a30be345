/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h: what the environment says that is not done: variables that look like settings of
 * the library and are none, misspelt or of another version, and more threads than are used. */
#ifndef SPL_CORE_ENVIRONMENT_H
#define SPL_CORE_ENVIRONMENT_H

#include "core/context.h"

/* Logs that there are fewer threads than OMP_NUM_THREADS or the context's options say, and each
 * variable SPARLOOM_... that is not listed in environment.def; those of the tests,
 * SPARLOOM_TEST_..., are left alone. */
void spl__environment_check(const spl_context *context);

#endif
