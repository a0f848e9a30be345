/* SPDX-License-Identifier: Apache-2.0 */
/* From argv to a request, with getopt_long driven by the table of options. */
#include "failure.h"
#include "request.h"

#include <getopt.h>
#include <math.h>
#include <nearest_word.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_KEYS = 1000, MOST_OPTIONS = 63 };

/* getopt_long's options, made from the table. Row i of cli_options has the key LONG_KEYS + i. */
typedef struct getopt_input {
    char letters[3 + 2 * MOST_OPTIONS];
    struct option names[MOST_OPTIONS + 1];
} getopt_input;

static void fill_getopt_input(getopt_input *parser)
{
    memset(parser, 0, sizeof *parser);
    /* operands come in order, among the options; a missing value is told apart */
    strcpy(parser->letters, "-:");
    char *letter = parser->letters + 2;
    for (int i = 0; cli_options[i].name; i++) {
        const cli_option *option = &cli_options[i];
        int has_value = option->argument ? required_argument : no_argument;
        parser->names[i] = (struct option){option->name, has_value, NULL, LONG_KEYS + i};
        if (option->letter)
            *letter++ = option->letter;
        if (option->letter && option->argument)
            *letter++ = ':';
    }
}

/* The row a key of getopt_long belongs to, -1 if none. */
static int row_of(int key)
{
    if (key >= LONG_KEYS)
        return key - LONG_KEYS;
    for (int i = 0; cli_options[i].name; i++)
        if (cli_options[i].letter && cli_options[i].letter == key)
            return i;
    return -1;
}

static int take_option(cli_request *request, int key)
{
    int row = row_of(key);
    request->given |= UINT64_C(1) << row;
    return cli_set_value(request, &cli_options[row], optarg);
}

static int unknown_command(const char *word)
{
    tool_guess guess = {0};
    for (const cli_command *command = cli_commands; command->name; command++)
        tool_guess_add(&guess, word, command->name);
    if (guess.word)
        return cli_fail_usage("\"%s\" is not a command; did you mean \"%s\"?", word, guess.word);
    return cli_fail_usage("\"%s\" is not a command; see \"sparloom --help\"", word);
}

/* The first operand is the command. */
static int take_operand(cli_request *request, const char *word)
{
    if (!*word)
        return cli_fail_usage("an operand is empty: \"\"");
    if (!request->command) {
        request->command = cli_command_named(word);
        return request->command ? CLI_OK : unknown_command(word);
    }
    request->operands[request->operand_count++] = word;
    return CLI_OK;
}

/* The options that begin with `name`, which are several. */
static int fail_beginning(const char *name)
{
    char known[256] = "";
    for (int i = 0; cli_options[i].name; i++) {
        size_t used = strlen(known);
        if (strncmp(cli_options[i].name, name, strlen(name)) == 0)
            snprintf(known + used, sizeof known - used, "%s--%s", used ? ", " : "",
                     cli_options[i].name);
    }
    return cli_fail_usage("\"--%s\" is the beginning of several options: %s", name, known);
}

/* `word` is an element of argv: "--name", "--name=value" or a bundle of letters. */
static int unknown_option(const char *word)
{
    char name[64];
    if (strncmp(word, "--", 2) != 0)
        return cli_fail_usage("unknown option \"-%c\"; see \"sparloom --help\"", optopt);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    int row = optopt ? row_of(optopt) : -1;
    if (row >= 0)
        return cli_fail_usage("--%s takes no value", cli_options[row].name);
    tool_guess guess = {0};
    for (int i = 0; cli_options[i].name; i++) {
        if (strncmp(cli_options[i].name, name, strlen(name)) == 0)
            return fail_beginning(name);
        tool_guess_add(&guess, name, cli_options[i].name);
    }
    if (guess.word)
        return cli_fail_usage("unknown option \"--%s\"; did you mean \"--%s\"?", name, guess.word);
    return cli_fail_usage("unknown option \"--%s\"; see \"sparloom --help\"", name);
}

static int take(cli_request *request, int key, char **argv)
{
    if (key == 1)
        return take_operand(request, optarg);
    if (key == '?')
        return unknown_option(argv[optind - 1]);
    if (key == ':')
        return cli_fail_usage("option \"%s\" needs a value", argv[optind - 1]);
    return take_option(request, key);
}

