/* SPDX-License-Identifier: Apache-2.0 */
/* request.h: the user's request, and the tables of commands and options. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include <sparloom/algebra.h>

/* Commands as bits, for the sets of commands of options. */
enum {
    CLI_INFO = 1 << 0,
    CLI_SPMV = 1 << 1,
    CLI_SPMM = 1 << 2,
    CLI_SPGEMM = 1 << 3,
    CLI_EXPLAIN = 1 << 4,
    CLI_LIST = 1 << 5,
    CLI_DOCTOR = 1 << 6,
    CLI_GEN = 1 << 7,
    CLI_BENCH = 1 << 8,
    CLI_CONVERT = 1 << 9,
    CLI_PLOT = 1 << 10,
    CLI_PARTITION = 1 << 11,
    CLI_WISDOM = 1 << 12,
    CLI_REGRET = 1 << 13,
    CLI_TUNE = 1 << 14,
    CLI_GRAPH = 1 << 15,
    CLI_FRONTIER = 1 << 16,
    CLI_SHARES = CLI_PLOT | CLI_PARTITION,
    CLI_PRODUCTS = CLI_SPMV | CLI_SPMM | CLI_SPGEMM,
    CLI_PLANS = CLI_PRODUCTS | CLI_EXPLAIN,
    CLI_READS = CLI_INFO | CLI_CONVERT | CLI_SHARES | CLI_PLANS | CLI_GRAPH | CLI_FRONTIER,
    CLI_MEASURES = CLI_BENCH | CLI_REGRET,
    CLI_COMPUTES = CLI_READS | CLI_DOCTOR | CLI_GEN | CLI_MEASURES | CLI_TUNE,
    CLI_ALL = CLI_COMPUTES | CLI_LIST | CLI_WISDOM
};

typedef struct cli_request {
    const struct cli_command *command; /* NULL: only --help or --version */
    char **arguments;                  /* argv without the tool's name */
    const char **operands;
    int64_t operand_count;
    uint64_t given; /* bit i: row i of cli_options appeared */

    int help, version, json, quiet, verbose;
    int verify, deterministic, unsorted, check_inputs, transpose_a, transpose_b, complement;
    int undirected, transpose, sort, sum_duplicates, drop_zeros, replay, full;
    /* repeat 0: the tool decides; threads 0: the library's default */
    int64_t repeat, threads, columns, seed;
    int64_t source, steps, truss, samples; /* graph: a vertex; the most steps; k; sources */
    double damping, tolerance, delta;
    /* spl_policy, spl_type, spl_order (0: not given), spl_accuracy */
    int64_t policy, type, order, accuracy;
    double alpha, beta;
    size_t budget; /* bytes, 0: no limit */
    const char *method, *output, *addend;
    const char *mask;               /* NULL: none */
    int64_t semiring, mask_pattern; /* spl_semiring, spl_mask_pattern */
    const char *wisdom;             /* NULL: none is kept */
    /* NULL: not given; see chosen_device.h */
    const char *device, *processors;
    const char *kind, *capabilities, *links; /* plot, partition */
    /* plot: spl_partition_kind, 0: not given */
    int64_t partition;
    int once;                                                      /* regret: one-shot calls */
    double time_limit;                                             /* bench: seconds of a case */
    const char *operations, *types, *widths, *rivals, *data, *csv; /* bench */
    /* bench: picture of the results; graph: of components */
    const char *plot;
    int fail; /* bench compare */
} cli_request;

struct cli_session;

typedef struct cli_command {
    unsigned bit;
    const char *name;
    const char *operands; /* as shown in the synopsis */
    int least, most;      /* number of operands */
    const char *summary;
    int (*run)(struct cli_session *session); /* returns an exit code */
} cli_command;

/* Ends with a row whose name is NULL. */
extern const cli_command cli_commands[];
/* The command of that name, NULL if there is none. */
const cli_command *cli_command_named(const char *name);

typedef enum cli_value {
    CLI_FLAG,    /* int */
    CLI_INTEGER, /* int64_t, least..most */
    CLI_REAL,    /* double */
    CLI_BYTES,   /* size_t */
    CLI_TEXT,    /* const char * */
    CLI_CHOICE   /* int64_t, one of choices */
} cli_value;

typedef struct cli_choice {
    const char *name; /* NULL ends the list */
    int64_t value;
} cli_choice;

typedef struct cli_option {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* the placeholder of the value in the help; NULL: a flag */
    cli_value kind;
    size_t offset; /* of the member in cli_request */
    int64_t least, most;
    const cli_choice *choices;
    unsigned commands;
    const char *help;
} cli_option;

/* Ends with a row whose name is NULL. */
extern const cli_option cli_options[];
/* 1 if the option of that name was given. */
int cli_given(const cli_request *request, const char *name);
/* The name of a choice's value, for example of option "policy"; NULL if there is none. */
const char *cli_choice_name(const char *option, int64_t value);

/* Fills `request`; returns an exit code. `json` and `command` are right even after a failure, so
 * that it can be reported. */
int cli_parse(int argc, char **argv, cli_request *request);
/* What cli_parse allocated, also when it failed; argv's texts are not copied. */
void cli_request_free(cli_request *request);
/* Writes the value of `text` to the option's member; returns an exit code. */
int cli_set_value(cli_request *request, const cli_option *option, const char *text);
/* The value of the choice named `text`; an exit code if the option, without dashes, has no such
 * choice. */
int cli_choose(const char *option, const cli_choice *choices, const char *text, int64_t *value);
/* The kinds of partitions, spl_partition_kind. */
extern const cli_choice cli_partition_kinds[];
/* The help of a command, or, for NULL, of the whole tool, on stdout. */
void cli_print_help(const cli_command *command);

/* The part of it that "graph" has alone. */
void cli_print_algorithms(void);

/* The commands, one file each. */
int cli_run_info(struct cli_session *session);
int cli_run_spmv(struct cli_session *session);
int cli_run_spmm(struct cli_session *session);
int cli_run_spgemm(struct cli_session *session);
int cli_run_frontier(struct cli_session *session);
int cli_run_explain(struct cli_session *session);
int cli_run_convert(struct cli_session *session);
int cli_run_plot(struct cli_session *session);
int cli_run_partition(struct cli_session *session);
int cli_run_graph(struct cli_session *session);
int cli_run_list(struct cli_session *session);
int cli_run_doctor(struct cli_session *session);
int cli_run_gen(struct cli_session *session);
int cli_run_bench(struct cli_session *session);
int cli_run_tune(struct cli_session *session);
int cli_run_regret(struct cli_session *session);
int cli_run_wisdom(struct cli_session *session);

#endif
