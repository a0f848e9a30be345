/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include "chosen_device.h"
#include "failure.h"
#include "method_ids.h"
#include "output_file.h"
#include "wisdom_store.h"

#include <math.h>
#include <readable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Executions are timed for at least this long and this often, unless --repeat is given. */
static const double enough_seconds = 0.3;
enum { LEAST_RUNS = 3, MOST_RUNS = 1000 };

const cli_operation *cli_operation_named(const char *name)
{
    static const cli_operation *const operations[] = {&cli_spmv, &cli_spmm, &cli_spgemm};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (!strcmp(operations[i]->name, name))
            return operations[i];
    return NULL;
}

static void fill_options(cli_job *job, const cli_request *request)
{
    job->options = (spl_options)SPL_OPTIONS_INIT;
    job->options.policy = (spl_policy)request->policy;
    job->options.op_a = request->transpose_a ? SPL_TRANSPOSE : SPL_NONE;
    job->options.op_b = request->transpose_b ? SPL_TRANSPOSE : SPL_NONE;
    job->options.deterministic = request->deterministic;
    job->options.unsorted = request->unsorted;
    job->options.accuracy = (spl_accuracy)request->accuracy;
    job->options.check_inputs = request->check_inputs;
    job->options.method = request->method;
    job->options.semiring = (int32_t)request->semiring;
    job->options.mask_complement = request->complement;
    job->options.mask_pattern = (int32_t)request->mask_pattern;
    job->options.processors = cli_processor_mask(request, job->session->context);
    job->type = (spl_type)request->type;
    job->alpha = tool_scalar_of(job->type, request->alpha);
    job->beta = tool_scalar_of(job->type, request->beta);
    job->columns = request->columns ? request->columns : 1;
}

static int check_scalar(spl_type type, const char *name, double value)
{
    if (tool_type_is_integer(type) &&
        !(fabs(value) <= INT32_MAX && value == (double)(int32_t)value))
        return cli_fail_usage("--%s: %g is not a whole number of 32 bits, as %s needs one", name,
                              value, tool_type_name(type));
    if (type != SPL_F64 && isfinite(value) && !isfinite((float)value))
        return cli_fail_usage("--%s: %g is out of range of f32", name, value);
    return CLI_OK;
}

static int check_request(const cli_request *request)
{
    int code = cli_check_methods(request->method);
    if (!code)
        code = check_scalar((spl_type)request->type, "alpha", request->alpha);
    if (!code)
        code = check_scalar((spl_type)request->type, "beta", request->beta);
    return code || !request->wisdom ? code : cli_output_check(request->wisdom);
}

/* A lone matrix that is not square: say what would fit. */
static int check_square(const cli_job *job)
{
    const spl_sparse *a = &job->a.view;
    int lone = job->operation == &cli_spgemm && job->b == &job->a;
    if (!lone || a->rows == a->cols || job->options.op_a != job->options.op_b)
        return CLI_OK;
    return cli_fail(SPL_SHAPE_MISMATCH,
                    "A is %s x %s and cannot be squared; give B, --transpose-a or --transpose-b",
                    tool_thousands(a->rows).text, tool_thousands(a->cols).text);
}

int cli_job_open(cli_job *job, cli_session *session, const cli_operation *operation,
                 const char *const *files, int64_t count)
{
    const cli_request *request = session->request;
    *job = (cli_job){
        .session = session, .operation = operation, .b = &job->a, .check = SPL_CHECK_INIT};
    int code = check_request(request);
    if (code)
        return code;
    fill_options(job, request);
    code = cli_input_read(session, files[0], &job->a);
    if (!code && count > 1) {
        job->b = &job->b_file;
        code = cli_input_read(session, files[1], &job->b_file);
    }
    if (!code && request->addend)
        code = cli_input_read(session, request->addend, &job->d_file);
    if (!code && request->mask) {
        code = cli_input_read(session, request->mask, &job->mask_file);
        job->options.mask = &job->mask_file.view;
    }
    return code ? code : check_square(job);
}

void cli_job_close(cli_job *job)
{
    spl_plan_destroy(job->plan);
    cli_input_free(&job->a);
    cli_input_free(&job->b_file);
    cli_input_free(&job->d_file);
    cli_input_free(&job->mask_file);
    free(job->x);
    free(job->before);
    free(job->result.offsets);
    free(job->result.indices);
    free(job->result.values);
}

int cli_job_plan(cli_job *job)
{
    int code = cli_wisdom_load(job->session);
    if (code)
        return code;
    double start = tool_now();
    code = cli_check_of(job->operation->plan(job), "the plan");
    job->plan_seconds = tool_now() - start;
    cli_progress_clear(&job->session->bar);
    return code ? code : cli_wisdom_save(job->session);
}

/* One execution and its time. */
static int execute_once(cli_job *job, double *seconds)
{
    int code = cli_check_interrupt();
    if (code)
        return code;
    job->operation->reset(job);
    double start = tool_now();
    code = cli_check_of(job->operation->execute(job), "the execution");
    *seconds = tool_now() - start;
    return code;
}

static int execute_all(cli_job *job)
{
    int64_t wanted = job->session->request->repeat;
    int64_t most = wanted ? wanted : MOST_RUNS, least = wanted ? wanted : LEAST_RUNS;
    double *seconds = tool_array(most, sizeof *seconds);
    if (!seconds)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for %lld times", (long long)most);
    int code = CLI_OK;
    int64_t runs = 0;
    for (double total = 0; !code && runs < most && (runs < least || total < enough_seconds);
         total += seconds[runs++])
        code = execute_once(job, &seconds[runs]);
    cli_progress_clear(&job->session->bar);
    job->times = tool_quantiles_of(seconds, (size_t)runs);
    free(seconds);
    return code;
}

int cli_job_execute(cli_job *job)
{
    int code = job->operation->prepare(job);
    if (!code)
        code = execute_all(job);
    return code ? code : job->operation->collect(job);
}

double cli_job_feature(const cli_job *job, const char *name)
{
    spl_feature feature = SPL_FEATURE_INIT;
    for (int32_t i = 0; i < spl_plan_feature_count(job->plan); i++)
        if (spl_plan_feature(job->plan, i, &feature) == SPL_OK && !strcmp(feature.name, name))
            return feature.value;
    return NAN;
}

double cli_job_flop(const cli_job *job)
{
    if (job->operation == &cli_spgemm)
        return 2 * cli_job_feature(job, "products");
    if (job->operation == &cli_frontier)
        return 2 * (double)job->products;
    return 2 * (double)job->a.view.nnz * (double)job->columns;
}
