/* SPDX-License-Identifier: Apache-2.0 */
/* The policy measure: every result that it times is right, what it found out is not measured again,
 * and its promises are those of all plans. */
#include "lib/api_calls.h"
#include "lib/hook_allocator.h"
#include "lib/trials.h"
#include "plan/policy/policy.h"
#include "plan/policy/wisdom.h"

#include <math.h>
#include <string.h>

static spl_options measuring(void)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = SPL_POLICY_MEASURE;
    return options;
}

/* A context whose trials are watched, and a matrix. */
typedef struct watched {
    spl_context *context;
    test_trials trials;
    zoo_matrix a;
    spl_options options;
} watched;

/* Emulated devices are slow: they get the small matrix. */
static void watch(watched *w, const char *name, const char *small)
{
    const zoo_maker *maker = zoo_find(testing_device() ? small : name);
    w->context = testing_context(2);
    w->options = measuring();
    trials_watch(&w->trials, w->context);
    zoo_matrix_make(&w->a, maker, zoo_form_number(0), testing_seed());
}

static void unwatch(watched *w)
{
    zoo_matrix_free(&w->a);
    spl_context_destroy(w->context);
}

/* All operations on a square matrix, with the results checked. */
static void run_all(spl_context *context, const spl_sparse *a, const spl_options *options)
{
    spmv_run v = {.a = a, .options = *options, .scalars = testing_scalars_of(0.5, -1)};
    spmm_run m = {.a = a,
                  .columns = 5,
                  .order_b = SPL_ROW_MAJOR,
                  .order_c = SPL_ROW_MAJOR,
                  .options = *options,
                  .scalars = testing_scalars_of(0.5, -1)};
    spgemm_run g = {
        .a = a, .b = a, .d = a, .options = *options, .scalars = testing_scalars_of(0.5, -1)};
    v.options.processors = testing_processors("spmv/");
    m.options.processors = testing_processors("spmm/");
    g.options.processors = testing_processors("spgemm/");
    EXPECT_OK(run_spmv(context, &v));
    EXPECT_OK(run_spmm(context, &m));
    if (a->rows == a->cols)
        EXPECT_OK(run_spgemm(context, &g));
}

static void every_trial_is_right(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    test_trials trials;
    trials_watch(&trials, context);
    spl_options options = measuring();
    const int step = testing_scale() < 8 ? testing_scale() : 8;
    /* emulated devices are slow */
    const int count = zoo_tiny_count + (testing_device() ? 0 : zoo_large_count);
    for (int n = 4; n < count; n += step) {
        const zoo_maker *maker = n < zoo_tiny_count ? &zoo_tiny[n] : &zoo_large[n - zoo_tiny_count];
        zoo_matrix a;
        if (maker->nonfinite)
            continue;
        zoo_matrix_make(&a, maker, zoo_form_number(n % ZOO_FORMS), testing_seed());
        testing_case("%s", maker->name);
        options.op_a = n % 3 == 0 && a.view.rows == a.view.cols ? SPL_TRANSPOSE : SPL_NONE;
        run_all(context, &a.view, &options);
        zoo_matrix_free(&a);
    }
    EXPECT(trials.checked > 3);
    spl_context_destroy(context);
}

static void what_is_known_is_not_measured(void **state)
{
    (void)state;
    watched w;
    watch(&w, "box2d_d3", "box2d_d2");
    run_all(w.context, &w.a.view, &w.options);
    long long first = w.trials.tried;
    int64_t known = spl_wisdom_count(w.context);
    EXPECT(first >= 4 && known >= 3);
    run_all(w.context, &w.a.view, &w.options);
    EXPECT(w.trials.tried == first && spl_wisdom_count(w.context) == known);
    EXPECT_OK(spl_wisdom_forget(w.context));
    EXPECT(spl_wisdom_count(w.context) == 0);
    run_all(w.context, &w.a.view, &w.options);
    EXPECT(w.trials.tried > first && spl_wisdom_count(w.context) == known);
    unwatch(&w);
}

