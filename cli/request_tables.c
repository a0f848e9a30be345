/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of commands and options, used by parsing, --help and the checks of combinations. */
#include "request.h"

#include <limits.h>
#include <string.h>

const cli_command cli_commands[] = {
    {CLI_INFO, "info", "FILE", 1, 1, "describe a matrix", cli_run_info},
    {CLI_CONVERT, "convert", "IN OUT", 2, 2,
     "read a matrix and write it, in the format that the name of OUT asks for", cli_run_convert},
    {CLI_PLOT, "plot", "FILE -o PICTURE", 1, 1,
     "draw a matrix: its entries, the lengths of its rows, a partition", cli_run_plot},
    {CLI_PARTITION, "partition", "FILE --capabilities C", 1, 1,
     "share the rows of a matrix out among processors", cli_run_partition},
    {CLI_SPMV, "spmv", "FILE", 1, 1,
     "multiply a sparse matrix with a vector: y = alpha*op(A)*x + beta*y", cli_run_spmv},
    {CLI_SPMM, "spmm", "FILE --columns K", 1, 1,
     "multiply with a dense block of K columns: C = alpha*op(A)*B + beta*C", cli_run_spmm},
    {CLI_SPGEMM, "spgemm", "A [B]", 1, 2,
     "multiply two sparse matrices: C = alpha*op(A)*op(B) + beta*D; A alone is squared",
     cli_run_spgemm},
    {CLI_FRONTIER, "frontier", "A X", 2, 2,
     "multiply sparse vectors, the rows of X: y = op(A)*x, each row of Y", cli_run_frontier},
    {CLI_EXPLAIN, "explain", "spmv|spmm|spgemm FILE...", 2, 3,
     "plan without computing; say which method was chosen and why", cli_run_explain},
    {CLI_GRAPH, "graph", "ALGORITHM FILE", 2, 2,
     "run an algorithm on a graph: bfs, components, pagerank, sssp and others", cli_run_graph},
    {CLI_WISDOM, "wisdom", "ACTION [FILE]", 1, 2, "list, import, export or forget measured choices",
     cli_run_wisdom},
    {CLI_LIST, "list", "", 0, 0, "list the methods with their sources", cli_run_list},
    {CLI_DOCTOR, "doctor", "", 0, 0, "show version, processors and settings, and run a self-test",
     cli_run_doctor},
    {CLI_GEN, "gen", "[NAME [VALUE]... -o FILE]", 0, 16,
     "generate a matrix; alone: list what can be generated", cli_run_gen},
    {CLI_BENCH, "bench", "SET|FILE...", 1, INT_MAX,
     "measure against rivals: s3, s4, stencils, graphs, multigrid, real, small[:SEED]",
     cli_run_bench},
    {CLI_TUNE, "tune", "-o FILE", 0, 0,
     "measure this machine for the cost model; used by SPARLOOM_MACHINE=FILE", cli_run_tune},
    {CLI_REGRET, "regret", "SET|FILE...", 1, INT_MAX,
     "time every method against every policy; sets: fresh[:SEED], unseen, those of bench",
     cli_run_regret},
    {0},
};

static const cli_choice policies[] = {
    {"cost", SPL_POLICY_COST}, {"rules", SPL_POLICY_RULES}, {"measure", SPL_POLICY_MEASURE}, {0}};
static const cli_choice accuracies[] = {
    {"full", SPL_ACCURACY_DEFAULT}, {"reduced", SPL_ACCURACY_REDUCED}, {0}};
static const cli_choice semirings[] = {
    {"plus_times", SPL_PLUS_TIMES}, {"plus_pair", SPL_PLUS_PAIR},
    {"plus_first", SPL_PLUS_FIRST}, {"plus_second", SPL_PLUS_SECOND},
    {"min_plus", SPL_MIN_PLUS},     {"max_plus", SPL_MAX_PLUS},
    {"min_second", SPL_MIN_SECOND}, {"max_second", SPL_MAX_SECOND},
    {"min_times", SPL_MIN_TIMES},   {"max_times", SPL_MAX_TIMES},
    {"or_second", SPL_OR_SECOND},   {0}};
