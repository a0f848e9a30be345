/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_measure.h"

#include "failure.h"

#include <typed_array.h>

/* The limit of products: larger cases take too long to check, and do not fit usual machines. */
static const double most_products = 3e9;

/* Why the operation cannot be measured on the matrix; NULL if it can. */
static const char *obstacle(const spl_sparse *a, const spl_sparse *b, bench_operation operation,
                            int64_t columns)
{
    double dense = (double)(a->rows + a->cols) * (double)columns * (double)tool_type_bytes(a->type);
    if (operation == BENCH_SPMV || operation == BENCH_SPMM)
        return 3 * dense < bench_free_bytes() ? NULL : "its dense operands do not fit memory";
    if (a->cols != b->rows)
        return "it is not square";
    double products = bench_products(a, b), all = (double)a->rows * (double)b->cols;
    if (products > most_products)
        return "its product has too many intermediate products";
    return 40 * (products < all ? products : all) < 4 * bench_free_bytes()
               ? NULL
               : "its product may not fit memory";
}

/* Measures the references for results with known traffic: on a device a copy; on the CPU the
 * triad, and a buffer that flushes caches for SpMV. */
static void measure_bandwidth(cli_bench_run *run, bench_operation operation)
{
    bench_setup *setup = &run->bench.setup;
    if (setup->device && !setup->copy)
        setup->copy = bench_device_copy(&run->bench.target);
    if (!setup->device && !setup->triad)
        setup->triad = bench_triad();
    if (setup->device || setup->flusher || operation != BENCH_SPMV)
        return;
    run->flusher = bench_flusher_open();
    setup->flusher = &run->flusher;
}

static void remark_failures(cli_bench_run *run, const bench_case *item)
{
    const char *operation = bench_operation_names[item->operation];
    for (int i = 0; i < item->count; i++) {
        const bench_entry *entry = &item->entries[i];
        const char *library = run->bench.setup.rivals[i]->name;
        if (entry->verdict == BENCH_WRONG)
            cli_remark(run->session, "%s: the result of %s by %s is wrong", item->matrix, operation,
                       library);
        if (entry->verdict == BENCH_FAILED)
            cli_remark(run->session, "%s: %s by %s failed: %s", item->matrix, operation, library,
                       entry->reason[0] ? entry->reason : "it does not say why");
    }
}

int cli_bench_measure(cli_bench_run *run, const spl_sparse *a, const spl_sparse *b,
                      bench_case *item)
{
    const char *reason = obstacle(a, b ? b : a, item->operation, item->columns);
    const char *operation = bench_operation_names[item->operation];
    if (reason) {
        cli_remark(run->session, "%s: %s is skipped: %s", item->matrix, operation, reason);
        return CLI_OK;
    }
    if (run->session->request->verbose)
        cli_remark(run->session, "%s: %s %s %lld", item->matrix, operation,
                   tool_type_name(item->type), (long long)item->columns);
    if (item->operation == BENCH_SPMV || item->operation == BENCH_SPMM)
        measure_bandwidth(run, item->operation);
    spl_status status = bench_run(&run->bench.setup, a, b, item);
    if (status == SPL_CANCELLED)
        return CLI_INTERRUPTED;
    if (status != SPL_OK)
        return cli_fail(status, "no memory to measure %s of %s", operation, item->matrix);
    remark_failures(run, item);
    return bench_report_add(&run->report, item)
               ? CLI_OK
               : cli_fail(SPL_OUT_OF_MEMORY, "no memory for the report");
}
