/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 1: never more bytes live than the budget; too small a budget gives an error that names
 * the bytes needed. */
#include "lib/api_calls.h"
#include "lib/hook_allocator.h"

#include <ctype.h>
#include <string.h>

enum { MOST_STEPS = 60 };

typedef struct setting {
    hook_allocator hook;
    spl_context *context;
    api_operands operands;
} setting;

static void start(setting *s, int threads)
{
    hook_start(&s->hook);
    api_operands_make(&s->operands, 200);
    s->context = NULL;
    EXPECT_OK(hook_context(&s->hook, threads, 0, &s->context));
}

static void stop(setting *s)
{
    spl_context_destroy(s->context);
    EXPECT(hook_clean(&s->hook));
    api_operands_free(&s->operands);
    hook_stop(&s->hook);
}

/* Bytes live through the hook at the peak of the call, without those live before; budgets hold for
 * each place, so the larger one's. */
static spl_status measure(setting *s, const api_call *call, const spl_options *options,
                          size_t *peak)
{
    size_t live = s->hook.live;
    s->hook.peak = live;
    s->hook.device_peak = 0;
    spl_status status = api_call_perform(call, s->context, &s->operands, options);
    EXPECT(s->hook.live == live && s->hook.device_live == 0);
    *peak = s->hook.peak - live > s->hook.device_peak ? s->hook.peak - live : s->hook.device_peak;
    return status;
}

static bool has_budget(const api_call *call)
{
    /* convert, describe and copies of C have only the context's budget */
    return strncmp(call->name, "sp", 2) == 0 && !strstr(call->name, "take");
}

/* The number after `word` in the detail of the last failure, 0 if there is none. */
static size_t number_after(const char *detail, const char *word)
{
    const char *cursor = strstr(detail, word);
    size_t number = 0;
    for (cursor = cursor ? cursor + strlen(word) : "";
         isdigit((unsigned char)*cursor) || *cursor == ','; cursor++)
        if (*cursor != ',')
            number = number * 10 + (size_t)(*cursor - '0');
    return number;
}

/* "needs N bytes" or "needs N more bytes with M live". */
static size_t bytes_asked_for(const char *detail)
{
    size_t needs = number_after(detail, "needs ");
    return strstr(detail, " more bytes") ? needs + number_after(detail, "with ") : needs;
}

static void plan_budgets(void **state)
{
    (void)state;
    setting s;
    const size_t steps = testing_scale() > 1 ? 4 : 7; /* to e times the budget */
    start(&s, 2);
    for (int c = 0; c < api_call_count; c++) {
        const api_call *call = &api_calls[c];
        spl_options options = SPL_OPTIONS_INIT;
        size_t free_peak, peak, successes = 0;
        testing_case("%s without budget", call->name);
        if (!has_budget(call))
            continue;
        EXPECT_OK(measure(&s, call, &options, &free_peak));
        for (size_t budget = 1; budget < 2 * free_peak + 64; budget += budget / steps + 1) {
            options.memory_budget = budget;
            testing_case("%s with %zu bytes (without budget %zu)", call->name, budget, free_peak);
            spl_status status = measure(&s, call, &options, &peak);
            if (status != SPL_OK)
                testing_status(SPL_OVER_BUDGET, status, call->name, __FILE__, __LINE__);
            EXPECT(peak <= budget);
            successes += status == SPL_OK;
        }
        EXPECT(successes > 0);
    }
    stop(&s);
}

/* Retries with the number in the detail end in success after few attempts. */
static void the_detail_leads_to_success(void **state)
{
    (void)state;
    setting s;
    start(&s, 2);
    for (int c = 0; c < api_call_count; c++) {
        spl_options options = SPL_OPTIONS_INIT;
        size_t peak, budget = 1;
        if (!has_budget(&api_calls[c]))
            continue;
        int steps = 0;
        for (options.memory_budget = budget; measure(&s, &api_calls[c], &options, &peak) != SPL_OK;
             steps++) {
            size_t asked = bytes_asked_for(spl_error_detail());
            testing_case("%s, step %d with %zu bytes, told %zu: %s", api_calls[c].name, steps,
                         budget, asked, spl_error_detail());
            EXPECT(asked > budget);
            EXPECT(steps < MOST_STEPS);
            options.memory_budget = budget = asked;
        }
    }
    stop(&s);
}

