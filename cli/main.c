/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom: the command line tool. Data go to stdout, everything else to stderr. */
#include "failure.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <json_helpers.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens closed descriptors 0 to 2 on something harmless: otherwise a file opened later would get
 * one of them. */
static void occupy_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != stream)
            _exit(CLI_RESOURCE);
}

/* cJSON leaves control characters from U+007F to U+009F as they are, and only texts
 * can have them. */
static void put_json(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == 0x7f)
            printf("\\u007f");
        else if (*c == 0xc2 && c[1] < 0xa0)
            printf("\\u00%02x", *++c);
        else
            putchar(*c);
    putchar('\n');
}

/* Prints the object, with the failure if there is one. */
static int print_json(cJSON *object)
{
    cli_failure_json(object);
    char *text = cJSON_Print(object);
    if (!text)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the JSON text");
    put_json(text);
    cJSON_free(text);
    return CLI_OK;
}

/* A failure before there was a session. */
static int print_failure_json(const cli_request *request)
{
    cJSON *object = cJSON_CreateObject();
    tool_json_text(object, "sparloom", spl_version());
    tool_json_text(object, "command", request->command ? request->command->name : NULL);
    int code = print_json(object);
    cJSON_Delete(object);
    return code;
}

static int run_command(const cli_request *request)
{
    cli_session session;
    int code = cli_session_open(&session, request);
    if (!code)
        code = request->command->run(&session);
    if (session.json) {
        int print_code = print_json(session.json);
        code = code ? code : print_code;
    }
    cli_session_close(&session);
    return code;
}

static int run_request(const cli_request *request)
{
    if (request->help)
        cli_print_help(request->command);
    else if (request->version)
        printf("sparloom %s\n", spl_version());
    else
        return run_command(request);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    cli_request request;
    int code = cli_parse(argc, argv, &request);
    if (!code)
        code = run_request(&request);
    else if (request.json)
        print_failure_json(&request);
    cli_request_free(&request);
    return code;
}

/* Output that never arrived is a failure, also when only the last buffer was lost. */
static int flush_output(void)
{
    errno = 0;
    int lost = fflush(stdout) != 0 || ferror(stdout);
    return lost ? cli_fail_output("cannot write to standard output: %s",
                                  errno ? strerror(errno) : "an earlier error")
                : CLI_OK;
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    cli_catch_interrupts();
    int code = run(argc, argv);
    int flush_code = flush_output();
    cli_failure_print();
    return code ? code : flush_code;
}
