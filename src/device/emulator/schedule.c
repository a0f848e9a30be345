/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler: a ring of ready fibers, first in first out or drawn at random. */
#include "device/emulator/engine.h"
#include "device/emulator/sanitizers.h"

enum {
    RING = SPL__EMU_FIBERS - 1, /* mask of positions */
    PATIENCE = 64,
    PATIENCE_AT_RANDOM = 8,
    /* Limits of turns without any change, and of turns with nothing but changes; beyond them a
     * deadlock is assumed. */
    IDLE_LIMIT = SPL__EMU_IS_WATCHED ? 1 << 20 : 1 << 23,
    YIELD_LIMIT = 1 << 28
};

_Thread_local spl__emu_thread *spl__emu_self;

void spl__emu_schedule_start(spl__emu_engine *engine)
{
    engine->ready_head = engine->ready_count = engine->idle = engine->yields = 0;
    engine->spinning = false;
    /* every grid is reproducible with the seed */
    engine->random = 0x9E3779B97F4A7C15u * (uint64_t)(engine->seed + 1);
}

/* Marsaglia's xorshift, Journal of Statistical Software 8 (2003). */
static uint32_t draw(spl__emu_engine *engine, uint32_t limit)
{
    uint64_t x = engine->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    engine->random = x;
    return (uint32_t)(x >> 32) % limit;
}

void spl__emu_make_ready(spl__emu_engine *engine, const spl__emu_fiber *fiber)
{
    engine->ready[(engine->ready_head + engine->ready_count) & RING] =
        (int32_t)(fiber - engine->fibers);
    engine->ready_count++;
}

void spl__emu_make_next(spl__emu_engine *engine, const spl__emu_fiber *fiber)
{
    engine->ready[--engine->ready_head & RING] = (int32_t)(fiber - engine->fibers);
    engine->ready_count++;
}

static spl__emu_fiber *take_ready(spl__emu_engine *engine)
{
    int32_t *first = &engine->ready[engine->ready_head & RING];
    if (spl__emu_at_random(engine)) {
        int32_t *drawn =
            &engine->ready[(engine->ready_head + draw(engine, engine->ready_count)) & RING];
        const int32_t fiber = *drawn;
        *drawn = *first;
        *first = fiber;
    }
    engine->ready_head++;
    engine->ready_count--;
    return &engine->fibers[*first];
}

void spl__emu_switch_to(spl__emu_engine *engine, spl__emu_fiber *fiber)
{
    spl__emu_fiber *from = engine->current;
    if (fiber == from)
        return;
    engine->current = fiber;
    spl__emu_self = &fiber->self;
    spl__emu_context_switch(&from->context, &fiber->context);
}

void spl__emu_next(spl__emu_engine *engine)
{
    spl__emu_switch_to(engine, engine->ready_count > 0 ? take_ready(engine) : &engine->main);
}

void spl__emu_go_on(spl__emu_fiber *fiber)
{
    spl__emu_engine *engine = fiber->engine;
    if (fiber->activity != SPL__EMU_RUNS)
        spl__emu_next(engine);
    else if (spl__emu_at_random(engine)) {
        spl__emu_make_ready(engine, fiber);
        spl__emu_next(engine);
    }
}

void spl__emu_yield(void)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_engine *engine = fiber->engine;
    fiber->self.patience =
        spl__emu_at_random(engine) ? (int32_t)draw(engine, PATIENCE_AT_RANDOM) : PATIENCE;
    engine->idle = fiber->self.changed ? 0 : engine->idle + 1;
    fiber->self.changed = 0;
    if (engine->idle > IDLE_LIMIT || ++engine->yields > YIELD_LIMIT)
        spl__emu_fault(fiber, "livelock: it spins on what no thread writes");
    spl__emu_make_ready(engine, fiber);
    if (engine->idle > 2 * engine->ready_count && engine->begun < engine->launch.blocks) {
        engine->spinning = true;
        spl__emu_switch_to(engine, &engine->main);
    } else
        spl__emu_next(engine);
}

void spl__emu_fence(void)
{
    spl__tsan_release(&spl__emu_current_fiber()->engine->fence);
}

void spl__emu_see_fences(void)
{
    spl__tsan_acquire(&spl__emu_current_fiber()->engine->fence);
}
