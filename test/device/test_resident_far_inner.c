/* SPDX-License-Identifier: Apache-2.0 */
/* op(A)*op(B) of matrices on a device whose inner dimension is far longer than A and B have
 * entries: memory depends on the entries only, on the host and on the device. */
#include "lib/far_product.h"
#include "lib/on_device.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 8 << 20, MOST_ENTRIES = 64, ALL = 3 };

/* The far operands and D on the device of the test. */
typedef struct residents {
    on_device s;
    resident a, b, d;
} residents;

static residents put_on_device(const on_device *s, const far_product *p)
{
    residents r = {.s = *s};
    r.a.host = p->a.far;
    r.b.host = p->b.far;
    r.d.host = p->d;
    resident_upload(s, &r.a);
    resident_upload(s, &r.b);
    resident_upload(s, &r.d);
    return r;
}

static void take_from_device(residents *r)
{
    resident *const all[] = {&r->a, &r->b, &r->d};
    for (int k = 0; k < 3; k++) {
        all[k]->host = (zoo_matrix){0}; /* the problem's */
        resident_free(&r->s, all[k]);
    }
}

static void expect_same_there(const residents *r, spl_matrix *c, const spl_matrix *expected)
{
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    spl_sparse copy = on_device_copy_to_host(&r->s, &view);
    spl_sparse e = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(expected, &e));
    far_product_expect(&copy, &e);
    on_device_drop_copy(&copy);
    spl_matrix_destroy(c);
}

/* Values are doubled in place, C with them twice: beta is 0. */
static void try_new_values(const residents *r, const far_product *p, spl_plan *plan)
{
    const resident *const both[] = {&r->a, &r->b};
    spl_matrix *c = NULL, *expected = NULL;
    for (int k = 0; k < 2; k++) {
        double values[MOST_ENTRIES];
        int64_t nnz = both[k]->view.nnz;
        EXPECT(nnz <= MOST_ENTRIES);
        on_device_get(&r->s, values, both[k]->view.values, (size_t)nnz * sizeof *values);
        for (int64_t e = 0; e < nnz; e++)
            values[e] *= 2;
        if (nnz > 0)
            EXPECT_OK(spl_array_copy(r->s.context, r->s.place, (void *)both[k]->view.values,
                                     host_place, values, (size_t)nnz * sizeof *values, NULL));
    }
    EXPECT_OK(spl_plan_update_values(plan, &r->a.view, &r->b.view, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, &(double){0}, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    EXPECT_OK(spl_spgemm(r->s.context, &(double){4}, &p->a.near.view, &p->b.near.view, &(double){0},
                         far_product_d(p), &p->options, &expected));
    expect_same_there(r, c, expected);
    spl_matrix_destroy(expected);
}

/* The first index of A or B that is out of range is named, as on the host. */
static void try_bad_index(zoo_random *random, const residents *r, const far_product *p)
{
    const resident *bad = zoo_random_below(random, 2) ? &r->a : &r->b;
    spl_sparse v = bad->view;
    spl_matrix *c = NULL;
    if (v.nnz == 0)
        return;
    int64_t first = zoo_random_below(random, v.nnz), wide = p->inner + (first % 2);
    bool rows = v.format == SPL_COO && v.rows == p->inner;
    size_t size = zoo_index_bytes(v.index_type);
    char *array = (char *)(rows ? v.offsets : v.indices);
    for (int64_t k = first; k < v.nnz; k += 1 + v.nnz / 3) {
        int32_t narrow = wide > INT32_MAX || k % 3 == 0 ? -1 : (int32_t)wide;
        int64_t index = k % 3 == 0 ? -1 : wide;
        const void *from = size == sizeof index ? (const void *)&index : &narrow;
        EXPECT_OK(spl_array_copy(r->s.context, r->s.place, array + (size_t)k * size, host_place,
                                 from, size, NULL));
    }
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spgemm(r->s.context, NULL, &r->a.view, &r->b.view, NULL,
                                                 NULL, &p->options, &c));
    char expected[32];
    snprintf(expected, sizeof expected, "entry %lld", (long long)first);
    testing_case("entry %lld of %d: %s", (long long)first, (int)v.format, spl_error_detail());
    EXPECT(strstr(spl_error_detail(), expected));
}

static size_t host_peak(const on_device *s)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(s->context, host_place, &info));
    return info.peak;
}

static void try_plan(const residents *r, const far_product *p, const spl_sparse *d,
                     const spl_matrix *expected)
{
    const double beta = FAR_BETA;
    spl_matrix *c = NULL;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(r->s.context, &r->a.view, &r->b.view, d, &p->options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, &beta, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    expect_same_there(r, c, expected);
    try_new_values(r, p, plan);
    spl_plan_destroy(plan);
}

static void try_product(const on_device *s, zoo_random *random, int64_t inner)
{
    const double beta = FAR_BETA;
    far_product p = far_product_draw(random, inner);
    residents r = put_on_device(s, &p);
    const spl_sparse *d = p.has_d ? &r.d.view : NULL;
    spl_matrix *c = NULL, *expected = far_product_of_near(s->context, &p);
    p.options.processors = zoo_random_below(random, 2) ? ALL : 0;
    far_product_say(&p);
    EXPECT_OK(spl_spgemm(s->context, NULL, &r.a.view, &r.b.view, &beta, d, &p.options, &c));
    expect_same_there(&r, c, expected);
    try_plan(&r, &p, d, expected);
    try_bad_index(random, &r, &p);
    EXPECT(host_peak(s) <= MOST_BYTES && on_device_memory(s).peak <= MOST_BYTES);
    spl_matrix_destroy(expected);
    take_from_device(&r);
    far_product_free(&p);
}

static void inner_indices_on_a_device_cost_nothing(void **state)
{
    zoo_random random;
    on_device s = on_device_start(*state);
    zoo_random_seed(&random, testing_seed());
    for (int bits = 24; bits <= 60; bits += testing_scale() > 1 ? 6 : 1)
        try_product(&s, &random,
                    ((int64_t)1 << bits) + zoo_random_below(&random, (int64_t)1 << bits));
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(inner_indices_on_a_device_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
