/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of several processors for a matrix that lives on a device: one that computes too, or not;
 * with the CPU, with other devices. */
#include "sparloom/measured.h"

#include "lib/several_dense.h"

#include <stdlib.h>
#include <string.h>

static const spl_partition_kind kinds[] = {0, SPL_PARTITION_ROWS, SPL_PARTITION_NNZ,
                                           SPL_PARTITION_COST};

static spl_status multiply(const on_device *s, const resident *a, const spmm_run *run,
                           const several_dense *o)
{
    double storage[2];
    spl_plan *plan = NULL;
    const void *alpha = testing_scalar_pointer(run->scalars.alpha, run->a->type, &storage[0]);
    const void *beta = testing_scalar_pointer(run->scalars.beta, run->a->type, &storage[1]);
    bool vector =
        run->columns == 1 && run->order_b == SPL_COLUMN_MAJOR && run->order_c == SPL_COLUMN_MAJOR;
    const void *x = o->device_b.values;
    void *y = o->device_c.values;
    if (run->one_shot)
        return vector ? spl_spmv(s->context, alpha, &a->view, x, beta, y, &run->options)
                      : spl_spmm(s->context, alpha, &a->view, &o->device_b, beta, &o->device_c,
                                 &run->options);
    spl_status status =
        vector ? spl_spmv_plan(s->context, &a->view, &run->options, &plan)
               : spl_spmm_plan(s->context, &a->view, run->columns, &run->options, &plan);
    if (status == SPL_OK)
        status = vector ? spl_spmv_execute(plan, alpha, x, beta, y, NULL)
                        : spl_spmm_execute(plan, alpha, &o->device_b, beta, &o->device_c, NULL);
    spl_plan_destroy(plan);
    return status;
}

/* One product from operands to verdict. */
static void expect_product(const on_device *s, const resident *a, const spmm_run *run)
{
    several_dense o = several_dense_of(s, run);
    EXPECT_OK(multiply(s, a, run, &o));
    several_dense_expect(s, run, &o);
    several_dense_free(s, &o);
}

/* ---- results ---- */

/* Each case has another mix, owner, kind of partition, form, shares, scalars, orders, gaps. */
static void every_mix_is_right(void **state)
{
    (void)state;
    int step = testing_few() ? 9 : 1;
    for (int owner = 1; owner <= 2; owner++) {
        on_device s = several_start(owner);
        for (int i = owner - 1; i < zoo_tiny_count; i += step * testing_scale()) {
            resident a;
            zoo_form form = zoo_form_number(i % ZOO_FORMS);
            if (i % 5 > 2)
                form.type = i % 5 == 3 ? SPL_F16 : SPL_BF16;
            zoo_matrix_make(&a.host, &zoo_tiny[i], form, testing_seed());
            resident_upload(&s, &a);
            uint64_t mix = mixes[i % MIXES];
            spl_options options = several_options(mix, kinds[i % 4], i % 3 ? shares[i % 4] : NULL);
            options.op_a = i % 2 ? SPL_TRANSPOSE : SPL_NONE;
            spl_order order_b = i % 4 < 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
            spl_order order_c = i % 8 < 4 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR;
            spmm_run spmm = {&a.host.view,
                             i % 7,
                             order_b,
                             order_c,
                             i % 3,
                             options,
                             testing_scalars(11 * i % TEST_SCALARS),
                             i % 5 == 4};
            spmm_run spmv = {&a.host.view,
                             1,
                             SPL_COLUMN_MAJOR,
                             SPL_COLUMN_MAJOR,
                             0,
                             options,
                             testing_scalars(7 * i % TEST_SCALARS),
                             i % 6 == 5};
            testing_case("%s, %s, on processor %d, processors %d, partition %d", zoo_tiny[i].name,
                         zoo_form_name(form), owner, (int)mix, (int)kinds[i % 4]);
            expect_product(&s, &a, &spmv);
            expect_product(&s, &a, &spmm);
            resident_free(&s, &a);
        }
        on_device_stop(&s);
    }
}

/* ---- parts ---- */

/* New values in a new array. */
static void renew_values(const on_device *s, resident *a, double shift)
{
    const void *old = a->view.values;
    for (int64_t p = 0; p < a->view.nnz; p++)
        zoo_value_set(a->host.values, SPL_F64, p, 1.0 / ((double)(p + 2) + shift));
    a->view.values = on_device_put(s, a->host.values, resident_value_bytes(a));
    on_device_drop(s, old, resident_value_bytes(a));
}

