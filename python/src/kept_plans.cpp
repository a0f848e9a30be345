// SPDX-License-Identifier: Apache-2.0
#include "kept_plans.h"

#include <mutex>

namespace sparloom
{
namespace
{

constexpr int MOST_PLANS = 16; // a multigrid hierarchy with its transfer operators

// Each of them reads offsets, indices and values where they are, and cuts between rows only.
const char *const METHODS_BY_ROWS = "spmv/compute/cpu/csr_scalar,spmv/compute/cpu/csr_vector";
const char *const METHOD_BY_COLUMNS = "spmv/compute/cpu/csr_transposed";

kept_plan plans[MOST_PLANS];
uint64_t now;
std::mutex guard; // for interpreters without a GIL

bool same(const spl_sparse &a, const spl_sparse &b)
{
    return a.values == b.values && a.indices == b.indices && a.offsets == b.offsets &&
           a.format == b.format && a.type == b.type && a.index_type == b.index_type &&
           a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz;
}

} // namespace

kept_plan *acquire_plan(const spl_sparse &matrix)
{
    std::lock_guard<std::mutex> lock(guard);
    kept_plan *oldest = nullptr;
    for (kept_plan &kept : plans) {
        if (kept.busy)
            continue;
        if (kept.plan && same(kept.matrix, matrix)) {
            oldest = &kept;
            break;
        }
        if (!oldest || kept.used < oldest->used)
            oldest = &kept;
    }
    if (!oldest)
        return nullptr;
    if (oldest->plan && !same(oldest->matrix, matrix)) {
        spl_plan_destroy(oldest->plan);
        oldest->plan = nullptr;
    }
    oldest->matrix = matrix;
    oldest->busy = true;
    oldest->used = ++now;
    return oldest;
}

void release_plan(kept_plan *kept)
{
    std::lock_guard<std::mutex> lock(guard);
    kept->busy = false;
    if (!kept->plan)
        kept->used = 0;
}

spl_status make_plan(spl_context *context, kept_plan *kept)
{
    if (kept->plan)
        return SPL_OK;
    spl_options options = SPL_OPTIONS_INIT;
    options.method = kept->matrix.format == SPL_CSC ? METHOD_BY_COLUMNS : METHODS_BY_ROWS;
    return spl_spmv_plan(context, &kept->matrix, &options, &kept->plan);
}

void forget_plans()
{
    std::lock_guard<std::mutex> lock(guard);
    for (kept_plan &kept : plans) {
        if (kept.busy)
            continue;
        spl_plan_destroy(kept.plan);
        kept.plan = nullptr;
        kept.used = 0;
    }
}

} // namespace sparloom
