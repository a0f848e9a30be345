/* SPDX-License-Identifier: Apache-2.0 */
/* Memory accounts: what is live is counted, in the account and in its parents, and held against every budget. */
#include "core/checked.h"
#include "core/memory.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

typedef struct setting {
    hook_allocator hook;
    spl_allocator allocator;
    spl__account parent, child;
} setting;

static void start(setting *s, size_t parent_budget, size_t child_budget)
{
    hook_start(&s->hook);
    s->allocator = hook_as_allocator(&s->hook);
    spl__account_init(&s->parent, &s->allocator, NULL, parent_budget);
    spl__account_init(&s->child, &s->allocator, &s->parent, child_budget);
}

static void expect_live(setting *s)
{
    size_t parent = atomic_load(&s->parent.live);
    testing_case("live %zu, parent says %zu", s->hook.live, parent);
    EXPECT(parent == s->hook.live);
    EXPECT(atomic_load(&s->parent.peak) >= parent && atomic_load(&s->child.live) <= parent);
}

static void stop(setting *s)
{
    expect_live(s);
    EXPECT(s->hook.live == 0 && atomic_load(&s->child.live) == 0);
    EXPECT(hook_clean(&s->hook));
    hook_stop(&s->hook);
}

static void both_accounts_are_charged_and_refunded(void **state)
{
    (void)state;
    setting s;
    void *a, *b, *none = &s;
    start(&s, 0, 0);
    EXPECT_OK(spl__alloc(&s.child, 100, 8, &a));
    EXPECT_OK(spl__alloc_zero(&s.parent, 10, 1, &b));
    EXPECT((uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    for (int i = 0; i < 10; i++)
        EXPECT(((char *)b)[i] == 0);
    expect_live(&s);
    EXPECT(atomic_load(&s.child.live) >= 800 && atomic_load(&s.child.allocations) == 1);
    EXPECT_OK(spl__alloc(&s.child, 0, 8, &none));
    EXPECT(none == NULL);
    spl__free(NULL);
    spl__free(a);
    EXPECT(atomic_load(&s.child.live) == 0);
    spl__free(b);
    stop(&s);
}

static void budgets_hold_and_failures_are_refunded(void **state)
{
    (void)state;
    setting s;
    void *a, *b;
    start(&s, 2000, 1000);
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__alloc(&s.child, 1000, 1, &a)); /* its header does not fit any more */
    EXPECT(a == NULL);
    expect_live(&s);
    EXPECT_OK(spl__alloc(&s.child, 900, 1, &a));
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__alloc(&s.child, 900, 1, &b));
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__alloc(&s.parent, 1100, 1, &b));
    expect_live(&s);
    EXPECT_OK(spl__alloc(&s.parent, 900, 1, &b));
    spl__free(b);
    s.hook.fail_at = 0;
    EXPECT_STATUS(SPL_OUT_OF_MEMORY, spl__alloc(&s.parent, 900, 1, &b));
    EXPECT(b == NULL);
    spl__free(a);
    stop(&s);
}

/* Over the parent's budget alone: what the child was charged must be given back. */
static void a_parents_refusal_refunds_the_child(void **state)
{
    (void)state;
    setting s;
    void *a, *b;
    start(&s, 1000, 4000);
    EXPECT_OK(spl__alloc(&s.child, 800, 1, &a));
    size_t live = atomic_load(&s.child.live);
    for (int repeat = 0; repeat < 10; repeat++)
        EXPECT_STATUS(SPL_OVER_BUDGET, spl__alloc(&s.child, 800, 1, &b));
    EXPECT(atomic_load(&s.child.live) == live);
    spl__free(a);
    stop(&s);
}

static void impossible_sizes(void **state)
{
    (void)state;
    setting s;
    void *a;
    start(&s, 0, 0);
    EXPECT(spl__alloc(&s.child, INT64_MAX, 8, &a) != SPL_OK && a == NULL);
    EXPECT(spl__alloc(&s.child, INT64_MAX / 8, 8, &a) != SPL_OK && a == NULL);
    EXPECT(spl__alloc(&s.child, -1, 8, &a) != SPL_OK && a == NULL);
    stop(&s);
}

static void blocks_can_move_to_the_parent(void **state)
{
    (void)state;
    setting s;
    void *a;
    start(&s, 0, 0);
    EXPECT_OK(spl__alloc(&s.child, 500, 1, &a));
    spl__memory_move(a, &s.parent);
    spl__memory_move(NULL, &s.parent);
    EXPECT(atomic_load(&s.child.live) == 0);
    expect_live(&s);
    spl__free(a);
    stop(&s);
}

static void checked_arithmetic(void **state)
{
    (void)state;
    int64_t r;
    size_t z;
    EXPECT(spl__add_i64(INT64_MAX - 1, 1, &r) && r == INT64_MAX);
    EXPECT(!spl__add_i64(INT64_MAX, 1, &r));
    EXPECT(spl__mul_i64((int64_t)1 << 31, (int64_t)1 << 31, &r) && r == (int64_t)1 << 62);
    EXPECT(!spl__mul_i64((int64_t)1 << 32, (int64_t)1 << 31, &r));
    EXPECT(!spl__mul_size(SIZE_MAX, 2, &z));
    EXPECT(spl__ceil_pow2(1) == 1 && spl__ceil_pow2(2) == 2 && spl__ceil_pow2(3) == 4);
    EXPECT(spl__ceil_pow2(((int64_t)1 << 40) + 1) == (int64_t)1 << 41);
    EXPECT(spl__ceil_pow2((int64_t)1 << 62) == (int64_t)1 << 62);
}

/* Memory without headers goes from one child to another; the parent sees nothing of it. */
static void charges_can_be_passed_on(void **state)
{
    (void)state;
    setting s;
    spl__account heir;
    start(&s, 1000, 800);
    spl__account_init(&heir, &s.allocator, &s.parent, 0);
    EXPECT_OK(spl__account_charge(&s.child, 700));
    spl__account_pass(&s.child, &heir, 500);
    EXPECT(atomic_load(&s.child.live) == 200 && atomic_load(&heir.live) == 500 && atomic_load(&s.parent.live) == 700);
    EXPECT_OK(spl__account_charge(&s.child, 300));                    /* 500 of its 800 */
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__account_charge(&s.child, 1)); /* but all of the parent's */
    spl__account_refund(&heir, 500);
    spl__account_refund(&s.child, 500);
    EXPECT(atomic_load(&heir.live) == 0);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_accounts_are_charged_and_refunded),
        cmocka_unit_test(budgets_hold_and_failures_are_refunded),
        cmocka_unit_test(a_parents_refusal_refunds_the_child),
        cmocka_unit_test(impossible_sizes),
        cmocka_unit_test(blocks_can_move_to_the_parent),
        cmocka_unit_test(charges_can_be_passed_on),
        cmocka_unit_test(checked_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