static const cli_choice mask_patterns[] = {{"meets", SPL_MASK_MEETS}, {"full", SPL_MASK_FULL}, {0}};
static const cli_choice orders[] = {{"row", SPL_ROW_MAJOR}, {"column", SPL_COLUMN_MAJOR}, {0}};
const cli_choice cli_partition_kinds[] = {{"rows", SPL_PARTITION_ROWS},
                                          {"nnz", SPL_PARTITION_NNZ},
                                          {"density", SPL_PARTITION_DENSITY},
                                          {"cost", SPL_PARTITION_COST},
                                          {0}};
static const cli_choice types[] = {{"f32", SPL_F32},
                                   {"f64", SPL_F64},
                                   {"f16", SPL_F16},
                                   {"bf16", SPL_BF16},
                                   {"i32", SPL_INT32},
                                   {"i64", SPL_INT64},
                                   {0}};

#define FLAG(member) NULL, CLI_FLAG, offsetof(cli_request, member), 0, 0, NULL
#define INTEGER(argument, member, least, most)                                                     \
    argument, CLI_INTEGER, offsetof(cli_request, member), least, most, NULL
#define REAL(member)           "NUMBER", CLI_REAL, offsetof(cli_request, member), 0, 0, NULL
#define BYTES(member)          "BYTES", CLI_BYTES, offsetof(cli_request, member), 0, 0, NULL
#define TEXT(argument, member) argument, CLI_TEXT, offsetof(cli_request, member), 0, 0, NULL
#define CHOICE(argument, member, choices)                                                          \
    argument, CLI_CHOICE, offsetof(cli_request, member), 0, 0, choices

