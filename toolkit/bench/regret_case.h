/* SPDX-License-Identifier: Apache-2.0 */
/* regret_case.h: a case of regret.h: who contends, and what was measured. */
#ifndef TOOL_REGRET_CASE_H
#define TOOL_REGRET_CASE_H

#include "bench_rival.h"

enum {
    REGRET_CONTENDERS = 128,
    REGRET_POLICIES = 3,
    REGRET_NAME = 96,
    REGRET_METHODS = 160,
    REGRET_TRIALS = 32
};
/* "cost", "rules", "measure": spl_policy. */
extern const char *const regret_policies[REGRET_POLICIES];

typedef struct regret_setup {
    spl_context *context; /* its last processor computes */
    double time_limit;    /* seconds of turns of a case; at least five are made, three if that takes
                             five times as long, two if twenty */
    int (*interrupted)(void);
    int once;
    spl_accuracy accuracy; /* of spmm */
    const char *methods;   /* ids, comma separated: regret_keep; NULL: all */
} regret_setup;

typedef struct regret_contender {
    int policy;                   /* -1: its methods were forced */
    char methods[REGRET_METHODS]; /* comma separated */
    double predicted;             /* seconds of the steps that are timed; NaN: not known */
    /* least seconds; INFINITY if it failed. spgemm, once: run is both */
    double plan, run;
    int hopeless; /* predicted to be, and not timed */
} regret_contender;

/* A method as the policy measure timed it, alone; not of numeric phases, whose rows it groups. */
typedef struct regret_trial {
    const char *method; /* the library's */
    double predicted, measured;
} regret_trial;

typedef struct regret_case {
    char set[REGRET_NAME], matrix[REGRET_NAME];
    bench_operation operation;
    spl_type type;
    int64_t columns, rows, nnz;
    int count, turns, once;
    regret_contender contenders[REGRET_CONTENDERS];
    int trial_count;
    regret_trial trials[REGRET_TRIALS];
} regret_case;

/* Seconds that count. */
double regret_seconds(const regret_case *result, const regret_contender *contender);
/* The contender with the least; -1: none. */
int regret_best(const regret_case *result);
/* The regret of a policy; NaN: it has no plan. */
double regret_of(const regret_case *result, int policy);

#endif
