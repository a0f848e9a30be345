/* SPDX-License-Identifier: Apache-2.0 */
#include "report_text.h"

#include "figures.h"

#include <inttypes.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>

static void print_input(const char *name, const cli_input *input)
{
    printf("%-9s %s: %s x %s, %s entries (read in %s)\n", name, tool_shown(input->file).text,
           tool_thousands(input->view.rows).text, tool_thousands(input->view.cols).text,
           tool_thousands(input->view.nnz).text, tool_duration(input->seconds).text);
}

void cli_inputs_text(const cli_job *job)
{
    print_input("A", &job->a);
    if (job->b_file.matrix)
        print_input(job->operation == &cli_frontier ? "X" : "B", &job->b_file);
    if (job->d_file.matrix)
        print_input("D", &job->d_file);
    if (job->mask_file.matrix)
        print_input(job->options.mask_complement ? "not in" : "mask", &job->mask_file);
}

static int on_device(const cli_job *job)
{
    return cli_processor(job->session).place.kind != SPL_HOST;
}

static void print_problem(const cli_job *job)
{
    char formula[160];
    job->operation->formula(job, formula, sizeof formula);
    int32_t threads = cli_threads(job->session);
    const char *separator = job->options.semiring ? ", over " : "";
    const char *semiring =
        job->options.semiring ? cli_choice_name("semiring", job->options.semiring) : "";
    printf("%-9s %s%s%s, %s, %d %s\n", job->operation->name, formula, separator, semiring,
           tool_type_name(job->type), (int)threads, threads == 1 ? "thread" : "threads");
    if (on_device(job) && !spl_plan_part_count(job->plan))
        printf("%-9s %s\n", "device", cli_processor(job->session).name);
    cli_inputs_text(job);
    if (job->operation == &cli_spmm)
        printf("%-9s dense, %s columns, row major\n", "B, C", tool_thousands(job->columns).text);
}

static void print_steps(const spl_plan *plan)
{
    spl_step step = SPL_STEP_INIT;
    for (int32_t i = 0; i < spl_plan_step_count(plan); i++) {
        if (spl_plan_step(plan, i, &step) != SPL_OK)
            continue;
        printf("%-9s %s, rows: %s (%s)\n", i ? "" : "method", step.method, step.rows,
               tool_thousands(step.row_count).text);
        printf("%-9s because %s\n", "", step.reason);
    }
}

static void print_parts(const cli_job *job)
{
    spl_part_info part = SPL_PART_INFO_INIT;
    spl_processor_info processor = SPL_PROCESSOR_INFO_INIT;
    for (int32_t i = 0; i < spl_plan_part_count(job->plan); i++) {
        if (spl_plan_part(job->plan, i, &part) != SPL_OK ||
            spl_processor(job->session->context, part.processor, &processor) != SPL_OK)
            continue;
        printf("%-9s %s rows: %s\n", i ? "" : "parts", tool_thousands(part.rows).text,
               processor.name);
        printf("%-9s predicted: transfer %s, execution %s; ", "",
               tool_duration(part.predicted_transfer).text,
               tool_duration(part.predicted_execution).text);
        printf("last: %s, %s\n", tool_duration(part.transfer).text,
               tool_duration(part.execution).text);
    }
}

/* Explains which work the times of this job include. */
static const char *inside_plan(const cli_job *job)
{
    if (job->operation != &cli_spgemm)
        return "checks, choice of methods";
    return job->result.bounded ? "choice of methods, bound of C"
                               : "choice of methods, symbolic phase, structure of C";
}

static const char *inside_execute(const cli_job *job)
{
    if (job->operation != &cli_spgemm)
        return on_device(job) ? "the product" : "the product alone";
    return job->result.bounded ? "values of C; the first one also finds the structure"
                               : "values of C";
}

