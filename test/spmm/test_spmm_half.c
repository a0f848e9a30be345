/* SPDX-License-Identifier: Apache-2.0 */
/* SpMM and SpMV with values of 16 bits: by every method that serves them, on small matrices of
 * all kinds in all formats; every pattern of bits; and refusals. */
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_METHODS = 32, PATTERNS = 1 << 16 };

static const spl_type types[] = {SPL_F16, SPL_BF16};
static const int64_t column_counts[] = {1, 7, 8, 9, 16, 32, 33, 40, 100, 256};
enum { COLUMN_COUNTS = sizeof column_counts / sizeof *column_counts };

static spmm_run numbered_run(const spl_sparse *a, int number)
{
    spmm_run run = {.a = a, .options = SPL_OPTIONS_INIT};
    run.columns = column_counts[number % COLUMN_COUNTS];
    run.order_b = number % 3 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    run.order_c = number % 4 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    run.pad = number / 4 % 4; /* also odd: lines are then aligned to 2 bytes */
    run.scalars = testing_scalars(number % TEST_SCALARS);
    run.one_shot = number % 5 == 4;
    run.options.op_a = (spl_operator)(number / 3 % 3);
    run.options.accuracy = number % 2 ? SPL_ACCURACY_REDUCED : SPL_ACCURACY_DEFAULT;
    return run;
}

static int try_run(spl_context *context, spmm_run *run, const char *method, const char *name)
{
    run->options.method = method;
    testing_case(
        "%s %s, op %d, %lld columns, orders %d %d, pad %lld, alpha %g, beta %g, method %s", name,
        zoo_form_name(
            (zoo_form){run->a->format, run->a->type, run->a->offset_type, run->a->index_type}),
        run->options.op_a, (long long)run->columns, run->order_b, run->order_c, (long long)run->pad,
        testing_alpha(run->scalars), testing_beta(run->scalars), method ? method : "auto");
    spl_status status = run_spmm(context, run);
    if (method && status == SPL_UNSUPPORTED)
        return 0;
    testing_status(SPL_OK, status, "spmm", __FILE__, __LINE__);
    return 1;
}

static int try_vector(spl_context *context, const spmm_run *run, const char *method)
{
    spmv_run vector = {
        .a = run->a, .options = run->options, .scalars = run->scalars, .one_shot = run->one_shot};
    vector.options.method = method;
    testing_case("spmv %s, op %d, alpha %g, beta %g, once %d, method %s",
                 zoo_form_name((zoo_form){run->a->format, run->a->type, run->a->offset_type,
                                          run->a->index_type}),
                 run->options.op_a, testing_alpha(run->scalars), testing_beta(run->scalars),
                 run->one_shot, method ? method : "auto");
    spl_status status = run_spmv(context, &vector);
    if (method && status == SPL_UNSUPPORTED)
        return 0;
    testing_status(SPL_OK, status, "spmv", __FILE__, __LINE__);
    return 1;
}

/* One matrix in one form: the planner's choice and all methods. Returns the products that named
 * methods served. */
static int try_matrix(spl_context *context, const zoo_maker *maker, zoo_form form, int number)
{
    const char *methods[MAX_METHODS];
    int served = 0;
    zoo_matrix a;
    zoo_matrix_make(&a, maker, form, testing_seed());
    spmm_run run = numbered_run(&a.view, number);
    int count = testing_methods("spmm/", methods, MAX_METHODS);
    try_run(context, &run, NULL, maker->name);
    for (int m = 0; m < count; m++)
        served += try_run(context, &run, methods[m], maker->name);
    count = testing_methods("spmv/", methods, MAX_METHODS);
    try_vector(context, &run, NULL);
    for (int m = 0; m < count; m++)
        served += try_vector(context, &run, methods[m]);
    zoo_matrix_free(&a);
    return served;
}

/* The step from case to case where everything is slow: in the emulator, or under a tool. */
static int one_of(int cases)
{
    return testing_scale() > 20 ? cases : testing_scale() > 10 ? 3 : 1;
}

static void all_kinds(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    int served = 0, number = 0;
    const int step = one_of(7), form_step = testing_scale() > 1 ? 6 : 2;
    for (int m = 0; m < zoo_tiny_count; m += step)
        for (int t = 0; t < 2; t++)
            for (int f = m % 3; f < ZOO_FORMS / 2; f += form_step, number++) {
                zoo_form form = zoo_form_number(f);
                form.type = types[t];
                served += try_matrix(context, &zoo_tiny[m], form, number);
            }
    spl_context_destroy(context);
    EXPECT(served >= number); /* reference or more, and no method of f32 answered wrongly */
}

