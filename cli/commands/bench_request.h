/* SPDX-License-Identifier: Apache-2.0 */
/* bench_request.h: the requested measurements of `sparloom bench`, as lists. */
#ifndef CLI_BENCH_REQUEST_H
#define CLI_BENCH_REQUEST_H

#include "session.h"

#include <bench_summary.h>

enum { CLI_MOST_WIDTHS = 16, CLI_BENCH_TYPES = 6 };

/* What can be measured, in the order in which it is. */
extern const spl_type cli_bench_types[CLI_BENCH_TYPES];

typedef struct cli_bench_request {
    cli_session *session;
    unsigned operations; /* bit per bench_operation */
    unsigned types;      /* bit per spl_type; 0: the usual ones of each operation */
    int64_t widths[CLI_MOST_WIDTHS];
    int width_count;
    bench_setup setup; /* rivals started; triad and flusher still missing */
    bench_target target;
} cli_bench_request;

/* Whether an operation is measured with values of that type: as requested; by default f32 for
 * SpMM, which graph learning uses, f64 for the others. f16 and bf16 are measured in SpMV and
 * SpMM only, integers without rivals. */
int cli_bench_wants(const cli_bench_request *bench, bench_operation operation, spl_type type);
/* Returns an exit code. */
int cli_bench_parse(cli_session *session, cli_bench_request *bench);

/* An operand that is no set must be a file, or generated; else an exit code. */
int cli_bench_check_file(const cli_request *request, const char *operand);

#endif
