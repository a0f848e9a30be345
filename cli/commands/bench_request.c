/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_request.h"

#include "failure.h"

#include <errno.h>
#include <limits.h>
#include <rivals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <typed_array.h>
#include <unistd.h>

/* Calls `take` with every word between commas. */
static int each_word(const char *list, cli_bench_request *bench,
                     int (*take)(cli_bench_request *bench, const char *word))
{
    int code = CLI_OK;
    while (!code && list) {
        char word[PATH_MAX];
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

const spl_type cli_bench_types[CLI_BENCH_TYPES] = {SPL_F64,  SPL_F32,   SPL_F16,
                                                   SPL_BF16, SPL_INT32, SPL_INT64};

static int take_type(cli_bench_request *bench, const char *word)
{
    for (int i = 0; i < CLI_BENCH_TYPES; i++)
        if (!strcmp(word, tool_type_name(cli_bench_types[i]))) {
            bench->types |= 1u << cli_bench_types[i];
            return CLI_OK;
        }
    return cli_fail_usage("--types: \"%s\" is none of f64, f32, f16, bf16, i32, i64", word);
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

/* The known rivals, and their kind of processor. */
static const struct known_rival {
    const char *name;
    int32_t place; /* spl_place_kind */
    const char *processors;
} known_rivals[] = {
    {"mkl", SPL_HOST, "the CPU"},
    {"graphblas", SPL_HOST, "the CPU"},
    {"eigen", SPL_HOST, "the CPU"},
    {"cusparse", SPL_CUDA, "NVIDIA GPUs"},
};
enum { KNOWN_RIVALS = sizeof known_rivals / sizeof known_rivals[0] };

/* "cusparse" also selects cusparse-1, cusparse-2, ... */
static int is_of_family(const char *name, const char *family)
{
    size_t length = strlen(family);
    return !strncmp(name, family, length) && (!name[length] || name[length] == '-');
}

/* CLI_OK with `reason` if it cannot be started. */
static int add_rival(cli_bench_request *bench, const bench_rival *rival, const char **reason)
{
    bench_setup *setup = &bench->setup;
    if (setup->count == BENCH_MOST_RIVALS)
        return cli_fail_usage("--rivals: more than %d", BENCH_MOST_RIVALS - 1);
    *reason = rival->start(&bench->target);
    if (!*reason)
        setup->rivals[setup->count++] = rival;
    return CLI_OK;
}

/* Adds the members of the family that were built; *found: their number. */
static int add_family(cli_bench_request *bench, const char *family, int *found, const char **reason)
{
    int code = CLI_OK;
    *found = 0;
    *reason = NULL;
    for (int i = 0; !code && !*reason && bench_rivals[i]; i++)
        if (is_of_family(bench_rivals[i]->name, family)) {
            code = add_rival(bench, bench_rivals[i], reason);
            ++*found;
        }
    return code;
}

/* Adds a rival that was named, possibly a member such as cusparse-1. */
static int take_named(cli_bench_request *bench, const struct known_rival *known, const char *name)
{
    int found = 0;
    const char *reason = NULL;
    if (known->place != bench->target.place.kind)
        return cli_fail(SPL_UNSUPPORTED,
                        "--rivals: %s computes on %s and cannot be compared with %s", name,
                        known->processors,
                        bench->setup.device ? bench->setup.device : "the CPU: add --device cuda");
    int code = add_family(bench, name, &found, &reason);
    if (!code && !found)
        code = cli_fail(SPL_UNSUPPORTED,
                        "--rivals: built without %s; configure with SPARLOOM_BENCH=ON", name);
    if (!code && reason)
        code = cli_fail(SPL_UNSUPPORTED, "--rivals: %s cannot be started: %s", name, reason);
    return code;
}

/* Adds all rivals that were built and compute on the same processor; those that cannot be
 * started are skipped. */
static int take_all(cli_bench_request *bench)
{
    int code = CLI_OK, found = 0;
    for (int i = 0; !code && i < KNOWN_RIVALS; i++) {
        const char *reason = NULL;
        if (known_rivals[i].place == bench->target.place.kind)
            code = add_family(bench, known_rivals[i].name, &found, &reason);
        if (reason)
            cli_remark(bench->session, "%s is left out: %s", known_rivals[i].name, reason);
    }
    return code;
}

/* A path leads to a rival in a shared object. */
static int take_opened(cli_bench_request *bench, const char *path)
{
    const char *reason = NULL;
    const bench_rival *rival = bench_open_rival(path, &reason);
    int code = rival ? add_rival(bench, rival, &reason) : CLI_OK;
    return !code && reason
               ? cli_fail(SPL_UNSUPPORTED, "--rivals: %s cannot be started: %s", path, reason)
               : code;
}

static int take_rival(cli_bench_request *bench, const char *word)
{
    if (strchr(word, '/'))
        return take_opened(bench, word);
    if (!strcmp(word, "none"))
        return CLI_OK;
    if (!strcmp(word, "all"))
        return take_all(bench);
    for (int i = 0; i < KNOWN_RIVALS; i++)
        if (is_of_family(word, known_rivals[i].name))
            return take_named(bench, &known_rivals[i], word);
    return cli_fail_usage("--rivals: \"%s\" is none of mkl, graphblas, eigen, cusparse, none, all",
                          word);
}

/* The processor of Sparloom, and so of its rivals. */
static int choose_target(cli_bench_request *bench)
{
    spl_processor_info processor = cli_processor(bench->session);
    const char *reason = NULL;
    bench->target =
        (bench_target){.threads = cli_threads(bench->session), .place = processor.place};
    bench->setup.threads = bench->target.threads;
    if (processor.place.kind == SPL_HOST)
        return add_rival(bench, &bench_own, &reason);
    bench->target.devices = bench->session->request->device;
    bench->setup.device = processor.name;
    return add_rival(bench, &bench_own_device, &reason);
}

int cli_bench_wants(const cli_bench_request *bench, bench_operation operation, spl_type type)
{
    const spl_type usual = operation == BENCH_SPMM ? SPL_F32 : SPL_F64;
    const int dense = operation == BENCH_SPMV || operation == BENCH_SPMM;
    if (tool_type_bytes(type) == 2 && !dense)
        return 0;
    return bench->operations >> operation & (bench->types ? bench->types >> type : usual == type) &
           1;
}

int cli_bench_check_file(const cli_request *request, const char *operand)
{
    if (!strncmp(operand, "gen:", 4) || access(operand, F_OK) == 0)
        return CLI_OK;
    return cli_fail(SPL_FILE_ERROR,
                    "%s: neither a file nor a set; \"sparloom %s --help\" has the sets", operand,
                    request->command->name);
}

int cli_bench_parse(cli_session *session, cli_bench_request *bench)
{
    const cli_request *request = session->request;
    const char *rivals = request->command->bit == CLI_BENCH ? "all" : "none";
    *bench = (cli_bench_request){.session = session,
                                 .setup = {.time_limit = request->time_limit,
                                           .order = (spl_order)request->order,
                                           .accuracy = (spl_accuracy)request->accuracy,
                                           .interrupted = cli_check_interrupt}};
    int code = each_word(request->operations ? request->operations : "spmv,spmm,spgemm,numeric",
                         bench, take_operation);
    if (!code && request->types)
        code = each_word(request->types, bench, take_type);
    if (!code)
        code = each_word(request->widths ? request->widths : "32,256", bench, take_width);
    if (!code)
        code = choose_target(bench);
    return code ? code : each_word(request->rivals ? request->rivals : rivals, bench, take_rival);
}
