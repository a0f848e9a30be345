/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are collected: what is there stays, memory is taken seldom, and a failure changes
 * nothing. */
#include "core/growing.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

static spl__account account_of(const spl_allocator *allocator)
{
    spl__account account;
    spl__account_init(&account, allocator, NULL, 0);
    return account;
}

static spl_status put(spl__growing *g, spl__account *account, int64_t number)
{
    SPL__TRY(spl__growing_reserve(g, account, sizeof number));
    *(int64_t *)spl__growing_at(g) = number;
    g->count += sizeof number;
    return SPL_OK;
}

static void expect_numbers(const spl__growing *g, int64_t count)
{
    EXPECT(g->count == (size_t)count * sizeof count && g->count <= g->room);
    for (int64_t n = 0; n < count; n++)
        EXPECT(((const int64_t *)g->memory)[n] == n);
}

static void what_is_there_stays(void **state)
{
    (void)state;
    enum { COUNT = 1000, DOUBLINGS = 11 };
    hook_allocator hook;
    hook_start(&hook);
    const spl_allocator allocator = hook_as_allocator(&hook);
    spl__account account = account_of(&allocator);
    spl__growing g = {0};
    EXPECT(!spl__growing_at(&g));
    EXPECT_OK(spl__growing_reserve(&g, &account, 0));
    EXPECT(!g.memory);
    for (int64_t n = 0; n < COUNT; n++)
        EXPECT_OK(put(&g, &account, n));
    EXPECT(hook.allocations <= DOUBLINGS);
    expect_numbers(&g, COUNT);
    EXPECT_OK(spl__growing_end(&g));
    EXPECT(g.room == g.count);
    expect_numbers(&g, COUNT);
    void *memory = spl__growing_take(&g);
    EXPECT(memory && !g.memory && g.count == 0 && g.room == 0);
    spl__free(memory);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    hook_allocator hook;
    hook_start(&hook);
    const spl_allocator allocator = hook_as_allocator(&hook);
    spl__account account = account_of(&allocator);
    spl__growing g = {0};
    for (int64_t n = 0; n < 4; n++)
        EXPECT_OK(put(&g, &account, n));
    hook.fail_at = hook.allocations;
    EXPECT_STATUS(SPL_OUT_OF_MEMORY, put(&g, &account, 4));
    expect_numbers(&g, 4);
    hook.fail_at = -1;
    EXPECT_OK(put(&g, &account, 4));
    expect_numbers(&g, 5);
    spl__free(g.memory);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_stays),
        cmocka_unit_test(a_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
