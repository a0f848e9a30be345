/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for faults in a grid. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "device/emulator/engine.h"

static const char *const names[] = {"running", "SYNC",   "SYNC_WARP",
                                    "SHUFFLE", "BALLOT", "returned"};

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static void append(spl__emu_engine *engine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append_list(spl__emu_engine *engine, const char *format, va_list list)
{
    const size_t length = strlen(engine->fault);
    vsnprintf(engine->fault + length, sizeof engine->fault - length, format, list);
}

static void append(spl__emu_engine *engine, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append_list(engine, format, list);
    va_end(list);
}

_Noreturn void spl__emu_fault(spl__emu_fiber *fiber, const char *format, ...)
{
    spl__emu_engine *engine = fiber->engine;
    va_list list;
    append(engine, "kernel %s, block %" PRId64 ", thread %d: ", engine->launch.kernel->name,
           fiber->self.block, (int)fiber->self.thread);
    va_start(list, format);
    append_list(engine, format, list);
    va_end(list);
    if (fiber->file)
        append(engine, " (%s:%d)", base_name(fiber->file), (int)fiber->line);
    engine->current->activity = SPL__EMU_RUNS; /* even if it was about to return */
    spl__emu_switch_to(engine, &engine->main);
    __builtin_unreachable(); /* main abandons this fiber */
}

void spl__emu_fault_of_grid(spl__emu_engine *engine, const char *format, ...)
{
    va_list list;
    append(engine, "kernel %s: ", engine->launch.kernel->name);
    va_start(list, format);
    append_list(engine, format, list);
    va_end(list);
}

static bool same_wait(const spl__emu_fiber *a, const spl__emu_fiber *b)
{
    return a->activity == b->activity && (a->activity == SPL__EMU_RETURNED || a->line == b->line);
}

/* "threads 0..31 in SYNC (file:12); threads 32..63 returned". */
static void append_waits(spl__emu_engine *engine, const spl__emu_block *block)
{
    const int32_t threads = engine->launch.threads;
    for (int32_t end, begin = 0; begin < threads; begin = end) {
        const spl__emu_fiber *fiber = &block->fibers[begin];
        for (end = begin + 1; end < threads && same_wait(fiber, &block->fibers[end]);)
            end++;
        append(engine, "%s threads %d..%d %s%s", begin > 0 ? ";" : "", (int)begin, (int)end - 1,
               fiber->activity == SPL__EMU_RETURNED ? "" : "wait in ", names[fiber->activity]);
        if (fiber->activity != SPL__EMU_RETURNED)
            append(engine, " (%s:%d)", base_name(fiber->file), (int)fiber->line);
    }
}

void spl__emu_fault_deadlock(spl__emu_engine *engine)
{
    const spl__emu_block *block = engine->blocks;
    while (block->live == 0)
        block++;
    append(engine, "kernel %s, block %" PRId64 ": deadlock:", engine->launch.kernel->name,
           block->index);
    append_waits(engine, block);
}