/* The context's budget limits conversions and all calls together; the context's own handle is
 * not counted. */
static void context_budgets(void **state)
{
    (void)state;
    api_operands operands;
    api_operands_make(&operands, 120);
    for (int c = 0; c < api_call_count; c++)
        for (size_t budget = 256; budget < 1 << 20;
             budget += budget / (testing_scale() > 1 ? 1 : 3)) {
            hook_allocator hook;
            spl_context *context = NULL;
            hook_start(&hook);
            testing_case("%s in a context of %zu bytes", api_calls[c].name, budget);
            EXPECT_OK(hook_context(&hook, 2, budget, &context));
            size_t handle = hook.live;
            spl_status status = api_call_perform(&api_calls[c], context, &operands, NULL);
            EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
            EXPECT(hook.peak <= budget + handle && hook.device_peak <= budget);
            spl_context_destroy(context);
            EXPECT(hook_clean(&hook));
            hook_stop(&hook);
        }
    api_operands_free(&operands);
}

/* What spl_memory and spl_plan_counters tell is what the allocator saw. */
static void accounting_is_true(void **state)
{
    (void)state;
    setting s;
    start(&s, 2);
    spl_plan *plan = NULL;
    size_t live = s.hook.live;
    spl_options options = SPL_OPTIONS_INIT;
    options.keep_result = 1;
    options.processors = testing_processors("spgemm/");
    EXPECT_OK(spl_spgemm_plan(s.context, &s.operands.coo.view, &s.operands.csc.view, NULL, &options,
                              &plan));
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_memory(s.context, (spl_place){SPL_HOST, 0}, &memory));
    EXPECT_OK(spl_plan_counters(plan, &counters));
    testing_case("live %zu, told %zu; plan %zu, told %zu", s.hook.live, memory.live,
                 s.hook.live - live, counters.live);
    EXPECT(memory.live <= s.hook.live && memory.peak <= s.hook.peak);
    EXPECT(s.hook.live - memory.live <= live); /* the context itself may be left out */
    EXPECT(counters.live == s.hook.live - live);
    EXPECT(counters.peak >= counters.live && counters.peak <= s.hook.peak - live);
    spl_plan_destroy(plan);
    EXPECT_OK(spl_memory(s.context, (spl_place){SPL_HOST, 0}, &memory));
    EXPECT(s.hook.live == live && memory.live <= live);
    stop(&s);
}

static void compare_peak(const setting *s, spl_place place, size_t peak)
{
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(s->context, place, &memory));
    testing_case("place kind %d: told %zu, the allocator gave %zu", place.kind, memory.peak, peak);
    EXPECT(memory.peak <= peak);
}

/* The allocator sometimes refuses. Refused memory is not counted in any peak, whether the call
 * fails or goes on without it. */
static void refused_memory_is_in_no_peak(void **state)
{
    (void)state;
    for (int c = 0; c < api_call_count; c += testing_scale()) {
        setting s;
        spl_processor_info device = SPL_PROCESSOR_INFO_INIT;
        start(&s, 2);
        zoo_random_seed(&s.hook.dice, testing_seed() + (uint64_t)c);
        s.hook.refused = 10;
        for (int repeat = 0; repeat < 3; repeat++) {
            testing_case("%s, time %d", api_calls[c].name, repeat);
            spl_status status = api_call_perform(&api_calls[c], s.context, &s.operands, NULL);
            EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
        }
        compare_peak(&s, (spl_place){SPL_HOST, 0}, s.hook.peak);
        if (spl_processor(s.context, 1, &device) == SPL_OK)
            compare_peak(&s, device.place, s.hook.device_peak);
        s.hook.refused = 0;
        stop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_budgets),
        cmocka_unit_test(the_detail_leads_to_success),
        cmocka_unit_test(context_budgets),
        cmocka_unit_test(accounting_is_true),
        cmocka_unit_test(refused_memory_is_in_no_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
