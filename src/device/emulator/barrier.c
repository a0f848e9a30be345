/* SPDX-License-Identifier: Apache-2.0 */
/* SYNC: waits for all threads of the block that have not returned; all must be at the same
 * source line. */
#include "device/emulator/engine.h"
#include "device/emulator/sanitizers.h"

/* If all threads have arrived, makes all but `current` ready. */
static void open_if_complete(spl__emu_block *block, const spl__emu_fiber *current)
{
    spl__emu_engine *engine = current->engine;
    const int32_t threads = engine->launch.threads;
    if (block->waiting == 0 || block->waiting < block->live)
        return;
    block->waiting = 0;
    block->syncs++;
    engine->idle = engine->yields = 0;
    for (int32_t i = 0; i < threads; i++) {
        spl__emu_fiber *fiber = &block->fibers[engine->seed < 0 ? threads - 1 - i : i];
        if (fiber->activity != SPL__EMU_IN_SYNC)
            continue;
        fiber->activity = SPL__EMU_RUNS;
        if (fiber != current)
            spl__emu_make_ready(engine, fiber);
    }
}

static void check_same_line(const spl__emu_fiber *first, spl__emu_fiber *fiber)
{
    if (first->line != fiber->line ||
        (first->file != fiber->file && strcmp(first->file, fiber->file) != 0))
        spl__emu_fault(fiber, "SYNC in divergent code: thread %d is in the one of line %d",
                       (int)first->self.thread, (int)first->line);
}

/* No thread reaches the barrier after the next before all have read the result of this one. */
bool spl__emu_sync(const char *file, int line, bool vote)
{
    spl__emu_fiber *fiber = spl__emu_current_fiber();
    spl__emu_block *block = fiber->block;
    char *order = &block->order[block->syncs % 2];
    bool *any = &block->any[block->syncs % 2];
    spl__emu_begins(fiber, SPL__EMU_IN_SYNC, file, line);
    if (block->waiting++ == 0) {
        block->first = fiber;
        *any = false;
    }
    *any = *any || vote;
    check_same_line(block->first, fiber);
    spl__tsan_release(order);
    open_if_complete(block, fiber);
    spl__emu_go_on(fiber);
    spl__tsan_acquire(order);
    return *any;
}

void spl__emu_barrier_leave(spl__emu_fiber *fiber)
{
    open_if_complete(fiber->block, fiber);
}
