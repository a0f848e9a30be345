/* SPDX-License-Identifier: Apache-2.0 */
/* Every SpMV method on every matrix, form, operator and pair of scalars, against the oracle. */
#include "lib/run_products.h"

enum { MAX_METHODS = 32 };

typedef struct tally {
    int run, not_applicable, number;
} tally;

/* All 25 pairs of scalars for the first form, a rotating choice for the others. */
static int scalar_step(int form)
{
    return form == 0 ? 1 : 7;
}

static void try_method(spl_context *context, spmv_run *run, const char *method, int form, tally *t)
{
    bool served = false;
    run->options.method = method;
    for (int s = t->number++ % scalar_step(form); s < TEST_SCALARS; s += scalar_step(form)) {
        run->scalars = testing_scalars(s);
        run->one_shot = s % 3 == 2;
        spl_status status = run_spmv(context, run);
        if (method && status == SPL_UNSUPPORTED) {
            t->not_applicable++;
            return;
        }
        testing_status(SPL_OK, status, method ? method : "spmv", __FILE__, __LINE__);
        served = true;
        t->run++;
    }
    EXPECT(served);
}

static void try_matrix(spl_context *context, const zoo_maker *maker, int form_number, tally *t)
{
    const char *methods[MAX_METHODS];
    int count = testing_methods("spmv/", methods, MAX_METHODS);
    zoo_form form = zoo_form_number(form_number);
    zoo_matrix a;
    zoo_matrix_make(&a, maker, form, testing_seed());
    EXPECT(count > 0);
    for (spl_operator op = SPL_NONE; op <= SPL_CONJUGATE_TRANSPOSE; op++) {
        spmv_run run = {.a = &a.view, .options = SPL_OPTIONS_INIT};
        run.options.op_a = op;
        for (int m = -1; m < count; m++) {
            const char *method = m < 0 ? NULL : methods[m];
            testing_case("%s, %s, op %d, method %s", maker->name, zoo_form_name(form), op,
                         method ? method : "auto");
            try_method(context, &run, method, form_number, t);
        }
    }
    zoo_matrix_free(&a);
}

static void tiny_matrices(void **state)
{
    (void)state;
    tally t = {0};
    spl_context *context = testing_context(3);
    /* few: a third of the matrices, in one form each */
    const int form_step = testing_few() ? ZOO_FORMS : testing_scale(), step = testing_few() ? 3 : 1;
    for (int m = testing_first(0, step); m < zoo_tiny_count; m += step)
        for (int f = testing_first(m, form_step); f < ZOO_FORMS; f += form_step)
            try_matrix(context, &zoo_tiny[m], f, &t);
    spl_context_destroy(context);
    print_message("%d products, %d times a method was not applicable\n", t.run, t.not_applicable);
    EXPECT(t.run > 0);
}

static void large_matrices(void **state)
{
    (void)state;
    tally t = {0};
    spl_context *context = testing_context(4);
    const int scaled = testing_device() ? 6 : 3; /* devices draw others in each run */
    const int step = testing_few() ? zoo_large_count : testing_scale() > 1 ? scaled : 1;
    for (int m = testing_first(0, step); m < zoo_large_count; m += step) {
        try_matrix(context, &zoo_large[m], 1 + m % (ZOO_FORMS - 1), &t);
        if (testing_scale() == 1)
            try_matrix(context, &zoo_large[m], 3 + 9 * (m % 2), &t);
    }
    spl_context_destroy(context);
}

static void every_method_runs_somewhere(void **state)
{
    (void)state;
    const char *methods[MAX_METHODS];
    int count = testing_methods("spmv/", methods, MAX_METHODS);
    spl_context *context = testing_context(2);
    for (int m = 0; m < count; m++) {
        int served = 0;
        for (int z = 0; z < zoo_tiny_count; z++) {
            zoo_matrix a;
            zoo_matrix_make(&a, &zoo_tiny[z], zoo_form_number(0), testing_seed());
            spmv_run run = {
                .a = &a.view, .options = SPL_OPTIONS_INIT, .scalars = testing_scalars_of(1, 0)};
            run.options.method = methods[m];
            served += run_spmv(context, &run) == SPL_OK;
            zoo_matrix_free(&a);
        }
        testing_case("%s", methods[m]);
        EXPECT(served > 0);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_matrices),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(every_method_runs_somewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
