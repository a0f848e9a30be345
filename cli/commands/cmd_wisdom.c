/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom wisdom: files of choices that --policy measure has made */
#include "failure.h"
#include "session.h"
#include "wisdom_store.h"

#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <string.h>

static void print_entry(const spl_wisdom *entry)
{
    printf("%s\n    %s\n    %s: %s\n", tool_shown(entry->problem).text,
           tool_shown(entry->machine).text, entry->method, tool_duration(entry->seconds).text);
}

static void add_entry(const spl_wisdom *entry, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "machine", entry->machine);
    tool_json_text(object, "problem", entry->problem);
    tool_json_text(object, "method", entry->method);
    tool_json_real(object, "seconds", entry->seconds);
}

/* Lists all entries of the context. */
static int show(cli_session *session)
{
    cJSON *array = session->json ? cJSON_AddArrayToObject(session->json, "wisdom") : NULL;
    int code = CLI_OK;
    for (int64_t i = 0; !code && i < spl_wisdom_count(session->context); i++) {
        spl_wisdom entry = SPL_WISDOM_INIT;
        code = cli_check(spl_wisdom_get(session->context, i, &entry));
        if (!code && array)
            add_entry(&entry, array);
        else if (!code)
            print_entry(&entry);
    }
    return code;
}

static void report(cli_session *session, const spl_import *found)
{
    if (!session->json) {
        cli_remark(session,
                   "%s usable here, %s of other machines, %s of methods that are not here left out",
                   tool_thousands(found->taken).text, tool_thousands(found->foreign).text,
                   tool_thousands(found->unknown).text);
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(session->json, "import");
    tool_json_integer(object, "taken", found->taken);
    tool_json_integer(object, "foreign", found->foreign);
    tool_json_integer(object, "unknown", found->unknown);
}

/* Reads another file than the store. */
static int take(cli_session *session, const char *file)
{
    spl_import found = SPL_IMPORT_INIT;
    int code = cli_check(spl_wisdom_import(session->context, file, &found));
    if (!code)
        report(session, &found);
    return code;
}

static int list(cli_session *session, const char *file)
{
    int code = file ? take(session, file) : cli_wisdom_load(session);
    return code ? code : show(session);
}

static int import(cli_session *session, const char *file)
{
    int code = cli_wisdom_load(session);
    if (!code)
        code = take(session, file);
    return code ? code : cli_wisdom_save(session);
}

static int export(cli_session *session, const char *file)
{
    int code = cli_wisdom_load(session);
    return code ? code : cli_check_written(spl_wisdom_export(session->context, file), file);
}

/* Empties the store, which need not be readable. */
static int forget(cli_session *session, const char *file)
{
    (void)file;
    int code = cli_check(spl_wisdom_forget(session->context));
    return code ? code : cli_wisdom_save(session);
}

static const struct action {
    const char *name;
    int needs_file, needs_store;
    int (*run)(cli_session *session, const char *file);
} actions[] = {{"list", 0, 0, list},
               {"import", 1, 1, import},
               {"export", 1, 1, export},
               {"forget", 0, 1, forget}};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int check(const cli_request *request, const struct action *action)
{
    const char *file = request->operand_count > 1 ? request->operands[1] : NULL;
    if (action->needs_file && !file)
        return cli_fail_usage("wisdom %s needs a FILE", action->name);
    if (action->needs_store && !request->wisdom)
        return cli_fail_usage("wisdom %s needs --wisdom FILE", action->name);
    if (file && !strcmp(action->name, "forget"))
        return cli_fail_usage("wisdom forget takes no FILE but --wisdom FILE");
    if (!action->needs_file && !action->needs_store && !file && !request->wisdom)
        return cli_fail_usage("wisdom %s needs a FILE or --wisdom FILE", action->name);
    return CLI_OK;
}

int cli_run_wisdom(cli_session *session)
{
    const cli_request *request = session->request;
    for (int i = 0; i < ACTIONS; i++)
        if (!strcmp(actions[i].name, request->operands[0])) {
            int code = check(request, &actions[i]);
            return code ? code
                        : actions[i].run(session,
                                         request->operand_count > 1 ? request->operands[1] : NULL);
        }
    return cli_fail_usage("wisdom: \"%s\" is none of list, import, export, forget",
                          request->operands[0]);
}
