/* SPDX-License-Identifier: Apache-2.0 */
#include "core/environment.h"

#include <omp.h>
#include <string.h>

extern char **environ;

static const char prefix[] = "SPARLOOM_", tests[] = "SPARLOOM_TEST_";

/* `variable` is "NAME=value". */
static bool is_known(const char *variable)
{
    static const char *const names[] = {
#define VARIABLE(name) "SPARLOOM_" #name "=",
#include "core/environment.def"
#undef VARIABLE
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return strncmp(variable, tests, sizeof tests - 1) == 0;
}

static void check_threads(const spl_context *context)
{
    int wanted = context->threads > 0 ? context->threads : omp_get_max_threads(),
        used = spl__team_limited(wanted);
    if (used != wanted)
        spl__log(context, SPL_LOG_INFO, "%s is %s, threads used: %s, %s",
                 context->threads > 0 ? "options.threads" : "OMP_NUM_THREADS",
                 spl__thousands((unsigned)wanted), spl__thousands(used), spl__team_limit());
}

void spl__environment_check(const spl_context *context)
{
    check_threads(context);
    for (char **variable = environ; variable && *variable; variable++)
        if (strncmp(*variable, prefix, sizeof prefix - 1) == 0 && !is_known(*variable))
            spl__log(context, SPL_LOG_INFO, "%.*s is set, but means nothing",
                     (int)strcspn(*variable, "="), *variable);
}

void spl__environment_check_refusals(spl_context *context)
{
    int granted = spl__team_refused();
    if (granted > 0 && !atomic_exchange(&context->told_refusal, true))
        spl__log(context, SPL_LOG_INFO, "threads used: %d, the system refuses more", granted);
}
