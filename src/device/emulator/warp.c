/* SPDX-License-Identifier: Apache-2.0 */
/* Warp operations: each waits until all lanes of its mask that have not returned are in the same
 * one, with the same mask. */
#include "device/emulator/engine.h"
#include "device/emulator/sanitizers.h"

static int lowest(uint64_t lanes)
{
    return __builtin_ctzll(lanes);
}

static int highest(uint64_t lanes)
{
    return 63 - __builtin_clzll(lanes);
}

static void exchange_votes(spl__emu_fiber *lanes, uint64_t taking_part)
{
    uint64_t votes = 0;
    for (uint64_t m = taking_part; m; m &= m - 1)
        votes |= lanes[lowest(m)].value ? m & -m : 0;
    for (uint64_t m = taking_part; m; m &= m - 1)
        lanes[lowest(m)].result = votes;
}

static void exchange_values(spl__emu_fiber *lanes, uint64_t taking_part)
{
    for (uint64_t m = taking_part; m; m &= m - 1) {
        spl__emu_fiber *fiber = &lanes[lowest(m)];
        if (!(taking_part >> fiber->from & 1))
            spl__emu_fault(fiber, "SHUFFLE reads lane %d, which takes no part", (int)fiber->from);
        fiber->result = lanes[fiber->from].value;
    }
}

static void check_same_operation(spl__emu_fiber *lanes, uint64_t taking_part)
{
    const spl__emu_fiber *first = &lanes[lowest(taking_part)];
    for (uint64_t m = taking_part & (taking_part - 1); m; m &= m - 1) {
        spl__emu_fiber *fiber = &lanes[lowest(m)];
        if (fiber->mask != first->mask)
            spl__emu_fault(
                fiber, "lanes disagree about the mask: 0x%llx here, 0x%llx in thread %d at line %d",
                (unsigned long long)fiber->mask, (unsigned long long)first->mask,
                (int)first->self.thread, (int)first->line);
        if (fiber->activity != first->activity || fiber->line != first->line)
            spl__emu_fault(fiber,
                           "lanes of one mask are in different operations: thread %d is at line %d",
                           (int)first->self.thread, (int)first->line);
    }
}

/* SYNC_WARP orders memory: earlier writes of all lanes become visible to each of them. */
static void order_lanes(spl__emu_warp *warp, spl__emu_fiber *lanes, uint64_t taking_part)
{
    spl__tsan_acquire(&warp->order);
    for (uint64_t m = SPL__EMU_IS_WATCHED ? taking_part : 0; m; m &= m - 1)
        spl__tsan_release(&lanes[lowest(m)].order);
    (void)warp;
    (void)lanes;
}

/* Completes the operation; all lanes are in it. */
static void finish(spl__emu_warp *warp, spl__emu_fiber *lanes, uint64_t taking_part)
{
    const spl__emu_activity operation = lanes[lowest(taking_part)].activity;
    if (operation == SPL__EMU_IN_SHUFFLE)
        exchange_values(lanes, taking_part);
    else if (operation == SPL__EMU_IN_BALLOT)
        exchange_votes(lanes, taking_part);
    else
        order_lanes(warp, lanes, taking_part);
}

/* If all lanes of the mask have arrived: computes their results and makes all but `current` run
 * next. */
static bool finish_if_complete(spl__emu_warp *warp, spl__emu_fiber *lanes, uint64_t mask,
                               const spl__emu_fiber *current)
{
    const uint64_t taking_part = mask & warp->live;
    if (taking_part == 0 || (taking_part & ~warp->waiting))
        return false;
    check_same_operation(lanes, taking_part);
    finish(warp, lanes, taking_part);
    warp->waiting &= ~taking_part;
    current->engine->idle = current->engine->yields = 0;
    for (uint64_t m = taking_part; m; m &= ~((uint64_t)1 << highest(m))) {
        spl__emu_fiber *fiber = &lanes[highest(m)];
        fiber->activity = SPL__EMU_RUNS;
        if (fiber != current)
            spl__emu_make_next(current->engine, fiber);
    }
    return true;
}

static void operate(spl__emu_fiber *fiber, uint64_t mask)
{
    spl__emu_warp *warp = &fiber->block->warps[fiber->self.warp];
    if (!(mask >> fiber->self.lane & 1))
        spl__emu_fault(fiber, "lane %d is not in its own mask 0x%llx", (int)fiber->self.lane,
                       (unsigned long long)mask);
    fiber->mask = mask;
    warp->waiting |= (uint64_t)1 << fiber->self.lane;
    finish_if_complete(warp, fiber - fiber->self.lane, mask, fiber);
    spl__emu_go_on(fiber);
}

void spl__emu_sync_warp(const char *file, int line, lane_mask mask)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_begins(fiber, SPL__EMU_IN_SYNC_WARP, file, line);
    spl__tsan_release(&fiber->block->warps[fiber->self.warp].order);
    operate(fiber, mask);
    spl__tsan_acquire(&fiber->order);
}

uint64_t spl__emu_shuffle(const char *file, int line, lane_mask mask, uint64_t value, int from)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_begins(fiber, SPL__EMU_IN_SHUFFLE, file, line);
    fiber->value = value;
    fiber->from = from;
    operate(fiber, mask);
    return fiber->result;
}

lane_mask spl__emu_ballot(const char *file, int line, lane_mask mask, int predicate)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_begins(fiber, SPL__EMU_IN_BALLOT, file, line);
    fiber->value = (uint64_t)predicate;
    operate(fiber, mask);
    return (lane_mask)fiber->result;
}

void spl__emu_warp_leave(spl__emu_fiber *fiber)
{
    spl__emu_warp *warp = &fiber->block->warps[fiber->self.warp];
    spl__emu_fiber *lanes = fiber - fiber->self.lane;
    warp->live &= ~((uint64_t)1 << fiber->self.lane);
    for (uint64_t m = warp->waiting; m; m &= m - 1)
        if (warp->waiting & m & -m)
            finish_if_complete(warp, lanes, lanes[lowest(m)].mask, fiber);
}
