/* SPDX-License-Identifier: Apache-2.0 */
#include "report_json.h"

#include "figures.h"

#include <json_helpers.h>
#include <math.h>

static void add_inputs(const cli_job *job, cJSON *json)
{
    cJSON *inputs = cJSON_AddArrayToObject(json, "inputs");
    cli_input_json(&job->a, "A", inputs);
    if (job->b_file.matrix)
        cli_input_json(&job->b_file, job->operation == &cli_frontier ? "X" : "B", inputs);
    if (job->d_file.matrix)
        cli_input_json(&job->d_file, "D", inputs);
    if (job->mask_file.matrix)
        cli_input_json(&job->mask_file, "mask", inputs);
}

static void add_problem(const cli_job *job, cJSON *json)
{
    const cli_request *request = job->session->request;
    tool_json_text(json, "operation", job->operation->name);
    tool_json_text(json, "device", cli_processor(job->session).name);
    tool_json_integer(json, "threads", cli_threads(job->session));
    tool_json_text(json, "policy", cli_choice_name("policy", request->policy));
    tool_json_text(json, "type", tool_type_name(job->type));
    tool_json_truth(json, "transpose_a", request->transpose_a);
    tool_json_truth(json, "transpose_b", request->transpose_b);
    tool_json_text(json, "semiring", cli_choice_name("semiring", request->semiring));
    tool_json_truth(json, "complement", request->complement);
    tool_json_text(json, "mask_pattern", cli_choice_name("mask-pattern", request->mask_pattern));
    if (job->operation == &cli_spmm)
        tool_json_integer(json, "columns", job->columns);
    else
        tool_json_null(json, "columns");
    add_inputs(job, json);
}

static void add_step(const spl_step *step, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "rows", step->rows);
    tool_json_integer(object, "row_count", step->row_count);
    tool_json_text(object, "phase", step->phase);
    tool_json_text(object, "method", step->method);
    tool_json_text(object, "reason", step->reason);
    tool_json_real(object, "seconds", step->seconds);
    tool_json_integer(object, "bytes", (int64_t)step->bytes);
    tool_json_integer(object, "threads", step->threads);
}

static void add_candidate(const spl_candidate *candidate, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_integer(object, "step", candidate->step);
    tool_json_text(object, "method", candidate->method);
    tool_json_truth(object, "applicable", candidate->applicable);
    tool_json_truth(object, "chosen", candidate->chosen);
    tool_json_text(object, "reason",
                   candidate->reason && *candidate->reason ? candidate->reason : NULL);
    tool_json_real(object, "seconds", candidate->seconds);
    tool_json_real(object, "measured", candidate->measured);
    tool_json_integer(object, "bytes", (int64_t)candidate->bytes);
}

static void add_choice(const spl_plan *plan, cJSON *json)
{
    spl_step step = SPL_STEP_INIT;
    spl_candidate candidate = SPL_CANDIDATE_INIT;
    spl_feature feature = SPL_FEATURE_INIT;
    cJSON *chosen = cJSON_AddArrayToObject(json, "chosen");
    for (int32_t i = 0; i < spl_plan_step_count(plan); i++)
        if (spl_plan_step(plan, i, &step) == SPL_OK)
            add_step(&step, chosen);
    cJSON *candidates = cJSON_AddArrayToObject(json, "candidates");
    for (int32_t i = 0; i < spl_plan_candidate_count(plan); i++)
        if (spl_plan_candidate(plan, i, &candidate) == SPL_OK)
            add_candidate(&candidate, candidates);
    cJSON *features = cJSON_AddObjectToObject(json, "features");
    for (int32_t i = 0; i < spl_plan_feature_count(plan); i++)
        if (spl_plan_feature(plan, i, &feature) == SPL_OK)
            tool_json_real(features, feature.name, feature.value);
}

static void add_part(const cli_job *job, int32_t number, cJSON *array)
{
    spl_part_info part = SPL_PART_INFO_INIT;
    spl_processor_info processor = SPL_PROCESSOR_INFO_INIT;
    if (spl_plan_part(job->plan, number, &part) != SPL_OK ||
        spl_processor(job->session->context, part.processor, &processor) != SPL_OK)
        return;
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "processor", processor.name);
    tool_json_integer(object, "rows", part.rows);
    tool_json_integer(object, "work", part.work);
    tool_json_integer(object, "blocks", part.blocks);
    tool_json_real(object, "predicted_transfer", part.predicted_transfer);
    tool_json_real(object, "predicted_execution", part.predicted_execution);
    tool_json_real(object, "transfer", part.transfer);
    tool_json_real(object, "execution", part.execution);
}

static void add_parts(const cli_job *job, cJSON *json)
{
    cJSON *parts = cJSON_AddArrayToObject(json, "parts");
    for (int32_t i = 0; i < spl_plan_part_count(job->plan); i++)
        add_part(job, i, parts);
}

