/* SPDX-License-Identifier: Apache-2.0 */
/* The Galerkin products of multigrid, R*A*P with R = P': A*P first, then R times that. Both are
 * pairs of different, rectangular operands. */
#include "bench_measure.h"
#include "failure.h"

#include <bench_multigrid.h>
#include <readable.h>
#include <stdio.h>

/* Approximate bytes per intermediate product while a product is measured: C, of Sparloom and of
 * rivals. */
static const double bytes_per_product = 24;

/* One of the two products, by both operations. */
static int measure_product(cli_bench_run *run, const bench_hierarchy *h, const char *product,
                           const spl_sparse *left, const spl_sparse *right)
{
    static const bench_operation operations[] = {BENCH_SPGEMM, BENCH_NUMERIC};
    int code = CLI_OK;
    for (int i = 0; !code && i < 2; i++) {
        bench_case item = {
            .set = "multigrid", .operation = operations[i], .type = left->type, .columns = 1};
        snprintf(item.matrix, sizeof item.matrix, "%s %s", h->name, product);
        if (cli_bench_wants(&run->bench, operations[i], left->type))
            code = cli_bench_measure(run, left, right, &item);
    }
    return code;
}

static int measure_both(cli_bench_run *run, const bench_hierarchy *h, const gen_matrix *fine,
                        const gen_matrix *prolong)
{
    spl_sparse a = gen_view(fine), p = gen_view(prolong), r = SPL_SPARSE_INIT, ap = SPL_SPARSE_INIT;
    spl_matrix *restriction = NULL, *product = NULL;
    int code = cli_check(bench_galerkin(run->session->context, &a, &p, &restriction, &product));
    cli_progress_clear(&run->session->bar);
    if (!code)
        code = cli_check(spl_matrix_view(restriction, &r));
    if (!code)
        code = cli_check(spl_matrix_view(product, &ap));
    if (!code)
        code = measure_product(run, h, "A*P", &a, &p);
    if (!code)
        code = measure_product(run, h, "R*AP", &r, &ap);
    spl_matrix_destroy(restriction);
    spl_matrix_destroy(product);
    return code;
}

static int measure_hierarchy(cli_bench_run *run, const bench_hierarchy *h, spl_type type)
{
    gen_matrix fine = {0}, prolong = {0};
    int code = cli_generate(h->fine, 1, type, &fine);
    if (!code)
        code = cli_generate(h->prolongation, 1, type, &prolong);
    if (!code)
        code = measure_both(run, h, &fine, &prolong);
    gen_free(&fine);
    gen_free(&prolong);
    return code;
}

static int fits(cli_bench_run *run, const bench_hierarchy *h)
{
    double needed = h->products * bytes_per_product;
    if (needed <= bench_free_bytes())
        return 1;
    cli_remark(run->session, "%s is skipped: it needs %s", h->name, tool_bytes(needed).text);
    run->report.skipped++;
    return 0;
}

int cli_bench_multigrid(cli_bench_run *run)
{
    static const spl_type types[] = {SPL_F64, SPL_F32};
    int code = CLI_OK;
    for (const bench_hierarchy *h = bench_multigrid; !code && h->name; h++)
        for (int t = 0; !code && t < 2 && fits(run, h); t++)
            if (cli_bench_wants(&run->bench, BENCH_SPGEMM, types[t]) ||
                cli_bench_wants(&run->bench, BENCH_NUMERIC, types[t]))
                code = measure_hierarchy(run, h, types[t]);
    return code;
}
