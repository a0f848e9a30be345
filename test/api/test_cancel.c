/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling through the progress function, at every call of it. */
#include "core/watch.h"
#include "lib/api_calls.h"
#include "lib/hook_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Cancels at the n-th report, for n = 0, 1, ... until the call succeeds. Returns the number of
 * reports. */
static long long cancel_each(hook_allocator *hook, observer *o, spl_context *context,
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

/* ---- longer calls on drawn matrices: every piece of the calling thread reports ---- */

typedef struct work {
    hook_allocator hook;
    observer observer;
    spl_context *context;
    zoo_random random;
    zoo_matrix a, by_columns, square; /* square: fewer rows, for sparse products */
    /* the one of the first two that is multiplied by dense operands */
    const spl_sparse *dense_by;
    double *x, *y;
    char path[64];
    double usual; /* seconds between reports */
} work;

enum { ROWS = 20000, COLUMNS = 24, METHODS = 24 };

static void draw_matrix(zoo_random *random, int64_t rows, spl_format format, zoo_matrix *matrix)
{
    const zoo_maker makers[] = {{"uniform", zoo_uniform, {rows, rows, 12}, false},
                                {"unsorted", zoo_unsorted, {rows, rows, 12}, false},
                                {"banded", zoo_banded, {rows, 6}, false},
                                {"duplicates", zoo_duplicates, {rows, rows, 12 * rows}, false}};
    zoo_form form = zoo_form_number(0);
    zoo_triples triples;
    zoo_make(&triples, &makers[zoo_random_below(random, 4)], zoo_random_next(random));
    form.format = format;
    if (form.format == SPL_COO)
        zoo_triples_shuffle(&triples, zoo_random_next(random));
    zoo_build(matrix, &triples, form);
    zoo_triples_free(&triples);
}

static void work_start(work *w)
{
    *w = (work){.observer = {pthread_self(), 0, -1, false}, .usual = spl__watch_seconds};
    zoo_random_seed(&w->random, testing_seed());
    hook_start(&w->hook);
    w->context = observed_context(&w->hook, &w->observer);
    draw_matrix(&w->random, ROWS, (spl_format)(SPL_CSR + zoo_random_below(&w->random, 3)), &w->a);
    draw_matrix(&w->random, ROWS, SPL_CSC, &w->by_columns);
    draw_matrix(&w->random, ROWS / 4, SPL_CSR, &w->square);
    w->dense_by = &w->a.view;
    w->x = zoo_allocate((size_t)ROWS * COLUMNS * sizeof(double));
    w->y = zoo_allocate((size_t)ROWS * COLUMNS * sizeof(double));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        w->x[i] = w->y[i] = 1;
    snprintf(w->path, sizeof w->path, "test_cancel.%d.mtx", (int)getpid());
    EXPECT_OK(spl_write(w->context, &w->a.view, w->path));
    spl__watch_seconds = 0;
}

static void work_stop(work *w)
{
    spl__watch_seconds = w->usual;
    unlink(w->path);
    zoo_matrix_free(&w->a);
    zoo_matrix_free(&w->by_columns);
    zoo_matrix_free(&w->square);
    free(w->x);
    free(w->y);
    spl_context_destroy(w->context);
    EXPECT(hook_clean(&w->hook));
    hook_stop(&w->hook);
}

static spl_dense dense_of(double *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = SPL_F64;
    dense.order = SPL_ROW_MAJOR;
    dense.rows = ROWS;
    dense.cols = dense.ld = COLUMNS;
    dense.values = values;
    return dense;
}

/* The phase of a method, "spmv/", "spmm/" or "spgemm/". */
static bool is_of(const char *method, const char *operation)
{
    return strncmp(method, operation, strlen(operation)) == 0;
}

static spl_status make_plan(const work *w, const char *method, const spl_options *options,
                            spl_plan **plan)
{
    *plan = NULL;
    if (is_of(method, "spmv/"))
        return spl_spmv_plan(w->context, w->dense_by, options, plan);
    if (is_of(method, "spmm/"))
        return spl_spmm_plan(w->context, w->dense_by, COLUMNS, options, plan);
    return spl_spgemm_plan(w->context, &w->square.view, &w->square.view, NULL, options, plan);
}

/* Plans the given method without cancellation, and executes it; `cancel_at` is the report that
 * cancels. */
static spl_status execute_method(work *w, const char *method, int threads, long long cancel_at)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    spl_dense x = dense_of(w->x), y = dense_of(w->y);
    options.method = method;
    options.keep_result = 1;
    options.threads = threads;
    w->observer.cancel_at = -1;
    spl_status status = make_plan(w, method, &options, &plan);
    if (status != SPL_OK)
        return status;
    w->observer.calls = 0;
    w->observer.cancel_at = cancel_at;
    status = is_of(method, "spmv/")   ? spl_spmv_execute(plan, NULL, w->x, NULL, w->y, NULL)
             : is_of(method, "spmm/") ? spl_spmm_execute(plan, NULL, &x, NULL, &y, NULL)
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
    work w;
    work_start(&w);
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
    work_stop(&w);
}

