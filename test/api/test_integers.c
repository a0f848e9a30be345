/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV and SpMM of i32 and i64 over every semiring that is theirs, against dense loops in wider
 * numbers, on fresh operands of every form: numbers at the limits of the type, scalars, masks of
 * rows; the same bits for any number of threads; what is refused. */
#include "lib/integers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, MOST_COLUMNS = 45 };

static const spl_type types[] = {SPL_INT32, SPL_INT64};

typedef struct problem {
    integers_draw draw;
    bool vector;
    integers_matrix a;
    spl_options options;
    spl_dense b, before, c;
    int64_t alpha, beta;
    bool masked;
    spl_row_mask mask;
    uint8_t bytes[MOST + 1];
} problem;

static int64_t position(const spl_dense *m, int64_t i, int64_t j)
{
    return m->order == SPL_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
}

static int64_t value_at(const spl_dense *m, int64_t i, int64_t j)
{
    return integers_at(m->values, m->type, position(m, i, j));
}

static int64_t elements(const spl_dense *m)
{
    return m->ld * (m->order == SPL_ROW_MAJOR ? m->rows : m->cols) + 1;
}

static void make_dense(spl_dense *m, problem *p, int64_t rows, int64_t columns)
{
    *m = (spl_dense)SPL_DENSE_INIT;
    m->type = p->draw.type;
    m->rows = rows;
    m->cols = columns;
    m->order = !p->vector && integers_below(&p->draw, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    m->ld = m->order == SPL_ROW_MAJOR ? columns : rows;
    m->ld += (p->vector ? 0 : integers_below(&p->draw, 3)) + (m->ld == 0);
    m->values = zoo_allocate((size_t)elements(m) * sizeof(int64_t));
    for (int64_t e = 0; e < elements(m); e++)
        integers_set(m->values, m->type, e, integers_number(&p->draw));
}

/* 1 for alpha and 0 or 1 for beta outside plus_times. */
static void draw_scalars(problem *p)
{
    integers_draw *d = &p->draw;
    p->alpha = 1;
    p->beta = integers_below(d, 2);
    if (p->options.semiring != SPL_PLUS_TIMES)
        return;
    p->alpha = integers_below(d, 4) ? integers_number(d) : integers_below(d, 2);
    p->beta = integers_below(d, 4) ? integers_number(d) : integers_below(d, 2);
}

static void draw_mask(problem *p)
{
    integers_draw *d = &p->draw;
    p->masked = p->a.triples.rows > 0 && integers_below(d, 3) == 0;
    p->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    p->mask.complement = (int32_t)integers_below(d, 2);
    p->mask.clear = (int32_t)integers_below(d, 2);
    p->mask.bytes = p->bytes;
    for (int64_t i = 0; i < p->a.triples.rows; i++)
        p->bytes[i] = (uint8_t)(integers_below(d, 3) == 0);
}

static void draw_problem(problem *p, int semiring, bool vector)
{
    const char *const by_rows = testing_device() ? "spmv/compute/gpu/semiring_rows"
                                                 : "spmv/compute/cpu/semiring_rows",
                      *const by_columns =
                          testing_device() ? by_rows : "spmv/compute/cpu/csr_transposed";
    integers_draw *d = &p->draw;
    const int64_t rows = integers_below(d, MOST), inner = integers_below(d, MOST),
                  columns = vector ? 1 : integers_below(d, MOST_COLUMNS);
    d->type = types[integers_below(d, 2)];
    d->kind = (integers_kind)integers_below(d, 3);
    p->vector = vector;
    p->options = (spl_options)SPL_OPTIONS_INIT;
    integers_make(&p->a, d, rows, inner, true);
    make_dense(&p->b, p, inner, columns);
    make_dense(&p->before, p, rows, columns);
    p->c = p->before;
    p->c.values = zoo_allocate((size_t)elements(&p->c) * sizeof(int64_t));
    memcpy(p->c.values, p->before.values,
           (size_t)elements(&p->c) * (d->type == SPL_INT32 ? sizeof(int32_t) : sizeof(int64_t)));
    p->options.op_a = p->a.op;
    p->options.semiring = semiring;
    p->options.deterministic = integers_below(d, 3) == 0;
    p->options.executions = (int32_t)integers_below(d, 3);
    p->options.policy =
        integers_below(d, 9) == 0 ? SPL_POLICY_MEASURE : (spl_policy)integers_below(d, 2);
    if (vector && integers_below(d, 3) == 0)
        p->options.method = integers_below(d, 2) ? by_rows : by_columns;
    if (!integers_reads_a(semiring) && integers_below(d, 2))
        p->a.view.values = NULL;
    draw_scalars(p);
    draw_mask(p);
}

static void free_problem(problem *p)
{
    integers_free(&p->a);
    free(p->b.values);
    free(p->before.values);
    free(p->c.values);
}

/* ---- judging ---- */

static int64_t expected_at(const problem *p, int64_t i, int64_t j)
{
    const int s = p->options.semiring;
    const spl_type type = p->draw.type;
    const zoo_triples *a = &p->a.triples;
    const bool named = !p->masked || (p->bytes[i] != 0) != (p->mask.complement != 0);
    const int64_t old = value_at(&p->before, i, j);
    int64_t sum = integers_none(s, type);
    if (!named)
        return p->mask.clear ? sum : old;
    for (int64_t e = 0; e < a->nnz; e++)
        if (a->i[e] == i)
            sum = integers_add(
                s, type, sum,
                integers_multiply(s, type, p->a.numbers[e], value_at(&p->b, a->j[e], j)));
    if (s == SPL_PLUS_TIMES)
        sum = integers_multiply(s, type, p->alpha, sum);
    if (p->beta == 0)
        return sum;
    return integers_add(s, type, sum,
                        s == SPL_PLUS_TIMES ? integers_multiply(s, type, p->beta, old) : old);
}

static void expect_result(const problem *p)
{
    for (int64_t i = 0; i < p->c.rows; i++)
        for (int64_t j = 0; j < p->c.cols; j++) {
            const int64_t wanted = expected_at(p, i, j), got = value_at(&p->c, i, j);
            if (got != wanted)
                (void)fprintf(stderr, "(%lld, %lld): %lld, expected %lld\n", (long long)i,
                              (long long)j, (long long)got, (long long)wanted);
            EXPECT(got == wanted);
        }
}

static spl_status judge(const problem *p, const void *alpha, const void *beta, spl_check *check)
{
    return p->vector ? spl_check_spmv(alpha, &p->a.view, p->b.values, beta, p->before.values,
                                      p->c.values, &p->options, check)
                     : spl_check_spmm(alpha, &p->a.view, &p->b, beta, &p->before, &p->c,
                                      &p->options, check);
}

/* spl_check_* agree, and find a single bit that is wrong. */
static void expect_judged(problem *p, const void *alpha, const void *beta)
{
    spl_check check = SPL_CHECK_INIT;
    if (p->masked)
        return;
    EXPECT_OK(judge(p, alpha, beta, &check));
    EXPECT(check.ok && check.failed == 0 && check.compared == p->c.rows * p->c.cols);
    if (check.compared == 0)
        return;
    const int64_t e = position(&p->c, integers_below(&p->draw, p->c.rows),
                               integers_below(&p->draw, p->c.cols)),
                  bit = (int64_t)1 << integers_below(&p->draw, 32);
    integers_set(p->c.values, p->c.type, e, integers_at(p->c.values, p->c.type, e) ^ bit);
    EXPECT_OK(judge(p, alpha, beta, &check));
    EXPECT(!check.ok && check.failed == 1 && check.undecided == 0);
}

static void run(spl_context *context, problem *p, const void *alpha, const void *beta)
{
    spl_plan *plan = NULL;
    const spl_row_mask *mask = p->masked ? &p->mask : NULL;
    if (p->vector && !mask && integers_below(&p->draw, 4) == 0) {
        EXPECT_OK(
            spl_spmv(context, alpha, &p->a.view, p->b.values, beta, p->c.values, &p->options));
        return;
    }
    if (p->vector) {
        EXPECT_OK(spl_spmv_plan(context, &p->a.view, &p->options, &plan));
        EXPECT_OK(spl_spmv_execute_masked(plan, alpha, p->b.values, beta, p->c.values, mask, NULL));
    } else {
        EXPECT_OK(spl_spmm_plan(context, &p->a.view, p->c.cols, &p->options, &plan));
        EXPECT_OK(spl_spmm_execute_masked(plan, alpha, &p->b, beta, &p->c, mask, NULL));
    }
    spl_plan_destroy(plan);
}

static void fresh_problems(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *contexts[] = {testing_context(1), testing_context(3)};
    problem *p = zoo_allocate(sizeof *p);
    (void)state;
    for (int number = 0; number < 300 / testing_scale() + 20; number++)
        for (int s = 0; s < INTEGERS_SEMIRINGS; s++)
            for (int vector = 0; vector < 2; vector++) {
                int64_t scalars[2];
                testing_case("seed %llu, number %d, semiring %d, vector %d",
                             (unsigned long long)seed, number, integers_semirings[s], vector);
                *p = (problem){0};
                zoo_random_seed(&p->draw.random,
                                seed + (uint64_t)(2 * (INTEGERS_SEMIRINGS * number + s) + vector));
                draw_problem(p, integers_semirings[s], vector);
                integers_set(scalars, p->draw.type, 0, p->alpha);
                integers_set(&scalars[1], p->draw.type, 0, p->beta);
                run(contexts[number % 2], p, scalars, &scalars[1]);
                expect_result(p);
                expect_judged(p, scalars, &scalars[1]);
                free_problem(p);
            }
    free(p);
    spl_context_destroy(contexts[0]);
    spl_context_destroy(contexts[1]);
}

/* ---- what is documented in so many words ---- */

static void limits(void **state)
{
    const int64_t offsets[] = {0, 2, 2, 3}, columns[] = {0, 1, 2}, a[] = {INT64_MAX, 5, INT64_MIN},
                  x[] = {INT64_MIN, INT64_MAX - 2, -1};
    int64_t y[3] = {7, 7, 7};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse m = SPL_SPARSE_INIT;
    (void)state;
    m.format = SPL_CSR, m.type = SPL_INT64, m.offset_type = m.index_type = SPL_I64;
    m.rows = m.cols = m.nnz = 3;
    m.offsets = offsets, m.indices = columns, m.values = a;
    options.semiring = SPL_MIN_PLUS;
    EXPECT_OK(spl_spmv(context, NULL, &m, x, NULL, y, &options));
    /* infinity + INT64_MIN is infinity, 5 + INT64_MAX - 2 is beyond it; no entries: infinity */
    EXPECT(y[0] == INT64_MAX && y[1] == INT64_MAX && y[2] == INT64_MIN);
    options.semiring = SPL_MAX_PLUS;
    EXPECT_OK(spl_spmv(context, NULL, &m, x, NULL, y, &options));
    EXPECT(y[0] == INT64_MAX && y[1] == INT64_MIN && y[2] == INT64_MIN);
    options.semiring = SPL_OR_SECOND;
    EXPECT_OK(spl_spmv(context, NULL, &m, x, NULL, y, &options));
    EXPECT(y[0] == (INT64_MIN | (INT64_MAX - 2)) && y[1] == 0 && y[2] == -1);
    options.semiring = SPL_PLUS_TIMES; /* INT64_MIN * -1 wraps to INT64_MIN */
    EXPECT_OK(spl_spmv(context, NULL, &m, x, NULL, y, &options));
    EXPECT(y[1] == 0 && y[2] == INT64_MIN);
    spl_context_destroy(context);
}

static void refusals(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    options.semiring = SPL_OR_SECOND;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(context, &a.view, &options, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    a.view.type = SPL_INT64; /* bits of doubles are integers as good as any */
    for (options.semiring = SPL_MIN_TIMES; options.semiring <= SPL_MAX_TIMES; options.semiring++) {
        EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(context, &a.view, &options, &plan));
        EXPECT(strstr(spl_error_detail(), "floating-point"));
    }
    options.semiring = SPL_PLUS_TIMES;
    options.method =
        testing_device() ? "spmv/compute/gpu/csr_balanced" : "spmv/compute/cpu/csr_balanced";
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(context, &a.view, &options, &plan));
    EXPECT(strstr(spl_error_detail(), "serves no integers"));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* A device, and several processors, take them too (partition/test_spread_algebra). */
static void elsewhere(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false};
    spl_context_options where = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    spl_plan *plan = NULL;
    zoo_matrix a;
    (void)state;
    where.devices = "cpu,emu";
    if (spl_context_create(&where, &context) != SPL_OK) {
        print_message("no emulator: skipped\n");
        return;
    }
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    a.view.type = SPL_INT64;
    for (uint64_t processors = 0; processors < 4; processors++) {
        spl_options options = SPL_OPTIONS_INIT;
        options.processors = processors;
        testing_case("processors %d", (int)processors);
        EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
        spl_plan_destroy(plan);
        plan = NULL;
        EXPECT_OK(spl_spmm_plan(context, &a.view, 3, &options, &plan));
        spl_plan_destroy(plan);
        plan = NULL;
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* A pattern that no cache holds, in which a plan would look for narrow values. */
static void large_pattern(void **state)
{
    enum { N = 65536, OF_ROW = 8 };
    const zoo_maker maker = {"uniform", zoo_uniform, {N, N, OF_ROW}, false};
    spl_context *context = testing_context(2);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    zoo_matrix a;
    int64_t *x = zoo_allocate(N * sizeof *x), *y = zoo_allocate(N * sizeof *y);
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_fresh_seed());
    a.view.type = SPL_INT64;
    a.view.values = NULL;
    options.semiring = SPL_PLUS_PAIR;
    for (int64_t i = 0; i < N; i++)
        x[i] = y[i] = 7;
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
    for (int64_t i = 0; i < N; i++)
        EXPECT(y[i] == zoo_index_at(a.offsets, a.view.offset_type, i + 1) -
                           zoo_index_at(a.offsets, a.view.offset_type, i));
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    free(x);
    free(y);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems), cmocka_unit_test(limits),
                                       cmocka_unit_test(large_pattern), cmocka_unit_test(refusals),
                                       cmocka_unit_test(elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
