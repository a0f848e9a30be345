/* SPDX-License-Identifier: Apache-2.0 */
/* bench_measure.h: one case of `sparloom bench` after the other, into one report. */
#ifndef CLI_BENCH_MEASURE_H
#define CLI_BENCH_MEASURE_H

#include "bench_request.h"

typedef struct cli_bench_run {
    cli_session *session;
    cli_bench_request bench;
    bench_flusher flusher;
    bench_report report;
} cli_bench_run;

/* Whether the operation is to be measured in that type: what was asked for; else f32 for SpMM, which graph learning uses, f64 for the
 * others. */
int cli_bench_wants(const cli_bench_request *bench, bench_operation operation, spl_type type);
/* Measures `item`, whose names, operation, type and columns are set, and adds it to the report; b NULL: A itself. What cannot be measured is
 * left out with a remark. Returns an exit code. */
int cli_bench_measure(cli_bench_run *run, const spl_sparse *a, const spl_sparse *b, bench_case *item);

/* The set "multigrid". */
int cli_bench_multigrid(cli_bench_run *run);

#endif
