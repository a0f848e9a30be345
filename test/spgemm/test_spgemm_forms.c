/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of sparse products on devices: candidates of the planner like methods, forced by name,
 * predicted by coefficients, explained with their numbers. */
#include "sparloom/measured.h"

#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <stdio.h>
#include <string.h>

enum { FORMS = 4, UNKNOWNS = 3 };
static const char entries[] = "spgemm/form/gpu/entries",
                  node_blocks[] = "spgemm/form/gpu/node_blocks";

/* A mesh with three unknowns per node; holes: one entry in ten is missing. */
static zoo_matrix make_mesh(bool holes)
{
    const zoo_maker nodes = {"nodes", zoo_box, {4, 3, 3, 1}, false};
    zoo_triples t;
    zoo_matrix m;
    block_matrix(&t, &nodes, UNKNOWNS, testing_seed());
    if (holes)
        block_matrix_holes(&t, 10, testing_seed());
    block_matrix_build(&m, &t, 0);
    return m;
}

/* The chosen form of A*A; NULL: there is none, on the CPU. */
static const char *chosen_form(const spl_plan *plan)
{
    spl_step step = SPL_STEP_INIT;
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    return strcmp(step.phase, "form") == 0 ? step.method : NULL;
}

static spl_status plan_square(spl_context *context, const zoo_matrix *a, const char *method,
                              spl_plan **plan)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.method = method;
    return spl_spgemm_plan(context, &a->view, &a->view, NULL, &options, plan);
}

static void forms_are_forced_by_name(void **state)
{
    (void)state;
    const char *forms[FORMS];
    const int count = testing_methods("spgemm/form/", forms, FORMS);
    spl_context *context = testing_context(2);
    EXPECT(count == (testing_device() ? FORMS : 0));
    for (int k = 0; k < 2 * count; k++) {
        const bool holes = k % 2;
        const char *form = forms[k / 2];
        zoo_matrix a = make_mesh(holes);
        spl_plan *plan = NULL;
        testing_case("%s, %s", form, holes ? "blocks with holes" : "full blocks");
        if (holes && !strcmp(form, node_blocks)) {
            EXPECT_STATUS(SPL_UNSUPPORTED, plan_square(context, &a, form, &plan));
            EXPECT(strstr(spl_error_detail(), "the operands have no node blocks") != NULL);
        } else {
            spgemm_run run = {&a.view, &a.view, NULL, SPL_OPTIONS_INIT, testing_scalars(2), false};
            run.options.method = form;
            EXPECT_OK(run_spgemm(context, &run));
            EXPECT_OK(plan_square(context, &a, form, &plan));
            EXPECT(!strcmp(chosen_form(plan), form));
            spl_plan_destroy(plan);
        }
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* A forced numeric method has the form that it needs; which forms it cannot serve is said. */
static void forced_methods_get_their_form(void **state)
{
    (void)state;
    static const struct {
        const char *method, *form;
    } cases[] = {{"spgemm/numeric/gpu/hash", entries},
                 {"spgemm/numeric/gpu/blocks", node_blocks},
                 {"spgemm/numeric/gpu/identical_rows", "spgemm/form/gpu/identical_rows"},
                 {"spgemm/form/gpu/entries,spgemm/numeric/gpu/blocks", entries},
                 {"spgemm/form/gpu/node_blocks,spgemm/numeric/gpu/hash", NULL}};
    spl_context *context = testing_context(2);
    zoo_matrix a = make_mesh(false);
    for (int c = 0; testing_device() && c < 5; c++) {
        spl_plan *plan = NULL;
        testing_case("%s", cases[c].method);
        spl_status status = plan_square(context, &a, cases[c].method, &plan);
        EXPECT(status == (cases[c].form ? SPL_OK : SPL_UNSUPPORTED));
        EXPECT(!cases[c].form || !strcmp(chosen_form(plan), cases[c].form));
        EXPECT(cases[c].form || strstr(spl_error_detail(), "C's structure is known by blocks"));
        spl_plan_destroy(plan);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The form that is chosen has the least of the seconds that are explained. */
static void expect_least(const spl_plan *plan)
{
    double chosen = -1, least = 1e300;
    int forms = 0;
    for (int32_t i = 0; i < spl_plan_candidate_count(plan); i++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, i, &c));
        if (!strstr(c.method, "/form/"))
            continue;
        forms++;
        EXPECT(c.applicable ? c.seconds > 0 : c.reason && *c.reason);
        least = c.applicable && c.seconds < least ? c.seconds : least;
        chosen = c.chosen ? c.seconds : chosen;
    }
    EXPECT(forms == FORMS && chosen == least);
}

/* Coefficients decide: entries that cost nothing, runs that cost nothing. */
static void coefficients_decide(void **state)
{
    (void)state;
    static const struct {
        const char *coefficient, *form;
        bool holes;
    } cases[] = {
        {"gpu/spgemm_run_length", node_blocks, false}, /* not asked where blocks are full */
        {"gpu/spgemm_form_entries", entries, false},
        {"gpu/spgemm_form_entries", entries, true},
        {"gpu/spgemm_run_entries", "spgemm/form/gpu/identical_rows", true}};
    for (int c = 0; testing_device() && c < 4; c++) {
        spl_context *context = testing_context(2);
        zoo_matrix a = make_mesh(cases[c].holes);
        spl_plan *plan = NULL;
        testing_case("%s, %s", cases[c].coefficient, cases[c].form);
        EXPECT_OK(spl_machine_set(context, cases[c].coefficient, 1e-9));
        EXPECT_OK(plan_square(context, &a, NULL, &plan));
        EXPECT(!strcmp(chosen_form(plan), cases[c].form));
        expect_least(plan);
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
        spl_context_destroy(context);
    }
}

/* Rows that are identical in threes, whose columns lie apart: every entry is a run of its own. */
static zoo_matrix make_runs_of_one(void)
{
    enum { GROUPS = 60, ENTRIES = 10, APART = 7 };
    zoo_triples t;
    zoo_matrix m;
    zoo_triples_start(&t, GROUPS * UNKNOWNS, GROUPS * UNKNOWNS);
    for (int64_t i = 0; i < GROUPS * UNKNOWNS; i++)
        for (int64_t e = 0; e < ENTRIES; e++)
            zoo_triples_add(&t, i, (i / UNKNOWNS * 2 + APART * e) % (GROUPS * UNKNOWNS), 1);
    block_matrix_sort(&t);
    block_matrix_build(&m, &t, 0);
    return m;
}

/* A form whose making shows that the sample promised too much gives way to the next. */
static void promises_are_checked(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a = make_runs_of_one();
    spl_plan *plan = NULL;
    int given_up = 0;
    EXPECT_OK(plan_square(context, &a, NULL, &plan));
    EXPECT(!testing_device() || !strcmp(chosen_form(plan), entries));
    for (int32_t i = 0; i < spl_plan_candidate_count(plan); i++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, i, &c));
        given_up += strstr(c.method, "/form/") && !c.applicable &&
                    !strcmp(c.reason, "saves less than expected");
    }
    EXPECT(given_up == (testing_device() ? 1 : 0));
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_forced_by_name),
        cmocka_unit_test(forced_methods_get_their_form),
        cmocka_unit_test(coefficients_decide),
        cmocka_unit_test(promises_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
