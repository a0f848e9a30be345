/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV and SpMM over semirings and of the rows that masks name, against dense loops, on fresh
 * operands of every form and type: small whole numbers, Inf and NaN; all results are exact, but for
 * one rounding to f16 and bf16. On a device also rows that have a block of threads each. */
#include "lib/run_products.h"
#include "lib/semirings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, MOST_COLUMNS = 45 };

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

/* ---- cases ---- */

typedef struct problem {
    int64_t rows, inner, columns;
    bool vector;
    zoo_triples triples; /* of op(A) */
    zoo_matrix stored;
    spl_sparse view;
    spl_options options;
    spl_type type;
    spl_dense b, before, c;
    double alpha, beta;
    int mask_kind; /* 0: none, 1: bits, 2: bytes */
    spl_row_mask mask;
    uint64_t bits[MOST / 64 + 1];
    uint8_t bytes[MOST + 1];
} problem;

static double draw_value(bool odd)
{
    static const double special[] = {INFINITY, -INFINITY, NAN};
    return odd && below(9) == 0 ? special[below(3)] : (double)(below(9) - 4);
}

static void make_dense(spl_dense *m, const problem *p, int64_t rows, bool odd)
{
    *m = (spl_dense)SPL_DENSE_INIT;
    m->type = p->type;
    m->rows = rows;
    m->cols = p->columns;
    m->order = !p->vector && below(2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    m->ld = (m->order == SPL_ROW_MAJOR ? m->cols : rows) + (p->vector ? 0 : below(3));
    m->ld += m->ld == 0;
    int64_t count = m->ld * (m->order == SPL_ROW_MAJOR ? rows : m->cols) + 1;
    m->values = zoo_allocate((size_t)count * sizeof(double));
    for (int64_t e = 0; e < count; e++)
        zoo_value_set(m->values, p->type, e, draw_value(odd));
}

static int64_t at(const spl_dense *m, int64_t i, int64_t j)
{
    return m->order == SPL_ROW_MAJOR ? i * m->ld + j : i + j * m->ld;
}
static double value_at(const spl_dense *m, int64_t i, int64_t j)
{
    return zoo_value_at(m->values, m->type, at(m, i, j));
}

static void make_matrix(problem *p, bool transposed, bool odd)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted};
    zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
    zoo_triples stored;
    uint64_t seed = zoo_random_next(&draws);
    if (p->rows && p->inner)
        families[below(4)](&p->triples, (const int64_t[]){p->rows, p->inner, 1 + below(p->inner)},
                           seed);
    else
        zoo_triples_start(&p->triples, p->rows, p->inner);
    form.type = p->type;
    zoo_triples_start(&stored, p->rows, p->inner);
    for (int64_t e = 0; e < p->triples.nnz; e++) {
        p->triples.v[e] = draw_value(odd);
        zoo_triples_add(&stored, p->triples.i[e], p->triples.j[e], p->triples.v[e]);
    }
    if (transposed)
        zoo_triples_transpose(&stored);
    zoo_build(&p->stored, &stored, form);
    zoo_triples_free(&stored);
    p->view = p->stored.view;
}

static bool reads_a(int semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_SECOND && semiring != SPL_MIN_SECOND &&
           semiring != SPL_MAX_SECOND;
}

static void draw_mask(problem *p)
{
    p->mask_kind = (int)below(3);
    p->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    p->mask.complement = (int32_t)below(2);
    p->mask.clear = (int32_t)below(2);
    const int64_t of = 1 + below(12); /* from all rows to few */
    memset(p->bits, 0, sizeof p->bits);
    for (int64_t i = 0; i < p->rows; i++) {
        bool named = below(of) == 0;
        p->bytes[i] = named ? (uint8_t)(1 + below(255)) : 0;
        p->bits[i / 64] |= (uint64_t)named << (i % 64);
    }
    p->mask.bits = p->mask_kind == 1 ? p->bits : NULL;
    p->mask.bytes = p->mask_kind == 2 ? p->bytes : NULL;
}

static const char *method_for(const problem *p, bool vector)
{
    static const char *const methods[] = {"spmv/compute/cpu/semiring_rows",
                                          "spmv/compute/cpu/csr_transposed"};
    if (!testing_device())
        return vector ? methods[p->type <= SPL_F64 ? below(2) : 0]
                      : "spmm/compute/cpu/semiring_rows";
    if (p->options.semiring == SPL_PLUS_TIMES)
        return vector ? "spmv/compute/gpu/csr_vector" : "spmm/compute/gpu/scalar";
    return vector ? "spmv/compute/gpu/semiring_rows" : "spmm/compute/gpu/semiring_rows";
}

