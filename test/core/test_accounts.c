/* SPDX-License-Identifier: Apache-2.0 */
/* Memory accounts: what is live is counted, in the account and in its parents, and held against
 * every budget. */
#include "core/checked.h"
#include "core/memory.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <pthread.h>
#include <string.h>

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
    EXPECT(atomic_load(&s->parent.held) == 0 && atomic_load(&s->child.held) == 0);
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

/* The library's own blocks, small ones and larger ones, made shorter across what tells them apart.
 */
static void own_blocks_are_aligned_and_keep_bytes(void **state)
{
    (void)state;
    static const size_t bytes[] = {1, 64, 900, 5000, 32600, 33000, 100000};
    enum { SIZES = sizeof bytes / sizeof *bytes };
    spl__account account;
    spl__account_init(&account, &spl__malloc_allocator, NULL, 0);
    for (int from = 0; from < SIZES; from++)
        for (int to = 0; to <= from; to++) {
            unsigned char *block[2]; /* neighbours would notice */
            for (int k = 0; k < 2; k++) {
                EXPECT_OK(spl__alloc(&account, (int64_t)bytes[from], 1, (void **)&block[k]));
                EXPECT((uintptr_t)block[k] % 64 == 0);
                memset(block[k], from + k + 1, bytes[from]);
            }
            EXPECT_OK(spl__shrink((void **)&block[0], bytes[to]));
            for (int k = 0; k < 2; k++) {
                const size_t left = bytes[k == 0 ? to : from];
                EXPECT(block[k][0] == from + k + 1 && block[k][left - 1] == from + k + 1);
                spl__free(block[k]);
            }
        }
    EXPECT(atomic_load(&account.live) == 0 && atomic_load(&account.held) == 0);
}

static void budgets_hold_and_failures_are_refunded(void **state)
{
    (void)state;
    setting s;
    void *a, *b;
    start(&s, 2000, 1000);
    /* its header does not fit any more */
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__alloc(&s.child, 1000, 1, &a));
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
    EXPECT_OK(spl__account_reserve(&s.child, 700));
    EXPECT(atomic_load(&s.child.live) == 0 && atomic_load(&s.parent.peak) == 0);
    spl__account_begin(&s.child, 700);
    spl__account_pass(&s.child, &heir, 500);
    EXPECT(atomic_load(&s.child.live) == 200 && atomic_load(&heir.live) == 500 &&
           atomic_load(&s.parent.live) == 700);
    EXPECT_OK(spl__account_reserve(&s.child, 300));                    /* 500 of its 800 */
    EXPECT_STATUS(SPL_OVER_BUDGET, spl__account_reserve(&s.child, 1)); /* but all of the parent's */
    spl__account_release(&s.child, 300);
    spl__account_end(&heir, 500);
    spl__account_release(&heir, 500);
    spl__account_end(&s.child, 200);
    spl__account_release(&s.child, 200);
    EXPECT(atomic_load(&heir.live) == 0 && atomic_load(&heir.held) == 0);
    EXPECT(atomic_load(&s.parent.peak) == 700);
    stop(&s);
}

/* The account's numbers while its allocator runs. */
typedef struct witness {
    spl__account account;
    hook_allocator hook;
    size_t held[2], live[2]; /* in alloc, in free */
} witness;

static void look(witness *w, int position)
{
    w->held[position] = atomic_load(&w->account.held);
    w->live[position] = atomic_load(&w->account.live);
}

static void *look_and_alloc(void *user, size_t bytes, size_t align, spl_place place,
                            const spl_stream *stream)
{
    spl_allocator real = hook_as_allocator(&((witness *)user)->hook);
    look(user, 0);
    return real.alloc(real.user, bytes, align, place, stream);
}

static void look_and_free(void *user, void *memory, size_t bytes, spl_place place,
                          const spl_stream *stream)
{
    spl_allocator real = hook_as_allocator(&((witness *)user)->hook);
    look(user, 1);
    real.free(real.user, memory, bytes, place, stream);
}

/* The budget of a block is free only after the allocator has it back; the block is live only
 * after the allocator has granted it. */
static void memory_is_held_before_and_after_it_lives(void **state)
{
    (void)state;
    witness w = {.held = {0}};
    spl_allocator allocator = {&w, look_and_alloc, look_and_free};
    void *a;
    hook_start(&w.hook);
    spl__account_init(&w.account, &allocator, NULL, 0);
    EXPECT_OK(spl__alloc(&w.account, 1000, 1, &a));
    EXPECT(w.held[0] > 1000 && w.live[0] == 0);
    spl__free(a);
    EXPECT(w.held[1] == w.held[0] && w.live[1] == 0);
    EXPECT(atomic_load(&w.account.held) == 0 && hook_clean(&w.hook));
    hook_stop(&w.hook);
}

