/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_request.h"

#include "failure.h"

#include <errno.h>
#include <rivals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls `take` with every word between commas. */
static int each_word(const char *list, cli_bench_request *bench,
                     int (*take)(cli_bench_request *bench, const char *word))
{
    int code = CLI_OK;
    while (!code && list) {
        char word[64];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        code = take(bench, word);
        list = list[length] ? list + length + 1 : NULL;
    }
    return code;
}

static int take_operation(cli_bench_request *bench, const char *word)
{
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        if (!strcmp(word, bench_operation_names[i])) {
            bench->operations |= 1u << i;
            return CLI_OK;
        }
    return cli_fail_usage("--op: \"%s\" is none of spmv, spmm, spgemm, numeric", word);
}

static int take_type(cli_bench_request *bench, const char *word)
{
    if (strcmp(word, "f32") != 0 && strcmp(word, "f64") != 0)
        return cli_fail_usage("--types: \"%s\" is none of f32, f64", word);
    bench->types |= word[1] == '3' ? 1u : 2u;
    return CLI_OK;
}

static int take_width(cli_bench_request *bench, const char *word)
{
    char *end = NULL;
    errno = 0;
    long value = strtol(word, &end, 10);
    if (end == word || *end || errno || value < 1 || value > 65536)
        return cli_fail_usage("--widths: \"%s\" is not a whole number between 1 and 65536", word);
    if (bench->width_count == CLI_MOST_WIDTHS)
        return cli_fail_usage("--widths: more than %d", CLI_MOST_WIDTHS);
    bench->widths[bench->width_count++] = value;
    return CLI_OK;
}

static int add_rival(cli_bench_request *bench, const bench_rival *rival)
{
    bench_setup *setup = &bench->setup;
    if (setup->count == BENCH_MOST_RIVALS)
        return cli_fail_usage("--rivals: more than %d", BENCH_MOST_RIVALS - 1);
    if (!rival->start(setup->threads))
        return cli_fail(SPL_UNSUPPORTED, "%s cannot be started", rival->name);
    setup->rivals[setup->count++] = rival;
    return CLI_OK;
}

static int take_rival(cli_bench_request *bench, const char *word)
{
    static const char *const known[] = {"mkl", "graphblas", "eigen"};
    int code = CLI_OK, all = !strcmp(word, "all");
    for (int i = 0; !code && bench_rivals[i]; i++) {
        if (!all && strcmp(word, bench_rivals[i]->name) != 0)
            continue;
        code = add_rival(bench, bench_rivals[i]);
        if (!all)
            return code;
    }
    if (code || all || !strcmp(word, "none"))
        return code;
    for (int i = 0; i < 3; i++)
        if (!strcmp(word, known[i]))
            return cli_fail(SPL_UNSUPPORTED, "--rivals: built without %s; configure with SPARLOOM_BENCH=ON", word);
    return cli_fail_usage("--rivals: \"%s\" is none of mkl, graphblas, eigen, none, all", word);
}

int cli_bench_parse(cli_session *session, cli_bench_request *bench)
{
    const cli_request *request = session->request;
    *bench = (cli_bench_request){.setup = {.threads = cli_threads(session),
                                           .time_limit = request->time_limit,
                                           .interrupted = cli_check_interrupt}};
    int code = each_word(request->operations ? request->operations : "spmv,spmm,spgemm,numeric", bench, take_operation);
    if (!code && request->types)
        code = each_word(request->types, bench, take_type);
    if (!code)
        code = each_word(request->widths ? request->widths : "32,256", bench, take_width);
    if (!code)
        code = add_rival(bench, &bench_own);
    return code ? code : each_word(request->rivals ? request->rivals : "all", bench, take_rival);
}