/* Options of other commands are errors, except those of `exempt`. */
static int check_options(const cli_request *request, const cli_command *command, unsigned exempt)
{
    for (int i = 0; cli_options[i].name; i++) {
        int given = (int)(request->given >> i & 1);
        if (given && !(cli_options[i].commands & command->bit) && cli_options[i].commands != exempt)
            return cli_fail_usage("--%s does not apply to \"%s\"", cli_options[i].name,
                                  command->name);
    }
    return CLI_OK;
}

static int check_operands(const cli_request *request, const cli_command *command)
{
    if (request->operand_count >= command->least && request->operand_count <= command->most)
        return CLI_OK;
    return cli_fail_usage("too %s operands; usage: sparloom %s%s%s",
                          request->operand_count < command->least ? "few" : "many", command->name,
                          *command->operands ? " " : "", command->operands);
}

/* "explain OP FILE..." also accepts the options of OP. */
static int check_explained(const cli_request *request)
{
    const cli_command *operation = cli_command_named(request->operands[0]);
    if (!operation || !(operation->bit & CLI_PRODUCTS))
        return cli_fail_usage("explain: \"%s\" is none of spmv, spmm, spgemm",
                              request->operands[0]);
    if (request->operand_count - 1 > operation->most)
        return cli_fail_usage("explain: %s takes at most %d files", operation->name,
                              operation->most);
    return check_options(request, operation, CLI_EXPLAIN);
}

/* Options that require each other. */
static int check_together(const cli_request *request)
{
    unsigned bit = request->command->bit;
    const char *operation = bit == CLI_EXPLAIN ? request->operands[0] : request->command->name;
    if (!strcmp(operation, "spmm") && !cli_given(request, "columns"))
        return cli_fail_usage("%s needs --columns K", operation);
    if (bit == CLI_SPGEMM && cli_given(request, "beta") && !request->addend)
        return cli_fail_usage("--beta needs a matrix to add: -D FILE");
    if ((request->complement || request->mask_pattern) && !request->mask)
        return cli_fail_usage("--%s needs a mask: --mask FILE",
                              request->complement ? "complement" : "mask-pattern");
    if (bit == CLI_PLOT && !request->output)
        return cli_fail_usage("plot needs a file to write: -o FILE.svg or FILE.png");
    if (bit & CLI_PLANS && request->wisdom && request->policy != SPL_POLICY_MEASURE)
        return cli_fail_usage("--wisdom needs --policy measure");
    if (bit == CLI_TUNE && !request->output)
        return cli_fail_usage("tune needs a file to write: -o FILE");
    if (bit == CLI_GEN && request->operand_count && !request->output)
        return cli_fail_usage("gen needs a file to write: -o FILE");
    if (bit == CLI_GEN && !request->operand_count && request->output)
        return cli_fail_usage("gen needs the name of a matrix; \"sparloom gen\" lists them");
    if (bit == CLI_BENCH && !(request->time_limit >= 0 && request->time_limit <= 1e6))
        return cli_fail_usage("--time-limit: %g is not between 0 and 1000000", request->time_limit);
    return CLI_OK;
}

static int check(const cli_request *request)
{
    if (request->help || request->version)
        return CLI_OK;
    if (!request->command)
        return cli_fail_usage("no command given; see \"sparloom --help\"");
    int code = check_operands(request, request->command);
    if (!code)
        code = check_options(request, request->command, 0);
    if (!code && request->command->bit == CLI_EXPLAIN)
        code = check_explained(request);
    return code ? code : check_together(request);
}

/* Whether failures of parsing itself are to be reported as JSON. */
static int wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--json"))
            return 1;
    return 0;
}

int cli_parse(int argc, char **argv, cli_request *request)
{
    *request = (cli_request){.arguments = argv + (argc > 0),
                             .alpha = 1,
                             .seed = 1,
                             .damping = 0.85,
                             .tolerance = 1e-6,
                             .steps = 1000,
                             .truss = 3,
                             .type = SPL_F64,
                             .json = wants_json(argc, argv),
                             .time_limit = 2};
    getopt_input parser;
    fill_getopt_input(&parser);
    int code = CLI_OK;
    if (!(request->operands = calloc((size_t)argc + 1, sizeof *request->operands)))
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the operands");
    for (int key;
         !code && (key = getopt_long(argc, argv, parser.letters, parser.names, NULL)) != -1;)
        code = take(request, key, argv);
    while (!code && optind < argc)
        code = take_operand(request, argv[optind++]);
    if (!cli_given(request, "beta") && request->addend)
        request->beta = 1;
    return code ? code : check(request);
}

void cli_request_free(cli_request *request)
{
    free(request->operands);
}