static void draw_problem(problem *p, int semiring, bool vector)
{
    static const spl_type types[] = {SPL_F32, SPL_F64, SPL_F16, SPL_BF16};
    const bool odd = below(4) == 0, transposed = below(2),
               wide = testing_device() && below(16) == 0;
    *p = (problem){.rows = below(MOST), .inner = below(MOST), .vector = vector};
    p->columns = vector ? 1 : below(3) ? 1 + below(MOST_COLUMNS) : below(2);
    if (wide)
        p->rows = 2, p->inner = 1000 + below(2400), p->columns = vector ? 1 : 1 + below(3);
    p->type = types[below(4)];
    make_matrix(p, transposed, odd);
    make_dense(&p->b, p, p->inner, odd);
    make_dense(&p->before, p, p->rows, odd);
    p->c = p->before;
    size_t bytes = (size_t)(p->c.ld * (p->c.order == SPL_ROW_MAJOR ? p->rows : p->columns) + 1) *
                   sizeof(double);
    p->c.values = zoo_allocate(bytes);
    memcpy(p->c.values, p->before.values, bytes);
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.op_a = transposed ? SPL_TRANSPOSE : SPL_NONE;
    p->options.semiring = semiring;
    p->options.deterministic = below(3) == 0;
    p->options.executions = (int32_t)below(3);
    if (below(3) == 0)
        p->options.method = method_for(p, vector);
    if (!reads_a(semiring) && below(2))
        p->view.values = NULL;
    p->alpha = semiring == SPL_PLUS_TIMES && !odd ? (double)(below(4) - 1) : 1;
    if (semiring == SPL_PLUS_TIMES && !odd && below(6) == 0)
        p->alpha = INFINITY; /* rows without entries get beta times what they were */
    p->beta = semiring == SPL_PLUS_TIMES ? (double)(below(4) - 1) : (double)below(2);
    draw_mask(p);
}

static void free_problem(problem *p)
{
    zoo_triples_free(&p->triples);
    zoo_matrix_free(&p->stored);
    free(p->b.values);
    free(p->before.values);
    free(p->c.values);
}

/* ---- judging ---- */

static double expected_at(const problem *p, int64_t i, int64_t j)
{
    const int semiring = p->options.semiring;
    const bool named = !p->mask_kind || (p->bytes[i] != 0) != (p->mask.complement != 0);
    double sum = test_semiring_none(semiring), old = value_at(&p->before, i, j), rounded[1];
    bool met = false;
    if (!named && !p->mask.clear)
        return old;
    for (int64_t e = 0; named && p->alpha != 0 && e < p->triples.nnz; e++)
        if (p->triples.i[e] == i) {
            met = true;
            sum = test_semiring_add(semiring, sum,
                                    test_semiring_multiply(semiring, p->triples.v[e],
                                                           value_at(&p->b, p->triples.j[e], j)));
        }
    if (named && semiring == SPL_PLUS_TIMES)
        sum = (met ? p->alpha * sum : 0) + (p->beta == 0 ? 0 : p->beta * old);
    else if (named && p->beta != 0)
        sum = test_semiring_add(semiring, sum, old);
    zoo_value_set(rounded, p->type, 0, sum);
    return zoo_value_at(rounded, p->type, 0);
}

static void expect_result(const problem *p)
{
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t j = 0; j < p->columns; j++) {
            double wanted = expected_at(p, i, j), got = value_at(&p->c, i, j);
            if (!(isnan(wanted) ? isnan(got) : got == wanted))
                (void)fprintf(stderr, "(%lld, %lld): %g, expected %g\n", (long long)i, (long long)j,
                              got, wanted);
            EXPECT(isnan(wanted) ? isnan(got) : got == wanted);
        }
}

/* alpha or beta in the type of sums. */
static const void *scalar(const problem *p, double value, float *single, double *number)
{
    *single = (float)value;
    *number = value;
    return p->type == SPL_F64 ? (const void *)number : single;
}

static spl_status judge(const problem *p, const void *alpha, const void *beta, spl_check *check)
{
    return p->vector ? spl_check_spmv(alpha, &p->view, p->b.values, beta, p->before.values,
                                      p->c.values, &p->options, check)
                     : spl_check_spmm(alpha, &p->view, &p->b, beta, &p->before, &p->c, &p->options,
                                      check);
}

