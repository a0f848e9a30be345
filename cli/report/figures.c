/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <math.h>

static uint64_t checksum_of(const cli_job *job)
{
    const cli_result *result = &job->result;
    uint64_t hash = TOOL_HASH_START;
    if (result->offsets)
        hash = tool_hash(hash, result->offsets,
                         (size_t)(result->rows + 1) * tool_index_bytes(result->offset_type));
    if (result->indices)
        hash = tool_hash(hash, result->indices,
                         (size_t)result->nnz * tool_index_bytes(result->index_type));
    return tool_hash(hash, result->values, (size_t)result->count * tool_type_bytes(job->type));
}

cli_figures cli_figures_of(const cli_job *job)
{
    cli_figures figures;
    figures.flop = cli_job_flop(job);
    figures.gflops = figures.flop / job->times.median * 1e-9;
    figures.traffic = job->operation->traffic(job);
    figures.gbytes = figures.traffic / job->times.median * 1e-9;
    figures.cold_seconds = job->plan_seconds + job->times.first;
    figures.compression = job->result.nnz >= 0 ? figures.flop / 2 / (double)job->result.nnz : NAN;
    figures.norm = tool_norm(job->type, job->result.values, job->result.count);
    figures.checksum = checksum_of(job);
    return figures;
}
