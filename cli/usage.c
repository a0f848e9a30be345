/* SPDX-License-Identifier: Apache-2.0 */
/* --help, made from the tables. */
#include "failure.h"
#include "request.h"

#include <stdio.h>
#include <string.h>
#include <text_table.h>

enum { WIDTH = 84 /* of the second column */ };

/* The row of an option; choices that would make it too wide go to rows below. */
static void add_option(tool_table *table, const cli_option *option)
{
    char names[80], text[160] = "";
    int length = option->letter
                     ? snprintf(names, sizeof names, "  -%c, --%s", option->letter, option->name)
                     : snprintf(names, sizeof names, "      --%s", option->name);
    if (option->argument)
        snprintf(names + length, sizeof names - (size_t)length, " %s", option->argument);
    snprintf(text, sizeof text, "%s", option->help);
    for (const cli_choice *choice = option->choices; choice && choice->name; choice++) {
        size_t used = strlen(text);
        const char *before = choice == option->choices ? ":" : ",";
        if (used + strlen(choice->name) > WIDTH) {
            snprintf(text + used, sizeof text - used, "%s", before);
            tool_table_row(table, names, text, NULL, NULL);
            names[0] = 0;
            snprintf(text, sizeof text, "%s", choice->name);
        } else {
            snprintf(text + used, sizeof text - used, "%s %s", before, choice->name);
        }
    }
    tool_table_row(table, names, text, NULL, NULL);
}

static void print_options(unsigned commands)
{
    tool_table table = {0};
    for (const cli_option *option = cli_options; option->name; option++)
        if (option->commands & commands)
            add_option(&table, option);
    puts("\nOptions:");
    tool_table_print(&table, stdout);
}

static void print_commands(void)
{
    tool_table table = {0};
    for (const cli_command *command = cli_commands; command->name; command++) {
        char synopsis[80];
        snprintf(synopsis, sizeof synopsis, "  %s %s", command->name, command->operands);
        tool_table_row(&table, synopsis, command->summary, NULL, NULL);
    }
    puts("\nCommands:");
    tool_table_print(&table, stdout);
}

static void print_exit_codes(void)
{
    puts("\nExit codes:");
    for (int code = 0; code < CLI_EXIT_CODES; code++)
        printf("  %d  %s\n", code, cli_exit_meanings[code]);
}

void cli_print_help(const cli_command *command)
{
    if (command) {
        printf("Usage: sparloom %s%s%s [OPTION]...\n\nsparloom %s: %s.\n", command->name,
               *command->operands ? " " : "", command->operands, command->name, command->summary);
        if (command->bit == CLI_GRAPH)
            cli_print_algorithms();
        print_options(command->bit);
        return;
    }
    puts("Usage: sparloom COMMAND [OPERAND]... [OPTION]...\n\n"
         "Multiplies sparse matrices, chooses the methods by looking at them, says why, and checks "
         "the result.\n"
         "Files: Matrix Market, METIS .graph and edge lists, plain or packed with gzip; SciPy "
         ".npz.");
    print_commands();
    print_options(CLI_ALL);
    print_exit_codes();
    puts("\n\"sparloom COMMAND --help\" shows the options of one command; \"man sparloom\" says "
         "everything.");
}
