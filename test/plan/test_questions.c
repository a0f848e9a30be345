/* SPDX-License-Identifier: Apache-2.0 */
/* Questions change nothing: they are put to a plan and a state of C in read-only memory. */
#include "lib/closed_pages.h"
#include "lib/testing.h"
#include "plan/forced.h"
#include "spgemm/product.h"

#include <math.h>

typedef struct frozen {
    closed_pages pages, state;
    const spl_plan *plan;
} frozen;

static frozen freeze(const spl_plan *plan)
{
    frozen f = {.pages = closed_pages_copy(plan, sizeof *plan), .state = {0}};
    spl_plan *copy = f.pages.data;
    if (plan->state && !plan->problem.queue.device) {
        f.state = closed_pages_copy(plan->state, sizeof(spl__product));
        copy->state = f.state.data;
        closed_pages_freeze(&f.state);
    }
    closed_pages_freeze(&f.pages);
    f.plan = copy;
    return f;
}

static void thaw(frozen *f)
{
    closed_pages_free(&f->pages);
    if (f->state.map)
        closed_pages_free(&f->state);
}

/* Asks about every phase and every method; returns how many methods could serve. */
static int ask_all(const spl_plan *plan)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    spl__row_set all = spl__all_rows(plan);
    int served = 0;
    for (int i = 0; i < registry->count; i++) {
        const spl__registry_entry *e = &registry->entries[i];
        if (e->kind != plan->problem.kind || e->processor != spl__processor_of(plan))
            continue;
        const spl__registry_entry *best = spl__plan_preview(plan, e->phase, &all);
        double seconds = spl__plan_predict(plan, e->phase, &all, e).seconds;
        served += isfinite(seconds);
        EXPECT(best && spl__plan_serves(plan, e->phase, &all));
        EXPECT(spl__plan_predict(plan, e->phase, &all, NULL).seconds ==
               spl__plan_predict(plan, e->phase, &all, best).seconds);
    }
    return served;
}

static void about_all_operations(void **state)
{
    (void)state;
    zoo_matrix a;
    spl_plan *plans[3];
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = testing_context(2);
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plans[0]));
    EXPECT_OK(spl_spmm_plan(context, &a.view, 8, &options, &plans[1]));
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plans[2]));
    for (int k = 0; k < 3; k++) {
        frozen f = freeze(plans[k]);
        EXPECT(ask_all(f.plan) > 1);
        EXPECT(plans[k]->problem.kind != SPL__KIND_spgemm || plans[k]->problem.queue.device ||
               isfinite(spl__product_predict(f.plan)));
        thaw(&f);
        spl_plan_destroy(plans[k]);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(about_all_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
