/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling through the progress function, at every call of it: one-shot calls, executions of
 * every method, allocations. */
#include "core/watch.h"
#include "lib/api_calls.h"
#include "lib/cancelling.h"

#include <string.h>

enum { METHODS = 24 };

/* Cancels at the n-th report, for n = 0, 1, ... until the call succeeds. Returns the number of
 * reports. */
static long long cancel_each(hook_allocator *hook, cancel_observer *o, spl_context *context,
                             const api_operands *operands, const api_call *call)
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
    cancel_observer o = {pthread_self(), 0, -1, false};
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 60);
    spl_context *context = cancel_context(&hook, &o);
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
    cancel_observer o = {pthread_self(), 0, -1, false};
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 60);
    spl_context *context = cancel_context(&hook, &o);
    spgemm_run run = {&operands.csr.view, &operands.coo.view,       NULL,
                      SPL_OPTIONS_INIT,   testing_scalars_of(1, 0), false};
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

static spl_dense cancel_dense(double *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = SPL_F64;
    dense.order = SPL_ROW_MAJOR;
    dense.rows = CANCEL_ROWS;
    dense.cols = dense.ld = CANCEL_COLUMNS;
    dense.values = values;
    return dense;
}

/* Plans the given method without cancellation, and executes it; `cancel_at` is the report that
 * cancels. */
static spl_status execute_method(cancelled_work *w, const char *method, int threads,
                                 long long cancel_at)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    spl_dense x = cancel_dense(w->x), y = cancel_dense(w->y);
    options.method = method;
    options.keep_result = 1;
    options.threads = threads;
    w->observer.cancel_at = -1;
    spl_status status = cancelled_plan(w, method, &options, &plan);
    if (status != SPL_OK)
        return status;
    w->observer.calls = 0;
    w->observer.cancel_at = cancel_at;
    status = cancel_is_of(method, "spmv/")   ? spl_spmv_execute(plan, NULL, w->x, NULL, w->y, NULL)
             : cancel_is_of(method, "spmm/") ? spl_spmm_execute(plan, NULL, &x, NULL, &y, NULL)
                                             : spl_spgemm_execute(plan, NULL, NULL, NULL, NULL);
    spl_plan_destroy(plan);
    return status;
}

/* Every method polls the watch in its loop over pieces: it reports when an execution begins and
 * while it lasts. */
static void every_method(void **state)
{
    (void)state;
    static const char *const phases[] = {"spmv/", "spmm/", "spgemm/numeric/"};
    const char *ids[METHODS];
    cancelled_work w;
    cancelled_work_start(&w);
    for (int p = 0; p < 3; p++) {
        int count = testing_methods(phases[p], ids, METHODS);
        for (int m = (int)zoo_random_below(&w.random, testing_scale()); m < count;
             m += testing_scale()) {
            testing_case("%s", ids[m]);
            w.dense_by = &w.a.view;
            spl_status status = execute_method(&w, ids[m], 1, -1);
            if (status == SPL_UNSUPPORTED) {
                w.dense_by = &w.by_columns.view;
                status = execute_method(&w, ids[m], 1, -1);
            }
            if (status == SPL_UNSUPPORTED)
                continue;
            /* three reports are outside the loop */
            EXPECT(status == SPL_OK && w.observer.calls > 3);
            const long long position = zoo_random_below(&w.random, w.observer.calls);
            testing_case("%s, %lld reports, cancelled at number %lld", ids[m], w.observer.calls,
                         position);
            status = execute_method(&w, ids[m], 2, position);
            EXPECT(status == SPL_CANCELLED || (status == SPL_OK && w.observer.calls <= position));
        }
    }
    EXPECT(!w.observer.bad);
    cancelled_work_stop(&w);
}

/* What can fail for want of memory can be cancelled: small blocks and large ones, which the host
 * may have kept. */
static void every_allocation(void **state)
{
    (void)state;
    cancelled_work w;
    cancelled_work_start(&w);
    spl__watched call;
    spl__account *account = spl__watched_begin(&call, w.context, "allocating", 0);
    for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 2) {
        void *memory;
        w.observer.calls = 0;
        EXPECT_OK(spl__alloc(account, bytes, 1, &memory));
        EXPECT(w.observer.calls == 1);
        spl__free(memory);
        EXPECT(w.observer.calls == 1);
    }
    void *memory;
    w.observer.cancel_at = w.observer.calls;
    EXPECT_STATUS(SPL_CANCELLED, spl__alloc(account, 1, 1, &memory));
    EXPECT(!memory);
    cancelled_work_stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_report),
        cmocka_unit_test(others_go_on),
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
