/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 4: execute and update_values allocate nothing, by the hook's and by the
 * plan's own count. */
#include "lib/hook_allocator.h"
#include "lib/run_products.h"

#include <stdlib.h>

typedef struct meter {
    hook_allocator hook;
    spl_context *context;
    long long hook_count;
    int64_t plan_count, executions, launches;
} meter;

static void start(meter *m)
{
    hook_start(&m->hook);
    m->context = NULL;
    EXPECT_OK(hook_context(&m->hook, 3, 0, &m->context));
}

static void stop(meter *m)
{
    spl_context_destroy(m->context);
    EXPECT(hook_clean(&m->hook));
    hook_stop(&m->hook);
}

static void begin_measuring(meter *m, const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    m->hook_count = m->hook.allocations;
    m->plan_count = counters.allocations;
    m->executions = counters.executions;
    m->launches = counters.launches;
    m->hook.fail_at = 0; /* every allocation fails from now on */
}

/* `on_device`: the test's device computed, on copies of what is on the host. */
static void end_measuring(meter *m, const spl_plan *plan, int64_t executions, bool on_device)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    m->hook.fail_at = -1;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    EXPECT(m->hook.allocations == m->hook_count);
    EXPECT(counters.allocations == m->plan_count);
    EXPECT(counters.executions == m->executions + executions);
    if (on_device)
        EXPECT(counters.launches > m->launches);
    else
        EXPECT(counters.launches == 0 && counters.synchronisations == 0);
}

static zoo_matrix make(const char *name, int form)
{
    zoo_matrix matrix;
    zoo_matrix_make(&matrix, zoo_find(name), zoo_form_number(form), testing_seed());
    return matrix;
}

enum { COLUMNS = 7, REPEATS = 3 };

static void measure_spmv(meter *m, const zoo_matrix *a, const test_dense *b, const test_dense *c,
                         spl_operator op, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.op_a = op;
    options.method = method;
    spl_status status = spl_spmv_plan(m->context, &a->view, &options, &plan);
    if (method && status == SPL_UNSUPPORTED)
        return;
    testing_status(SPL_OK, status, "spl_spmv_plan", __FILE__, __LINE__);
    begin_measuring(m, plan);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        EXPECT_OK(spl_spmv_execute(plan, NULL, b->view.values, NULL, c->view.values, NULL));
        EXPECT_OK(spl_plan_update_values(plan, &a->view, NULL, NULL, NULL));
    }
    end_measuring(m, plan, REPEATS, testing_device() != NULL);
    spl_plan_destroy(plan);
}

static void measure_spmm(meter *m, const zoo_matrix *a, const test_dense *b, const test_dense *c,
                         spl_operator op, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.op_a = op;
    options.method = method;
    spl_status status = spl_spmm_plan(m->context, &a->view, COLUMNS, &options, &plan);
    if (method && status == SPL_UNSUPPORTED)
        return;
    testing_status(SPL_OK, status, "spl_spmm_plan", __FILE__, __LINE__);
    begin_measuring(m, plan);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b->view, NULL, &c->view, NULL));
        EXPECT_OK(spl_plan_update_values(plan, &a->view, NULL, NULL, NULL));
    }
    end_measuring(m, plan, REPEATS, testing_device() != NULL);
    spl_plan_destroy(plan);
}

static void spmv_and_spmm(void **state)
{
    (void)state;
    const char *methods[16] = {NULL}, *spmm_methods[16] = {NULL}; /* first the planner's choice */
    int count = 1 + testing_methods("spmv/", methods + 1, 15);
    int spmm_count = 1 + testing_methods("spmm/", spmm_methods + 1, 15);
    meter m;
    start(&m);
    for (int form = 0; form < ZOO_FORMS; form += testing_few() ? 7 : testing_scale() > 1 ? 5 : 1)
        for (spl_operator op = SPL_NONE; op <= SPL_TRANSPOSE; op++) {
            zoo_matrix a = make("unsorted_900", form);
            test_dense b = test_dense_new(900, COLUMNS, a.view.type, SPL_ROW_MAJOR, 0);
            test_dense c = test_dense_new(900, COLUMNS, a.view.type, SPL_COLUMN_MAJOR, 0);
            test_dense_fill(&b, ZOO_REAL, 1);
            testing_case("%s, op %d", zoo_form_name(zoo_form_number(form)), op);
            for (int k = 0; k < count; k++)
                measure_spmv(&m, &a, &b, &c, op, methods[k]);
            for (int k = 0; k < spmm_count; k++)
                measure_spmm(&m, &a, &b, &c, op, spmm_methods[k]);
            test_dense_free(&b);
            test_dense_free(&c);
            zoo_matrix_free(&a);
        }
    stop(&m);
}

static void measure_spgemm(meter *m, const zoo_matrix *a, const zoo_matrix *b, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = method;
    options.keep_result = 1;
    options.processors = testing_processors("spgemm/");
    spl_status status = spl_spgemm_plan(m->context, &a->view, &b->view, &a->view, &options, &plan);
    if (method && status == SPL_UNSUPPORTED)
        return;
    testing_status(SPL_OK, status, "spl_spgemm_plan", __FILE__, __LINE__);
    begin_measuring(m, plan);
    for (int repeat = 0; repeat < 3; repeat++) {
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
        EXPECT_OK(spl_plan_update_values(plan, &a->view, &b->view, &a->view, NULL));
    }
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &result));
    void *values = zoo_allocate((size_t)result.nnz * zoo_type_bytes(result.type));
    EXPECT_OK(spl_spgemm_export(plan, NULL, NULL, values, NULL));
    end_measuring(m, plan, 3, testing_device() && testing_processors("spgemm/") == 0);
    free(values);
    spl_plan_destroy(plan);
}

static void spgemm(void **state)
{
    (void)state;
    meter m;
    start(&m);
    const char *methods[16];
    int count = testing_methods("spgemm/", methods, 16);
    for (int form = 0; form<ZOO_FORMS; form += testing_scale()> 1 ? 5 : 1) {
        const char *mesh = testing_scale() > 1 ? "box2d_d2" : "box2d_d3";
        zoo_matrix a = make(mesh, form), b = make(mesh, form / 9 * 9 + (form + 1) % 9);
        for (int k = -1; k < count; k++) {
            testing_case("%s, method %s", zoo_form_name(zoo_form_number(form)),
                         k < 0 ? "auto" : methods[k]);
            measure_spgemm(&m, &a, &b, k < 0 ? NULL : methods[k]);
        }
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    stop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv_and_spmm),
        cmocka_unit_test(spgemm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