const cli_option cli_options[] = {
    {'k', "columns", INTEGER("K", columns, 1, INT32_MAX), CLI_SPMM | CLI_EXPLAIN,
     "columns of the dense matrices B and C"},
    {0, "alpha", REAL(alpha), CLI_PRODUCTS, "factor of the product (1)"},
    {0, "beta", REAL(beta), CLI_PRODUCTS, "factor of what is added: old y, old C (0) or D (1)"},
    {0, "transpose-a", FLAG(transpose_a), CLI_PLANS | CLI_FRONTIER, "op(A) is the transpose of A"},
    {0, "transpose-b", FLAG(transpose_b), CLI_SPGEMM | CLI_EXPLAIN, "op(B) is the transpose of B"},
    {0, "semiring", CHOICE("NAME", semiring, semirings), CLI_PLANS | CLI_FRONTIER,
     "what stands for sums and products (plus_times)"},
    {0, "mask", TEXT("FILE", mask), CLI_SPGEMM | CLI_EXPLAIN | CLI_FRONTIER,
     "compute C or Y only where this sparse matrix has entries"},
    {0, "mask-pattern", CHOICE("PATTERN", mask_pattern, mask_patterns), CLI_SPGEMM | CLI_EXPLAIN,
     "what C has of the mask: positions that products meet, or the full mask (meets)"},
    {0, "complement", FLAG(complement), CLI_SPGEMM | CLI_EXPLAIN | CLI_FRONTIER,
     "compute C or Y where the mask has no entries"},
    {0, "transpose", FLAG(transpose), CLI_CONVERT, "write the transpose"},
    {0, "sort", FLAG(sort), CLI_CONVERT, "columns within a row in ascending order"},
    {0, "sum-duplicates", FLAG(sum_duplicates), CLI_CONVERT,
     "one entry for each position; sorts as well"},
    {0, "drop-zeros", FLAG(drop_zeros), CLI_CONVERT, "leave out entries of value 0"},
    {'D', "addend", TEXT("FILE", addend), CLI_SPGEMM | CLI_EXPLAIN, "sparse matrix D to add"},
    {0, "undirected", FLAG(undirected), CLI_GRAPH, "edges lead both ways, also those listed once"},
    {0, "source", INTEGER("VERTEX", source, 0, INT64_MAX), CLI_GRAPH,
     "bfs, sssp: where to start, from 0 (0)"},
    {0, "delta", REAL(delta), CLI_GRAPH,
     "sssp: how far apart distances are that are looked at together (0: chosen)"},
    {0, "damping", REAL(damping), CLI_GRAPH, "pagerank: part of a rank that follows edges (0.85)"},
    {0, "tolerance", REAL(tolerance), CLI_GRAPH,
     "pagerank: the sum of changes that ends it (1e-6)"},
    {0, "steps", INTEGER("N", steps, 0, INT32_MAX), CLI_GRAPH, "pagerank: the most steps (1000)"},
    {0, "samples", INTEGER("N", samples, 0, INT64_MAX), CLI_GRAPH,
     "betweenness, multi-bfs: paths from N vertices only (0: from all; 64)"},
    {0, "truss", INTEGER("K", truss, 3, INT32_MAX), CLI_GRAPH,
     "truss: each edge is in K - 2 triangles or more (3)"},
    {'o', "output", TEXT("FILE", output),
     CLI_SPGEMM | CLI_GEN | CLI_SHARES | CLI_BENCH | CLI_TUNE | CLI_GRAPH | CLI_FRONTIER,
     "write the result; the ending of the name decides the format"},
    {0, "kind", TEXT("KIND", kind), CLI_SHARES,
     "plot: spy, rows, partition, all (all); partition: rows, nnz, density, cost (density)"},
    {0, "partition", CHOICE("KIND", partition, cli_partition_kinds), CLI_PLOT,
     "draw a partition of that kind (density)"},
    {0, "capabilities", TEXT("C[,C]", capabilities), CLI_SHARES,
     "multiplications per second of each processor, in any unit"},
    {0, "links", TEXT("L[,L]", links), CLI_SHARES,
     "bytes per second to each processor; inf: nothing is carried (inf)"},
    {0, "verify", FLAG(verify), CLI_PRODUCTS | CLI_FRONTIER,
     "compare the result with the reference, element by element"},
    {'r', "repeat", INTEGER("N", repeat, 1, 1000000), CLI_PRODUCTS | CLI_FRONTIER,
     "time N executions (at least 3, about 0.3 s)"},
    {0, "seed", INTEGER("N", seed, 0, INT64_MAX), CLI_SPMV | CLI_SPMM | CLI_GEN,
     "seed of generated matrices and of the values of x, B, old y and old C (1)"},
    {0, "type", CHOICE("TYPE", type, types), CLI_READS | CLI_GEN, "type of values (f64)"},
    {'p', "policy", CHOICE("POLICY", policy, policies), CLI_PLANS, "how methods are chosen (cost)"},
    {0, "wisdom", TEXT("FILE", wisdom), CLI_PLANS | CLI_WISDOM,
     "keep what --policy measure finds out in FILE, and use what is there"},
    {'m', "method", TEXT("ID[,ID]", method), CLI_PLANS | CLI_REGRET,
     "use these methods of \"sparloom list\"; regret: force only these"},
    {0, "deterministic", FLAG(deterministic), CLI_PLANS,
     "same bits for any number of threads and any run"},
    {0, "accuracy", CHOICE("ACCURACY", accuracy, accuracies), CLI_SPMM | CLI_EXPLAIN | CLI_MEASURES,
     "of spmm; reduced lets devices use tensor cores (full)"},
    {0, "unsorted", FLAG(unsorted), CLI_SPGEMM | CLI_EXPLAIN,
     "columns within a row of C may come in any order"},
    {0, "replay", FLAG(replay), CLI_EXPLAIN,
     "print only the command line that computes it with the same methods"},
    {0, "check-inputs", FLAG(check_inputs), CLI_PLANS,
     "debugging: notice inputs that change after planning"},
    {0, "device", TEXT("DEVICE[:N]", device),
     CLI_PLANS | CLI_DOCTOR | CLI_MEASURES | CLI_WISDOM | CLI_TUNE | CLI_GRAPH,
     "what computes: auto, cpu, gpu, cuda, hip, emu, emu64 (auto: a GPU if any; bench: cpu)"},
    {0, "processors", TEXT("NAME[:N],...", processors), CLI_PLANS,
     "share the rows of the result out among these: cpu, and devices"},
    {'t', "threads", INTEGER("N", threads, 1, 4096), CLI_COMPUTES,
     "CPU threads (OMP_NUM_THREADS, else all)"},
    {'b', "budget", BYTES(budget), CLI_COMPUTES,
     "most bytes the library may hold, on the host and on a device each: 8G, 512MiB, ..."},
    {0, "op", TEXT("OP[,OP]", operations), CLI_MEASURES,
     "spmv, spmm, spgemm, numeric (spgemm without its plan) (all)"},
    {0, "types", TEXT("TYPE[,TYPE]", types), CLI_MEASURES,
     "types of values: f64, f32, f16, bf16, i32, i64 (f64; spmm: f32)"},
    {0, "widths", TEXT("K[,K]", widths), CLI_MEASURES,
     "columns of the dense matrices of spmm (32,256)"},
    {0, "order", CHOICE("ORDER", order, orders), CLI_BENCH,
     "order of the dense matrices of spmm (row)"},
    {0, "rivals", TEXT("NAME[,NAME]", rivals), CLI_BENCH,
     "mkl, graphblas, eigen, cusparse (on a GPU), none or all that were built (all)"},
    {0, "once", FLAG(once), CLI_REGRET,
     "one-shot calls, against plans by name that are executed once"},
    {0, "time-limit", REAL(time_limit), CLI_MEASURES, "seconds of repetitions for a case (2)"},
    {0, "full", FLAG(full), CLI_TUNE, "measure longer: minutes instead of seconds"},
    {0, "data", TEXT("DIR", data), CLI_BENCH,
     "folder of the set \"real\": all *.mtx and *.mtx.gz in it and below"},
    {0, "csv", TEXT("FILE", csv), CLI_MEASURES, "write all times as CSV"},
    {0, "plot", TEXT("FILE", plot), CLI_BENCH | CLI_GRAPH,
     "draw what bench measured, or the components that graph found, as .svg or .png"},
    {0, "fail", FLAG(fail), CLI_BENCH, "bench compare: exit code 1 if a case became slower"},
    {0, "json", FLAG(json), CLI_ALL, "print one JSON object instead of text"},
    {'q', "quiet", FLAG(quiet), CLI_ALL, "no progress and no remarks on stderr"},
    {'v', "verbose", FLAG(verbose), CLI_ALL, "more remarks on stderr"},
    {'h', "help", FLAG(help), CLI_ALL, "show this help; after a command, that command's"},
    {'V', "version", FLAG(version), CLI_ALL, "show the version"},
    {0},
};

const cli_command *cli_command_named(const char *name)
{
    for (const cli_command *command = cli_commands; command->name; command++)
        if (!strcmp(command->name, name))
            return command;
    return NULL;
}

/* The row of an option, the number of rows if there is none. */
static int row_named(const char *name)
{
    int row = 0;
    while (cli_options[row].name && strcmp(cli_options[row].name, name))
        row++;
    return row;
}

int cli_given(const cli_request *request, const char *name)
{
    return (int)(request->given >> row_named(name) & 1);
}

const char *cli_choice_name(const char *option, int64_t value)
{
    const cli_choice *choice = cli_options[row_named(option)].choices;
    while (choice && choice->name && choice->value != value)
        choice++;
    return choice ? choice->name : NULL;
}