/* Rows of all lengths, one that is cut, and identical rows: in several chunks and tiles. */
static void larger_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"graph", "long row", "runs of rows"};
    static const zoo_maker makers[] = {{"graph", zoo_rmat, {6, 400}, false},
                                       {"long row", zoo_dense_row, {9, 1200, 4, 2}, false},
                                       {"runs of rows", zoo_box, {5, 3, 2, 4}, false}};
    const int step = one_of(5);
    spl_context *context = testing_context(2);
    for (int k = 0; k < 3; k++)
        for (int number = k; number < COLUMN_COUNTS; number += step) {
            zoo_form form = {SPL_CSR, types[number % 2], number % 3 ? SPL_I32 : SPL_I64, SPL_I32};
            testing_case("%s", names[k]);
            EXPECT(try_matrix(context, &makers[k], form, number) >= 2);
        }
    spl_context_destroy(context);
}

/* ---- every pattern: C = alpha*I*B + beta*C is one rounding of what f32 makes of it ---- */

/* I of n rows in the type, as CSR. */
static zoo_matrix identity(int64_t n, spl_type type)
{
    zoo_triples triples;
    zoo_matrix matrix;
    zoo_triples_start(&triples, n, n);
    for (int64_t i = 0; i < n; i++)
        zoo_triples_add(&triples, i, i, 1);
    zoo_build(&matrix, &triples, (zoo_form){SPL_CSR, type, SPL_I32, SPL_I32});
    zoo_triples_free(&triples);
    return matrix;
}

static spl_dense dense(spl_type type, int64_t rows, int64_t cols, void *values)
{
    spl_dense view = SPL_DENSE_INIT;
    view.type = type;
    view.order = SPL_ROW_MAJOR;
    view.rows = rows;
    view.cols = cols;
    view.ld = cols;
    view.values = values;
    return view;
}

/* Both orders of additions are the same here, and fused or not: one of alpha*b and
 * beta*c is exact. */
static void expect_patterns(spl_context *context, spl_type type, int64_t cols, float alpha,
                            float beta)
{
    const int64_t rows = PATTERNS / cols;
    uint16_t *b = zoo_allocate(PATTERNS * 2), *c = zoo_allocate(PATTERNS * 2);
    zoo_matrix one = identity(rows, type);
    spl_dense vb = dense(type, rows, cols, b), vc = dense(type, rows, cols, c);
    const float old = (float)zoo_half_value(0x3c00, type);
    for (int k = 0; k < PATTERNS; k++) {
        b[k] = (uint16_t)k;
        c[k] = 0x3c00;
    }
    EXPECT_OK(spl_spmm(context, &alpha, &one.view, &vb, &beta, &vc, NULL));
    for (int k = 0; k < rows * cols; k++) {
        const double value = zoo_half_value((uint16_t)k, type);
        const uint16_t expected =
            zoo_half_bits((double)(float)((double)alpha * value + (double)(beta * old)), type);
        testing_case("type %d, %lld columns, alpha %a, beta %a, bits %04x", (int)type,
                     (long long)cols, (double)alpha, (double)beta, (unsigned)k);
        const bool zero = (expected & 0x7fff) == 0 && (c[k] & 0x7fff) == 0; /* sums begin with +0 */
        EXPECT(isnan(value) ? isnan(zoo_half_value(c[k], type)) : zero || c[k] == expected);
    }
    zoo_matrix_free(&one);
    free(b);
    free(c);
}

/* A NaN whose last bits rounding would carry into the sign: it stays one. */
static void expect_nan(spl_context *context, spl_type type)
{
    enum { ROWS = 5, COLS = 67 };
    const uint32_t bits = 0x7fffffff;
    const float beta = 0;
    float alpha;
    uint16_t b[ROWS * COLS], c[ROWS * COLS] = {0};
    zoo_matrix one = identity(ROWS, type);
    spl_dense vb = dense(type, ROWS, COLS, b), vc = dense(type, ROWS, COLS, c);
    memcpy(&alpha, &bits, sizeof alpha);
    for (int k = 0; k < ROWS * COLS; k++)
        b[k] = (uint16_t)(0x3c00 + k % 9);
    EXPECT_OK(spl_spmm(context, &alpha, &one.view, &vb, &beta, &vc, NULL));
    for (int k = 0; k < ROWS * COLS; k++)
        EXPECT(isnan(zoo_half_value(c[k], type)));
    zoo_matrix_free(&one);
}

static void every_pattern(void **state)
{
    (void)state;
    /* 1 and 2^-1 meet every rounding of subnormals, 3 numbers half way, 2^10 infinity. */
    static const float alphas[] = {1, 0.5f, 3, -1024, 0x1.8p-9f};
    const int step = one_of(4);
    spl_context *context = testing_context(2);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 5; k += step)
            expect_patterns(context, types[t], k % 2 ? 64 : 63, alphas[k], 0);
    expect_nan(context, SPL_F16);
    expect_nan(context, SPL_BF16);
    /* 0.5*1 + b: exact in f64, rounded to f32, then to f16 */
    expect_patterns(context, SPL_F16, 128, 1, 0.5f);
    spl_context_destroy(context);
}

/* ---- operands that begin anywhere ---- */