/* Every part is what it says, the work is all done, and new values are noticed; nothing is
 * allocated. Form 0 is read in place, form 4 has a copy of the columns there, A^T one of all. */
static void parts_and_new_values(void **state)
{
    (void)state;
    on_device s = several_start(1);
    for (int k = 0; k < 4; k++) {
        resident a = resident_make(&s, "uniform_1200", k % 2 ? 4 : 0);
        spl_options options = several_options(15, kinds[k], shares[0]);
        options.op_a = k > 1 ? SPL_TRANSPOSE : SPL_NONE;
        spmm_run run = several_vector_run(&a, options, testing_scalars_of(1, 0));
        several_dense o = several_dense_of(&s, &run);
        spl_plan *plan = NULL;
        int64_t rows = 0, work = 0;
        testing_case("partition %d", (int)kinds[k]);
        EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
        EXPECT(spl_plan_part_count(plan) == PROCESSORS && spl_plan_step_count(plan) == PROCESSORS);
        for (int32_t i = 0; i < PROCESSORS; i++) {
            spl_part_info part = several_part(plan, i);
            EXPECT(part.processor == i && part.begin == rows && part.blocks == 1 && !part.x &&
                   !part.order);
            EXPECT(part.rows > 0 && part.predicted_execution > 0 &&
                   (part.predicted_transfer > 0) == (i != 1));
            rows += part.rows;
            work += part.work;
        }
        EXPECT(rows == a.view.rows && work == a.view.nnz);
        int64_t allocations = on_device_counters(plan).allocations;
        for (int round = 0; round < 3; round++) {
            EXPECT_OK(
                spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.device_c.values, NULL));
            several_dense_expect(&s, &run, &o);
            renew_values(&s, &a, round);
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        }
        EXPECT(several_part(plan, 0).execution > 0 && several_part(plan, 0).transfer > 0 &&
               several_part(plan, 1).execution > 0 && several_part(plan, 2).transfer > 0);
        EXPECT(on_device_counters(plan).allocations == allocations &&
               on_device_counters(plan).executions == 3);
        spl_plan_destroy(plan);
        several_dense_free(&s, &o);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

/* The device that holds A has no copy of its rows, and neither x nor y: but their offsets, and room
 * for a mask of them. */
static void what_is_there_is_read_there(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_1200", 0);
    spl_options options = several_options(3, SPL_PARTITION_NNZ, shares[0]);
    options.method = "spmv/compute/gpu/csr_scalar";
    spl_plan *plan = NULL;
    size_t before = on_device_memory(&s).live;
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    spl_part_info part = several_part(plan, 1);
    EXPECT(part.rows > 0 && part.rows < a.view.rows);
    char text[8192];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, "A, x and y are read on emulator, 32 lanes, where they live"));
    EXPECT(on_device_memory(&s).live - before <=
           (size_t)(part.rows + 1) * sizeof(int32_t) + (size_t)part.rows);
    spl_plan_destroy(plan);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* ---- predicted shares ---- */

/* The CPU's share of the entries, with x and y that stay. */
static double share_of_cpu(const on_device *s, const resident *a)
{
    spl_options options = several_options(3, 0, NULL);
    spl_plan *plan = NULL;
    options.distributed = 1;
    EXPECT_OK(spl_spmv_plan(s->context, &a->view, &options, &plan));
    double share = (double)several_part(plan, 0).work / (double)a->view.nnz;
    spl_plan_destroy(plan);
    return share;
}

/* The CPU's share gains at least a tenth, or it is empty; it is empty, too, if its threads sleep
 * too deeply. */
