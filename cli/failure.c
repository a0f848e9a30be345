/* SPDX-License-Identifier: Apache-2.0 */
#include "failure.h"

#include <json_helpers.h>
#include <shown_text.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const cli_exit_meanings[CLI_EXIT_CODES] = {
    [CLI_OK] = "done",
    [CLI_INTERNAL] = ("internal: a result failed --verify, or a fault of sparloom itself; bench "
                      "compare --fail: slower"),
    [CLI_USAGE] = "usage: unknown command, option or method, or a value out of range",
    [CLI_INPUT] =
        "input: a file that cannot be read or is wrong, operands that do not fit together",
    [CLI_RESOURCE] =
        "resource: memory, the budget, index range, a device, output that cannot be written",
    [CLI_UNSUPPORTED] = "unsupported: valid, but this version cannot do it",
    [CLI_INTERRUPTED] = "interrupted by SIGINT or SIGTERM",
};

/* The exit code of each status. `lead`: the detail alone would not tell the kind of failure. */
static const struct meaning {
    spl_status status;
    int exit_code;
    int lead;
} meanings[] = {
    {SPL_INVALID_ARGUMENT, CLI_USAGE, 0},  {SPL_INVALID_MATRIX, CLI_INPUT, 1},
    {SPL_SHAPE_MISMATCH, CLI_INPUT, 1},    {SPL_UNSUPPORTED, CLI_UNSUPPORTED, 0},
    {SPL_OUT_OF_MEMORY, CLI_RESOURCE, 1},  {SPL_OVER_BUDGET, CLI_RESOURCE, 1},
    {SPL_INDEX_OVERFLOW, CLI_RESOURCE, 1}, {SPL_DEVICE_FAILURE, CLI_RESOURCE, 1},
    {SPL_CANCELLED, CLI_INTERRUPTED, 0},   {SPL_FILE_ERROR, CLI_INPUT, 0},
    {SPL_FILE_INVALID, CLI_INPUT, 0},      {SPL_BUSY, CLI_INTERNAL, 1},
    {SPL_STALE, CLI_INTERNAL, 1},          {SPL_INTERNAL, CLI_INTERNAL, 1},
};

static struct failure {
    spl_status status; /* SPL_OK: nothing failed */
    char detail[1024]; /* as it may be shown */
} failure, put_off;    /* put_off: the first of those that have been printed */

static const struct meaning *meaning_of(spl_status status)
{
    static const struct meaning unknown = {SPL_INTERNAL, CLI_INTERNAL, 1};
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].status == status)
            return &meanings[i];
    return &unknown;
}

__attribute__((format(printf, 3, 0))) static int record(spl_status status, int exit_code,
                                                        const char *format, va_list arguments)
{
    if (failure.status == SPL_OK) {
        failure.status = status;
        tool_show_format(failure.detail, sizeof failure.detail, format, arguments);
    }
    return exit_code;
}

int cli_fail(spl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = record(status, meaning_of(status)->exit_code, format, arguments);
    va_end(arguments);
    return code;
}

int cli_fail_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = record(SPL_INVALID_ARGUMENT, CLI_USAGE, format, arguments);
    va_end(arguments);
    return code;
}

int cli_fail_output(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int code = record(SPL_FILE_ERROR, CLI_RESOURCE, format, arguments);
    va_end(arguments);
    return code;
}

int cli_check(spl_status status)
{
    return status == SPL_OK ? CLI_OK : cli_fail(status, "%s", spl_error_detail());
}

/* Whether the library's detail names the subject itself, as it does with files. */
static int is_named(const char *subject)
{
    size_t length = strlen(subject);
    return !strncmp(spl_error_detail(), subject, length) && spl_error_detail()[length] == ':';
}

int cli_check_of(spl_status status, const char *subject)
{
    int may_lack_it =
        status == SPL_OUT_OF_MEMORY || status == SPL_OVER_BUDGET || status == SPL_INDEX_OVERFLOW;
    if (may_lack_it && !is_named(subject))
        return cli_fail(status, "%s: %s", subject, spl_error_detail());
    return cli_check(status);
}

int cli_check_written(spl_status status, const char *path)
{
    return status == SPL_FILE_ERROR ? cli_fail_output("%s", spl_error_detail())
                                    : cli_check_of(status, path);
}

const char *cli_failure_forget(void)
{
    failure.status = SPL_OK;
    return failure.detail;
}

int cli_failure_put_off(int code, int *first)
{
    if (code == CLI_OK || code == CLI_INTERNAL || code == CLI_INTERRUPTED)
        return code;
    cli_failure_print();
    if (!*first) {
        *first = code;
        put_off = failure;
    }
    failure.status = SPL_OK;
    return CLI_OK;
}

void cli_failure_print(void)
{
    if (failure.status == SPL_OK)
        return;
    const char *message = spl_status_message(failure.status);
    if (!failure.detail[0])
        fprintf(stderr, "sparloom: %s\n", message);
    else if (meaning_of(failure.status)->lead)
        fprintf(stderr, "sparloom: %s: %s\n", message, failure.detail);
    else
        fprintf(stderr, "sparloom: %s\n", failure.detail);
}

void cli_failure_json(cJSON *object)
{
    const struct failure *shown = failure.status == SPL_OK ? &put_off : &failure;
    if (shown->status == SPL_OK)
        return;
    cJSON *error = cJSON_AddObjectToObject(object, "error");
    tool_json_text(error, "status", spl_status_name(shown->status));
    tool_json_text(error, "message", spl_status_message(shown->status));
    tool_json_text(error, "detail", shown->detail);
}
