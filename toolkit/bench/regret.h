/* SPDX-License-Identifier: Apache-2.0 */
/* regret.h: the quality of choices: times every forced method, or some, and the plans of all
 * policies.
 *
 * Time: of a plan that is executed a hundred times, per execution; of spgemm, which is the cold
 * product, a one-shot call. All run in turns, A B C A B C ..., and the least time of each counts,
 * since disturbances only add time. The regret of a policy is the time of its plan over the least
 * of all. If it chose one method for all rows, its plan equals the forced one and shares its time.
 *
 * With `once` the time is that of one product from the operands on: one-shot calls, as the
 * policies, against plans by name that are executed once.
 *
 * Hopeless contenders are not timed: those predicted to take twenty times the least, and after
 * the first turn those that took several times the best. The times of the phases of a sparse
 * product add up, so pairs of methods take part if one of the two is the centre (the least
 * predicted), or if the sum of their costs relative to the centre is close to the best. */
#ifndef TOOL_REGRET_H
#define TOOL_REGRET_H

#include "regret_case.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* Measures; names, operation, type and columns of the case are set, A is CSR on the host.
 * SPL_CANCELLED, or what a device answers. */
spl_status regret_run(const regret_setup *setup, const spl_sparse *a, regret_case *result);

/* ---- many cases: regret_report.c ---- */

typedef struct regret_report {
    regret_case *cases; /* all zero at first */
    int64_t count, room;
} regret_report;
int regret_add(regret_report *report, const regret_case *item); /* 0: no memory */
void regret_free(regret_report *report);

typedef struct regret_summary {
    int cases, within;  /* with a regret; of at most 1.1 */
    double mean, worst; /* geometric mean */
    const regret_case *worst_case;
} regret_summary;
/* Of one policy over all cases of an operation. */
regret_summary regret_summarise(const regret_report *report, bench_operation operation, int policy);

void regret_write_text(const regret_report *report, FILE *stream);
/* The head of a table, and the lines of a case. 0: cannot be written. */
int regret_write_csv_head(FILE *stream);
int regret_write_csv(const regret_case *item, FILE *stream);
void regret_write_json(const regret_report *report, cJSON *object);

#endif
