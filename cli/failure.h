/* SPDX-License-Identifier: Apache-2.0 */
/* failure.h: the failure of a run and its exit code. Functions of the tool return an exit code;
 * the first failure is stored here until main() reports it. */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include <cjson/cJSON.h>
#include <sparloom/sparloom.h>

enum {
    CLI_OK = 0,
    CLI_INTERNAL = 1,
    CLI_SLOWER = CLI_INTERNAL, /* bench compare --fail */
    CLI_USAGE = 2,
    CLI_INPUT = 3,
    CLI_RESOURCE = 4,
    CLI_UNSUPPORTED = 5,
    CLI_INTERRUPTED = 6,
    CLI_EXIT_CODES
};
/* What each exit code means, one line each. */
extern const char *const cli_exit_meanings[CLI_EXIT_CODES];

/* Each records a failure and returns its exit code. */
int cli_fail(spl_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_fail_output(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* CLI_OK for SPL_OK, else the failure of the library's call just made. */
int cli_check(spl_status status);
/* The same, but for lack of memory and overflow it names the subject: a file, an operand, a
 * phase. */
int cli_check_of(spl_status status, const char *subject);
/* The same for a file. A file that cannot be written is a failure of resources, one that cannot
 * be read a failure of input. */
int cli_check_written(spl_status status, const char *path);

/* Forgets the failure, so that the work can go on with something else; its detail in words, valid
 * until the next failure. */
const char *cli_failure_forget(void);

/* A failure of one operand of several: prints it, and returns CLI_OK, so that the work goes on with
 * the others. The first one stays what --json has as the error, and *first becomes its exit code.
 * Returns the code of what must end the run: an interrupt, a fault of the tool. */
int cli_failure_put_off(int code, int *first);

/* Prints "sparloom: what" on stderr if something failed. */
void cli_failure_print(void);
/* Adds "error" to the object if something failed. */
void cli_failure_json(cJSON *object);

#endif
