/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c: the options of the plug-in, read when PETSc loads it. */
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"cost", "rules", "measure"};
static const char *const answers[] = {"auto", "always", "never"};

/* After "mat_sparloom_", in front of which a matrix's prefix may be; and without one. */
static const char *const of_matrices[] = {"policy",          "plan_after", "remember",
                                          "plan_transposed", "executions", "backend",
                                          "products",        "method",     "copy"};
static const char *const of_all[] = {"threads", "memory_budget", "device", "device_entries",
                                     "view"};
#define NAMES(list) (list), (int)(sizeof(list) / sizeof *(list))

static PetscErrorCode IsListed(const char *name, const char *const *list, int count,
                               PetscBool *listed)
{
    PetscFunctionBegin;
    *listed = PETSC_FALSE;
    for (int k = 0; k < count && !*listed; k++)
        PetscCall(PetscStrcmp(name, list[k], listed));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes any option, and reads those that it knows: ours are checked. */
static PetscErrorCode CheckName(const char *option)
{
    static const char ours[] = "mat_sparloom_";
    const char *found = strstr(option, ours);
    PetscBool listed, alone;
    PetscFunctionBegin;
    if (option[0] != '-' || !found)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(IsListed(found + strlen(ours), NAMES(of_matrices), &listed));
    if (listed)
        PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(IsListed(found + strlen(ours), NAMES(of_all), &alone));
    PetscCheck(!alone || found == option + 1, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "%s: -%s is for all matrices, and takes no prefix", option, found);
    PetscCheck(
        alone, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
        "There is no option %s: after -mat_sparloom_ may be policy, plan_after, remember, "
        "plan_transposed, executions, backend, products, method, copy, threads, memory_budget, "
        "device, device_entries, view",
        option);
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckNames(void)
{
    char *all, *rest, *word;
    PetscFunctionBegin;
    PetscCall(PetscOptionsGetAll(NULL, &all));
    for (word = strtok_r(all, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        PetscCall(CheckName(word));
    PetscCall(PetscFree(all));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadChoice(const char *prefix, const char *name, const char *const *list,
                                 PetscInt *choice)
{
    PetscFunctionBegin;
    PetscCall(PetscOptionsGetEList(NULL, prefix, name, list, 3, choice, NULL));
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

/* Of matrices with that prefix; NULL: of all. What is not given stays. */
static PetscErrorCode ReadChoices(const char *prefix, Choices *choices)
{
    PetscFunctionBegin;
    PetscCall(ReadChoice(prefix, "-mat_sparloom_policy", policies, &choices->policy));
    PetscCall(ReadChoice(prefix, "-mat_sparloom_backend", answers, &choices->backend));
    PetscCall(ReadChoice(prefix, "-mat_sparloom_products", answers, &choices->products));
    PetscCall(
        PetscOptionsGetInt(NULL, prefix, "-mat_sparloom_plan_after", &choices->plan_after, NULL));
    PetscCall(
        PetscOptionsGetBool(NULL, prefix, "-mat_sparloom_remember", &choices->remember, NULL));
    PetscCall(PetscOptionsGetBool(NULL, prefix, "-mat_sparloom_copy", &choices->copy, NULL));
    PetscCall(PetscOptionsGetBool(NULL, prefix, "-mat_sparloom_plan_transposed",
                                  &choices->transposed, NULL));
    PetscCall(
        PetscOptionsGetInt(NULL, prefix, "-mat_sparloom_executions", &choices->executions, NULL));
    PetscCall(PetscOptionsGetString(NULL, prefix, "-mat_sparloom_method", choices->method,
                                    sizeof choices->method, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChoicesFor(Mat matrix, Choices *choices)
{
    const char *prefix = ((PetscObject)matrix)->prefix;
    PetscFunctionBegin;
    *choices = settings.choices;
    if (prefix)
        PetscCall(ReadChoices(prefix, choices));
    PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadSettings(spl_context_options *options)
{
    /* Freed memory that is kept for later plans is of no use to PETSc; small workspaces are. */
    enum { KEPT = 2 << 20 };
    PetscInt threads = 1;
    PetscFunctionBegin;
    PetscCall(CheckNames());
    settings.device_entries = PETSC_DECIDE;
    settings.choices.plan_after = PETSC_DECIDE;
    settings.choices.remember = settings.choices.copy = PETSC_TRUE;
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-sparloom", &settings.everywhere, NULL));
    PetscCall(ReadView());
    PetscCall(ReadChoices(NULL, &settings.choices));
    /* Ranks share a machine: more threads are the user's word. */
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_sparloom_threads", &threads, NULL));
    options->threads = (int32_t)threads;
    options->kept_memory = KEPT;
    PetscCall(ReadBudget(&options->memory_budget));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_sparloom_device", settings.device,
                                    sizeof settings.device, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-mat_sparloom_device_entries",
                                 &settings.device_entries, NULL));
    PetscCall(DealDevices(settings.device, &settings.sharing));
    options->devices = settings.device[0] ? settings.device : NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
}

spl_options PlanOptions(const Choices *choices)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = (spl_policy)choices->policy;
    options.executions = (int32_t)choices->executions;
    return options;
}
