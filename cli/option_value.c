/* SPDX-License-Identifier: Apache-2.0 */
/* The text after an option becomes a value of the request. */
#include "failure.h"
#include "request.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *member(cli_request *request, const cli_option *option)
{
    return (char *)request + option->offset;
}

static int set_integer(cli_request *request, const cli_option *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || isspace((unsigned char)*text))
        return cli_fail_usage("--%s: \"%s\" is not a whole number", option->name, text);
    if (errno == ERANGE || value < option->least || value > option->most)
        return cli_fail_usage("--%s: %s is not between %" PRId64 " and %" PRId64, option->name,
                              text, option->least, option->most);
    *(int64_t *)member(request, option) = value;
    return CLI_OK;
}

static int set_real(cli_request *request, const cli_option *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || isspace((unsigned char)*text))
        return cli_fail_usage("--%s: \"%s\" is not a number", option->name, text);
    if (errno == ERANGE && isinf(value))
        return cli_fail_usage("--%s: %s is out of range", option->name, text);
    *(double *)member(request, option) = value;
    return CLI_OK;
}

/* The factor of a suffix: "k" 10^3, "KiB" 2^10, ...; 0 if invalid. */
static double unit_of(const char *suffix)
{
    static const char letters[] = "KMGT";
    if (!*suffix || !strcmp(suffix, "B"))
        return 1;
    const char *letter = strchr(letters, toupper((unsigned char)*suffix));
    if (!letter)
        return 0;
    int power = (int)(letter - letters) + 1;
    if (!suffix[1] || !strcmp(suffix + 1, "B"))
        return pow(10, 3 * power);
    return strcmp(suffix + 1, "iB") && strcmp(suffix + 1, "i") ? 0 : ldexp(1, 10 * power);
}

static int set_bytes(cli_request *request, const cli_option *option, const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    char *end = NULL;
    double number = strtod(text, &end);
    double unit = unit_of(text + digits);
    if (digits == 0 || end != text + digits || unit == 0)
        return cli_fail_usage(
            "--%s: \"%s\" is not a number of bytes such as 500000000, 8G (10^9) or 512MiB (2^20)",
            option->name, text);
    double bytes = number * unit;
    if (bytes < 1 || bytes >= ldexp(1, 63))
        return cli_fail_usage("--%s: %s is not between 1 and 2^63 bytes", option->name, text);
    *(size_t *)member(request, option) = (size_t)bytes;
    return CLI_OK;
}

int cli_choose(const char *option, const cli_choice *choices, const char *text, int64_t *value)
{
    char known[128] = "";
    for (const cli_choice *choice = choices; choice->name; choice++) {
        if (!strcmp(choice->name, text)) {
            *value = choice->value;
            return CLI_OK;
        }
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", choice->name);
    }
    return cli_fail_usage("--%s: \"%s\" is none of %s", option, text, known);
}

int cli_set_value(cli_request *request, const cli_option *option, const char *text)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(int *)member(request, option) = 1;
        return CLI_OK;
    case CLI_INTEGER:
        return set_integer(request, option, text);
    case CLI_REAL:
        return set_real(request, option, text);
    case CLI_BYTES:
        return set_bytes(request, option, text);
    case CLI_CHOICE:
        return cli_choose(option->name, option->choices, text, member(request, option));
    case CLI_TEXT:
        break;
    }
    if (!*text)
        return cli_fail_usage("--%s: the value is empty", option->name);
    *(const char **)member(request, option) = text;
    return CLI_OK;
}
