/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c: the options of the plug-in, read when PETSc loads it. */
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"cost", "rules", "measure"};
static const char *const choices[] = {"auto", "always", "never"};

static PetscErrorCode ReadChoice(const char *name, const char *const *list, PetscInt *choice)
{
    PetscFunctionBegin;
    PetscCall(PetscOptionsGetEList(NULL, NULL, name, list, 3, choice, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* -mat_sparloom_view, -mat_sparloom_view detail, -mat_sparloom_view :FILE */
static PetscErrorCode ReadView(void)
{
    char text[PETSC_MAX_PATH_LEN];
    PetscBool set, detail;
    PetscFunctionBegin;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_sparloom_view", text, sizeof text, &set));
    if (!set)
        PetscFunctionReturn(PETSC_SUCCESS);
    settings.summary = PETSC_TRUE;
    PetscCall(PetscStrcmp(text, "detail", &detail));
    settings.detail = detail;
    PetscCheck(detail || !text[0] || text[0] == ':', PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-mat_sparloom_view takes nothing, detail or :FILE, not %s", text);
    if (text[0] == ':')
        PetscCall(PetscStrncpy(settings.file, text + 1, sizeof settings.file));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes, with k, m or g behind them if that is shorter. */
static PetscErrorCode ReadBudget(size_t *bytes)
{
    static const char units[] = "kmg";
    char text[64], *end;
    const char *unit;
    PetscBool set;
    double number;
    PetscFunctionBegin;
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-mat_sparloom_memory_budget", text, sizeof text, &set));
    if (!set)
        PetscFunctionReturn(PETSC_SUCCESS);
    number = strtod(text, &end);
    unit = *end ? strchr(units, *end) : NULL;
    for (; unit && unit >= units; unit--)
        number *= 1024;
    end += *end && strchr(units, *end);
    PetscCheck(end != text && !*end && number >= 0 && number < 1e18, PETSC_COMM_SELF,
               PETSC_ERR_USER_INPUT,
               "-mat_sparloom_memory_budget takes bytes (or 100k, 100m, 2g), not %s", text);
    *bytes = (size_t)number;
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadSettings(spl_context_options *options)
{
    static char device[128];
    PetscInt threads = 1, policy = 0;
    PetscBool set;
    PetscFunctionBegin;
    settings.plan_after = PETSC_DECIDE;
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-sparloom", &settings.everywhere, NULL));
    PetscCall(ReadView());
    PetscCall(ReadChoice("-mat_sparloom_policy", policies, &policy));
    settings.policy = (spl_policy)policy;
    PetscCall(ReadChoice("-mat_sparloom_backend", choices, &settings.backend));
    PetscCall(ReadChoice("-mat_sparloom_products", choices, &settings.products));
    PetscCall(
        PetscOptionsGetInt(NULL, NULL, "-mat_sparloom_plan_after", &settings.plan_after, NULL));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_sparloom_method", settings.method,
                                    sizeof settings.method, NULL));
    /* Ranks share a machine: more threads are the user's word. */
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_sparloom_threads", &threads, NULL));
    options->threads = (int32_t)threads;
    PetscCall(ReadBudget(&options->memory_budget));
    PetscCall(
        PetscOptionsGetString(NULL, NULL, "-mat_sparloom_device", device, sizeof device, &set));
    options->devices = set ? device : NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
}

spl_options PlanOptions(void)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = settings.policy;
    return options;
}
