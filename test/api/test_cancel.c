/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling through the progress function, at every call of it. */
#include "lib/api_calls.h"
#include "lib/hook_allocator.h"

#include <string.h>

typedef struct observer {
    pthread_t caller;
    long long calls, cancel_at; /* -1: never */
    bool bad;                   /* wrong thread, no stage, senseless numbers */
} observer;

static int observe(void *user, const char *stage, int64_t done, int64_t total)
{
    observer *o = user;
    if (!pthread_equal(pthread_self(), o->caller) || !stage || !*stage || done < 0 || total < 0 ||
        (total > 0 && done > total))
        o->bad = true;
    return o->calls++ == o->cancel_at;
}

static spl_context *observed_context(hook_allocator *hook, observer *o)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = 2;
    options.allocator = hook_as_allocator(hook);
    options.progress = observe;
    options.progress_user = o;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

/* Cancels at the n-th report, for n = 0, 1, ... until the call succeeds. Returns the number of reports. */
static long long cancel_each(hook_allocator *hook, observer *o, spl_context *context, const api_operands *operands,
                             const api_call *call)
{
    spl_status status = SPL_CANCELLED;
    size_t live = hook->live;
    for (long long n = 0; status != SPL_OK; n++) {
        o->calls = 0;
        o->cancel_at = n;
        testing_case("%s, cancelled at report %lld", call->name, n);
        status = api_call_perform(call, context, operands, NULL);
        if (status != SPL_OK)
            testing_status(SPL_CANCELLED, status, call->name, __FILE__, __LINE__);
        EXPECT(hook->live == live && !hook->misused && !o->bad);
        EXPECT(status == SPL_CANCELLED || o->calls <= n);
        EXPECT(n < 10000);
    }
    return o->calls;
}

static void at_every_report(void **state)
{
    (void)state;
    hook_allocator hook;
    observer o = {pthread_self(), 0, -1, false};
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 60);
    spl_context *context = observed_context(&hook, &o);
    long long reports = 0;
    for (int c = 0; c < api_call_count; c++) {
        long long n = cancel_each(&hook, &o, context, &operands, &api_calls[c]);
        if (strncmp(api_calls[c].name, "spgemm", 6) == 0)
            reports += n;
    }
    spl_context_destroy(context);
    print_message("%lld reports from spgemm\n", reports);
    EXPECT(reports > 0);
    EXPECT(hook_clean(&hook));
    api_operands_free(&operands);
    hook_stop(&hook);
}

/* A cancelled call leaves the inputs, the context and other plans usable. */
static void others_go_on(void **state)
{
    (void)state;
    hook_allocator hook;
    observer o = {pthread_self(), 0, -1, false};
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 60);
    spl_context *context = observed_context(&hook, &o);
    spgemm_run run = {&operands.csr.view, &operands.coo.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    spl_plan *plan = NULL, *other = NULL;
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, NULL, NULL, &plan));
    o.calls = o.cancel_at = 0;
    EXPECT_STATUS(SPL_CANCELLED, spl_spgemm_plan(context, run.a, run.b, NULL, NULL, &other));
    EXPECT(other == NULL);
    o.cancel_at = -1;
    test_product c;
    EXPECT_OK(execute_spgemm(plan, plan_has_bound(plan), &run, &c));
    expect_spgemm(&run, &c.view);
    test_product_free(&c);
    spl_plan_destroy(plan);
    EXPECT_OK(run_spgemm(context, &run));
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    api_operands_free(&operands);
    hook_stop(&hook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_report),
        cmocka_unit_test(others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
