/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_case.h"

#include "bench_check.h"
#include "sparse_rows.h"
#include "typed_array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_TURNS = 3, MOST_TURNS = 500, COLD_TURNS = 5, PATIENCE = 6, MOST_BATCH = 50 };
/* Consecutive runs on a device take about this long, so that a wait, some microseconds, does not
 * count. */
static const double batch_seconds = 20e-3;

const char *const bench_verdict_names[] = {"good", "wrong", "failed", "absent"};

/* The case while it runs. */
typedef struct running {
    const bench_setup *setup;
    bench_case *result;
    bench_problem problem;
    void *states[BENCH_MOST_RIVALS];
    double *seconds[BENCH_MOST_RIVALS]; /* MOST_TURNS each */
} running;

static int is_sparse(bench_operation operation)
{
    return operation == BENCH_SPGEMM || operation == BENCH_NUMERIC;
}

static const bench_kernel *kernel_of(const running *r, int i)
{
    return &r->setup->rivals[i]->kernels[r->result->operation];
}

double bench_products(const spl_sparse *a, const spl_sparse *b)
{
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < a->nnz; i++)
        sum += (double)tool_row_length(b, tool_column(a, i));
    return sum;
}

static void fill_case(bench_case *result, const spl_sparse *a, const spl_sparse *b, int count)
{
    double value = (double)tool_type_bytes(a->type), k = (double)result->columns;
    double matrix = (double)a->nnz * (value + 4) +
                    (double)(a->rows + 1) * (double)tool_index_bytes(a->offset_type);
    result->rows = a->rows;
    result->cols = a->cols;
    result->nnz = a->nnz;
    result->b_rows = b ? b->rows : -1;
    result->b_cols = b ? b->cols : -1;
    result->b_nnz = b ? b->nnz : -1;
    result->count = count;
    result->batch = 1;
    int sparse = is_sparse(result->operation);
    result->flop = 2 * (sparse ? bench_products(a, b ? b : a) : (double)a->nnz * k);
    result->bytes = sparse ? NAN : matrix + value * k * (double)(a->rows + a->cols);
    for (int i = 0; i < count; i++)
        result->entries[i] = (bench_entry){.verdict = BENCH_ABSENT,
                                           .prepare = NAN,
                                           .first = NAN,
                                           .warm = tool_quantiles_of(NULL, 0),
                                           .cold = tool_quantiles_of(NULL, 0),
                                           .peak = NAN,
                                           .check = SPL_CHECK_INIT};
}

static int allocate(running *r, const spl_sparse *a, const spl_sparse *b)
{
    int64_t columns = r->result->columns;
    int dense = !is_sparse(r->result->operation);
    size_t row = (size_t)columns * tool_type_bytes(a->type);
    void *x = tool_array(dense ? a->cols : 0, row);
    r->problem = (bench_problem){.operation = r->result->operation,
                                 .type = a->type,
                                 .threads = r->setup->threads,
                                 .columns = columns,
                                 .order = r->setup->order ? r->setup->order : SPL_ROW_MAJOR,
                                 .accuracy = r->setup->accuracy,
                                 .a = *a,
                                 .b = b,
                                 .x = x,
                                 .y = tool_array(dense ? a->rows : 0, row)};
    int good = x && r->problem.y;
    for (int i = 0; i < r->setup->count; i++)
        good &= (r->seconds[i] = tool_array(MOST_TURNS, sizeof(double))) != NULL;
    if (good && dense)
        tool_fill_random(a->type, x, a->cols * columns, 1, 0);
    return good;
}

static void release(running *r)
{
    for (int i = 0; i < r->setup->count; i++) {
        if (r->states[i])
            kernel_of(r, i)->release(r->states[i]);
        free(r->seconds[i]);
    }
    free((void *)r->problem.x);
    free(r->problem.y);
}

static bench_verdict check_result(running *r, int i)
{
    const bench_kernel *kernel = kernel_of(r, i);
    spl_sparse c = SPL_SPARSE_INIT;
    spl_check *check = &r->result->entries[i].check;
    if (kernel->result && !kernel->result(r->states[i], &c))
        return BENCH_FAILED;
    spl_status status = bench_check(&r->problem, &c, check);
    if (status == SPL_INVALID_MATRIX || status == SPL_SHAPE_MISMATCH)
        return BENCH_WRONG;
    if (status != SPL_OK)
        return BENCH_FAILED;
    return check->ok ? BENCH_GOOD : BENCH_WRONG;
}

/* Seconds per run of `count` runs and one wait; 0 if one failed. */
static int execute(const running *r, int i, int count, double *seconds)
{
    const bench_kernel *kernel = kernel_of(r, i);
    int ran = 1;
    double start = tool_now();
    for (int k = 0; k < count && ran; k++)
        ran = kernel->run(r->states[i]);
    if (kernel->wait)
        ran = kernel->wait(r->states[i]) && ran;
    *seconds = (tool_now() - start) / count;
    return ran;
}

static void discard(const running *r, int i)
{
    const bench_kernel *kernel = kernel_of(r, i);
    if (kernel->discard)
        kernel->discard(r->states[i]);
}

static bench_verdict failed(const running *r, int i)
{
    const bench_rival *rival = r->setup->rivals[i];
    const char *reason = rival->failure ? rival->failure() : NULL;
    snprintf(r->result->entries[i].reason, BENCH_REASON, "%s", reason ? reason : "");
    return BENCH_FAILED;
}

