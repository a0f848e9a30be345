/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 3: whichever allocation fails, the status says so, outputs stay
 * untouched, nothing leaks. */
#include "lib/api_calls.h"
#include "lib/hook_allocator.h"
#include "lib/run_products.h"
#include "zoo/holed_matrices.h"

enum { MOST_ALLOCATIONS = 3000 };

/* Of the allocations every step-th fails, from the first one on: on emulated devices, which take
 * long, `make check` lets a third fail, others in each run. */
static int step(void)
{
    return testing_few() ? 3 : 1;
}

static long long first(void)
{
    return (long long)(testing_fresh_seed() % (unsigned)step());
}

typedef struct performance {
    spl_context *context;
    const api_operands *operands;
    const api_call *call;
} performance;

static spl_status perform(void *data)
{
    const performance *p = data;
    return api_call_perform(p->call, p->context, p->operands, NULL);
}

static void every_call(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context = NULL;
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 40);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    for (int c = 0; c < api_call_count; c++) {
        performance p = {context, &operands, &api_calls[c]};
        hook.what = api_calls[c].name;
        hook_fail_some(&hook, first(), step(), perform, &p);
    }
    EXPECT(!testing_device() || hook.device_peak > 0);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    api_operands_free(&operands);
    hook_stop(&hook);
}

static void context_creation(void **state)
{
    (void)state;
    spl_status status = SPL_OUT_OF_MEMORY;
    for (long long k = 0; status != SPL_OK; k++) {
        hook_allocator hook;
        spl_context *const before = (spl_context *)(void *)&hook, *context = before;
        hook_start(&hook);
        hook.fail_at = k;
        testing_case("context, allocation %lld fails", k);
        status = hook_context(&hook, 2, 0, &context);
        if (status == SPL_OK) {
            spl_context_destroy(context);
        } else {
            testing_status(SPL_OUT_OF_MEMORY, status, "spl_context_create", __FILE__, __LINE__);
            EXPECT(context == before);
        }
        EXPECT(hook_clean(&hook) && k < MOST_ALLOCATIONS);
        hook_stop(&hook);
    }
}

/* The allocator refuses at random: allocations also fail in the middle of parallel work. */
static void little_memory(void **state)
{
    (void)state;
    hook_allocator hook;
    spl_context *context = NULL;
    api_operands operands;
    hook_start(&hook);
    api_operands_make(&operands, 300);
    EXPECT_OK(hook_context(&hook, 4, 0, &context));
    size_t live = hook.live;
    const bool many = testing_scale() == 1;
    for (int c = 0; c < api_call_count; c += many ? 1 : 3)
        for (size_t limit = live; limit < live + (1 << 22); limit += limit / (many ? 5 : 2) + 1) {
            hook.limit = limit;
            testing_case("%s, allocator limited to %zu bytes", api_calls[c].name, limit);
            spl_status status = api_call_perform(&api_calls[c], context, &operands, NULL);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
            EXPECT(hook.live == live && hook.device_live == 0);
        }
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    api_operands_free(&operands);
    hook_stop(&hook);
}

typedef struct product {
    spl_context *context;
    const spgemm_run *run;
} product;

static spl_status multiply(void *data)
{
    const product *p = data;
    return run_spgemm(p->context, p->run);
}

/* One allocation fails, and what comes in place of its method finds nothing left over. */
static void methods_in_place_of_others(void **state)
{
    (void)state;
    static const spl_policy policies[] = {SPL_POLICY_COST, SPL_POLICY_RULES};
    hook_allocator hook;
    spl_context *context = NULL;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    hook.once = true;
    for (int n = 0; n < 4; n++) {
        zoo_matrix a;
        holed_matrix(&a, &holed_shapes[n % 2 ? HOLED_MESH : HOLED_NOWHERE], 3, 0);
        spgemm_run run = {.a = &a.view,
                          .b = &a.view,
                          .options = SPL_OPTIONS_INIT,
                          .scalars = testing_scalars_of(1, 0)};
        run.options.policy = policies[n / 2];
        product p = {context, &run};
        hook.what = n % 2 ? "mesh with holes" : "no holes";
        hook_fail_some(&hook, first(), step(), multiply, &p);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call),
        cmocka_unit_test(context_creation),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(methods_in_place_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
