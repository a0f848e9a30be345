/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/api_calls.h"

#include <stdio.h>

/* A handle's value before a call: a failure must leave it unchanged. */
static char poison[64];
#define POISON(type) ((type *)(void *)poison)

void api_operands_make(api_operands *operands, int64_t rows)
{
    const zoo_maker plain = {"plain", zoo_uniform, {rows, rows, 4}, false};
    const zoo_maker repeated = {"repeated", zoo_duplicates, {rows, rows, 5 * rows}, false};
    const zoo_maker summand = {"summand", zoo_uniform, {rows, rows, 2}, false};
    zoo_matrix_make(&operands->csr, &plain, zoo_form_number(0), testing_seed());
    zoo_matrix_make(&operands->csc, &plain, zoo_form_number(1), testing_seed());
    zoo_matrix_make(&operands->coo, &repeated, zoo_form_number(2), testing_seed());
    zoo_matrix_make(&operands->wide, &plain, zoo_form_number(6), testing_seed());
    zoo_matrix_make(&operands->summand, &summand, zoo_form_number(0), testing_seed() + 1);
}

void api_operands_free(api_operands *operands)
{
    zoo_matrix_free(&operands->csr);
    zoo_matrix_free(&operands->csc);
    zoo_matrix_free(&operands->coo);
    zoo_matrix_free(&operands->wide);
    zoo_matrix_free(&operands->summand);
}

static const spl_sparse *operand_number(const api_operands *operands, int number)
{
    const zoo_matrix *all[] = {&operands->csr, &operands->csc, &operands->coo, &operands->wide};
    return &all[number % 4]->view;
}

/* Variants 0..3: plain copies; 4..7: transposed and sorted; 8..11: in another format and narrowed,
 * duplicates summed. */
static spl_status perform_convert(spl_context *context, const api_operands *operands,
                                  const api_call *call, const spl_options *options)
{
    (void)options;
    spl_convert_options convert = SPL_CONVERT_OPTIONS_INIT;
    convert.transpose = convert.sort = call->variant / 4 == 1;
    if (call->variant / 4 == 2) {
        convert.format = (spl_format)(SPL_CSR + call->variant % 3);
        convert.type = SPL_F32;
        convert.offset_type = convert.index_type = SPL_I32;
        convert.sum_duplicates = 1;
    }
    spl_matrix *result = POISON(spl_matrix);
    spl_status status =
        spl_convert(context, operand_number(operands, call->variant), &convert, &result);
    if (status == SPL_OK)
        spl_matrix_destroy(result);
    else
        EXPECT(result == POISON(spl_matrix));
    return status;
}

static spl_status perform_describe(spl_context *context, const api_operands *operands,
                                   const api_call *call, const spl_options *options)
{
    (void)options;
    guarded room = guarded_new(sizeof(spl_description));
    spl_description *description = room.data, before = SPL_DESCRIPTION_INIT;
    before.rows = -77;
    before.products = -78;
    *description = before;
    spl_status status = spl_describe(context, operand_number(operands, call->variant), description);
    EXPECT(guarded_intact(&room));
    EXPECT(status == SPL_OK ? description->rows >= 0
                            : description->rows == -77 && description->products == -78);
    guarded_free(&room);
    return status;
}

static spmv_run spmv_of(const api_operands *operands, const api_call *call,
                        const spl_options *options)
{
    spmv_run run = {operand_number(operands, call->variant), *options, testing_scalars_of(2, -1),
                    false};
    run.options.op_a = call->variant / 4 % 2 ? SPL_TRANSPOSE : SPL_NONE;
    run.one_shot = call->variant / 8 == 1;
    return run;
}

static spl_status perform_spmv(spl_context *context, const api_operands *operands,
                               const api_call *call, const spl_options *options)
{
    spmv_run run = spmv_of(operands, call, options);
    if (!run.one_shot) { /* the handle of a plan that fails */
        spl_plan *plan = POISON(spl_plan);
        spl_status status = spl_spmv_plan(context, run.a, &run.options, &plan);
        EXPECT((status == SPL_OK) == (plan != POISON(spl_plan)));
        if (status != SPL_OK)
            return status;
        spl_plan_destroy(plan);
    }
    return run_spmv(context, &run);
}

