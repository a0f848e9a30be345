/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom list: the methods and where they come from */
#include "failure.h"
#include "session.h"

#include <json_helpers.h>
#include <stdio.h>

static void print_text(const spl_method_info *method)
{
    printf("%s\n    %s%s\n    Runs on: %s\n    Source: %s\n", method->id, method->summary,
           method->deterministic ? "" : " (not deterministic)", method->processor, method->source);
}

static void add_json(const spl_method_info *method, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "id", method->id);
    tool_json_text(object, "summary", method->summary);
    tool_json_text(object, "source", method->source);
    tool_json_text(object, "processor", method->processor);
    tool_json_integer(object, "revision", method->revision);
    tool_json_truth(object, "deterministic", method->deterministic);
    tool_json_truth(object, "in_place", method->in_place);
}

int cli_run_list(cli_session *session)
{
    cJSON *array = session->json ? cJSON_AddArrayToObject(session->json, "methods") : NULL;
    spl_method_info method = SPL_METHOD_INFO_INIT;
    int code = CLI_OK;
    for (int32_t i = 0; !code && i < spl_method_count(); i++) {
        code = cli_check(spl_method(i, &method));
        if (!code && array)
            add_json(&method, array);
        else if (!code)
            print_text(&method);
    }
    return code;
}
