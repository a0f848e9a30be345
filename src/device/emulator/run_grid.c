/* SPDX-License-Identifier: Apache-2.0 */
/* run_grid.c: runs the blocks of a grid on the fibers of an engine. */
#include "device/emulator/engine.h"

#include <inttypes.h>
#include <stdlib.h>

#include "device/emulator/sanitizers.h"

enum {
    SLOTS = SPL__EMU_FIBERS / SPL__LANES,
    STACKS_AT_ONCE = 64,
    /* The number of blocks that run interleaved at random, or on separate fibers for TSan, which
     * supports only about 250 fibers. */
    SPREAD = SPL__EMU_IS_WATCHED ? 2 : 4
};

/* ------------------------------------------------------------------------------- device threads */

/* A device thread returns; if it is the last, its block ends. Returns when the fiber has another
 * thread to run. */
static void leave(spl__emu_fiber *fiber)
{
    spl__emu_engine *engine = fiber->engine;
    spl__emu_block *block = fiber->block;
    spl__tsan_release(&block->end[block->round % 2]);
    fiber->activity = SPL__EMU_RETURNED;
    engine->idle = engine->yields = 0;
    block->live--;
    spl__emu_warp_leave(fiber);
    spl__emu_barrier_leave(fiber);
    if (block->live > 0) {
        spl__emu_next(engine);
        return;
    }
    spl__emu_block_memory_end(block);
    engine->live_blocks--;
    engine->ended++;
    spl__emu_switch_to(engine, &engine->main);
}

/* The function that every fiber runs. spl__emu_self is read only once, because the host thread
 * may change. */
static void live(void)
{
    spl__emu_fiber *const fiber = spl__emu_current_fiber();
    spl__emu_context_arrive(&fiber->context);
    for (;;) {
        spl__tsan_acquire(&fiber->engine->start);
        /* the block before had the same shared memory */
        spl__tsan_acquire(&fiber->block->end[(fiber->block->round + 1) % 2]);
        fiber->engine->kernel->run(fiber->engine->launch.args);
        leave(fiber);
    }
}

/* Fibers are created on first use, and kept. */
static bool make_fibers(spl__emu_engine *engine, int32_t count)
{
    while (engine->fibers_made < count) {
        spl__emu_context *contexts[STACKS_AT_ONCE];
        spl__emu_fiber *first = engine->fibers + engine->fibers_made;
        for (int i = 0; i < STACKS_AT_ONCE; i++)
            contexts[i] = &first[i].context;
        if (!spl__emu_stacks_make(contexts, STACKS_AT_ONCE))
            return false;
        for (int i = 0; i < STACKS_AT_ONCE; i++) {
            first[i].engine = engine;
            first[i].activity = SPL__EMU_RETURNED;
            spl__emu_context_reset(contexts[i], live);
        }
        engine->fibers_made += STACKS_AT_ONCE;
    }
    return true;
}

/* --------------------------------------------------------------------------------------- blocks */

static void start_thread(spl__emu_engine *engine, spl__emu_block *block, int32_t thread)
{
    spl__emu_fiber *fiber = &block->fibers[thread];
    const int32_t lane = thread % SPL__LANES, warp = thread / SPL__LANES;
    fiber->self = (spl__emu_thread){.thread = thread,
                                    .threads = engine->launch.threads,
                                    .lane = lane,
                                    .warp = warp,
                                    .block = block->index,
                                    .blocks = engine->launch.blocks};
    fiber->block = block;
    fiber->file = NULL;
    fiber->activity = SPL__EMU_RUNS;
    block->warps[warp].live |= (uint64_t)1 << lane;
    spl__emu_make_ready(engine, fiber);
}

/* The slot of the next block: several slots in turn if blocks are to interleave, else the first
 * free one. */
static spl__emu_block *free_slot(spl__emu_engine *engine)
{
    const bool in_turn = spl__emu_at_random(engine) || SPL__EMU_IS_WATCHED;
    const int32_t spread = engine->slots < SPREAD ? engine->slots : SPREAD;
    int32_t slot = in_turn ? (engine->last_slot + 1) % spread : 0;
    for (int32_t tried = 0; engine->blocks[slot].live > 0 && tried < engine->slots; tried++)
        slot = (slot + 1) % engine->slots;
    engine->last_slot = slot;
    return &engine->blocks[slot];
}

static void start_block(spl__emu_engine *engine)
{
    const int32_t threads = engine->launch.threads;
    spl__emu_block *block = free_slot(engine);
    const int64_t position = block - engine->blocks;
    if (!make_fibers(engine, (int32_t)(position + 1) * threads) ||
        !spl__emu_block_memory_start(engine, block)) {
        spl__emu_fault_of_grid(engine, "the host has no memory for another block");
        return;
    }
    block->fibers = engine->fibers + position * threads;
    block->index = engine->seed < 0 ? engine->launch.blocks - 1 - engine->begun : engine->begun;
    block->round++;
    block->live = threads;
    block->waiting = 0;
    for (int w = 0; w < SPL__EMU_BLOCK_WARPS; w++)
        block->warps[w].live = block->warps[w].waiting = 0;
    spl__tsan_release(&engine->start);
    for (int32_t i = 0; i < threads; i++)
        start_thread(engine, block, engine->seed < 0 ? threads - 1 - i : i);
    engine->begun++;
    engine->live_blocks++;
}