static void print_times(const cli_job *job, const cli_figures *figures)
{
    const tool_quantiles *times = &job->times;
    const char *plan_copies = on_device(job) ? ", copies to the device" : "";
    const char *copies = on_device(job) ? ", with copies to and from the device" : "";
    printf("%-9s %s: %s%s\n", "plan", tool_duration(job->plan_seconds).text, inside_plan(job),
           plan_copies);
    if (times->runs == 1)
        printf("%-9s %s, one run", "execute", tool_duration(times->median).text);
    else
        printf("%-9s %s median of %zu runs, quartiles %s and %s, first %s", "execute",
               tool_duration(times->median).text, times->runs, tool_duration(times->q1).text,
               tool_duration(times->q3).text, tool_duration(times->first).text);
    printf(": %s%s\n", inside_execute(job), copies);
    printf("%-9s %s: plan and first execution; reading and filling operands are outside\n", "cold",
           tool_duration(figures->cold_seconds).text);
}

static void print_speed(const cli_job *job, const cli_figures *figures)
{
    tool_text flop = {"unknown"};
    if (figures->flop < 9e18)
        flop = tool_thousands((int64_t)figures->flop);
    if (job->operation == &cli_spgemm || job->operation == &cli_frontier)
        printf("%-9s %.3g GFLOP/s for execute, %.3g cold (%s FLOP, two per product)\n", "speed",
               figures->gflops, figures->flop / figures->cold_seconds * 1e-9, flop.text);
    else
        printf("%-9s %.3g GFLOP/s (%s FLOP), %.3g GB/s (%s: matrix in CSR and dense operands, each "
               "once)\n",
               "speed", figures->gflops, flop.text, figures->gbytes,
               tool_bytes(figures->traffic).text);
}

static void print_memory(const cli_job *job)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    spl_memory_info context = SPL_MEMORY_INFO_INIT;
    if (spl_plan_counters(job->plan, &counters) == SPL_OK &&
        spl_memory(job->session->context, (spl_place){SPL_HOST, 0}, &context) == SPL_OK)
        printf("%-9s plan %s (at most %s), library with inputs at most %s\n", "memory",
               tool_bytes((double)counters.live).text, tool_bytes((double)counters.peak).text,
               tool_bytes((double)context.peak).text);
    if (on_device(job) &&
        spl_memory(job->session->context, cli_processor(job->session).place, &context) == SPL_OK)
        printf("%-9s on the device %s, at most %s\n", "", tool_bytes((double)context.live).text,
               tool_bytes((double)context.peak).text);
}

static void print_result(const cli_job *job, const cli_figures *figures)
{
    const cli_result *result = &job->result;
    printf("%-9s %s x %s", "result", tool_thousands(result->rows).text,
           tool_thousands(result->cols).text);
    if (result->nnz >= 0)
        printf(", %s entries", tool_thousands(result->nnz).text);
    if (result->nnz > 0)
        printf(" (%.3g products per entry)", figures->compression);
    printf(", norm %.6g, checksum %016" PRIx64 "\n", figures->norm, figures->checksum);
}

static void print_verdict(const cli_job *job)
{
    const spl_check *check = &job->check;
    if (!job->session->request->verify)
        return;
    if (job->checked != SPL_OK)
        printf("not verified: %s\n", tool_shown(job->unchecked).text);
    else if (check->ok)
        printf("%-9s %s elements, worst error %.2g of the bound\n",
               "verified:", tool_thousands(check->compared - check->undecided).text,
               check->worst_ratio);
    else
        printf("%-9s %s of %s elements are beyond the error bound\n",
               "WRONG:", tool_thousands(check->failed).text, tool_thousands(check->compared).text);
    if (check->undecided)
        printf("%-9s %s of %s elements, which may be Inf or NaN: a sum may overflow, or alpha is "
               "not finite\n",
               "undecided:", tool_thousands(check->undecided).text,
               tool_thousands(check->compared).text);
}

void cli_report_text(const cli_job *job)
{
    cli_figures figures = cli_figures_of(job);
    print_problem(job);
    print_steps(job->plan);
    print_parts(job);
    print_times(job, &figures);
    print_speed(job, &figures);
    print_memory(job);
    print_result(job, &figures);
    print_verdict(job);
}
