/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of several processors for a matrix on a device, and memory: allocations that fail, budgets,
 * rows that pass through another device. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "lib/hook_allocator.h"
#include "lib/on_device.h"

#include <stdlib.h>

static const double shares[4] = {2, 3, 2, 2};

static spl_options options_of(uint64_t processors)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = processors;
    options.partition = SPL_PARTITION_NNZ;
    options.capabilities = shares;
    return options;
}

/* y = A*x twice, the second time with new values, all on the device. Returns the blocks of the last
 * part. */
static int64_t run_twice(const on_device *s, resident *a, const spl_options *options,
                         spl_status *status)
{
    test_dense x = test_dense_new(a->view.cols, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(a->view.rows, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
    spl_part_info part = SPL_PART_INFO_INIT;
    spl_plan *plan = NULL;
    int64_t blocks = 0;
    test_dense_fill(&x, ZOO_REAL, 9);
    spl_dense device_x = resident_dense(s, &x), device_y = resident_dense(s, &y);
    *status = spl_spmv_plan(s->context, &a->view, options, &plan);
    for (int round = 0; *status == SPL_OK && round < 2; round++) {
        spl_check check = SPL_CHECK_INIT;
        EXPECT_OK(spl_spmv_execute(plan, NULL, device_x.values, NULL, device_y.values, NULL));
        on_device_get(s, y.memory.data, device_y.values, y.memory.bytes);
        EXPECT_OK(spl_check_spmv(NULL, &a->host.view, x.view.values, NULL, NULL, y.view.values,
                                 NULL, &check));
        EXPECT(check.ok);
        for (int64_t p = 0; p < a->view.nnz; p++)
            zoo_value_set(a->host.values, SPL_F64, p,
                          zoo_value_at(a->host.values, SPL_F64, p) + 0.25);
        EXPECT_OK(spl_array_copy(s->context, s->place, (void *)a->view.values, host_place,
                                 a->host.values, resident_value_bytes(a), NULL));
        EXPECT_OK(spl_plan_update_values(plan, &a->view, NULL, NULL, NULL));
    }
    if (*status == SPL_OK) {
        EXPECT_OK(spl_plan_part(plan, spl_plan_part_count(plan) - 1, &part));
        blocks = part.blocks;
    }
    spl_plan_destroy(plan);
    resident_dense_end(s, &x, &device_x);
    resident_dense_end(s, &y, &device_y);
    test_dense_free(&x);
    test_dense_free(&y);
    return blocks;
}

/* With less and less memory on a device that does not hold A: its rows stay there, pass through
 * in blocks, or are refused. */
static void rows_pass_through_another_device(void **state)
{
    (void)state;
    enum { ROOM = 2000000 };
    const spl_place other = {SPL_EMULATOR, 64};
    const spl_context_options defaults = SPL_CONTEXT_OPTIONS_INIT;
    setenv("SPARLOOM_EMU_MEMORY", "2000000", 1);
    for (uint64_t processors = 4; processors <= 7; processors += testing_few() ? 3 : 1) {
        on_device s = {NULL, {SPL_EMULATOR, 0}};
        spl_context_options with = defaults;
        int64_t most = 0;
        bool refused = false;
        with.devices = "cpu,emu,emu64";
        with.threads = 2;
        EXPECT_OK(spl_context_create(&with, &s.context));
        resident a = resident_make(&s, "uniform_1200", 0);
        for (size_t room = 200000; room > 1500; room = room * 2 / 3) {
            spl_status status;
            void *ballast = NULL;
            spl_options options = options_of(processors);
            testing_case("processors %d, %zu bytes there", (int)processors, room);
            EXPECT_OK(spl_array_alloc(s.context, other, ROOM - room, &ballast));
            int64_t blocks = run_twice(&s, &a, &options, &status);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT(blocks >= most || status != SPL_OK);
            most = blocks > most ? blocks : most;
            refused = refused || status != SPL_OK;
            spl_array_free(s.context, other, ballast, ROOM - room);
        }
        EXPECT(most >= 3 && refused);
        resident_free(&s, &a);
        spl_context_destroy(s.context);
    }
    unsetenv("SPARLOOM_EMU_MEMORY");
}

/* A plan's memory on the host, and on the device that holds A, is within the respective budget. */
static void budgets_hold(void **state)
{
    (void)state;
    on_device s = on_device_start("cpu,emu");
    resident a = resident_make(&s, "uniform_1200", 0);
    int fitted = 0, refused = 0;
    for (size_t budget = 1 << 22; budget > 4000; budget = budget * 3 / 4) {
        spl_plan *plan = NULL;
        spl_options options = options_of(3);
        spl_memory_info before = on_device_memory(&s);
        options.memory_budget = budget;
        options.distributed = 1;
        testing_case("%zu bytes", budget);
        spl_status status = spl_spmv_plan(s.context, &a.view, &options, &plan);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
        EXPECT(on_device_memory(&s).live - before.live <= budget);
        EXPECT(status != SPL_OK || on_device_counters(plan).peak <= budget);
        fitted += status == SPL_OK;
        refused += status != SPL_OK;
        spl_plan_destroy(plan);
        EXPECT(on_device_memory(&s).live == before.live);
    }
    EXPECT(fitted > 2 && refused > 2);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* Sparse products whole, since exports allocate, too. */
enum { PLANS = 6, DENSE_PLANS = 4 };

typedef struct planning {
    on_device s;
    resident a;
    int number; /* of PLANS */
} planning;

static spl_status product_of(planning *p, const spl_options *options)
{
    spl_matrix *c = NULL;
    const spl_sparse *a = &p->a.view;
    spl_status status = spl_spgemm(p->s.context, NULL, a, a, NULL, a, options, &c);
    spl_matrix_destroy(c);
    return status;
}

static spl_status make_plan(void *data)
{
    planning *p = data;
    spl_plan *plan = NULL;
    spl_options options = options_of(p->number % 2 ? 3 : 1);
    if (p->number >= DENSE_PLANS)
        return product_of(p, &options);
    options.distributed = p->number > 1;
    spl_status status = spl_spmm_plan(p->s.context, &p->a.view, 3, &options, &plan);
    spl_plan_destroy(plan);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    hook_allocator hook;
    planning p = {.s = {NULL, {SPL_EMULATOR, 0}}};
    setenv("SPARLOOM_TEST_DEVICE", "emu", 1);
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &p.s.context));
    p.a = resident_make(&p.s, "uniform_40", 4); /* with copies there */
    for (; p.number < PLANS; p.number++) {
        hook.what = p.number < DENSE_PLANS ? "plan" : "product";
        EXPECT(hook_fail_some(&hook, 0, testing_scale(), make_plan, &p).refused > 0);
    }
    resident_free(&p.s, &p.a);
    spl_context_destroy(p.s.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static bool all_ones(const on_device *s, const void *device_data, size_t bytes)
{
    unsigned char *host_data = zoo_allocate(bytes);
    bool ones = true;
    on_device_get(s, host_data, device_data, bytes);
    for (size_t i = 0; i < bytes; i++)
        ones = ones && host_data[i] == 0xff;
    free(host_data);
    return ones;
}

typedef struct exporting {
    const on_device *s;
    spl_plan *plan;
    spl_sparse c;
} exporting;

static spl_status export_there(void *data)
{
    exporting *e = data;
    const spl_sparse *c = &e->c;
    spl_status status =
        spl_spgemm_export(e->plan, (void *)c->offsets, (void *)c->indices, NULL, NULL);
    bool untouched =
        all_ones(e->s, c->offsets, (size_t)(c->rows + 1) * zoo_index_bytes(c->offset_type)) &&
        all_ones(e->s, c->indices, (size_t)c->nnz * zoo_index_bytes(c->index_type));
    EXPECT(untouched == (status != SPL_OK));
    return status;
}

/* C goes there by way of the host, in memory that is taken before anything is written. */
static void an_export_that_fails_has_written_nothing(void **state)
{
    (void)state;
    hook_allocator hook;
    on_device s = {NULL, {SPL_EMULATOR, 0}};
    setenv("SPARLOOM_TEST_DEVICE", "emu", 1);
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &s.context));
    resident a = resident_make(&s, "uniform_40", 0);
    for (uint64_t processors = 1; processors <= 3; processors += 2) {
        spl_plan *plan = NULL;
        spl_options options = options_of(processors);
        options.executions = 100; /* no bound */
        EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
        EXPECT(!plan_has_bound(plan));
        exporting e = {&s, plan, resident_product(&s, plan)};
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, (void *)e.c.values, NULL));
        EXPECT(hook_fail_each(&hook, export_there, &e).refused > 0);
        resident_product_free(&s, &e.c);
        spl_plan_destroy(plan);
    }
    resident_free(&s, &a);
    spl_context_destroy(s.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_that_fails_has_written_nothing),
        cmocka_unit_test(rows_pass_through_another_device),
        cmocka_unit_test(budgets_hold),
        cmocka_unit_test(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
