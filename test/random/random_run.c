/* SPDX-License-Identifier: Apache-2.0 */
#include "sparloom/measured.h"

#include "random_run.h"

#include "lib/testing.h"

#include <stdio.h>
#include <string.h>

void run_fault(random_run *r, const char *format, ...)
{
    va_list arguments;
    if (run_is_faulty(r))
        return;
    va_start(arguments, format);
    vsnprintf(r->verdict.fault, sizeof r->verdict.fault, format, arguments);
    va_end(arguments);
    r->verdict.outcome = OUTCOME_WRONG;
}

bool run_is_faulty(const random_run *r)
{
    return r->verdict.outcome == OUTCOME_WRONG;
}

void run_expect_ok(random_run *r, spl_status status, const char *call_name)
{
    if (status != SPL_OK)
        run_fault(r, "%s: %s: %s", call_name, spl_status_name(status), spl_error_detail());
}

/* ---- answers ---- */

static bool is_half(const random_case *c)
{
    return c->type == SPL_F16 || c->type == SPL_BF16;
}

static bool is_wide(const random_case *c)
{
    return c->operation == RANDOM_SPGEMM && (c->b.cols > INT32_MAX || c->b.rows > INT32_MAX);
}

/* What is documented as not built. */
static bool may_be_unsupported(const random_case *c)
{
    bool density = c->options.partition == SPL_PARTITION_DENSITY && c->setup->devices;
    return *c->method || (c->operation == RANDOM_SPGEMM && is_half(c)) ||
           (is_wide(c) && c->setup->devices) ||
           (density && (c->operation == RANDOM_SPGEMM || c->resident));
}

static bool may_answer(const random_case *c, spl_status status)
{
    switch (status) {
    case SPL_UNSUPPORTED:
        return may_be_unsupported(c);
    case SPL_INVALID_ARGUMENT: /* a method that does not run where the plan computes */
        return *c->method;
    case SPL_OVER_BUDGET:
        return c->options.memory_budget > 0;
    case SPL_OUT_OF_MEMORY: /* also for a forced method whose workspace has an element for each
                               column of C */
        return c->fails_at >= 0 || (is_wide(c) && *c->method);
    default:
        return status == SPL_OK;
    }
}

bool run_answered(random_run *r, spl_status status, const char *call_name)
{
    r->verdict.status = status;
    if (!may_answer(r->c, status))
        run_fault(r, "%s answered %s: %s", call_name, spl_status_name(status), spl_error_detail());
    if (status == SPL_OK || run_is_faulty(r))
        return status == SPL_OK;
    if (strlen(spl_error_detail()) < 8)
        run_fault(r, "%s answered %s without a detail", call_name, spl_status_name(status));
    else
        r->verdict.outcome = OUTCOME_REFUSED;
    return false;
}

void run_note_methods(random_run *r, const spl_plan *plan)
{
    spl_step step = SPL_STEP_INIT;
    for (int32_t s = 0; s < RANDOM_METHODS && spl_plan_step(plan, s, &step) == SPL_OK; s++)
        for (int32_t m = 0; m < spl_method_count();
             m++) { /* its own name of it outlives the plan */
            spl_method_info info = SPL_METHOD_INFO_INIT;
            if (spl_method(m, &info) == SPL_OK && strcmp(info.id, step.method) == 0)
                r->verdict.methods[s] = info.id;
        }
}

/* ---- contexts ---- */

static bool open_context(random_run *r)
{
    const random_case *c = r->c;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = c->threads;
    options.devices = c->setup->devices;
    options.memory_budget = c->context_budget ? c->options.memory_budget : 0;
    if (c->hooked)
        options.allocator = hook_as_allocator(&r->hook);
    return run_answered(r, spl_context_create(&options, &r->context), "spl_context_create");
}

static void find_places(random_run *r)
{
    r->place_count = spl_processor_count(r->context);
    for (int p = 0; p < r->place_count; p++) {
        spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
        run_expect_ok(r, spl_processor(r->context, p, &info), "spl_processor");
        r->places[p] = info.place;
    }
    r->place = r->places[r->c->resident];
}

bool run_start(random_run *r, const random_case *c)
{
    *r = (random_run){.c = c, .options = c->options};
    if (c->hooked)
        hook_start(&r->hook);
    if (!open_context(r)) {
        if (c->hooked)
            hook_stop(&r->hook);
        return false;
    }
    find_places(r);
    if (c->context_budget)
        r->options.memory_budget = 0;
    r->options.method = *c->method ? c->method : NULL;
    r->options.capabilities = c->has_capabilities ? c->capabilities : NULL;
    if (c->device_scalars)
        r->options.scalar_place = r->place;
    return true;
}

static spl_memory_info memory_at(random_run *r, int position)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    run_expect_ok(r, spl_memory(r->context, r->places[position], &info), "spl_memory");
    return info;
}

void run_operands_are_ready(random_run *r)
{
    for (int p = 0; p < r->place_count; p++) {
        spl_memory_info info = memory_at(r, p);
        r->live[p] = info.live;
        r->peak[p] = info.peak;
    }
    r->placed = r->most_placed = 0;
    if (r->c->fails_at >= 0)
        r->hook.fail_at = r->hook.allocations + r->c->fails_at;
}

/* What the context has learned from the policy measure stays, and is no plan's; so is a copy that
 * was taken of a result. */
static void expect_peak(random_run *r, int p)
{
    size_t budget = r->c->options.memory_budget;
    spl_memory_info info = memory_at(r, p);
    size_t placed = p == r->c->resident ? (size_t)r->most_placed : 0; /* by the test itself */
    size_t within = info.live + budget + placed;
    size_t most = within > r->peak[p] ? within : r->peak[p];
    if (budget && !r->c->take && info.peak > most)
        run_fault(r, "processor %d: a peak of %zu bytes, with %zu before and a budget of %zu", p,
                  info.peak, r->live[p], budget);
}

void run_expect_memory(random_run *r)
{
    for (int p = 0; p < r->place_count; p++)
        expect_peak(r, p);
    run_expect_ok(r, spl_wisdom_forget(r->context), "spl_wisdom_forget");
    for (int p = 0; p < r->place_count; p++) {
        spl_memory_info info = memory_at(r, p);
        if (info.live != r->live[p])
            run_fault(r, "processor %d: %zu bytes are left, %zu were there before", p, info.live,
                      r->live[p]);
    }
    r->hook.fail_at = -1;
}

void run_stop(random_run *r)
{
    spl_context_destroy(r->context);
    if (!r->c->hooked)
        return;
    if (!hook_clean(&r->hook))
        run_fault(r, "the hook: %zu and %zu bytes are left%s", r->hook.live, r->hook.device_live,
                  r->hook.misused ? ", it was misused" : "");
    hook_stop(&r->hook);
}

int64_t run_allocations(random_run *r)
{
    int64_t sum = 0;
    for (int p = 0; p < r->place_count; p++)
        sum += memory_at(r, p).allocations;
    return sum;
}

void run_expect_none_allocated(random_run *r, int64_t since, const char *call_name)
{
    int64_t count = run_allocations(r) - since;
    if (count)
        run_fault(r, "%s has made %lld allocations", call_name, (long long)count);
}

/* FNV-1a of G. Fowler, L. Noll, K.-P. Vo. */
void run_add_to_digest(random_run *r, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        r->digest = (r->digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
}