/* The fastest of those that were tried is chosen, and explained. */
static void the_fastest_is_chosen(void **state)
{
    (void)state;
    watched w;
    spl_plan *plan;
    double least = INFINITY, chosen = NAN;
    int tried = 0;
    static char text[1 << 15];
    watch(&w, "tridiagonal_4000", "tridiagonal_25");
    EXPECT_OK(spl_spmv_plan(w.context, &w.a.view, &w.options, &plan));
    for (int32_t n = 0; n < spl_plan_candidate_count(plan); n++) {
        const spl__candidate *c = &plan->candidates[n];
        spl_candidate seen = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, n, &seen));
        EXPECT(isnan(seen.measured) ? isnan(c->measured.seconds)
                                    : seen.measured == c->measured.seconds);
        if (isnan(seen.measured))
            continue;
        tried++;
        least = fmin(least, spl__cost(&plan->steps[0].task, &c->measured));
        if (seen.chosen)
            chosen = spl__cost(&plan->steps[0].task, &c->measured);
    }
    EXPECT(tried >= 2 && tried == w.trials.tried && chosen <= 1.05 * least);
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, "policy measure") && strstr(text, "; measured ") &&
           (strstr(text, "least measured time") || strstr(text, "none of which gained much")));
    spl_plan_destroy(plan);
    unwatch(&w);
}

