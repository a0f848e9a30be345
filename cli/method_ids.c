/* SPDX-License-Identifier: Apache-2.0 */
#include "method_ids.h"

#include "failure.h"

#include <nearest_word.h>
#include <stdio.h>
#include <string.h>

/* Looks for one id among the methods; the guess is exact, near or empty. */
static tool_guess guess_method(const char *id)
{
    tool_guess guess = {0};
    for (int32_t i = 0; i < spl_method_count(); i++) {
        spl_method_info method = SPL_METHOD_INFO_INIT;
        if (spl_method(i, &method) == SPL_OK)
            tool_guess_add(&guess, id, method.id);
    }
    return guess;
}

static int check_method(const char *id)
{
    tool_guess guess = guess_method(id);
    if (!guess.word)
        return cli_fail_usage("--method: there is no method \"%s\"; see \"sparloom list\"", id);
    if (strcmp(guess.word, id) != 0)
        return cli_fail_usage("--method: there is no method \"%s\"; did you mean \"%s\"?", id,
                              guess.word);
    return CLI_OK;
}

int cli_check_methods(const char *list)
{
    int code = CLI_OK;
    while (!code && list) {
        char id[128];
        size_t length = strcspn(list, ",");
        snprintf(id, sizeof id, "%.*s", (int)length, list);
        code = check_method(id);
        list = list[length] ? list + length + 1 : NULL;
    }
    return code;
}