static bool wants_block(const spl__emu_engine *engine)
{
    if (engine->begun == engine->launch.blocks || engine->live_blocks == engine->slots)
        return false;
    return engine->ready_count == 0
               ? engine->live_blocks == 0
               : engine->spinning || (spl__emu_at_random(engine) && engine->live_blocks < SPREAD);
}

/* ---------------------------------------------------------------------------------------- grids */

static bool launch_allowed(spl__emu_engine *engine)
{
    const spl__launch *launch = &engine->launch;
    const spl__emu_model *model = spl__emu_model_of_plugin();
    if (launch->blocks < 1 || launch->blocks > INT32_MAX)
        spl__emu_fault_of_grid(engine, "a grid of %" PRId64 " blocks", launch->blocks);
    else if (launch->threads < 1 || launch->threads > SPL__EMU_BLOCK_THREADS)
        spl__emu_fault_of_grid(engine, "blocks of %d threads, the device has at most %d",
                               (int)launch->threads, (int)SPL__EMU_BLOCK_THREADS);
    else if (launch->threads > engine->kernel->most_threads)
        spl__emu_fault_of_grid(engine, "blocks of %d threads, the kernel is built for %d",
                               (int)launch->threads, (int)engine->kernel->most_threads);
    else if (launch->shared > model->block_shared)
        spl__emu_fault_of_grid(engine, "%zu bytes of shared memory asked for, a block may have %zu",
                               launch->shared, model->block_shared);
    return engine->fault[0] == 0;
}

static void start_grid(spl__emu_engine *engine)
{
    spl__emu_context_here(&engine->main.context);
    engine->current = &engine->main;
    engine->slots = SPL__EMU_UNITS * (SPL__EMU_UNIT_THREADS / engine->launch.threads);
    if (engine->slots > SLOTS)
        engine->slots = SLOTS;
    engine->live_blocks = 0;
    engine->last_slot = -1;
    engine->begun = engine->ended = 0;
    spl__emu_schedule_start(engine);
}

/* Abandons the state of all fibers. */
static void abandon(spl__emu_engine *engine)
{
    for (int32_t i = 0; i < engine->fibers_made; i++) {
        if (engine->fibers[i].activity == SPL__EMU_RETURNED)
            continue;
        spl__emu_context_reset(&engine->fibers[i].context, live);
        engine->fibers[i].activity = SPL__EMU_RETURNED;
    }
    for (int32_t i = 0; i < SLOTS; i++) {
        if (engine->blocks[i].live > 0)
            spl__emu_block_memory_end(&engine->blocks[i]);
        engine->blocks[i].live = 0;
    }
}

bool spl__emu_engine_run(spl__emu_engine *engine, const spl__launch *launch)
{
    engine->launch = *launch;
    engine->kernel = launch->kernel->entry;
    engine->fault[0] = 0;
    if (!launch_allowed(engine))
        return false;
    start_grid(engine);
    while (engine->ended < launch->blocks && engine->fault[0] == 0) {
        if (wants_block(engine)) {
            start_block(engine);
            engine->spinning = false;
        } else if (engine->ready_count == 0)
            spl__emu_fault_deadlock(engine);
        else
            spl__emu_next(engine);
    }
    for (int32_t i = 0; i < 2 * engine->slots; i++)
        spl__tsan_acquire(&engine->blocks[i / 2].end[i % 2]);
    if (engine->fault[0] != 0)
        abandon(engine);
    return engine->fault[0] == 0;
}

/* ---------------------------------------------------------------------------- the engine itself */

spl__emu_engine *spl__emu_engine_new(int32_t seed)
{
    spl__emu_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL)
        return NULL;
    engine->seed = seed;
    engine->fibers = calloc(SPL__EMU_FIBERS, sizeof *engine->fibers);
    engine->ready = calloc(SPL__EMU_FIBERS, sizeof *engine->ready);
    engine->blocks = calloc(SLOTS, sizeof *engine->blocks);
    if (engine->fibers && engine->ready && engine->blocks)
        return engine;
    spl__emu_engine_free(engine);
    return NULL;
}

void spl__emu_engine_free(spl__emu_engine *engine)
{
    for (int32_t i = 0; i < engine->fibers_made; i++)
        spl__emu_context_end(&engine->fibers[i].context);
    for (int32_t i = 0; i < engine->fibers_made; i += STACKS_AT_ONCE)
        spl__emu_stacks_free(&engine->fibers[i].context, STACKS_AT_ONCE);
    for (int32_t i = 0; engine->blocks && i < SLOTS; i++)
        spl__emu_block_memory_free(&engine->blocks[i]);
    free(engine->blocks);
    free(engine->ready);
    free(engine->fibers);
    free(engine);
}