static void rows_leave_where_that_pays(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_1200", 0);
    bool some = false, none = false;
    EXPECT_OK(spl_machine_set(s.context, "cpu/parallel_wake", 1e-12));
    for (double factor = 1e-3; factor < 1e4; factor *= 1.4) {
        several_slow_down(&s, "spmv/compute/cpu/", factor);
        double share = share_of_cpu(&s, &a);
        testing_case("CPU %g times slower: %g of the entries", factor, share);
        EXPECT(share == 0 || share > 0.08);
        some = some || share > 0;
        none = none || share == 0;
    }
    EXPECT(some && none);
    several_slow_down(&s, "spmv/compute/cpu/", 1e-3);
    EXPECT_OK(spl_machine_set(s.context, "cpu/parallel_wake", 1));
    EXPECT(share_of_cpu(&s, &a) == 0);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* ---- order ---- */

/* If the device that holds A has all rows, a call does not synchronise and is ordered with the
 * caller's stream: x is written in it before the call, and y is read in it afterwards. With more
 * processors the first half holds, too, and y is complete when the call returns. */
static void calls_are_in_order_with_the_stream(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_1200", 0);
    for (int k = 0; k < 3; k++) {
        const bool others = k == 1, parts_first = k == 2;
        static const double one_device[PROCESSORS] = {0, 1, 0, 0};
        spl_options options =
            several_options(7, SPL_PARTITION_NNZ, others ? shares[0] : one_device);
        spmm_run run = several_vector_run(&a, options, testing_scalars_of(1, 0));
        several_dense o = several_dense_of(&s, &run);
        several_dense held = several_dense_of(&s, &run);
        size_t x_bytes = o.b.memory.bytes, y_bytes = o.c.memory.bytes;
        spl_plan *plan = NULL;
        EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
        void *x = on_device_put(&s, held.before.memory.data, x_bytes); /* NaN */
        EXPECT(a.view.rows == a.view.cols && x_bytes == y_bytes);
        int64_t waits = on_device_counters(plan).synchronisations;
        EXPECT_OK(spl_array_copy(s.context, s.place, x, s.place, o.device_b.values, x_bytes, NULL));
        void *inside = (char *)x + ((char *)o.b.view.values - (char *)o.b.memory.data);
        void *result =
            (char *)held.device_c.values + ((char *)o.c.view.values - (char *)o.c.memory.data);
        for (int again = 0; again < 2; again++)
            EXPECT_OK(spl_spmv_execute(plan, NULL, inside, NULL, result, NULL));
        EXPECT((on_device_counters(plan).synchronisations == waits) == !others);
        if (parts_first) /* the parts' streams do not run ahead of the caller's */
            EXPECT_OK(spl_plan_wait(plan));
        EXPECT_OK(spl_array_copy(s.context, s.place, o.device_c.values, s.place,
                                 held.device_c.values, y_bytes, NULL));
        EXPECT_OK(spl_sync(s.context, NULL));
        several_dense_expect(&s, &run, &o);
        spl_plan_destroy(plan);
        on_device_drop(&s, x, x_bytes);
        several_dense_free(&s, &o);
        several_dense_free(&s, &held);
    }
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* ---- operands that stay ---- */

/* x goes to all once; y = 0.2*A*x + y five times without it; then y comes where A lives. */
static void operands_may_stay(void **state)
{
    (void)state;
    on_device s = several_start(2);
    resident a = resident_make(&s, "uniform_1200", 0);
    for (int m = 0; m < MIXES; m++) {
        spl_options options = several_options(mixes[m], SPL_PARTITION_NNZ, shares[0]);
        const double fifth = 0.2, one = 1, none = 0;
        spmm_run run = several_vector_run(&a, options, testing_scalars_of(1, 0));
        several_dense o = several_dense_of(&s, &run);
        spl_plan *plan = NULL;
        options.distributed = 1;
        testing_case("processors %d", (int)mixes[m]);
        EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
        EXPECT_OK(spl_spmv_execute(plan, &fifth, o.device_b.values, NULL, NULL, NULL));
        int64_t fetched = on_device_counters(plan).fetched;
        for (int round = 0; round < 4; round++)
            EXPECT_OK(spl_spmv_execute(plan, &fifth, NULL, &one, NULL, NULL));
        EXPECT(on_device_counters(plan).fetched == fetched);
        EXPECT_OK(spl_plan_wait(plan));
        EXPECT(several_part(plan, 0).x && several_part(plan, 0).y);
        /* x stays, y comes back */
        EXPECT_OK(spl_spmv_execute(plan, NULL, NULL, NULL, o.device_c.values, NULL));
        several_dense_expect(&s, &run, &o);
        EXPECT_OK(spl_spmv_execute(plan, &none, o.device_b.values, &one, o.device_c.values,
                                   NULL)); /* y goes there, and back */
        several_dense_expect(&s, &run, &o);
        spl_plan_destroy(plan);
        several_dense_free(&s, &o);
    }
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mix_is_right),
        cmocka_unit_test(parts_and_new_values),
        cmocka_unit_test(rows_leave_where_that_pays),
        cmocka_unit_test(what_is_there_is_read_there),
        cmocka_unit_test(calls_are_in_order_with_the_stream),
        cmocka_unit_test(operands_may_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
