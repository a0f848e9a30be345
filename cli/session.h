/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: the state of a command: the request, a context with its hooks, the JSON object
 * being filled. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "progress_bar.h"
#include "request.h"

#include <cjson/cJSON.h>
#include <gen.h>

enum { CLI_MOST_REMARKS = 16 };

typedef struct cli_session {
    const cli_request *request;
    spl_context *context;
    cli_progress_bar bar;
    cJSON *json; /* the object to fill; NULL if text is wanted */
    /* Messages of the library when the context was made: unknown or ineffective settings; unused
     * wisdom. */
    char remarks[CLI_MOST_REMARKS][160];
    int remark_count;
} cli_session;

int cli_session_open(cli_session *session, const cli_request *request);
void cli_session_close(cli_session *session);

/* The CPU's threads. */
int32_t cli_threads(const cli_session *session);
/* The processor that computes products: the requested device, else the CPU, whose name is "cpu"
 * here. */
spl_processor_info cli_processor(const cli_session *session);
/* "sparloom: text" on stderr, unless quiet. */
void cli_remark(cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* gen_make with its failures recorded; returns an exit code. */
int cli_generate(const char *name, uint64_t seed, spl_type type, gen_matrix *matrix);

/* A matrix from a file, and how long reading took. */
typedef struct cli_input {
    const char *file;
    spl_matrix *matrix;
    spl_sparse view;
    double seconds;
} cli_input;

/* Reads `file` as CSR with values of the requested type; "gen:NAME" generates it instead. */
int cli_input_read(cli_session *session, const char *file, cli_input *input);
void cli_input_free(cli_input *input);
/* Adds {"name", "file", "rows", ...} to an array. */
void cli_input_json(const cli_input *input, const char *name, cJSON *array);

#endif