/* ---- an allocator that refuses at random ---- */

enum { WORKERS = 4, ROUNDS = 2000, HELD = 8, LARGEST = 6000, BUDGET = 100000 };

typedef struct worker {
    pthread_t thread;
    setting *setting;
    zoo_random random;
    int granted, refused;
} worker;

/* Asks for blocks of random sizes, of either account, and gives them back in any order. */
static void *ask(void *argument)
{
    worker *w = argument;
    void *blocks[HELD] = {NULL};
    for (int round = 0; round < ROUNDS; round++) {
        void **block = &blocks[zoo_random_below(&w->random, HELD)];
        spl__account *account =
            zoo_random_below(&w->random, 2) ? &w->setting->child : &w->setting->parent;
        spl__free(*block);
        bool granted =
            spl__alloc(account, 1 + zoo_random_below(&w->random, LARGEST), 1, block) == SPL_OK;
        w->granted += granted;
        w->refused += !granted;
    }
    for (int b = 0; b < HELD; b++)
        spl__free(blocks[b]);
    return NULL;
}

/* Refused bytes were never live: the accounts' peaks are at most the allocator's, and the
 * reverse. */
static void refused_memory_is_not_counted(void **state)
{
    (void)state;
    setting s;
    worker workers[WORKERS];
    int granted = 0, refused = 0;
    start(&s, BUDGET, BUDGET);
    zoo_random_seed(&s.hook.dice, testing_seed());
    s.hook.refused = 40;
    for (int w = 0; w < WORKERS; w++) {
        workers[w] = (worker){.setting = &s};
        zoo_random_seed(&workers[w].random, testing_seed() + (uint64_t)w + 1);
        EXPECT(pthread_create(&workers[w].thread, NULL, ask, &workers[w]) == 0);
    }
    for (int w = 0; w < WORKERS; w++) {
        EXPECT(pthread_join(workers[w].thread, NULL) == 0);
        granted += workers[w].granted;
        refused += workers[w].refused;
    }
    size_t parent = atomic_load(&s.parent.peak), child = atomic_load(&s.child.peak);
    testing_case("%d granted, %d refused, peaks: parent %zu, child %zu, allocator %zu", granted,
                 refused, parent, child, s.hook.peak);
    EXPECT(granted > 0 && refused > granted / 4);
    EXPECT(child <= parent && parent <= s.hook.peak && s.hook.peak <= BUDGET);
    EXPECT(atomic_load(&s.parent.allocations) == granted && s.hook.allocations == granted);
    stop(&s);
}

/* One request that is far larger than all others: only it could raise a peak so high. */
static void a_refused_request_leaves_no_peak(void **state)
{
    (void)state;
    setting s;
    zoo_random random;
    void *kept, *none;
    zoo_random_seed(&random, testing_seed());
    start(&s, 0, 0);
    EXPECT_OK(spl__alloc(&s.child, 1000, 1, &kept));
    size_t peak = atomic_load(&s.child.peak);
    s.hook.refused = 100;
    for (int repeat = 0; repeat < 20; repeat++) {
        int64_t bytes = 1 + zoo_random_below(&random, (int64_t)1 << (20 + repeat));
        testing_case("%lld bytes", (long long)bytes);
        EXPECT_STATUS(SPL_OUT_OF_MEMORY, spl__alloc(&s.child, bytes, 1, &none));
        EXPECT(atomic_load(&s.child.peak) == peak && atomic_load(&s.parent.peak) == peak);
    }
    EXPECT(atomic_load(&s.child.allocations) == 1 && atomic_load(&s.parent.allocations) == 1);
    spl__free(kept);
    stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_accounts_are_charged_and_refunded),
        cmocka_unit_test(own_blocks_are_aligned_and_keep_bytes),
        cmocka_unit_test(budgets_hold_and_failures_are_refunded),
        cmocka_unit_test(a_parents_refusal_refunds_the_child),
        cmocka_unit_test(impossible_sizes),
        cmocka_unit_test(blocks_can_move_to_the_parent),
        cmocka_unit_test(charges_can_be_passed_on),
        cmocka_unit_test(memory_is_held_before_and_after_it_lives),
        cmocka_unit_test(refused_memory_is_not_counted),
        cmocka_unit_test(a_refused_request_leaves_no_peak),
        cmocka_unit_test(checked_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
