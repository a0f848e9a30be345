/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot products on a device whose rows are summed as their columns are found: rows of at most
 * 256 columns, far apart, as a sample of them promises. */
#include "lib/on_device.h"

#include "plan/plan.h"

#include <string.h>

/* `rows` rows of `entries` random entries times `inner` rows of as many, whose columns are among
 * `apart` ones at equal distances, but in the last quarter, which every wild-th row of A meets, if
 * there are such rows. */
typedef struct sum_case {
    const char *name;
    int64_t rows, inner, entries, cols, apart, wild;
    bool summed;
} sum_case;

static const sum_case cases[] = {
    {"products that are sorted", 300, 200, 16, 40000, 40000, 0, false},
    {"few columns", 300, 200, 22, 60000, 120, 0, true},
    {"few columns, most of them in all rows", 300, 200, 22, 64000, 64, 0, true},
    {"few columns but in some rows", 300, 400, 22, 60000, 120, 10, true},
    {"hardly more products than are sorted", 300, 200, 17, 40000, 170, 0, true},
    {"many columns", 300, 200, 22, 60000, 60000, 0, false},
    {"columns for the last bit of keys", 300, 200, 22, 1 << 23, 120, 0, true},
    {"columns beyond keys", 300, 200, 22, (1 << 23) + 1, 120, 0, false},
    {"few rows", 200, 200, 22, 40000, 120, 0, false},
    {"more columns than there is room for", 3800, 200, 17, 40000, 170, 0, true},
};

/* One of `count` from `first` on, the same for the same numbers. */
static int64_t drawn(uint64_t seed, int64_t row, int64_t k, int64_t first, int64_t count)
{
    uint64_t x = seed ^ ((uint64_t)row << 20) ^ (uint64_t)k;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return first + (int64_t)((x ^ (x >> 31)) % (uint64_t)count);
}

static double value(int64_t row, int64_t k)
{
    return 1 + (double)((row * 7 + k * 3) % 11) / 8;
}

static void make_left(zoo_matrix *a, const sum_case *c, zoo_form form, uint64_t seed)
{
    zoo_triples t;
    const int64_t tame = c->wild ? c->inner / 4 * 3 : c->inner, step = tame / c->entries;
    zoo_triples_start(&t, c->rows, c->inner);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t k = 0; k < c->entries; k++)
            if (c->wild && i % c->wild == 0)
                zoo_triples_add(&t, i, tame + (i + 3 * k) % (c->inner - tame), value(i, k));
            else
                zoo_triples_add(&t, i, drawn(seed, i, k, k * step, step), value(i, k));
    zoo_build(a, &t, form);
    zoo_triples_free(&t);
}

static void make_right(zoo_matrix *b, const sum_case *c, zoo_form form, uint64_t seed)
{
    zoo_triples t;
    const int64_t tame = c->wild ? c->inner / 4 * 3 : c->inner;
    zoo_triples_start(&t, c->inner, c->cols);
    for (int64_t i = 0; i < c->inner; i++) {
        const int64_t apart = i < tame ? c->apart : c->cols, each = apart / c->entries;
        for (int64_t k = 0; k < c->entries; k++)
            zoo_triples_add(&t, i, drawn(seed, i, k, k * each, each) * (c->cols / apart),
                            value(k, i));
    }
    zoo_triples_add(&t, 0, c->cols - 1, 1);
    zoo_build(b, &t, form);
    zoo_triples_free(&t);
}

static spl_plan *plan_once(const on_device *s, const resident *a, const resident *b,
                           const void *alpha)
{
    const spl__request request = {.kind = SPL__KIND_spgemm,
                                  .a = &a->view,
                                  .b = &b->view,
                                  .once = true,
                                  .factor_known = true,
                                  .factor = alpha};
    spl_plan *plan = NULL;
    EXPECT_OK(spl__plan_make(s->context, &request, &plan));
    return plan;
}

static bool plan_sums(const on_device *s, const resident *a, const resident *b, const void *alpha)
{
    static char text[16384];
    spl_plan *plan = plan_once(s, a, b, alpha);
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    spl_plan_destroy(plan);
    return strstr(text, "found and summed at once") != NULL;
}

