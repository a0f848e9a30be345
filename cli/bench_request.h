/* SPDX-License-Identifier: Apache-2.0 */
/* bench_request.h: what `sparloom bench` was asked to measure, as lists. */
#ifndef CLI_BENCH_REQUEST_H
#define CLI_BENCH_REQUEST_H

#include "session.h"

#include <bench_summary.h>

enum { CLI_MOST_WIDTHS = 16 };

typedef struct cli_bench_request {
    cli_session *session;
    unsigned operations; /* bit per bench_operation */
    unsigned types;      /* bit 0: f32, bit 1: f64; 0: the usual ones of each operation */
    int64_t widths[CLI_MOST_WIDTHS];
    int width_count;
    bench_setup setup; /* rivals started; triad and flusher still missing */
    bench_target target;
} cli_bench_request;

/* Whether an operation is measured with values of that type: as was asked for; else f32 for SpMM, which graph learning uses, f64 for the others. */
int cli_bench_wants(const cli_bench_request *bench, bench_operation operation, spl_type type);
/* Returns an exit code. */
int cli_bench_parse(cli_session *session, cli_bench_request *bench);

#endif