static spl_status perform_spmm(spl_context *context, const api_operands *operands,
                               const api_call *call, const spl_options *options)
{
    spmv_run base = spmv_of(operands, call, options);
    spmm_run run = {base.a,       9, SPL_ROW_MAJOR, SPL_COLUMN_MAJOR, 1, base.options, base.scalars,
                    base.one_shot};
    if (!run.one_shot) {
        spl_plan *plan = POISON(spl_plan);
        spl_status status = spl_spmm_plan(context, run.a, run.columns, &run.options, &plan);
        EXPECT((status == SPL_OK) == (plan != POISON(spl_plan)));
        if (status != SPL_OK)
            return status;
        spl_plan_destroy(plan);
    }
    return run_spmm(context, &run);
}

/* As the one-shot call, but through a plan that keeps C, and spl_spgemm_take. */
static spl_status perform_take(spl_context *context, const spgemm_run *run)
{
    spl_plan *plan = POISON(spl_plan);
    spl_matrix *c = POISON(spl_matrix);
    const double alpha = run->scalars.alpha.number, beta = run->scalars.beta.number;
    spl_status status = spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan);
    if (status != SPL_OK) {
        EXPECT(plan == POISON(spl_plan));
        return status;
    }
    status = spl_spgemm_execute(plan, &alpha, &beta, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, &c);
    spl_plan_destroy(plan);
    if (status != SPL_OK) {
        EXPECT(c == POISON(spl_matrix));
        return status;
    }
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_spgemm(run, &view);
    spl_matrix_destroy(c);
    return SPL_OK;
}

static spl_status perform_one_shot(spl_context *context, const spgemm_run *run)
{
    spl_matrix *c = POISON(spl_matrix);
    const double alpha = run->scalars.alpha.number, beta = run->scalars.beta.number;
    spl_status status =
        spl_spgemm(context, &alpha, run->a, run->b, &beta, run->d, &run->options, &c);
    if (status != SPL_OK) {
        EXPECT(c == POISON(spl_matrix));
        return status;
    }
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_spgemm(run, &view);
    spl_matrix_destroy(c);
    return SPL_OK;
}

/* Forces the call's methods if the processor has them. */
static void choose_methods(const api_call *call, spl_options *options, char ids[128])
{
    const char *symbolic =
        call->symbolic ? testing_method("spgemm/symbolic/", call->symbolic) : NULL;
    const char *numeric = call->numeric ? testing_method("spgemm/numeric/", call->numeric) : NULL;
    options->processors = testing_processors("spgemm/");
    snprintf(ids, 128, "%s%s%s", symbolic ? symbolic : "", symbolic && numeric ? "," : "",
             numeric ? numeric : "");
    options->method = *ids ? ids : NULL;
}

/* variant: 4 operands for A, times 2 for transposed B, times plan / kept and taken / one-shot. */
static spl_status perform_spgemm(spl_context *context, const api_operands *operands,
                                 const api_call *call, const spl_options *options)
{
    char ids[128];
    spgemm_run run = {.a = operand_number(operands, call->variant), .options = *options};
    run.b = operand_number(operands, call->variant + call->variant / 4);
    run.d = call->variant % 2 ? &operands->summand.view : NULL;
    run.scalars = testing_scalars_of(2, -1);
    run.options.op_b = call->variant / 4 % 2 ? SPL_TRANSPOSE : SPL_NONE;
    choose_methods(call, &run.options, ids);
    if (call->variant / 8 == 2)
        return perform_one_shot(context, &run);
    run.options.keep_result = call->variant / 8 == 1;
    return run.options.keep_result ? perform_take(context, &run) : run_spgemm(context, &run);
}