/* What can fail for want of memory can be cancelled: small blocks and large ones, which the host
 * may have kept. */
static void every_allocation(void **state)
{
    (void)state;
    work w;
    work_start(&w);
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
    work_stop(&w);
}

/* Each call takes its options from `choice` and frees its results; calls that create an object
 * check that a failure created none. */

static spl_status keep_none(spl_status status, spl_matrix *const *made)
{
    EXPECT(status == SPL_OK || !*made);
    spl_matrix_destroy(*made);
    return status;
}

static spl_status do_convert(work *w, uint64_t choice)
{
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *made = NULL;
    options.format = (spl_format)(choice % 4);
    options.type = choice >> 2 & 1 ? SPL_F32 : SPL_F64;
    options.transpose = choice >> 3 & 1;
    options.sort = choice >> 4 & 1;
    options.sum_duplicates = choice >> 5 & 1;
    options.drop_zeros = choice >> 7 & 1;
    options.index_type = choice >> 6 & 1 ? SPL_I64 : SPL_I32;
    return keep_none(spl_convert(w->context, &w->a.view, &options, &made), &made);
}

static spl_status do_describe(work *w, uint64_t choice)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    (void)choice;
    return spl_describe(w->context, &w->a.view, &description);
}

static spl_status do_read(work *w, uint64_t choice)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    spl_matrix *made = NULL;
    options.format = (spl_format)(choice % 4);
    return keep_none(spl_read(w->context, w->path, &options, &made), &made);
}

static spl_status do_write(work *w, uint64_t choice)
{
    (void)choice;
    return spl_write(w->context, &w->a.view, w->path);
}

static spl_status do_plan(work *w, uint64_t choice)
{
    static const char *const operations[] = {"spmv/", "spmm/", "spgemm/"};
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    options.op_a = choice >> 2 & 1 ? SPL_TRANSPOSE : SPL_NONE;
    options.executions = choice >> 3 & 1 ? 1000 : 1;
    options.policy = choice >> 4 & 1 ? SPL_POLICY_MEASURE : SPL_POLICY_COST;
    options.keep_result = 1;
    spl_status status = make_plan(w, operations[choice % 3], &options, &plan);
    EXPECT(status == SPL_OK || !plan);
    spl_plan_destroy(plan);
    EXPECT_OK(spl_wisdom_forget(w->context)); /* a measured choice is kept on purpose */
    return status;
}

/* Makes a plan without cancellation, for a call that the drawn report then cancels. */
static spl_plan *ready_plan(work *w, const char *method, const spl_options *options)
{
    const long long cancel_at = w->observer.cancel_at;
    spl_plan *plan;
    w->observer.cancel_at = -1;
    EXPECT_OK(make_plan(w, method, options, &plan));
    if (is_of(method, "spgemm/"))
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    w->observer.calls = 0;
    w->observer.cancel_at = cancel_at;
    return plan;
}

/* Announces new values of A, which the plan copies, at another address. After a cancel the
 * update is repeated, without the old arrays; the results are those of the new A. */
