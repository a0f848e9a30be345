/* SPDX-License-Identifier: Apache-2.0 */
/* bench_measure.h: measures the cases of `sparloom bench` one by one, into one report. */
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "bench_request.h"

typedef struct cli_bench_run {
    cli_session *session;
    cli_bench_request bench;
    bench_flusher flusher;
    bench_report report;
} cli_bench_run;

/* Measures `item`, whose names, operation, type and columns are set, and adds it to the report;
 * b NULL: A itself. Cases that cannot be measured are skipped with a remark. Returns an exit
 * code. */
int cli_bench_measure(cli_bench_run *run, const spl_sparse *a, const spl_sparse *b,
                      bench_case *item);

/* The set "multigrid". */
int cli_bench_multigrid(cli_bench_run *run);

#endif