/* A measured gain overrules the model, noise does not. */
static void small_gains_are_none(void **state)
{
    (void)state;
    static const struct {
        double predicted_first, other;
        int chosen;
    } cases[] = {{1.04, 1, 0}, {1.2, 1, 1}, {1, 1.2, 0}, {NAN, 1, 1}};
    spl_context *context = testing_context(1);
    spl_plan *plan;
    zoo_matrix a;
    char buffer[256];
    zoo_matrix_make(&a, zoo_find("tridiagonal_25"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_spmv_plan(context, &a.view, NULL, &plan));
    for (int i = 0; i < 4; i++) {
        spl__candidate c[2] = {plan->candidates[0], plan->candidates[0]};
        spl__text reason = spl__text_begin(buffer, sizeof buffer);
        for (int k = 0; k < 2; k++) {
            c[k].why_not = NULL;
            c[k].remembered = false;
            c[k].estimate = (spl__estimate){.seconds = 1 + k};
            c[k].measured =
                (spl__estimate){.seconds = k == 0 ? cases[i].predicted_first : cases[i].other};
        }
        testing_case("case %d", i);
        EXPECT(spl__policy_measure_choose(&plan->steps[0].task, c, 2, &reason) == cases[i].chosen);
        EXPECT((strstr(buffer, "none of which gained much") != NULL) == (i == 0));
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* On devices another choice than the predicted one costs a wait, which short trials have to make up
 * for. */
static void a_wait_is_no_gain(void **state)
{
    (void)state;
    static const struct {
        double predicted_first;
        int chosen;
    } cases[] = {{30e-6, 0}, {50e-6, 1}};
    if (!testing_device())
        skip();
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    zoo_matrix a;
    char buffer[256];
    zoo_matrix_make(&a, zoo_find("tridiagonal_25"), zoo_form_number(0), testing_seed());
    options.processors = testing_processors("spgemm/");
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    for (int i = 0; i < 2; i++) {
        spl__candidate c[2] = {plan->candidates[0], plan->candidates[0]};
        spl__text reason = spl__text_begin(buffer, sizeof buffer);
        for (int k = 0; !c[0].entry->method->enqueue_early && k < plan->candidate_count; k++)
            c[0] = plan->candidates[k];
        for (int k = 0; k < 2; k++) {
            c[k].why_not = NULL;
            c[k].remembered = false;
            c[k].estimate = (spl__estimate){.seconds = 1 + k};
            c[k].measured = (spl__estimate){.seconds = k == 0 ? cases[i].predicted_first : 20e-6};
        }
        testing_case("case %d", i);
        EXPECT(spl__policy_measure_choose(&plan->steps[0].task, c, 2, &reason) == cases[i].chosen);
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* One-shot calls, deterministic plans, and the numeric phase after a bound leave the choice to
 * the model. */
static void some_plans_are_not_measured(void **state)
{
    (void)state;
    watched w;
    watch(&w, "box2d_d3", "box2d_d2");
    w.options.deterministic = 1;
    run_all(w.context, &w.a.view, &w.options);
    spgemm_run g = {.a = &w.a.view,
                    .b = &w.a.view,
                    .options = measuring(),
                    .scalars = testing_scalars_of(1, 0),
                    .one_shot = true};
    EXPECT_OK(run_spgemm(w.context, &g));
    EXPECT(w.trials.tried == 0 && spl_wisdom_count(w.context) == 0);
    g.one_shot = false;
    g.options.method = "spgemm/symbolic/cpu/upper_bound";
    if (!testing_device()) {
        EXPECT_OK(run_spgemm(w.context, &g));
        EXPECT(w.trials.tried == 0);
    }
    unwatch(&w);
}

/* ---- promises ---- */

typedef struct promise {
    hook_allocator hook;
    spl_context *context;
    api_operands operands;
    test_trials trials;
    long long reports, cancel_at;
} promise;

static int report(void *user, const char *stage, int64_t done, int64_t total)
{
    promise *p = user;
    EXPECT(stage && done >= 0 && done <= total);
    return p->reports++ == p->cancel_at;
}

static void promise_begin(promise *p)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    hook_start(&p->hook);
    options.threads = 1; /* waiting for other threads takes long on a busy machine */
    options.allocator = hook_as_allocator(&p->hook);
    options.devices = testing_device();
    options.progress = report;
    options.progress_user = p;
    p->cancel_at = -1;
    EXPECT_OK(spl_context_create(&options, &p->context));
    trials_watch(&p->trials, p->context);
    api_operands_make(&p->operands, 40);
}

static void promise_end(promise *p)
{
    api_operands_free(&p->operands);
    spl_context_destroy(p->context);
    EXPECT(hook_clean(&p->hook));
    hook_stop(&p->hook);
}

/* Plans without wisdom, and leaves none. */
static spl_status perform(promise *p, const api_call *call, size_t budget)
{
    spl_options options = measuring();
    options.memory_budget = budget;
    size_t live = p->hook.live;
    spl_status status = api_call_perform(call, p->context, &p->operands, &options);
    p->hook.fail_at = -1;
    spl__wisdom_forget(p->context);
    EXPECT(p->hook.live == live && p->hook.device_live == 0 && !p->hook.misused);
    return status;
}

static bool is_measured(const api_call *call)
{
    return strncmp(call->name, "sp", 2) == 0 && !call->symbolic && !call->numeric;
}

static void each_call(promise *p, void (*test)(promise *p, const api_call *call))
{
    promise_begin(p);
    for (int c = 0, n = 0; c < api_call_count; c++)
        if (is_measured(&api_calls[c]) && n++ % (testing_scale() > 1 ? 24 : 4) == 0)
            test(p, &api_calls[c]);
    EXPECT(p->trials.tried > 0);
    promise_end(p);
}

static void fail_allocations(promise *p, const api_call *call)
{
    const long long tries = testing_device() ? 4 : 8;
    long long before = p->hook.allocations;
    EXPECT_OK(perform(p, call, 0));
    long long all = p->hook.allocations - before, step = all / tries + 1;
    for (long long k = 0; k < all; k += step) {
        p->hook.fail_at = p->hook.allocations + k;
        testing_case("%s, allocation %lld of %lld fails", call->name, k, all);
        spl_status status = perform(p, call, 0);
        EXPECT(status == SPL_OUT_OF_MEMORY || status == SPL_OK); /* wisdom may be lost */
        EXPECT(k > 0 || status == SPL_OUT_OF_MEMORY);
    }
}

static void cut_budgets(promise *p, const api_call *call)
{
    for (size_t budget = 20000; budget < 400000; budget += budget / 3) {
        p->hook.peak = p->hook.live;
        testing_case("%s, %zu bytes", call->name, budget);
        spl_status status = perform(p, call, budget);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
    }
}

static void cancel_reports(promise *p, const api_call *call)
{
    spl_status status = SPL_CANCELLED;
    for (long long n = 0; status != SPL_OK; n += 1 + n / 8) {
        p->reports = 0;
        p->cancel_at = n;
        testing_case("%s, cancelled at report %lld", call->name, n);
        status = perform(p, call, 0);
        EXPECT(status == SPL_OK ? p->reports <= n : status == SPL_CANCELLED);
    }
    p->cancel_at = -1;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    static promise p;
    each_call(&p, fail_allocations);
}

static void budgets_are_kept(void **state)
{
    (void)state;
    static promise p;
    each_call(&p, cut_budgets);
}

static void measuring_can_be_cancelled(void **state)
{
    (void)state;
    static promise p;
    each_call(&p, cancel_reports);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_is_right),
        cmocka_unit_test(what_is_known_is_not_measured),
        cmocka_unit_test(the_fastest_is_chosen),
        cmocka_unit_test(small_gains_are_none),
        cmocka_unit_test(a_wait_is_no_gain),
        cmocka_unit_test(some_plans_are_not_measured),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(measuring_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