static spl_status do_update(work *w, uint64_t choice)
{
    static const char *const methods[] = {"spmv/compute/cpu/sliced_ell", "spmv/compute/cpu/ell",
                                          "spmv/compute/cpu/rvs",
                                          "spmv/compute/cpu/identical_rows"};
    spl_options options = SPL_OPTIONS_INIT;
    const zoo_form form = {w->a.view.format, w->a.view.type, w->a.view.offset_type,
                           w->a.view.index_type};
    zoo_triples triples;
    zoo_matrix moved;
    options.method = methods[choice % 4];
    options.op_a = choice >> 2 & 1 ? SPL_TRANSPOSE : SPL_NONE;
    spl_plan *plan = ready_plan(w, options.method, &options);
    zoo_triples_of_view(&triples, &w->a.view);
    zoo_triples_fill(&triples, ZOO_INTEGERS, choice);
    zoo_build(&moved, &triples, form);
    zoo_triples_free(&triples);
    spl_status status = spl_plan_update_values(plan, &moved.view, NULL, NULL, NULL);
    const observer seen = w->observer;
    w->observer.cancel_at = -1;
    zoo_matrix_free(&w->a);
    w->a = moved;
    if (status != SPL_OK)
        EXPECT_OK(spl_plan_update_values(plan, &moved.view, NULL, NULL, NULL));
    EXPECT_OK(spl_spmv_execute(plan, NULL, w->x, NULL, w->y, NULL));
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spmv(NULL, &moved.view, w->x, NULL, NULL, w->y, &options, &check));
    EXPECT(check.ok);
    spl_plan_destroy(plan);
    w->observer = seen;
    return status;
}

/* The same for C = A'*A, where A' is a copy and A is read in place: after a cancel the plan reads
 * the new array of A without being told again, and the old one holds other numbers. */
static spl_status do_update_product(work *w, uint64_t choice)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse old = w->square.view, moved = old, c = SPL_SPARSE_INIT;
    const size_t bytes = (size_t)old.nnz * sizeof(double);
    spl_matrix *made = NULL;
    spl_check check = SPL_CHECK_INIT;
    double *values = memcpy(zoo_allocate(bytes), w->square.values, bytes);
    options.keep_result = 1;
    options.op_a = SPL_TRANSPOSE;
    spl_plan *plan = ready_plan(w, "spgemm/", &options);
    for (int64_t e = 0; e < old.nnz; e++)
        values[e] = (double)((e + (int64_t)(choice % 5)) % 7);
    moved.values = values;
    spl_status status = spl_plan_update_values(plan, &moved, &moved, NULL, NULL);
    const observer seen = w->observer;
    w->observer.cancel_at = -1;
    memset(w->square.values, 0, bytes);
    if (status != SPL_OK)
        EXPECT_OK(spl_plan_update_values(plan, &moved, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &made));
    EXPECT_OK(spl_matrix_view(made, &c));
    EXPECT_OK(spl_check_spgemm(NULL, &moved, &moved, NULL, NULL, &c, &options, &check));
    EXPECT(check.ok);
    spl_matrix_destroy(made);
    spl_plan_destroy(plan);
    memcpy(w->square.values, values, bytes);
    free(values);
    w->observer = seen;
    return status;
}

static spl_status do_export(work *w, uint64_t choice)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_result c = SPL_RESULT_INIT;
    options.keep_result = 1;
    if (choice & 1) /* C has gaps */
        options.method = "spgemm/symbolic/cpu/upper_bound";
    spl_plan *plan = ready_plan(w, "spgemm/", &options);
    EXPECT_OK(spl_spgemm_result(plan, &c));
    void *offsets = zoo_allocate((size_t)(c.rows + 1) * zoo_index_bytes(c.offset_type)),
         *indices = zoo_allocate((size_t)c.nnz * zoo_index_bytes(c.index_type)),
         *values = zoo_allocate((size_t)c.nnz * zoo_type_bytes(c.type));
    spl_status status = spl_spgemm_export(plan, offsets, indices, values, NULL);
    spl_plan_destroy(plan);
    free(offsets);
    free(indices);
    free(values);
    return status;
}

