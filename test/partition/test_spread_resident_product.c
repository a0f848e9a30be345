/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products by several processors of matrices that are resident on a device, which may or
 * may not compute, too; C is on this device, too. */
#include "lib/several.h"

#include <string.h>

static const spl_partition_kind kinds[3] = {0, SPL_PARTITION_ROWS, SPL_PARTITION_NNZ};

/* C = 2*A*A^T - D/2 where the operands live, D in every other case. */
typedef struct product {
    resident a, d;
    spgemm_run run; /* for the oracle */
    bool with_d;
} product;

static product make_product(const on_device *s, int i, spl_options options)
{
    product p = {.with_d = false};
    zoo_form form = zoo_form_number(i % 3 * 3); /* of both types */
    form.format = i % 4 == 3 ? SPL_COO : SPL_CSR;
    zoo_matrix_make(&p.a.host, &zoo_tiny[i], zoo_form_number(i % ZOO_FORMS), testing_seed());
    form.type = p.a.host.view.type;
    const zoo_maker square = {"d", zoo_uniform, {p.a.host.view.rows, p.a.host.view.rows, 2}, false};
    zoo_matrix_make(&p.d.host, &square, form, testing_seed() + 5);
    resident_upload(s, &p.a);
    resident_upload(s, &p.d);
    options.op_b = SPL_TRANSPOSE;
    p.with_d = i % 2 && p.a.host.view.rows >= 2;
    p.run = (spgemm_run){.options = options, .scalars = testing_scalars_of(2, -0.5)};
    return p;
}

static void free_product(const on_device *s, product *p)
{
    resident_free(s, &p->a);
    resident_free(s, &p->d);
}

/* The oracle reads the operands on the host, also after arrays have moved. */
static void expect_right(const on_device *s, product *p, const spl_sparse *c)
{
    p->run.a = p->run.b = &p->a.host.view;
    p->run.d = p->with_d ? &p->d.host.view : NULL;
    resident_expect(s, &p->run, c);
}

static const spl_sparse *summand(const product *p)
{
    return p->with_d ? &p->d.view : NULL;
}

static void expect_taken(const on_device *s, product *p, spl_matrix *c)
{
    spl_sparse view = resident_view_of(c);
    expect_right(s, p, &view);
    spl_matrix_destroy(c);
}

static void at_once(const on_device *s, product *p, const void *alpha, const void *beta)
{
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm(s->context, alpha, &p->a.view, &p->a.view, beta, summand(p),
                         &p->run.options, &c));
    expect_taken(s, p, c);
}

/* Into arrays there that were poisoned; those of a plan that keeps C, or has but a bound of it, are
 * exported and taken, too. */
static void by_a_plan(const on_device *s, product *p, const void *alpha, const void *beta)
{
    spl_plan *plan = NULL;
    spl_matrix *taken = NULL;
    EXPECT_OK(
        spl_spgemm_plan(s->context, &p->a.view, &p->a.view, summand(p), &p->run.options, &plan));
    bool bound = plan_has_bound(plan), keeps = bound || p->run.options.keep_result;
    if (keeps)
        EXPECT_OK(spl_spgemm_execute(plan, alpha, beta, NULL, NULL));
    spl_sparse c = resident_product(s, plan);
    if (!bound)
        EXPECT_OK(spl_spgemm_execute(plan, alpha, beta, (void *)c.values, NULL));
    EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices,
                                bound ? (void *)c.values : NULL, NULL));
    EXPECT_OK(spl_sync(s->context, NULL));
    expect_right(s, p, &c);
    if (keeps) {
        EXPECT_OK(spl_spgemm_take(plan, &taken));
        expect_taken(s, p, taken);
    }
    resident_product_free(s, &c);
    spl_plan_destroy(plan);
}

static void every_mix_is_right(void **state)
{
    (void)state;
    int step = testing_few() ? 9 : 1;
    for (int owner = 1; owner <= 2; owner++) {
        on_device s = several_start(owner);
        for (int i = owner - 1; i < zoo_tiny_count; i += step * testing_scale()) {
            spl_options options =
                several_options(mixes[i % MIXES], kinds[i % 3], i % 3 ? shares[i % SHARES] : NULL);
            double storage[2];
            options.keep_result = i % 5 == 2;
            options.unsorted = i % 7 == 3;
            options.method =
                i % 4 == 1 && mixes[i % MIXES] & 1 ? "spgemm/symbolic/cpu/upper_bound" : NULL;
            product p = make_product(&s, i, options);
            const void *alpha =
                testing_scalar_pointer(p.run.scalars.alpha, p.a.host.view.type, &storage[0]);
            const void *beta =
                testing_scalar_pointer(p.run.scalars.beta, p.a.host.view.type, &storage[1]);
            testing_case("%s, number %d, on processor %d, processors %d", zoo_tiny[i].name, i,
                         owner, (int)options.processors);
            by_a_plan(&s, &p, alpha, beta);
            at_once(&s, &p, alpha, beta);
            free_product(&s, &p);
        }
        on_device_stop(&s);
    }
}

/* A new array of values there. */
static void renew(const on_device *s, resident *m, int round)
{
    const void *old = m->view.values;
    zoo_value_set(m->host.values, SPL_F64, 3 * round, 5 + round);
    zoo_value_set(m->host.values, SPL_F64, m->view.nnz - 1, 7 + round);
    m->view.values = on_device_put(s, m->host.values, resident_value_bytes(m));
    on_device_drop(s, old, resident_value_bytes(m));
}