static void aligned_to_two_bytes(void **state)
{
    (void)state;
    enum { ROWS = 40, COLS = 24, LD = 25, ROOM = ROWS * LD + 8 };
    static uint16_t b[ROOM], c[ROOM], before[ROOM];
    spl_context *context = testing_context(2);
    zoo_matrix a;
    for (int k = 0; k < ROOM; k++)
        b[k] = before[k] = zoo_half_bits((k * 37 % 41 - 20) / 16.0, SPL_F16);
    zoo_matrix_make(&a, zoo_find("uniform_40"), (zoo_form){SPL_CSR, SPL_F16, SPL_I32, SPL_I32},
                    testing_seed());
    for (int shift = 0; shift < 6; shift++) {
        const float alpha = 1.5f, beta = -1;
        spl_check check = SPL_CHECK_INIT;
        spl_dense vb = dense(SPL_F16, a.view.cols, COLS, b + shift),
                  vc = dense(SPL_F16, a.view.rows, COLS, c + shift / 2);
        spl_dense old = dense(SPL_F16, a.view.rows, COLS, before + shift / 2);
        vb.ld = vc.ld = old.ld = shift < 3 ? LD : COLS;
        memcpy(c, before, sizeof c);
        testing_case("shift %d", shift);
        EXPECT(a.view.rows <= ROWS && a.view.cols <= ROWS);
        EXPECT_OK(spl_spmm(context, &alpha, &a.view, &vb, &beta, &vc, NULL));
        EXPECT_OK(spl_check_spmm(&alpha, &a.view, &vb, &beta, &old, &vc, NULL, &check));
        EXPECT(check.ok == 1 && check.compared == a.view.rows * COLS);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* ---- the check itself, and refusals ---- */

static void checks_know_the_last_rounding(void **state)
{
    (void)state;
    uint16_t b[4] = {0x3c00, 0x7bff, 0x3c01, 0x0001}, c[4];
    const float alpha = 1.00048828125f; /* 1 + 2^-11: half way between two numbers of f16 */
    zoo_matrix one = identity(4, SPL_F16);
    spl_dense vb = dense(SPL_F16, 4, 1, b), vc = dense(SPL_F16, 4, 1, c);
    /* Right, one unit off upwards, infinite too early, NaN. */
    static const struct {
        uint16_t bits[4];
        int failed;
    } cases[] = {{{0x3c00, 0x7c00, 0x3c02, 0x0001}, 0},
                 {{0x3c01, 0x7c00, 0x3c01, 0x0001}, 0}, /* half way: both neighbours are as near */
                 {{0x3bff, 0x7c00, 0x3c02, 0x0001}, 1},
                 {{0x3c00, 0x7bff, 0x3c03, 0x0002}, 2},
                 {{0x3c00, 0xfc00, 0x7c00, 0x7e00}, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spl_check check = SPL_CHECK_INIT;
        memcpy(c, cases[k].bits, sizeof c);
        EXPECT_OK(spl_check_spmm(&alpha, &one.view, &vb, NULL, NULL, &vc, NULL, &check));
        testing_case("case %d: %lld failed, worst %g in row %lld", (int)k, (long long)check.failed,
                     check.worst_ratio, (long long)check.worst_row);
        EXPECT(check.failed == cases[k].failed);
    }
    zoo_matrix_free(&one);
}

static void refusals(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    const char *methods[MAX_METHODS];
    const int count = testing_methods("spmm/", methods, MAX_METHODS);
    uint16_t x[8] = {0};
    float wide[8] = {0};
    spl_plan *plan;
    spl_matrix *product;
    int refused = 0;
    for (int t = 0; t < 2; t++) {
        zoo_matrix one = identity(8, types[t]);
        spl_dense b = dense(types[t], 8, 1, x), c = dense(SPL_F32, 8, 1, wide);
        testing_case("type %d", (int)types[t]);
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmm(context, NULL, &one.view, &b, NULL, &c, NULL));
        EXPECT(strstr(spl_error_detail(), types[t] == SPL_F16 ? "A holds f16, C holds f32"
                                                              : "A holds bf16, C holds f32"));
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      spl_spgemm_plan(context, &one.view, &one.view, NULL, NULL, &plan));
        EXPECT(strstr(spl_error_detail(), "spl_convert"));
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      spl_spgemm(context, NULL, &one.view, &one.view, NULL, NULL, NULL, &product));
        for (int m = 0; m < count; m++) {
            spl_options options = SPL_OPTIONS_INIT;
            options.method = methods[m];
            if (spl_spmm_plan(context, &one.view, 8, &options, &plan) == SPL_OK) {
                spl_plan_destroy(plan);
                continue;
            }
            EXPECT(strstr(spl_error_detail(), "serves f32 and f64 only") ||
                   strstr(methods[m], "/tensor"));
            refused++;
        }
        zoo_matrix_free(&one);
    }
    EXPECT(refused >= 2 && refused < 2 * count);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),     cmocka_unit_test(larger_ones),
        cmocka_unit_test(every_pattern), cmocka_unit_test(aligned_to_two_bytes),
        cmocka_unit_test(refusals),      cmocka_unit_test(checks_know_the_last_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