const api_call api_calls[] = {
    {"convert CSR", perform_convert, 0, NULL, NULL},
    {"convert COO", perform_convert, 2, NULL, NULL},
    {"convert CSR, transpose, sort", perform_convert, 4, NULL, NULL},
    {"convert CSC, transpose, sort", perform_convert, 5, NULL, NULL},
    {"convert CSR to COO, sum", perform_convert, 8, NULL, NULL},
    {"convert CSC to CSR, sum", perform_convert, 9, NULL, NULL},
    {"convert COO to CSC, sum", perform_convert, 10, NULL, NULL},
    {"convert wide, narrow", perform_convert, 11, NULL, NULL},
    {"select CSC", perform_algebra, 1, NULL, NULL},
    {"select COO", perform_algebra, 2, NULL, NULL},
    {"reduce CSR", perform_algebra, 4, NULL, NULL},
    {"elementwise CSR", perform_algebra, 8, NULL, NULL},
    {"elementwise COO", perform_algebra, 10, NULL, NULL},
    {"frontier CSR", perform_algebra, 12, NULL, NULL},
    {"frontier COO", perform_algebra, 14, NULL, NULL},
    {"describe CSR", perform_describe, 0, NULL, NULL},
    {"describe COO", perform_describe, 2, NULL, NULL},
    {"describe wide", perform_describe, 3, NULL, NULL},
    {"spmv CSR", perform_spmv, 0, NULL, NULL},
    {"spmv CSC", perform_spmv, 1, NULL, NULL},
    {"spmv COO", perform_spmv, 2, NULL, NULL},
    {"spmv CSR transposed", perform_spmv, 4, NULL, NULL},
    {"spmv wide transposed", perform_spmv, 7, NULL, NULL},
    {"spmv one-shot CSR", perform_spmv, 8, NULL, NULL},
    {"spmv one-shot COO transposed", perform_spmv, 14, NULL, NULL},
    {"spmm CSR", perform_spmm, 0, NULL, NULL},
    {"spmm COO", perform_spmm, 2, NULL, NULL},
    {"spmm CSR transposed", perform_spmm, 4, NULL, NULL},
    {"spmm one-shot CSC", perform_spmm, 9, NULL, NULL},
    {"spgemm CSR", perform_spgemm, 0, NULL, NULL},
    {"spgemm CSC with D", perform_spgemm, 1, NULL, NULL},
    {"spgemm COO", perform_spgemm, 2, NULL, NULL},
    {"spgemm wide, D, B transposed", perform_spgemm, 7, NULL, NULL},
    {"spgemm bound", perform_spgemm, 0, "upper_bound", NULL},
    {"spgemm bound with D", perform_spgemm, 1, "upper_bound", NULL},
    {"spgemm hash", perform_spgemm, 0, "hash", "hash"},
    {"spgemm take", perform_spgemm, 9, NULL, NULL},
    {"spgemm bound, take", perform_spgemm, 8, "upper_bound", NULL},
    {"spgemm bound, take, COO", perform_spgemm, 14, "upper_bound", NULL},
    {"spgemm one-shot CSR", perform_spgemm, 16, NULL, NULL},
    {"spgemm one-shot wide with D", perform_spgemm, 19, NULL, NULL},
    {"spgemm one-shot bound", perform_spgemm, 21, "upper_bound", NULL},
    {"resident, take", perform_resident, 0, NULL, NULL},
    {"resident, wide transposed, take", perform_resident, 3, NULL, NULL},
    {"resident, one-shot", perform_resident, 4, NULL, NULL},
    {"resident, wide one-shot", perform_resident, 5, NULL, NULL},
};
const int api_call_count = (int)(sizeof api_calls / sizeof *api_calls);

spl_status api_call_perform(const api_call *call, spl_context *context,
                            const api_operands *operands, const spl_options *options)
{
    spl_options plain = SPL_OPTIONS_INIT;
    return call->perform(context, operands, call, options ? options : &plain);
}