/* New values of A, of B and of D, each with the others' or alone, without an allocation; every part
 * has computed. Form 4 has copies of columns there. */
static void new_values_are_noticed(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident m[3] = {resident_make(&s, "uniform_40", 0), resident_make(&s, "uniform_40", 4),
                     resident_make(&s, "uniform_40", 0)};
    spgemm_run run = {.options = several_options(15, SPL_PARTITION_NNZ, shares[0]),
                      .scalars = testing_scalars_of(1, 1)};
    const double one = 1;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(s.context, &m[0].view, &m[1].view, &m[2].view, &run.options, &plan));
    spl_sparse c = resident_product(&s, plan);
    int64_t allocations = on_device_counters(plan).allocations;
    for (int round = 0; round < 5; round++) {
        const spl_sparse *changed[3];
        for (int k = 0; k < 3; k++) {
            bool renewed = round == 0 || round == 4 || k == round - 1;
            if (renewed)
                renew(&s, &m[k], round);
            changed[k] = renewed ? &m[k].view : NULL;
        }
        EXPECT_OK(spl_plan_update_values(plan, changed[0], changed[1], changed[2], NULL));
        EXPECT_OK(spl_spgemm_execute(plan, NULL, &one, (void *)c.values, NULL));
        EXPECT(on_device_counters(plan).allocations == allocations);
        EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices, NULL, NULL));
        allocations = on_device_counters(plan).allocations;
        run.a = &m[0].host.view;
        run.b = &m[1].host.view;
        run.d = &m[2].host.view;
        testing_case("round %d", round);
        resident_expect(&s, &run, &c);
    }
    for (int32_t k = 0; k < PROCESSORS; k++)
        EXPECT(several_part(plan, k).rows > 0 && several_part(plan, k).execution > 0);
    resident_product_free(&s, &c);
    spl_plan_destroy(plan);
    for (int k = 0; k < 3; k++)
        resident_free(&s, &m[k]);
    on_device_stop(&s);
}

/* Where the device that holds them has all rows, values stay there, and calls wait for nothing. */
static void what_is_there_is_read_there(void **state)
{
    (void)state;
    static const double one_device[PROCESSORS] = {0, 1, 0, 0};
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_1200", 0);
    for (int others = 0; others < 2; others++) {
        spl_options options =
            several_options(7, SPL_PARTITION_NNZ, others ? shares[0] : one_device);
        spgemm_run run = {&a.host.view, &a.host.view, NULL, options, testing_scalars_of(1, 0),
                          false};
        spl_plan *plan = NULL;
        char text[16384];
        EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
        spl_sparse c = resident_product(&s, plan);
        spl_counters before = on_device_counters(plan);
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, (void *)c.values, NULL));
        spl_counters after = on_device_counters(plan);
        testing_case("others %d", others);
        EXPECT((after.fetched > before.fetched) == others &&
               (after.synchronisations > before.synchronisations) == others);
        /* one structure, and numbers */
        EXPECT(others || before.fetched < (int64_t)resident_value_bytes(&a));
        EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices, NULL, NULL));
        EXPECT_OK(spl_plan_wait(plan));
        resident_expect(&s, &run, &c);
        EXPECT(several_part(plan, 1).execution > 0 &&
               several_part(plan, 1).predicted_transfer == 0);
        EXPECT(several_part(plan, 0).rows == 0 || several_part(plan, 0).predicted_transfer > 0);
        EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
        EXPECT(strstr(text, "A, B and D are read on emulator, 32 lanes, where they live"));
        resident_product_free(&s, &c);
        spl_plan_destroy(plan);
    }
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* A device's predicted seconds are those of its methods, in one-shot calls as in plans. */
static void shares_follow_methods_of_devices(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_1200", 0);
    static const char *const methods[] = {"spgemm/numeric/gpu/", "spgemm/symbolic/gpu/"};
    for (int once = 0; once < 2; once++) {
        spl_options options = several_options(3, SPL_PARTITION_COST, NULL);
        options.executions = once ? 1 : 0;
        double rows[2];
        for (int slow = 0; slow < 2; slow++) {
            spl_plan *plan = NULL;
            for (int m = 0; m < 2; m++)
                several_slow_down(&s, methods[m], slow ? 1e4 : 1);
            EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
            rows[slow] = (double)several_part(plan, 1).rows;
            spl_plan_destroy(plan);
        }
        testing_case("once %d: %g, then %g rows of %d on the device", once, rows[0], rows[1],
                     (int)a.view.rows);
        EXPECT(rows[0] > 0.5 * (double)a.view.rows && rows[1] < 0.1 * (double)a.view.rows);
    }
    resident_free(&s, &a);
    on_device_stop(&s);
}

static void wrong_operands_are_noticed(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_options options = several_options(3, SPL_PARTITION_NNZ, shares[0]);
    spl_plan *plan = NULL;
    double here[4] = {0};
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(s.context, &a.view, &a.host.view, NULL, &options, &plan));
    options.partition = SPL_PARTITION_DENSITY;
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
    options.partition = SPL_PARTITION_NNZ;
    EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_execute(plan, NULL, NULL, here, NULL));
    EXPECT(strstr(spl_error_detail(), "not in the memory of") && here[0] == 0);
    spl_plan_destroy(plan);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mix_is_right),
        cmocka_unit_test(new_values_are_noticed),
        cmocka_unit_test(what_is_there_is_read_there),
        cmocka_unit_test(shares_follow_methods_of_devices),
        cmocka_unit_test(wrong_operands_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