/* spl_check_* agree with a result without a mask, and find an element that is wrong. */
static void expect_judged(problem *p, const void *alpha, const void *beta)
{
    spl_check check = SPL_CHECK_INIT;
    if (p->mask_kind)
        return;
    EXPECT_OK(judge(p, alpha, beta, &check));
    EXPECT(check.ok && check.compared == p->rows * p->columns);
    if (p->rows == 0 || p->columns == 0)
        return;
    int64_t e = at(&p->c, below(p->rows), below(p->columns));
    double value = zoo_value_at(p->c.values, p->type, e);
    zoo_value_set(p->c.values, p->type, e, isfinite(value) ? value + 4 + fabs(value) : 7);
    EXPECT_OK(judge(p, alpha, beta, &check));
    EXPECT(check.failed + check.undecided == 1);
}

static int64_t allocations_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters.allocations;
}

static void try_problem(spl_context *context, problem *p)
{
    float singles[2];
    double numbers[2];
    spl_plan *plan = NULL;
    const void *alpha = scalar(p, p->alpha, &singles[0], &numbers[0]),
               *beta = scalar(p, p->beta, &singles[1], &numbers[1]);
    const spl_row_mask *mask = p->mask_kind && p->rows ? &p->mask : NULL;
    if (p->vector)
        EXPECT_OK(spl_spmv_plan(context, &p->view, &p->options, &plan));
    else
        EXPECT_OK(spl_spmm_plan(context, &p->view, p->columns, &p->options, &plan));
    int64_t allocated = allocations_of(plan);
    if (p->vector)
        EXPECT_OK(spl_spmv_execute_masked(plan, alpha, p->b.values, beta, p->c.values, mask, NULL));
    else
        EXPECT_OK(spl_spmm_execute_masked(plan, alpha, &p->b, beta, &p->c, mask, NULL));
    EXPECT(allocations_of(plan) == allocated);
    expect_result(p);
    expect_judged(p, alpha, beta);
    spl_plan_destroy(plan);
}

static void fresh_problems(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    problem *p = zoo_allocate(sizeof *p);
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 300 / testing_scale() + 20; number++)
        for (int semiring = 0; semiring < TEST_SEMIRINGS; semiring++)
            for (int vector = 0; vector < 2; vector++) {
                testing_case("seed %llu, number %d, semiring %d, vector %d",
                             (unsigned long long)seed, number, semiring, vector);
                draw_problem(p, semiring, vector);
                try_problem(context, p);
                free_problem(p);
            }
    free(p);
    spl_context_destroy(context);
}

/* One-shot calls. */
static void at_once(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(2);
    problem *p = zoo_allocate(sizeof *p);
    float singles[2];
    double numbers[2];
    (void)state;
    zoo_random_seed(&draws, seed + 1);
    for (int number = 0; number < 200 / testing_scale() + 20; number++) {
        testing_case("seed %llu, number %d", (unsigned long long)seed, number);
        draw_problem(p, number % TEST_SEMIRINGS, number / TEST_SEMIRINGS % 2);
        const void *alpha = scalar(p, p->alpha, &singles[0], &numbers[0]),
                   *beta = scalar(p, p->beta, &singles[1], &numbers[1]);
        p->mask_kind = 0;
        if (p->vector)
            EXPECT_OK(
                spl_spmv(context, alpha, &p->view, p->b.values, beta, p->c.values, &p->options));
        else
            EXPECT_OK(spl_spmm(context, alpha, &p->view, &p->b, beta, &p->c, &p->options));
        expect_result(p);
        free_problem(p);
    }
    free(p);
    spl_context_destroy(context);
}

/* ---- bits ---- */

enum { LARGE = 30000, WIDTH = 3 };

