/* SPDX-License-Identifier: Apache-2.0 */
/* The user's command line, with automatic choices made explicit: threads, device, methods, and
 * the instruction set if the environment limits it. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* Adds a word in single quotes, unless no shell could misread it. */
static void add_word(tool_buffer *line, const char *word)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,=+-@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        tool_buffer_text(line, " %s", word);
        return;
    }
    tool_buffer_text(line, " '");
    for (; *word; word++)
        if (*word == '\'')
            tool_buffer_text(line, "'\\''");
        else
            tool_buffer_add(line, word, 1);
    tool_buffer_text(line, "'");
}

static void add_value(tool_buffer *line, const cli_request *request, const cli_option *option)
{
    const void *member = (const char *)request + option->offset;
    switch (option->kind) {
    case CLI_FLAG:
        break;
    case CLI_INTEGER:
        tool_buffer_text(line, " %lld", (long long)*(const int64_t *)member);
        break;
    case CLI_REAL:
        tool_buffer_text(line, " %.17g", *(const double *)member);
        break;
    case CLI_BYTES:
        tool_buffer_text(line, " %zu", *(const size_t *)member);
        break;
    case CLI_TEXT:
        add_word(line, *(const char *const *)member);
        break;
    case CLI_CHOICE:
        tool_buffer_text(line, " %s", cli_choice_name(option->name, *(const int64_t *)member));
        break;
    }
}

/* Options about the product itself, but those that are spelled out below. */
static void add_options(tool_buffer *line, const cli_request *request, unsigned operation)
{
    static const char *const ignored[] = {"threads", "device", "method", "policy",
                                          "json",    "quiet",  "verbose"};
    for (int i = 0; cli_options[i].name; i++) {
        const cli_option *option = &cli_options[i];
        int skipped = !(request->given >> i & 1) || !(option->commands & operation);
        for (size_t k = 0; k < sizeof ignored / sizeof ignored[0]; k++)
            skipped |= !strcmp(option->name, ignored[k]);
        if (skipped)
            continue;
        tool_buffer_text(line, " --%s", option->name);
        add_value(line, request, option);
    }
}

static void add_device(tool_buffer *line, const cli_job *job)
{
    const char *given = job->session->request->device;
    spl_place place = cli_processor(job->session).place;
    if (place.kind == SPL_HOST)
        tool_buffer_text(line, " --device cpu");
    else if (place.kind == SPL_EMULATOR)
        tool_buffer_text(line, " --device %s", given); /* never chosen automatically */
    else
        tool_buffer_text(line, " --device %s:%d", place.kind == SPL_CUDA ? "cuda" : "hip",
                         (int)place.ordinal);
}

/* The first step of the same phase as step i: i itself, or an earlier one. */
static spl_step first_of_phase(const spl_plan *plan, int32_t i, int32_t *first)
{
    spl_step step = SPL_STEP_INIT, other = SPL_STEP_INIT;
    spl_plan_step(plan, i, &step);
    for (*first = 0; *first < i; ++*first)
        if (spl_plan_step(plan, *first, &other) == SPL_OK && !strcmp(step.phase, other.phase))
            return other;
    return step;
}

/* A phase has several methods, which a list of methods cannot say. */
static int is_mixed(const spl_plan *plan)
{
    spl_step step = SPL_STEP_INIT;
    int32_t first;
    for (int32_t i = 0; i < spl_plan_step_count(plan); i++)
        if (spl_plan_step(plan, i, &step) == SPL_OK &&
            strcmp(first_of_phase(plan, i, &first).method, step.method) != 0)
            return 1;
    return 0;
}

/* The methods of all phases; where one phase has several, the policy that chose them. */
static void add_methods(tool_buffer *line, const cli_job *job)
{
    const spl_plan *plan = job->plan;
    int count = 0;
    if (is_mixed(plan)) {
        tool_buffer_text(line, " --policy %s", cli_choice_name("policy", job->options.policy));
        return;
    }
    for (int32_t i = 0, first; i < spl_plan_step_count(plan); i++) {
        spl_step step = first_of_phase(plan, i, &first);
        if (first == i)
            tool_buffer_text(line, "%s%s", count++ ? "," : " --method ", step.method);
    }
}

void cli_replay(const cli_job *job, tool_buffer *line)
{
    const cli_request *request = job->session->request;
    const char *variant = getenv("SPARLOOM_VARIANT");
    const cli_command *operation = cli_command_named(job->operation->name);
    if (variant) {
        tool_buffer_text(line, "SPARLOOM_VARIANT=");
        tool_buffer_text(line, "%.*s ",
                         (int)strspn(variant, "0123456789abcdefghijklmnopqrstuvwxyz"), variant);
    }
    tool_buffer_text(line, "sparloom %s", operation->name);
    for (int64_t i = request->command->bit == CLI_EXPLAIN; i < request->operand_count; i++)
        add_word(line, request->operands[i]);
    add_options(line, request, operation->bit);
    tool_buffer_text(line, " --threads %d", (int)cli_threads(job->session));
    add_device(line, job);
    add_methods(line, job);
}
