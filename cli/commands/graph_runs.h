/* SPDX-License-Identifier: Apache-2.0 */
/* graph_runs.h: the algorithms of "sparloom graph": each runs one function of sparloom/graph.h and
 * says what it found. */
#ifndef CLI_GRAPH_RUNS_H
#define CLI_GRAPH_RUNS_H

#include "session.h"

#include <sparloom/graph.h>

enum { CLI_GRAPH_FACTS = 12, CLI_GRAPH_COLUMNS = 2 };

/* A number of the result, for text and JSON. */
typedef struct cli_graph_fact {
    const char *key, *note;
    double real; /* if is_real, else `whole` */
    int64_t whole;
    int is_real;
} cli_graph_fact;

typedef enum cli_graph_values { CLI_GRAPH_I32, CLI_GRAPH_I64, CLI_GRAPH_F64 } cli_graph_values;

/* An array with a value for each vertex, for the file of --output. */
typedef struct cli_graph_column {
    void *array; /* of malloc */
    cli_graph_values values;
} cli_graph_column;

typedef struct cli_graph_result {
    int64_t vertices;
    double seconds; /* of the library's function */
    cli_graph_fact facts[CLI_GRAPH_FACTS];
    int fact_count, column_count;
    cli_graph_column columns[CLI_GRAPH_COLUMNS];
    spl_matrix *matrix; /* in place of columns; NULL: none */
} cli_graph_result;

typedef struct cli_graph_run {
    const char *name;
    const char *summary;
    const char *options; /* those of "graph" that it takes, between blanks */
    /* returns an exit code */
    int (*run)(cli_session *session, spl_graph *graph, cli_graph_result *result);
} cli_graph_run;

/* Ends with a row whose name is NULL. */
extern const cli_graph_run cli_graph_runs[];

void cli_graph_result_free(cli_graph_result *result);

#endif
