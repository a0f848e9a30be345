/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that a context keeps: the second product finds its pages there, budgets and
 * spl_trim hold, callers' allocators see every block. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <sys/resource.h>

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static size_t kept(spl_context *context)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(context, (spl_place){SPL_HOST, 0}, &info));
    return info.kept;
}

static spl_context *new_context(spl_context_options options)
{
    spl_context *context = NULL;
    options.size = sizeof options;
    options.threads = 1;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static zoo_matrix mesh(void)
{
    static const zoo_maker box = {"box", zoo_box, {40, 40, 30, 1}, false};
    zoo_matrix a;
    zoo_matrix_make(&a, &box, zoo_form_number(0), 1);
    return a;
}

/* One product A*A, destroyed again; the pages that were touched for the first time. */
static long multiply(spl_context *context, const zoo_matrix *a)
{
    spl_matrix *c = NULL;
    long before = faults();
    EXPECT_OK(spl_spgemm(context, NULL, &a->view, &a->view, NULL, NULL, NULL, &c));
    spl_matrix_destroy(c);
    return faults() - before;
}

static void a_second_product_needs_no_new_pages(void **state)
{
    (void)state;
    if (testing_scale() > 1) /* sanitizers touch pages of their own, or see the ends of blocks */
        skip();
    zoo_matrix a = mesh();
    spl_context *context = new_context((spl_context_options){0});
    long first = multiply(context, &a), second = multiply(context, &a);
    testing_case("page faults: %ld, then %ld", first, second);
    EXPECT(kept(context) > (size_t)1 << 20);
    EXPECT(second < first / 4);
    EXPECT_OK(spl_trim(context));
    EXPECT(kept(context) == 0);
    testing_case("page faults: %ld, %ld after a trim", first, multiply(context, &a));
    spl_context_destroy(context);
    zoo_matrix_free(&a);
}

/* Whatever the budget, live and kept bytes are within it. */
static void budgets_count_what_is_kept(void **state)
{
    (void)state;
    zoo_matrix a = mesh();
    spl_context *measured = new_context((spl_context_options){0});
    multiply(measured, &a);
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(measured, (spl_place){SPL_HOST, 0}, &info));
    spl_context_destroy(measured);
    for (size_t part = 1; part < 4; part++) {
        spl_context_options options = {.memory_budget = info.peak + info.peak / 4 * part};
        spl_context *context = new_context(options);
        void *array;
        multiply(context, &a);
        EXPECT(testing_scale() > 1 || kept(context) > 0);
        EXPECT(kept(context) <= options.memory_budget);
        EXPECT_OK(spl_array_alloc(context, (spl_place){SPL_HOST, 0}, info.peak, &array));
        testing_case("budget %zu, live %zu, kept %zu", options.memory_budget, info.peak,
                     kept(context));
        EXPECT(kept(context) <= options.memory_budget - info.peak);
        spl_array_free(context, (spl_place){SPL_HOST, 0}, array, info.peak);
        EXPECT(kept(context) <= options.memory_budget);
        spl_context_destroy(context);
    }
    zoo_matrix_free(&a);
}

static void options_limit_what_is_kept(void **state)
{
    (void)state;
    zoo_matrix a = mesh();
    const size_t limits[] = {1, 1 << 20, 3 << 20};
    for (int i = 0; i < 3; i++) {
        spl_context *context = new_context((spl_context_options){.kept_memory = limits[i]});
        for (int time = 0; time < 3; time++) {
            multiply(context, &a);
            testing_case("limit %zu, kept %zu", limits[i], kept(context));
            EXPECT(kept(context) <= limits[i]);
        }
        spl_context_destroy(context);
    }
    zoo_matrix_free(&a);
}

static void allocators_of_callers_see_every_block(void **state)
{
    (void)state;
    zoo_matrix a = mesh();
    hook_allocator hook;
    spl_context *context = NULL;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 1, 0, &context));
    size_t before = hook.live;
    multiply(context, &a);
    EXPECT(kept(context) == 0 && hook.live == before && hook.peak > (size_t)1 << 20);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_product_needs_no_new_pages),
        cmocka_unit_test(budgets_count_what_is_kept),
        cmocka_unit_test(options_limit_what_is_kept),
        cmocka_unit_test(allocators_of_callers_see_every_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
