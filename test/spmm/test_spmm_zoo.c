/* SPDX-License-Identifier: Apache-2.0 */
/* Every SpMM method on every matrix, form, operator, number of columns, order and leading
 * dimension, against the oracle. */
#include "lib/run_products.h"

#include <string.h>

enum { MAX_METHODS = 32 };

static const int64_t column_counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 52, 100, 130, 260};
enum { COLUMN_COUNTS = sizeof column_counts / sizeof *column_counts };

/* The variants of a run, derived from one number. */
static spmm_run numbered_run(const spl_sparse *a, int number)
{
    spmm_run run = {.a = a, .options = SPL_OPTIONS_INIT};
    run.columns = column_counts[number % COLUMN_COUNTS];
    run.order_b = number % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    run.order_c = number / 2 % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
    run.pad = number / 4 % 3;
    run.scalars = testing_scalars(number % TEST_SCALARS);
    run.one_shot = number % 5 == 4;
    run.options.op_a = (spl_operator)(number / 3 % 3);
    run.options.accuracy = number % 16 == 5 ? SPL_ACCURACY_REDUCED : SPL_ACCURACY_DEFAULT;
    return run;
}

static int try_run(spl_context *context, spmm_run *run, const char *method, const char *name)
{
    run->options.method = method;
    testing_case(
        "%s %s, op %d, %lld columns, orders %d %d, pad %lld, alpha %g%s, beta %g%s, method %s",
        name,
        zoo_form_name(
            (zoo_form){run->a->format, run->a->type, run->a->offset_type, run->a->index_type}),
        run->options.op_a, (long long)run->columns, run->order_b, run->order_c, (long long)run->pad,
        run->scalars.alpha.number, run->scalars.alpha.null ? " NULL" : "", run->scalars.beta.number,
        run->scalars.beta.null ? " NULL" : "", method ? method : "auto");
    spl_status status = run_spmm(context, run);
    if (method && status == SPL_UNSUPPORTED)
        return 0;
    testing_status(SPL_OK, status, "spmm", __FILE__, __LINE__);
    return 1;
}

static int try_matrix(spl_context *context, const zoo_maker *maker, int form, int first, int runs)
{
    const char *methods[MAX_METHODS];
    int count = testing_methods("spmm/", methods, MAX_METHODS), served = 0;
    zoo_matrix a;
    zoo_matrix_make(&a, maker, zoo_form_number(form), testing_seed());
    for (int number = first; number < first + runs; number++)
        for (int m = -1; m < count; m++) {
            spmm_run run = numbered_run(&a.view, number);
            served += try_run(context, &run, m < 0 ? NULL : methods[m], maker->name);
        }
    zoo_matrix_free(&a);
    return served;
}

static void tiny_matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    /* few: a third of the matrices, in one form each */
    const int form_step = testing_few() ? ZOO_FORMS : testing_scale(), step = testing_few() ? 3 : 1;
    const int runs = testing_few() ? 5 : testing_scale() > 1 ? 15 : 36;
    int served = 0;
    for (int m = testing_first(0, step); m < zoo_tiny_count; m += step)
        for (int f = testing_first(m, form_step); f < ZOO_FORMS; f += form_step)
            served += try_matrix(context, &zoo_tiny[m], f, 31 * f + 7 * m, runs);
    spl_context_destroy(context);
    print_message("%d products\n", served);
    EXPECT(served > 0);
}

static void large_matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(4);
    const int step = testing_few() ? zoo_large_count : testing_scale() > 1 ? 5 : 1;
    for (int m = testing_first(0, step); m < zoo_large_count; m += step)
        try_matrix(context, &zoo_large[m], m % ZOO_FORMS, 5 * m, testing_scale() > 1 ? 1 : 3);
    spl_context_destroy(context);
}

static void every_method_serves_plain_problems(void **state)
{
    (void)state;
    const char *methods[MAX_METHODS];
    int count = testing_methods("spmm/", methods, MAX_METHODS);
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), (zoo_form){SPL_CSR, SPL_F32, SPL_I32, SPL_I32},
                    testing_seed());
    EXPECT(count > 0);
    for (int m = 0; m < count; m++) {
        spmm_run run = {
            &a.view, 8, SPL_ROW_MAJOR, SPL_ROW_MAJOR, 0, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
            false};
        run.options.accuracy =
            strstr(methods[m], "/tensor") ? SPL_ACCURACY_REDUCED : SPL_ACCURACY_DEFAULT;
        EXPECT(try_run(context, &run, methods[m], "uniform_40") == 1);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_matrices),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(every_method_serves_plain_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