static void run_large(const zoo_matrix *a, int threads, int semiring, int kind,
                      const uint64_t *bits, const double *x, double *y)
{
    static const char *const methods[] = {"spmv/compute/cpu/semiring_rows",
                                          "spmv/compute/cpu/csr_transposed",
                                          "spmm/compute/cpu/semiring_rows"};
    spl_context *context = testing_context(threads);
    spl_options options = SPL_OPTIONS_INIT;
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    spl_plan *plan = NULL;
    spl_dense b = SPL_DENSE_INIT, c;
    options.semiring = semiring;
    options.method = methods[kind];
    mask.bits = bits;
    mask.clear = 1;
    b.type = SPL_F64;
    b.order = SPL_ROW_MAJOR;
    b.rows = LARGE;
    b.cols = b.ld = WIDTH;
    b.values = (void *)(uintptr_t)x;
    c = b;
    c.values = y;
    if (kind == 2) {
        EXPECT_OK(spl_spmm_plan(context, &a->view, WIDTH, &options, &plan));
        EXPECT_OK(spl_spmm_execute_masked(plan, NULL, &b, NULL, &c, bits ? &mask : NULL, NULL));
    } else {
        EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
        EXPECT_OK(spl_spmv_execute_masked(plan, NULL, x, NULL, y, bits ? &mask : NULL, NULL));
    }
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

/* Results that are rounded, of one thread and of four; those of masked rows among all. */
static void same_bits(void **state)
{
    const zoo_maker maker = {"uniform", zoo_uniform, {LARGE, LARGE, 9}, false};
    uint64_t seed = testing_fresh_seed(), bits[LARGE / 64 + 1];
    double *x = zoo_allocate(sizeof(double) * LARGE * WIDTH),
           *y[3] = {zoo_allocate(sizeof(double) * LARGE * WIDTH),
                    zoo_allocate(sizeof(double) * LARGE * WIDTH),
                    zoo_allocate(sizeof(double) * LARGE * WIDTH)};
    zoo_matrix a;
    (void)state;
    zoo_random_seed(&draws, seed);
    zoo_matrix_make(&a, &maker, zoo_form_number(0), seed);
    for (int64_t e = 0; e < a.view.nnz; e++)
        ((double *)a.values)[e] = 1 / (double)(1 + below(1000));
    for (int64_t i = 0; i < LARGE * WIDTH; i++)
        x[i] = 1 / (double)(1 + below(1000));
    for (int64_t w = 0; w <= LARGE / 64; w++)
        bits[w] = below(3) ? 0 : zoo_random_next(&draws);
    for (int n = 0; n<3 * TEST_SEMIRINGS; n += testing_scale()> 1 ? 4 : 1) {
        const int kind = n % 3, semiring = n / 3;
        const int64_t count = kind == 2 ? LARGE * WIDTH : LARGE;
        testing_case("seed %llu, semiring %d, kind %d", (unsigned long long)seed, semiring, kind);
        run_large(&a, 1, semiring, kind, NULL, x, y[0]);
        run_large(&a, 4, semiring, kind, NULL, x, y[1]);
        run_large(&a, 4, semiring, kind, bits, x, y[2]);
        EXPECT(!memcmp(y[0], y[1], (size_t)count * sizeof(double)));
        for (int64_t e = 0; e < count; e++) {
            const int64_t i = kind == 2 ? e / WIDTH : e;
            EXPECT(y[2][e] ==
                   (bits[i / 64] >> (i % 64) & 1 ? y[0][e] : test_semiring_none(semiring)));
        }
    }
    for (int k = 0; k < 3; k++)
        free(y[k]);
    free(x);
    zoo_matrix_free(&a);
}

/* ---- refusals ---- */

static void refusals(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    zoo_matrix a;
    spl_plan *plan = NULL, *plain = NULL;
    double x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8}, two = 2, half = .5;
    uint64_t bits[2] = {0};
    uint8_t bytes[4] = {0};
    (void)state;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    EXPECT_OK(spl_spmv_plan(context, &a.view, NULL, &plain));
    options.semiring = SPL_MIN_PLUS;
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_execute(plan, &two, x, NULL, y, NULL));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_execute(plan, NULL, x, &half, y, NULL));
    const spl_row_mask both = {sizeof both, 0, 0, bits, bytes}, neither = {sizeof both, 0, 0, 0, 0},
                       flags = {sizeof both, 2, 0, bits, NULL},
                       flags2 = {sizeof both, 0, -1, bits, NULL}, sizeless = {0, 0, 0, bits, NULL},
                       overlapping = {sizeof both, 0, 0, NULL, (uint8_t *)&y[3]},
                       misaligned = {sizeof both, 0, 0, (uint64_t *)(void *)((char *)bits + 4), 0};
    const spl_row_mask *const bad[] = {&both,     &neither,     &flags,     &flags2,
                                       &sizeless, &overlapping, &misaligned};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        testing_case("mask %zu", n);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute_masked(n % 2 ? plan : plain, NULL, x,
                                                                    NULL, y, bad[n], NULL));
    }
    EXPECT(y[0] == 5 && y[3] == 8);
    spl_plan_destroy(plan);
    spl_plan_destroy(plain);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems), cmocka_unit_test(at_once),
                                       cmocka_unit_test(refusals)},
                            of_threads[] = {cmocka_unit_test(same_bits)};
    const int failed = testing_device() ? 0 : cmocka_run_group_tests(of_threads, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, NULL, NULL);
}
