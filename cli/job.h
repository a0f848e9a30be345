/* SPDX-License-Identifier: Apache-2.0 */
/* job.h: one product from files to checked result. The common part of spmv, spmm and spgemm;
 * their differences are a table of functions, cli_operation. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "session.h"

#include <stopwatch.h>
#include <typed_array.h>

struct cli_job;

typedef struct cli_operation {
    const char *name;
    /* The library's plan, execute and check functions differ in their arguments. */
    spl_status (*plan)(struct cli_job *job);
    spl_status (*execute)(struct cli_job *job);
    spl_status (*check)(struct cli_job *job, spl_check *check);
    /* Allocates and fills arrays that the plan does not have: dense operands, arrays of the
     * result. Returns an exit code. */
    int (*prepare)(struct cli_job *job);
    /* Puts the result's arrays in the state before an execution. */
    void (*reset)(struct cli_job *job);
    /* After the last execution: the result's final size and structure. Returns an exit code. */
    int (*collect)(struct cli_job *job);
    /* Compulsory bytes of one execution, NaN if the operation has no such figure. */
    double (*traffic)(const struct cli_job *job);
    /* "y = A*x" with the given scalars and transpositions. */
    void (*formula)(const struct cli_job *job, char *text, size_t capacity);
} cli_operation;

extern const cli_operation cli_spmv, cli_spmm, cli_spgemm, cli_frontier;
/* The operation of that name, NULL if there is none. */
const cli_operation *cli_operation_named(const char *name);

/* The result: dense rows x cols, or CSR. */
typedef struct cli_result {
    int64_t rows, cols;
    int64_t nnz;   /* -1 for a dense result */
    int64_t count; /* of values */
    int bounded;   /* after the plan, nnz was a bound; the first execution found the structure */
    spl_index offset_type, index_type;
    void *offsets, *indices; /* CSR only */
    void *values;
} cli_result;

typedef struct cli_job {
    cli_session *session;
    const cli_operation *operation;
    cli_input a, b_file, d_file, mask_file; /* but a as needed: matrix NULL if not read */
    const cli_input *b;                     /* spgemm: b_file, or a if it is squared */
    spl_options options;
    spl_type type;
    tool_scalar alpha, beta;
    spl_plan *plan;
    void *x; /* spmv, spmm: the dense operand, row major */
    /* spmv, spmm: the result before an execution: NaN, or random values if beta needs them;
     * frontier: the mask's bytes, NULL without one */
    void *before;
    int64_t x_rows, columns;
    int64_t products; /* frontier */
    cli_result result;
    double plan_seconds;
    tool_quantiles times; /* of executions */
    spl_check check;      /* with --verify */
    spl_status checked;   /* SPL_OK, or why there is no verdict: */
    char unchecked[512];  /* in words */
} cli_job;

/* Reads the files[0..count) and D, fills the options. On failure, too, the job must be closed.
 * Returns an exit code. */
int cli_job_open(cli_job *job, cli_session *session, const cli_operation *operation,
                 const char *const *files, int64_t count);
void cli_job_close(cli_job *job);
/* Plans, and takes the time. */
int cli_job_plan(cli_job *job);
/* Executes as often as requested, measures times, collects the result, verifies it if requested.
 * The plan must exist. */
int cli_job_execute(cli_job *job);
/* The feature of the plan with that name, NaN if it has none. */
double cli_job_feature(const cli_job *job, const char *name);
/* FLOP of one execution: 2*nnz, 2*nnz*K or 2*products. NaN if not known. */
double cli_job_flop(const cli_job *job);
/* y or C as the library's dense matrix over `values`. */
spl_dense cli_dense(const cli_job *job, int64_t rows, int64_t cols, void *values);

/* For operations with dense operands: prepare, reset, collect and traffic. Shared by
 * spmv and spmm. */
int cli_dense_prepare(cli_job *job);
void cli_dense_reset(cli_job *job);
int cli_dense_collect(cli_job *job);
double cli_dense_traffic(const cli_job *job);

#endif
