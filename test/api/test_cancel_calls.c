/* SPDX-License-Identifier: Apache-2.0 */
/* Cancelling calls that convert, read, write, plan, update and export, at a drawn report. */
#include "sparloom/measured.h"

#include "core/context.h"
#include "lib/cancelling.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

/* Each call takes its options from `choice` and frees its results; calls that create an object
 * check that a failure created none. */

static spl_status keep_none(spl_status status, spl_matrix *const *made)
{
    EXPECT(status == SPL_OK || !*made);
    spl_matrix_destroy(*made);
    return status;
}

static spl_status do_convert(cancelled_work *w, uint64_t choice)
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

static spl_status do_describe(cancelled_work *w, uint64_t choice)
{
    spl_description description = SPL_DESCRIPTION_INIT;
    (void)choice;
    return spl_describe(w->context, &w->a.view, &description);
}

static spl_status do_read(cancelled_work *w, uint64_t choice)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    spl_matrix *made = NULL;
    options.format = (spl_format)(choice % 4);
    return keep_none(spl_read(w->context, w->path, &options, &made), &made);
}

static spl_status do_write(cancelled_work *w, uint64_t choice)
{
    (void)choice;
    return spl_write(w->context, &w->a.view, w->path);
}

static spl_status do_plan(cancelled_work *w, uint64_t choice)
{
    static const char *const operations[] = {"spmv/", "spmm/", "spgemm/"};
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    options.op_a = choice >> 2 & 1 ? SPL_TRANSPOSE : SPL_NONE;
    options.executions = choice >> 3 & 1 ? 1000 : 1;
    options.policy = choice >> 4 & 1 ? SPL_POLICY_MEASURE : SPL_POLICY_COST;
    options.keep_result = 1;
    spl_status status = cancelled_plan(w, operations[choice % 3], &options, &plan);
    EXPECT(status == SPL_OK || !plan);
    spl_plan_destroy(plan);
    EXPECT_OK(spl_wisdom_forget(w->context)); /* a measured choice is kept on purpose */
    return status;
}

/* Makes a plan without cancellation, for a call that the drawn report then cancels. */
static spl_plan *ready_plan(cancelled_work *w, const char *method, const spl_options *options)
{
    const long long cancel_at = w->observer.cancel_at;
    spl_plan *plan;
    w->observer.cancel_at = -1;
    EXPECT_OK(cancelled_plan(w, method, options, &plan));
    if (cancel_is_of(method, "spgemm/"))
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    w->observer.calls = 0;
    w->observer.cancel_at = cancel_at;
    return plan;
}

/* Announces new values of A, which the plan copies, at another address. After a cancel the
 * update is repeated, without the old arrays; the results are those of the new A. */
static spl_status do_update(cancelled_work *w, uint64_t choice)
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
    const cancel_observer seen = w->observer;
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
static spl_status do_update_product(cancelled_work *w, uint64_t choice)
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
    const cancel_observer seen = w->observer;
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

static spl_status do_export(cancelled_work *w, uint64_t choice)
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

static spl_status do_take(cancelled_work *w, uint64_t choice)
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

static spl_status do_spgemm(cancelled_work *w, uint64_t choice)
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
        spl_status (*perform)(cancelled_work *w, uint64_t choice);
        int least; /* reports; a sliced ELL copies its values between two of them */
    } calls[] = {{"convert", do_convert, 4}, {"describe", do_describe, 4},
                 {"read", do_read, 4},       {"write", do_write, 4},
                 {"plan", do_plan, 4},       {"spgemm", do_spgemm, 4},
                 {"update", do_update, 2},   {"export", do_export, 6},
                 {"take", do_take, 6},       {"update of two", do_update_product, 3}};
    enum { CALLS = sizeof calls / sizeof *calls };
    cancelled_work w;
    cancelled_work_start(&w);
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
        EXPECT(!w.observer.bad && w.hook.live == live && !w.hook.misused);
    }
    cancelled_work_stop(&w);
}

/* A cancel at the last report gives no matrix either. With one thread two runs report the same
 * number of times. */
static void conversions_by_last_report(void **state)
{
    (void)state;
    enum { DRAWN = 12 };
    cancelled_work w;
    cancelled_work_start(&w);
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
    cancelled_work_stop(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call),
        cmocka_unit_test(conversions_by_last_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
