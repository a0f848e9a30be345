/* SPDX-License-Identifier: Apache-2.0 */
/* spl_error_bytes: a caller who retries with that number succeeds after few attempts, with a
 * budget close to what the call needs (lib/retries.h). Cases are drawn anew in every run. */
#include "lib/retries.h"

#include <stdio.h>
#include <string.h>

enum { RETRIES_SPGEMM = 3 };

/* ---- conversion, description ---- */

static spl_status convert(spl_context *context, retry_case *c)
{
    zoo_random dice = c->dice; /* the same choice in each attempt */
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *result;
    o.format = (spl_format)zoo_random_below(&dice, 4);
    o.type = zoo_random_below(&dice, 3) == 0 ? SPL_F32 : 0;
    o.index_type = zoo_random_below(&dice, 3) == 0 ? SPL_I64 : 0;
    o.offset_type = o.index_type;
    o.transpose = (int32_t)zoo_random_below(&dice, 2);
    o.sort = (int32_t)zoo_random_below(&dice, 2);
    o.sum_duplicates = zoo_random_below(&dice, 3) == 0;
    o.drop_zeros = zoo_random_below(&dice, 3) == 0;
    spl_status status = spl_convert(context, &c->a.view, &o, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

static spl_status describe(spl_context *context, retry_case *c)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    return spl_describe(context, &c->a.view, &description);
}

static void conversion_and_description(void **state)
{
    (void)state;
    retry_outliers o = {0};
    for (int n = 0; n < retry_cases(60); n++) {
        retry_case c;
        retry_begin(&c, (uint64_t)n, n % 2 ? "describe" : "convert");
        retry_draw_matrix(&c, &c.a, retry_draw_size(&c), retry_draw_size(&c));
        retry_follow(&o, &c, n % 2 ? describe : convert, true);
        retry_end(&c);
    }
    retry_expect_few(&o);
}

/* ---- products ---- */

/* Options that devices and the CPU both support. Forced methods may need any amount. */
static void draw_options(retry_case *c)
{
    c->options.op_a = zoo_random_below(&c->dice, 3) == 0 ? SPL_TRANSPOSE : SPL_NONE;
    c->options.deterministic = zoo_random_below(&c->dice, 4) == 0;
    c->options.executions = zoo_random_below(&c->dice, 2) ? 10000 : 0;
}

static spl_status spmv(spl_context *context, retry_case *c)
{
    zoo_random dice = c->dice;
    spmv_run run = {&c->a.view, c->options, testing_scalars_of(2, -1), false};
    run.one_shot = zoo_random_below(&dice, 3) == 0;
    return run_spmv(context, &run);
}

static spl_status spmm(spl_context *context, retry_case *c)
{
    zoo_random dice = c->dice;
    spmm_run run = {&c->a.view, 1 + zoo_random_below(&dice, 20), SPL_ROW_MAJOR, SPL_COLUMN_MAJOR, 1,
                    c->options, testing_scalars_of(2, -1),       false};
    run.one_shot = zoo_random_below(&dice, 3) == 0;
    run.order_b = zoo_random_below(&dice, 2) ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    return run_spmm(context, &run);
}

static void dense_products(void **state)
{
    (void)state;
    retry_outliers o = {0};
    for (int n = 0; n < retry_cases(60); n++) {
        retry_case c;
        retry_begin(&c, (uint64_t)n, n % 2 ? "spmm" : "spmv");
        retry_draw_matrix(&c, &c.a, retry_draw_size(&c), retry_draw_size(&c));
        draw_options(&c);
        c.options.processors = testing_processors(n % 2 ? "spmm/" : "spmv/");
        retry_follow(&o, &c, n % 2 ? spmm : spmv, false);
        retry_end(&c);
    }
    retry_expect_few(&o);
}

static spgemm_run product_of(retry_case *c)
{
    spgemm_run run = {.a = &c->a.view, .b = &c->b.view, .options = c->options};
    run.d = c->d.view.format ? &c->d.view : NULL;
    run.scalars = testing_scalars_of(2, -1);
    return run;
}

static spl_status spgemm_plan(spl_context *context, retry_case *c)
{
    spgemm_run run = product_of(c);
    return run_spgemm(context, &run);
}

static spl_status spgemm_once(spl_context *context, retry_case *c)
{
    const double alpha = 2, beta = -1;
    spgemm_run run = product_of(c);
    spl_matrix *result;
    const float short_alpha = 2, short_beta = -1;
    bool f32 = c->a.view.type == SPL_F32;
    spl_status status =
        spl_spgemm(context, f32 ? (const void *)&short_alpha : &alpha, run.a, run.b,
                   f32 ? (const void *)&short_beta : &beta, run.d, &run.options, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    return status;
}

static spl_status spgemm_take(spl_context *context, retry_case *c)
{
    spgemm_run run = product_of(c);
    spl_plan *plan;
    spl_matrix *result;
    run.options.keep_result = 1;
    spl_status status = spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan);
    if (status != SPL_OK)
        return status;
    status = spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    spl_plan_destroy(plan);
    return status;
}

/* A matrix of the same type in any format. */
static void draw_like(retry_case *c, zoo_matrix *m, spl_type type, int64_t rows, int64_t cols)
{
    size_t used = strlen(c->words);
    for (;;) {
        retry_draw_matrix(c, m, rows, cols);
        if (m->view.type == type)
            return;
        zoo_matrix_free(m);
        c->words[used] = 0;
    }
}

static void sparse_products(void **state)
{
    (void)state;
    retry_outliers o = {0};
    static const retry_call calls[] = {spgemm_plan, spgemm_once, spgemm_take};
    static const char *const names[] = {"spgemm", "spgemm one-shot", "spgemm take"};
    for (int n = 0; n < retry_cases(60); n++) {
        retry_case c;
        retry_begin(&c, (uint64_t)n, names[n % 3]);
        int64_t rows = retry_draw_size(&c), inner = retry_draw_size(&c), cols = retry_draw_size(&c);
        retry_draw_matrix(&c, &c.a, rows, inner);
        draw_like(&c, &c.b, c.a.view.type, inner, cols);
        if (zoo_random_below(&c.dice, 3) == 0)
            draw_like(&c, &c.d, c.a.view.type, rows, cols);
        c.options.deterministic = zoo_random_below(&c.dice, 4) == 0;
        c.options.unsorted = zoo_random_below(&c.dice, 3) == 0;
        c.options.processors = testing_processors("spgemm/");
        c.retries = RETRIES_SPGEMM;
        retry_follow(&o, &c, calls[n % 3], false);
        retry_end(&c);
    }
    retry_expect_few(&o);
}

/* ---- the number ---- */

static void other_failures_have_no_number(void **state)
{
    (void)state;
    retry_case c;
    size_t peak, asked;
    retry_begin(&c, 0, "describe");
    retry_draw_matrix(&c, &c.a, 20, 20);
    EXPECT(retry_attempt(&c, describe, true, 1, &peak, &asked) == SPL_OVER_BUDGET && asked > 1);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_describe(NULL, &c.a.view, NULL));
    EXPECT(spl_error_bytes() == 0);
    retry_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_failures_have_no_number),
        cmocka_unit_test(conversion_and_description),
        cmocka_unit_test(dense_products),
        cmocka_unit_test(sparse_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