/* Bytes that the context holds on the device that computes; null without one. */
static void add_device_memory(const cli_job *job, cJSON *memory)
{
    spl_memory_info usage = SPL_MEMORY_INFO_INIT;
    spl_place place = cli_processor(job->session).place;
    int known =
        place.kind != SPL_HOST && spl_memory(job->session->context, place, &usage) == SPL_OK;
    tool_json_real(memory, "device_live", known ? (double)usage.live : (double)NAN);
    tool_json_real(memory, "device_peak", known ? (double)usage.peak : (double)NAN);
}

static void add_memory(const cli_job *job, cJSON *json)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    spl_memory_info context = SPL_MEMORY_INFO_INIT;
    if (spl_plan_counters(job->plan, &counters) != SPL_OK ||
        spl_memory(job->session->context, (spl_place){SPL_HOST, 0}, &context) != SPL_OK)
        return;
    cJSON *memory = cJSON_AddObjectToObject(json, "memory");
    tool_json_integer(memory, "live", (int64_t)context.live);
    tool_json_integer(memory, "peak", (int64_t)context.peak);
    tool_json_integer(memory, "plan_live", (int64_t)counters.live);
    tool_json_integer(memory, "plan_peak", (int64_t)counters.peak);
    add_device_memory(job, memory);
    if (job->session->request->budget)
        tool_json_integer(memory, "budget", (int64_t)job->session->request->budget);
    else
        tool_json_null(memory, "budget");
    cJSON *work = cJSON_AddObjectToObject(json, "counters");
    tool_json_integer(work, "executions", counters.executions);
    tool_json_integer(work, "allocations", counters.allocations);
    tool_json_integer(work, "launches", counters.launches);
    tool_json_integer(work, "synchronisations", counters.synchronisations);
    tool_json_integer(work, "fetched", counters.fetched);
}

void cli_plan_json(const cli_job *job)
{
    cJSON *json = job->session->json;
    add_problem(job, json);
    add_parts(job, json);
    add_choice(job->plan, json);
    add_memory(job, json);
}

static void add_seconds(const cli_job *job, const cli_figures *figures, cJSON *json)
{
    cJSON *seconds = cJSON_AddObjectToObject(json, "seconds");
    tool_json_real(seconds, "plan", job->plan_seconds);
    cJSON *execute = cJSON_AddObjectToObject(seconds, "execute");
    tool_json_real(execute, "first", job->times.first);
    tool_json_real(execute, "median", job->times.median);
    tool_json_real(execute, "q1", job->times.q1);
    tool_json_real(execute, "q3", job->times.q3);
    tool_json_integer(execute, "runs", (int64_t)job->times.runs);
    tool_json_real(seconds, "cold", figures->cold_seconds);
}

static void add_result(const cli_job *job, const cli_figures *figures, cJSON *json)
{
    const cli_result *shape = &job->result;
    cJSON *result = cJSON_AddObjectToObject(json, "result");
    tool_json_integer(result, "rows", shape->rows);
    tool_json_integer(result, "cols", shape->cols);
    if (shape->nnz < 0)
        tool_json_null(result, "nnz");
    else
        tool_json_integer(result, "nnz", shape->nnz);
    tool_json_real(result, "compression", shape->nnz < 0 ? (double)NAN : figures->compression);
    tool_json_real(result, "norm", figures->norm);
    tool_json_bits(result, "checksum", figures->checksum);
}

static void add_verify(const cli_job *job, cJSON *json)
{
    if (!job->session->request->verify) {
        tool_json_null(json, "verify");
        return;
    }
    cJSON *verify = cJSON_AddObjectToObject(json, "verify");
    if (job->checked == SPL_OK)
        tool_json_truth(verify, "ok", job->check.ok);
    else
        tool_json_null(verify, "ok");
    tool_json_text(verify, "reason", job->checked == SPL_OK ? NULL : job->unchecked);
    tool_json_integer(verify, "compared", job->check.compared);
    tool_json_integer(verify, "failed", job->check.failed);
    tool_json_integer(verify, "undecided", job->check.undecided);
    tool_json_integer(verify, "worst_row", job->check.worst_row);
    tool_json_integer(verify, "worst_col", job->check.worst_col);
    tool_json_real(verify, "worst_ratio", job->check.worst_ratio);
}

void cli_report_json(const cli_job *job)
{
    const cli_request *request = job->session->request;
    cJSON *json = job->session->json;
    cli_figures figures = cli_figures_of(job);
    cli_plan_json(job);
    tool_json_real(json, "alpha", request->alpha);
    tool_json_real(json, "beta", request->beta);
    add_seconds(job, &figures, json);
    tool_json_real(json, "flop", figures.flop);
    tool_json_real(json, "gflops", figures.gflops);
    tool_json_real(json, "bytes", figures.traffic);
    tool_json_real(json, "gbytes_per_second", figures.gbytes);
    add_result(job, &figures, json);
    add_verify(job, json);
}