/* On a device only the plan is timed: operands are already on it, and devices are opened once. */
static int prepare(running *r, int i)
{
    const bench_kernel *kernel = kernel_of(r, i);
    double start = tool_now();
    r->states[i] = kernel->prepare(&r->problem);
    int good = r->states[i] != NULL;
    if (good && kernel->wait) {
        start = tool_now();
        good = (!kernel->plan || kernel->plan(r->states[i])) && kernel->wait(r->states[i]);
    }
    r->result->entries[i].prepare = tool_now() - start;
    return good;
}

/* Preparation, first run, check. */
static bench_verdict begin(running *r, int i)
{
    const bench_kernel *kernel = kernel_of(r, i);
    bench_entry *entry = &r->result->entries[i];
    const bench_rival *rival = r->setup->rivals[i];
    const spl_type type = r->problem.type;
    if (!kernel->prepare || (tool_type_bytes(type) == 2 && !rival->halves) ||
        (tool_type_is_integer(type) && !rival->integers))
        return BENCH_ABSENT;
    if (!is_sparse(r->problem.operation))
        tool_fill_nan(r->problem.type, r->problem.y, r->problem.a.rows * r->problem.columns);
    r->problem.variant = kernel->variant;
    if (!prepare(r, i))
        return failed(r, i);
    bench_verdict verdict = execute(r, i, 1, &entry->first) ? check_result(r, i) : BENCH_FAILED;
    if (verdict == BENCH_FAILED)
        failed(r, i);
    discard(r, i);
    return verdict;
}

/* Timed runs; 0 if one failed. */
static int run_batch(running *r, int i, int count, double *seconds)
{
    int ran = execute(r, i, count, seconds);
    if (!ran)
        r->result->entries[i].verdict = failed(r, i);
    discard(r, i);
    return ran;
}

/* The number of consecutive runs for which the fastest library needs batch_seconds; 1 if runs
 * wait themselves or results accumulate. */
static int choose_batch(running *r)
{
    double fastest = HUGE_VAL, seconds;
    for (int i = 0; i < r->setup->count; i++) {
        const bench_kernel *kernel = kernel_of(r, i);
        if (r->result->entries[i].verdict == BENCH_GOOD && kernel->wait && !kernel->discard &&
            run_batch(r, i, 1, &seconds))
            fastest = fmin(fastest, seconds);
    }
    return (int)fmax(1, fmin(MOST_BATCH, ceil(batch_seconds / fastest)));
}

static void take_turn(running *r, int turn, int cold)
{
    double untimed;
    for (int i = 0; i < r->setup->count; i++) {
        if (r->result->entries[i].verdict != BENCH_GOOD)
            continue;
        if (cold)
            bench_flush(r->setup->flusher);
        else if (r->problem.operation != BENCH_SPGEMM && !run_batch(r, i, 1, &untimed))
            continue;
        run_batch(r, i, r->result->batch, &r->seconds[i][turn]);
    }
}

static int interrupted(const running *r)
{
    return r->setup->interrupted && r->setup->interrupted();
}

static int enough(const running *r, int turns, double elapsed)
{
    double limit = r->setup->time_limit;
    return turns == MOST_TURNS || (turns >= LEAST_TURNS && elapsed >= limit) ||
           (turns > 0 && elapsed >= PATIENCE * limit);
}

static spl_status repeat(running *r)
{
    int turns = 0;
    for (double start = tool_now(); !enough(r, turns, tool_now() - start); turns++) {
        if (interrupted(r))
            return SPL_CANCELLED;
        take_turn(r, turns, 0);
    }
    for (int i = 0; i < r->setup->count; i++)
        if (r->result->entries[i].verdict == BENCH_GOOD)
            r->result->entries[i].warm = tool_quantiles_of(r->seconds[i], (size_t)turns);
    if (r->setup->device || r->problem.operation != BENCH_SPMV || !r->setup->flusher ||
        !r->setup->flusher->values)
        return SPL_OK;
    for (int turn = 0; turn < COLD_TURNS; turn++)
        take_turn(r, turn, 1);
    for (int i = 0; i < r->setup->count; i++)
        if (r->result->entries[i].verdict == BENCH_GOOD)
            r->result->entries[i].cold = tool_quantiles_of(r->seconds[i], COLD_TURNS);
    return SPL_OK;
}

static void read_peaks(const running *r)
{
    for (int i = 0; i < r->setup->count; i++)
        if (r->states[i] && kernel_of(r, i)->peak)
            r->result->entries[i].peak = kernel_of(r, i)->peak(r->states[i]);
}

spl_status bench_run(const bench_setup *setup, const spl_sparse *a, const spl_sparse *b,
                     bench_case *result)
{
    running r = {.setup = setup, .result = result};
    fill_case(result, a, b, setup->count);
    spl_status status = allocate(&r, a, b) ? SPL_OK : SPL_OUT_OF_MEMORY;
    for (int i = 0; i < setup->count && status == SPL_OK; i++) {
        result->entries[i].verdict = begin(&r, i);
        status = interrupted(&r) ? SPL_CANCELLED : SPL_OK;
    }
    if (status == SPL_OK) {
        result->batch = choose_batch(&r);
        status = repeat(&r);
    }
    read_peaks(&r);
    release(&r);
    return status;
}