static spl_status do_take(work *w, uint64_t choice)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *made = NULL;
    (void)choice;
    options.keep_result = 1;
    spl_plan *plan = ready_plan(w, "spgemm/", &options);
    spl_status status = spl_spgemm_take(plan, &made);
    spl_plan_destroy(plan);
    return keep_none(status, &made);
}

static spl_status do_spgemm(work *w, uint64_t choice)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *made = NULL;
    options.op_a = choice & 1 ? SPL_TRANSPOSE : SPL_NONE;
    spl_status status =
        spl_spgemm(w->context, NULL, &w->square.view, &w->square.view, NULL, NULL, &options, &made);
    return keep_none(status, &made);
}

static void every_call(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        spl_status (*perform)(work *w, uint64_t choice);
        int least; /* reports; a sliced ELL copies its values between two of them */
    } calls[] = {{"convert", do_convert, 4}, {"describe", do_describe, 4},
                 {"read", do_read, 4},       {"write", do_write, 4},
                 {"plan", do_plan, 4},       {"spgemm", do_spgemm, 4},
                 {"update", do_update, 2},   {"export", do_export, 6},
                 {"take", do_take, 6},       {"update of two", do_update_product, 3}};
    enum { CALLS = sizeof calls / sizeof *calls };
    work w;
    work_start(&w);
    const size_t live = w.hook.live;
    const int step = testing_scale() > 1 ? 7 : 1; /* meets all calls */
    for (int k = 0; k < 6 * CALLS; k += step) {
        const char *name = calls[k % CALLS].name;
        const uint64_t choice = zoo_random_next(&w.random) >> 11;
        testing_case("%s, choice %llu", name, (unsigned long long)choice);
        w.observer.calls = 0;
        w.observer.cancel_at = -1;
        w.context->threads = 1; /* of two, the other may take every piece */
        EXPECT_OK(calls[k % CALLS].perform(&w, choice));
        testing_case("%s, choice %llu, %lld reports", name, (unsigned long long)choice,
                     w.observer.calls);
        EXPECT(w.observer.calls >= calls[k % CALLS].least);
        w.context->threads = 2;
        const long long position = zoo_random_below(&w.random, w.observer.calls);
        testing_case("%s, choice %llu, %lld reports, cancelled at number %lld", name,
                     (unsigned long long)choice, w.observer.calls, position);
        w.observer.calls = 0;
        w.observer.cancel_at = position;
        spl_status status = calls[k % CALLS].perform(&w, choice);
        EXPECT(status == SPL_CANCELLED || (status == SPL_OK && w.observer.calls <= position));
        EXPECT(!w.observer.bad);
        EXPECT(w.hook.live == live && !w.hook.misused);
    }
    work_stop(&w);
}

/* Whoever cancels at the last report gets no matrix either. With one thread two runs report the
 * same number of times. */
static void conversions_by_last_report(void **state)
{
    (void)state;
    enum { DRAWN = 12 };
    work w;
    work_start(&w);
    w.context->threads = 1;
    const size_t live = w.hook.live;
    for (int k = 0; k < DRAWN; k++) {
        const uint64_t choice = zoo_random_next(&w.random) >> 11;
        testing_case("convert, choice %llu", (unsigned long long)choice);
        w.observer.calls = 0;
        w.observer.cancel_at = -1;
        EXPECT_OK(do_convert(&w, choice));
        const long long reports = w.observer.calls;
        w.observer.calls = 0;
        w.observer.cancel_at = reports - 1;
        EXPECT_STATUS(SPL_CANCELLED, do_convert(&w, choice));
        EXPECT(w.observer.calls == reports && !w.observer.bad);
        EXPECT(w.hook.live == live && !w.hook.misused);
    }
    work_stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_report), cmocka_unit_test(others_go_on),
        cmocka_unit_test(every_method),    cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_call),      cmocka_unit_test(conversions_by_last_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
