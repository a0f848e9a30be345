/* SPDX-License-Identifier: Apache-2.0 */
#include "origin.h"

#include <json_helpers.h>
#include <time.h>

void cli_origin_json(const cli_session *session)
{
    spl_processor_info cpu = SPL_PROCESSOR_INFO_INIT;
    struct tm utc;
    char date[24] = "";
    time_t now = time(NULL);
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    tool_json_text(session->json, "date", date);
    tool_json_text(session->json, "cpu",
                   spl_processor(session->context, 0, &cpu) == SPL_OK ? cpu.name : NULL);
    cJSON *words = cJSON_AddArrayToObject(session->json, "arguments");
    for (char **word = session->request->arguments; *word; word++)
        tool_json_element(words, *word);
}
