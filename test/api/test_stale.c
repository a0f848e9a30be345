/* SPDX-License-Identifier: Apache-2.0 */
/* options.check_inputs: a change of structure, or of values that was not announced, is noticed
 * before anything is written. */
#include "lib/run_products.h"

#include <stdlib.h>

typedef struct setting {
    spl_context *context;
    spl_plan *plan;
    zoo_matrix a;
    double *x;
    guarded y;
} setting;

static void start(setting *s, int form, spl_operator op)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.check_inputs = 1;
    options.op_a = op;
    s->plan = NULL;
    s->context = testing_context(2);
    zoo_matrix_make(&s->a, zoo_find("unsorted_24x19"), zoo_form_number(form), testing_seed());
    s->x = calloc(24, sizeof *s->x);
    s->y = guarded_new(24 * sizeof(double));
    EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, &options, &s->plan));
}

static void stop(setting *s)
{
    spl_plan_destroy(s->plan);
    guarded_free(&s->y);
    free(s->x);
    zoo_matrix_free(&s->a);
    spl_context_destroy(s->context);
}

static spl_status execute(setting *s)
{
    return spl_spmv_execute(s->plan, NULL, s->x, NULL, s->y.data, NULL);
}

static void changed_values_are_stale(void **state)
{
    (void)state;
    for (int form = 0; form < 9; form++)
        for (spl_operator op = SPL_NONE; op <= SPL_TRANSPOSE; op++) {
            setting s;
            testing_case("%s, op %d", zoo_form_name(zoo_form_number(form)), op);
            start(&s, form, op);
            double *values = s.a.values, last = values[s.a.view.nnz - 1];
            values[s.a.view.nnz - 1] += 1;
            EXPECT_STATUS(SPL_STALE, execute(&s));
            EXPECT(guarded_untouched(&s.y));
            values[s.a.view.nnz - 1] = last;
            EXPECT_OK(execute(&s)); /* as it was: fresh again */
            values[0] = 5;
            EXPECT_OK(spl_plan_update_values(s.plan, &s.a.view, NULL, NULL, NULL));
            EXPECT_OK(execute(&s)); /* announced */
            stop(&s);
        }
}

static void changed_structure_is_stale(void **state)
{
    (void)state;
    for (int form = 0; form < 9; form++) {
        setting s;
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        start(&s, form, SPL_NONE);
        int64_t last = s.a.view.nnz - 1;
        int64_t index = zoo_index_at(s.a.indices, s.a.view.index_type, last);
        zoo_index_set(s.a.indices, s.a.view.index_type, last, index == 0 ? 1 : index - 1);
        EXPECT_STATUS(SPL_STALE, execute(&s));
        EXPECT(guarded_untouched(&s.y));
        zoo_index_set(s.a.indices, s.a.view.index_type, last, index);
        EXPECT_OK(execute(&s));
        stop(&s);
    }
}

/* Each operand of SpGEMM is watched. */
static void spgemm_watches_all_operands(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    for (int k = 0; k < 3; k++)
        zoo_matrix_make(&m[k], zoo_find("duplicates_12"), zoo_form_number(k), testing_seed());
    spl_options options = SPL_OPTIONS_INIT;
    options.check_inputs = 1;
    options.keep_result = 1;
    options.processors = testing_processors("spgemm/");
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(context, &m[0].view, &m[1].view, &m[2].view, &options, &plan));
    for (int k = 0; k < 3; k++) {
        double *values = m[k].values, old = values[3];
        testing_case("operand %d", k);
        values[3] = 42;
        EXPECT_STATUS(SPL_STALE, spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        values[3] = old;
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    }
    spl_plan_destroy(plan);
    for (int k = 0; k < 3; k++)
        zoo_matrix_free(&m[k]);
    spl_context_destroy(context);
}

/* Unchanged inputs are never reported as stale, even if outputs have changed. */
static void unchanged_inputs_are_fresh(void **state)
{
    (void)state;
    setting s;
    start(&s, 4, SPL_TRANSPOSE);
    for (int repeat = 0; repeat < 5; repeat++)
        EXPECT_OK(execute(&s));
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_values_are_stale),
        cmocka_unit_test(changed_structure_is_stale),
        cmocka_unit_test(spgemm_watches_all_operands),
        cmocka_unit_test(unchanged_inputs_are_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