static void multiply(const on_device *s, const resident *a, const resident *b, double alpha)
{
    const float narrow = (float)alpha;
    const void *factor = a->view.type == SPL_F32 ? (const void *)&narrow : (const void *)&alpha;
    const spgemm_run run = {.a = &a->host.view,
                            .b = &b->host.view,
                            .options = SPL_OPTIONS_INIT,
                            .scalars = testing_scalars_of(alpha, 0)};
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm(s->context, factor, &a->view, &b->view, NULL, NULL, NULL, &c));
    spl_sparse view = resident_view_of(c);
    resident_expect(s, &run, &view);
    spl_matrix_destroy(c);
}

static void rows_are_summed(void **state)
{
    static const double two = 2;
    on_device s = on_device_start(*state);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (int f = 0; f < 4; f++) {
            const sum_case *c = &cases[n];
            const zoo_form form = resident_form(f);
            resident a, b;
            if (n > 0 && f != (int)(n % 4)) /* each form with some cases */
                continue;
            testing_case("%s, %s, %s", (const char *)*state, c->name, zoo_form_name(form));
            make_left(&a.host, c, form, testing_seed() + (uint64_t)f);
            make_right(&b.host, c, form, testing_seed() + 10 + (uint64_t)f);
            resident_upload(&s, &a);
            resident_upload(&s, &b);
            EXPECT(plan_sums(&s, &a, &b, NULL) == c->summed);
            multiply(&s, &a, &b, 1);
            if (n < 2) { /* the factor is the same for all cases */
                EXPECT(form.type == SPL_F32 || !plan_sums(&s, &a, &b, &two));
                multiply(&s, &a, &b, 2);
            }
            resident_free(&s, &a);
            resident_free(&s, &b);
        }
    on_device_stop(&s);
}

/* Rows that are too few to be summed are sampled beside their bins, so that the numeric method is
 * chosen, and its bins are made, once: the host waits for what operands, products and C have. */
static void few_rows_are_sampled(void **state)
{
    static const sum_case few[] = {{"few columns", 200, 200, 22, 40000, 120, 0, false},
                                   {"many columns", 200, 200, 22, 40000, 40000, 0, false}};
    on_device s = on_device_start(*state);
    for (size_t n = 0; n < sizeof few / sizeof *few; n++) {
        resident a, b;
        make_left(&a.host, &few[n], resident_form(0), testing_seed());
        make_right(&b.host, &few[n], resident_form(0), testing_seed() + 1);
        resident_upload(&s, &a);
        resident_upload(&s, &b);
        spl_plan *plan = plan_once(&s, &a, &b, NULL);
        testing_case("%s, %s, %d waits", (const char *)*state, few[n].name,
                     (int)on_device_counters(plan).synchronisations);
        EXPECT(on_device_counters(plan).synchronisations == 3);
        spl_plan_destroy(plan);
        multiply(&s, &a, &b, 1);
        resident_free(&s, &a);
        resident_free(&s, &b);
    }
    on_device_stop(&s);
}

/* Values that the default stream still has to copy: also rows that are summed while the plan is
 * made come after them. */
static void values_are_on_their_way(void **state)
{
    on_device s = on_device_start(*state);
    for (size_t n = 0; n < 2; n++) {
        resident a, b;
        void *copied = NULL;
        make_left(&a.host, &cases[n], resident_form(0), testing_seed());
        make_right(&b.host, &cases[n], resident_form(0), testing_seed() + 1);
        resident_upload(&s, &a);
        resident_upload(&s, &b);
        testing_case("%s, %s", (const char *)*state, cases[n].name);
        const void *const values = b.view.values;
        const size_t bytes = resident_value_bytes(&b);
        EXPECT_OK(spl_array_alloc(s.context, s.place, bytes, &copied));
        EXPECT_OK(spl_array_copy(s.context, s.place, copied, s.place, values, bytes, NULL));
        b.view.values = copied;
        multiply(&s, &a, &b, 1);
        on_device_drop(&s, values, bytes);
        resident_free(&s, &a);
        resident_free(&s, &b);
    }
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(rows_are_summed),
                                       ON_BOTH_WIDTHS(few_rows_are_sampled),
                                       ON_BOTH_WIDTHS(values_are_on_their_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
